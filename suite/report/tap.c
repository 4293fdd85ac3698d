// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TAP version 14.  skip is "ok ... # SKIP reason"; a listed deviation is "not
 * ok ... # TODO": a failure that is known.  Every verdict but pass and skip
 * has a YAML block.
 */
#include <stdlib.h>
#include <string.h>

#include "suite/report/reporter.h"
#include "suite/report/stream.h"
#include "suite/report/text.h"

struct tap_state {
	uint64_t number;
};

static void tap_yaml_text(struct strbuf *out, const json_t *event,
			  const char *key)
{
	if (!event_text(event, key)[0])
		return;
	strbuf_addf(out, "  %s: ", key);
	text_add_yaml(out, event_text(event, key));
	strbuf_add(out, "\n");
}

static void tap_yaml(struct strbuf *out, const json_t *event)
{
	const char *reason =
		event_text(json_object_get(event, "deviation"), "reason");

	strbuf_add(out, "  ---\n");
	tap_yaml_text(out, event, "verdict");
	tap_yaml_text(out, event, "finding");
	tap_yaml_text(out, event, "reason");
	if (reason[0]) {
		strbuf_add(out, "  deviation: ");
		text_add_yaml(out, reason);
		strbuf_add(out, "\n");
	}
	strbuf_addf(out, "  seed: %llu\n  checks: %llu\n  duration_ms: %llu\n",
		    (unsigned long long)event_number(event, "seed"),
		    (unsigned long long)event_number(event, "checks"),
		    (unsigned long long)event_number(event, "duration_ms"));
	tap_yaml_text(out, event, "scene");
	strbuf_add(out, "  ...\n");
}

static void tap_case(struct reporter *r, const json_t *event)
{
	struct tap_state *state = r->state;
	enum vb_verdict verdict = stream_verdict(event_text(event, "verdict"));
	bool ok = verdict == VB_PASS || verdict == VB_SKIP;
	struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "%s %llu - ", ok ? "ok" : "not ok",
		    (unsigned long long)++state->number);
	text_add_tap(&out, event_text(event, "id"));
	if (verdict == VB_SKIP) {
		strbuf_add(&out, " # SKIP ");
		text_add_tap(&out, event_text(event, "reason"));
	} else if (verdict == VB_DEVIATION) {
		strbuf_add(&out, " # TODO ");
		text_add_tap(&out,
			     event_text(json_object_get(event, "deviation"),
					"reason"));
	}
	strbuf_add(&out, "\n");
	if (!ok)
		tap_yaml(&out, event);
	fputs(strbuf_text(&out), r->out);
	strbuf_free(&out);
}

static void tap_event(struct reporter *r, const char *kind, const json_t *event)
{
	if (!r->state)
		r->state = calloc(1, sizeof(struct tap_state));
	if (!r->state)
		abort();
	if (strcmp(kind, "run_start") == 0)
		fprintf(r->out, "TAP version 14\n1..%llu\n",
			(unsigned long long)event_number(event, "selected"));
	else if (strcmp(kind, "case_end") == 0)
		tap_case(r, event);
	else if (strcmp(kind, "run_end") == 0 &&
		 event_text(event, "interrupted")[0])
		fprintf(r->out, "Bail out! %s\n",
			event_text(event, "interrupted"));
}

static void tap_close(struct reporter *r)
{
	free(r->state);
}

const struct reporter_type reporter_tap = {
	.name = "tap",
	.file = "results.tap",
	.event = tap_event,
	.close = tap_close,
};
