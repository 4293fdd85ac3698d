// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stream itself, one object a line. */
#include "suite/report/reporter.h"

static void jsonl_event(struct reporter *r, const char *kind,
			const json_t *event)
{
	json_dumpf(event, r->out, JSON_COMPACT);
	fputc('\n', r->out);
}

const struct reporter_type reporter_jsonl = {
	.name = "jsonl",
	.event = jsonl_event,
};
