// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Findings of an end, and the judgement of a message's bytes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "suite/bench/traffic_inner.h"

void traffic_find(struct traffic_end *e, const char *word, uint32_t qp,
		  uint64_t sequence, const char *format, ...)
{
	struct traffic_result *r = e->result;
	struct traffic_finding *f;
	va_list args;

	r->findings_total++;
	e->live->findings++;
	/* The first ones tell; the rest is counted. */
	if (r->findings_count == TRAFFIC_FINDINGS_MAX)
		return;
	f = &r->findings[r->findings_count++];
	snprintf(f->kind, sizeof(f->kind), "%s", word);
	f->qp_index = qp;
	f->end = e->end;
	f->sequence = sequence;
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
}

void traffic_judge_content(struct traffic_end *e, uint32_t qp, uint64_t key,
			   uint32_t qp_num, uint64_t sequence, uint32_t len,
			   const unsigned char *at)
{
	const struct pattern_message m = {
		.key = key,
		.sequence = sequence,
		.len = len,
		.qp_num = qp_num,
	};
	const struct pattern_context context = {
		.known = e->known,
		.known_count =
			(size_t)e->p->qps * (e->live->generation > 1 ? 2 : 1),
		.expected = { .end = !e->end,
			      .qp_index = qp,
			      .generation = e->generation },
	};
	struct iovec iov = { (void *)at, len };
	struct pattern_complaint c;
	char text[300];

	if (!pattern_check(&m, &iov, 1, &context, &c))
		return;
	traffic_find(e, "wrong-content", qp, sequence, "%c qp%u: %s",
		     'a' + (int)e->end, qp,
		     pattern_complaint_text(&m, &c, text, sizeof(text)));
}
