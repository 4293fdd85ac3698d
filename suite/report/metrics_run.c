// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The metrics of a run, from its events: a reporter that writes nothing by
 * itself, and publishes after each.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "suite/report/metrics_out.h"
#include "suite/report/reporter.h"
#include "suite/report/stream.h"

/* What events have told so far. */
struct metrics_run {
	struct metrics *out;
	char device[64], kind[64], version[32];
	uint64_t started_s, selected;
	uint64_t verdicts[VB_DEVIATION + 1];
	uint64_t checks, case_ms;
	bool finished;
};

static void metrics_run_fill(void *arg, struct metrics_text *t)
{
	const struct metrics_run *s = arg;

	metrics_family(t, METRICS_TARGET);
	metrics_sample(t, 1, "command", "run", "device", s->device, "kind",
		       s->kind, "version", s->version, NULL);
	metrics_family(t, METRICS_START);
	metrics_sample(t, (double)s->started_s, NULL);
	metrics_family(t, METRICS_FINISHED);
	metrics_sample(t, s->finished, NULL);
	metrics_family(t, METRICS_FAILED);
	metrics_sample(t, s->verdicts[VB_FAIL] || s->verdicts[VB_BROKEN], NULL);
	metrics_family(t, METRICS_SELECTED);
	metrics_sample(t, (double)s->selected, NULL);
	metrics_family(t, METRICS_VERDICTS);
	for (int v = VB_PASS; v <= VB_DEVIATION; v++)
		metrics_sample(t, (double)s->verdicts[v], "verdict",
			       vb_verdict_name((enum vb_verdict)v), NULL);
	metrics_family(t, METRICS_CHECKS);
	metrics_sample(t, (double)s->checks, NULL);
	metrics_family(t, METRICS_CASE_TIME);
	metrics_sample(t, (double)s->case_ms / 1000, NULL);
}

static void metrics_run_start(struct metrics_run *s, const json_t *event)
{
	const json_t *device = json_object_get(event, "device");

	snprintf(s->device, sizeof(s->device), "%s",
		 event_text(device, "name"));
	snprintf(s->kind, sizeof(s->kind), "%s", event_text(device, "kind"));
	snprintf(s->version, sizeof(s->version), "%s",
		 event_text(event, "version"));
	s->selected = event_number(event, "selected");
}

static void metrics_run_event(struct reporter *r, const char *kind,
			      const json_t *event)
{
	struct metrics_run *s = r->state;

	if (strcmp(kind, "run_start") == 0) {
		metrics_run_start(s, event);
	} else if (strcmp(kind, "case_end") == 0) {
		s->verdicts[stream_verdict(event_text(event, "verdict"))]++;
		s->checks += event_number(event, "checks");
		s->case_ms += event_number(event, "duration_ms");
	} else if (strcmp(kind, "run_end") == 0) {
		s->finished = true;
	} else {
		return;
	}
	metrics_publish(s->out, metrics_run_fill, s);
}

static void metrics_run_close(struct reporter *r)
{
	free(r->state);
}

static const struct reporter_type metrics_run_type = {
	.name = "metrics",
	.event = metrics_run_event,
	.close = metrics_run_close,
};

struct reporter *metrics_reporter(struct metrics *m)
{
	struct reporter *r =
		reporter_open(&metrics_run_type, NULL, false, NULL);
	struct metrics_run *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->out = m;
	s->started_s = (uint64_t)time(NULL);
	r->state = s;
	return r;
}
