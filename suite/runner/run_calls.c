// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The last calls of a case that did not pass as events, those of both ends, and
 * so of both hosts, in one order of time.  All that was recorded is in the
 * scene.
 */
#include <stdlib.h>
#include <string.h>

#include "suite/oracle/recorder.h"
#include "suite/report/text.h"
#include "suite/runner/run.h"

enum { CALLS_TOLD = 64 };

struct calls {
	char *line[CALLS_TOLD]; /* a ring: the oldest is overwritten */
	uint64_t count;
};

static void calls_keep(void *arg, const char *json)
{
	struct calls *c = arg;
	char **place = &c->line[c->count++ % CALLS_TOLD];

	free(*place);
	*place = strdup(json);
	if (!*place)
		abort();
}

static void calls_emit(struct run *r, const struct vb_case *record,
		       const char *line)
{
	json_t *event = json_object(), *call = json_loads(line, 0, NULL);

	/* A text of the device's may be no JSON: the scene has it. */
	if (!call)
		call = json_object();
	json_object_set_new(event, "event", json_string("call"));
	json_object_set_new(event, "id", text_json(record->id));
	json_object_set(event, "end", json_object_get(call, "end"));
	json_object_set(event, "when_ns", json_object_get(call, "when_ns"));
	json_object_set_new(event, "call", call);
	stream_emit(&r->stream, event);
}

void run_tell_calls(struct run *r, const struct vb_case *record,
		    const struct recorder *recorder)
{
	struct calls c = { 0 };
	uint64_t i;

	if (recorder)
		recorder_to_jsonl(recorder, calls_keep, &c);
	for (i = c.count > CALLS_TOLD ? c.count - CALLS_TOLD : 0; i < c.count;
	     i++)
		calls_emit(r, record, c.line[i % CALLS_TOLD]);
	for (i = 0; i < CALLS_TOLD; i++)
		free(c.line[i]);
}
