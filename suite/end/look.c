// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A last look at both ends when a case has failed, or is stopped at its limit:
 * each queue pair is queried, so that record and dashboard have it as it is
 * then, and what the devices have counted meanwhile is noted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "suite/end/direct.h"
#include "suite/end/ends.h"
#include "suite/end/local.h"
#include "suite/oracle/recorder.h"
#include "suite/runner/inside.h"

enum { LOOK_QPS_MAX = 32, LOOK_PACKETS = 64 };

/* As rxe and the software device name them, and behind that as mlx5 does. */
static const char *const look_names[] = {
	"sent_pkts",
	"rcvd_pkts",
	"duplicate_request",
	"out_of_seq_request",
	"send_rnr_err",
	"rcvd_rnr_err",
	"rcvd_seq_err",
	"completer_retry_err",
	"retry_exceeded_err",
	"retry_rnr_exceeded_err",
	"send_err",
	"dropped_pkts",
	"bad_icrc_pkts",
	"out_of_buffer",
	"out_of_sequence",
	"packet_seq_err",
	"local_ack_timeout_err",
	"rnr_nak_retry_err",
};

/* Of an end in this process, when it was opened. */
struct ends_counters {
	bool known[ARRAY_SIZE(look_names)];
	uint64_t begun[ARRAY_SIZE(look_names)];
};

/* What the device is to remember of the wire from here on, if it can. */
static void look_keep(struct vb_end *end)
{
	struct direct direct;

	direct_find(&direct);
	if (direct.packets_keep &&
	    direct_is_soft(&direct, end->host->context) &&
	    direct.packets_keep(end->host->context, LOOK_PACKETS))
		vb_note(end->ends->t, "end %s: its last packets are not kept",
			ends_side(end));
}

/* At once, if need be with what the kernel knew some milliseconds ago. */
static bool look_read(struct vb_end *end, const char *name, uint64_t *count)
{
	struct end_count out;

	if (ends_counter(end, name, &out))
		return false;
	*count = out.count;
	return true;
}

void ends_look_begin(struct vb_end *end)
{
	struct ends_counters *c;

	/* Elsewhere each would be a journey, for a case that may well pass. */
	if (end->remote)
		return;
	look_keep(end);
	c = end->counters = calloc(1, sizeof(*c));
	for (size_t i = 0; c && i < ARRAY_SIZE(look_names); i++)
		c->known[i] = look_read(end, look_names[i], &c->begun[i]);
}

static bool look_counted(struct vb_end *end, size_t i, uint64_t *count)
{
	const struct ends_counters *c = end->counters;

	if (!c || !c->known[i] || !look_read(end, look_names[i], count))
		return false;
	*count -= c->begun[i];
	return true;
}

bool ends_look_counted(struct vb_end *end, const char *name, uint64_t *count)
{
	for (size_t i = 0; i < ARRAY_SIZE(look_names); i++)
		if (!strcmp(look_names[i], name))
			return look_counted(end, i, count);
	return false;
}

/* Of an end elsewhere all that its device has ever counted. */
static void look_counters(struct vb_end *end, const char *whose)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t count;

	for (size_t i = 0; i < ARRAY_SIZE(look_names); i++) {
		bool known = end->remote ? look_read(end, look_names[i], &count)
					 : look_counted(end, i, &count);

		if (known && count)
			strbuf_addf(&text, " %s %" PRIu64, look_names[i],
				    count);
	}
	if (text.len)
		vb_note(end->ends->t, "counted %s, %s:%s",
			end->remote ? "in all" : "since the beginning", whose,
			strbuf_text(&text));
	strbuf_free(&text);
}

/* Of the first call, from which the times of the record count. */
static int look_first(void *arg, const struct recorder_record *record)
{
	*(uint64_t *)arg = record->when_ns;
	return 1;
}

static void look_packet(void *arg, uint64_t when_ns, const char *text)
{
	const uint64_t *zero_ns = arg;

	printf("%+.6fs %s\n", ((double)when_ns - (double)*zero_ns) / 1e9, text);
}

/* Into what the case prints, which its scene has. */
static void look_packets(struct vb_end *end, const char *whose)
{
	const struct recorder *recorder = end->ends->recorder;
	struct direct direct;
	uint64_t zero_ns = 0;

	direct_find(&direct);
	if (end->remote || !direct.packets_show ||
	    !direct_is_soft(&direct, end->host->context))
		return;
	if (recorder)
		recorder_walk(recorder, look_first, &zero_ns);
	printf("the last packets as the device had them, %s, newest last:\n",
	       whose);
	direct.packets_show(end->host->context, look_packet, &zero_ns);
}

static void look_device(struct vb_end *end, const char *whose)
{
	look_counters(end, whose);
	look_packets(end, whose);
}

static bool look_one_port(const struct vb_end *a, const struct vb_end *b)
{
	return a && b && a->counters && b->counters &&
	       !memcmp(&a->opened.gid, &b->opened.gid, sizeof(a->opened.gid));
}

static void look_query(struct vb_qp *qp)
{
	struct end_object in = { .id = qp->id };
	struct end_queried out;

	if (!qp->end->ops->query_qp(qp->end->host, &in, &out))
		dashboard_qp_queried(qp->row, out.now.qp_state);
}

void vb_ends_look(struct vb_test *t)
{
	struct ends *e = t->ends;
	uint32_t i, count = 0;

	if (!e)
		return;
	for (i = e->qps_count; i-- && count < LOOK_QPS_MAX;) {
		if (e->qps[i]->gone)
			continue;
		look_query(e->qps[i]);
		count++;
	}
	if (look_one_port(e->end[0], e->end[1])) {
		look_device(e->end[0], "both ends on one port");
		return;
	}
	for (i = 0; i < 2; i++)
		if (e->end[i])
			look_device(e->end[i], i ? "end b" : "end a");
}
