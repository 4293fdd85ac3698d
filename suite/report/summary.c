// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * summary.json: the run in one object: what run_start and run_end say, and
 * behind that the verdict of every case.
 */
#include <stdlib.h>
#include <string.h>

#include "suite/report/reporter.h"

/* @state: the object so far. */
static json_t *summary_object(struct reporter *r)
{
	if (!r->state)
		r->state = json_pack("{s:[]}", "cases");
	if (!r->state)
		abort();
	return r->state;
}

static void summary_merge(json_t *summary, const json_t *event)
{
	json_t *copy = json_copy((json_t *)event);

	json_object_del(copy, "event");
	json_object_update(summary, copy);
	json_decref(copy);
}

static void summary_event(struct reporter *r, const char *kind,
			  const json_t *event)
{
	json_t *summary = summary_object(r);

	if (strcmp(kind, "run_start") == 0) {
		summary_merge(summary, event);
	} else if (strcmp(kind, "case_end") == 0) {
		json_t *copy = json_copy((json_t *)event);

		json_object_del(copy, "event");
		json_array_append_new(json_object_get(summary, "cases"), copy);
	} else if (strcmp(kind, "run_end") == 0) {
		json_t *cases = json_incref(json_object_get(summary, "cases"));

		summary_merge(summary, event);
		/* The sum is what is looked for: it does not stand behind. */
		json_object_del(summary, "cases");
		json_object_set_new(summary, "cases", cases);
		json_dumpf(summary, r->out, JSON_INDENT(2));
		fputc('\n', r->out);
	}
}

static void summary_close(struct reporter *r)
{
	json_decref(r->state);
}

const struct reporter_type reporter_summary = {
	.name = "summary",
	.file = "summary.json",
	.event = summary_event,
	.close = summary_close,
};
