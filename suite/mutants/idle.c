// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hygiene of the checks: a case that no mutant trips, and a kind of finding
 * that none provokes, may be one that cannot fail.
 */
#include <stdio.h>
#include <string.h>

#include "suite/mutants/mutants.h"
#include "suite/report/text.h"
#include "suite/runner/registry.h"

json_t *mutants_idle_cases(const struct mutants *m)
{
	json_t *idle = json_array();

	for (size_t n = 0; n < registry_count(); n++) {
		const struct vb_case *c = registry_at(n);

		if (!m->tripped[n] && c->dimension != VB_SOAK &&
		    c->dimension != VB_META)
			json_array_append_new(idle, text_json(c->id));
	}
	return idle;
}

static bool idle_found(const struct mutants *m, const char *word)
{
	const json_t *trip;
	size_t n;

	for (size_t i = 0; i < m->job_count; i++) {
		if (!m->jobs[i].row)
			continue;
		json_array_foreach(
			json_object_get(m->jobs[i].result, "tripped"), n, trip)
		{
			if (!strcmp(mutants_text(trip, "finding"), word))
				return true;
		}
	}
	return false;
}

json_t *mutants_idle_findings(const struct mutants *m)
{
	static const char *const words[] = {
#define VB_FINDING(name, word, text) word,
#include "verbatim/findings.def"
#undef VB_FINDING
	};
	json_t *idle = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!idle_found(m, words[i]))
			json_array_append_new(idle, json_string(words[i]));
	return idle;
}

static void idle_show(const char *what, json_t *idle)
{
	const json_t *word;
	size_t i;

	printf("\n%zu %s that no mutant trips%s\n", json_array_size(idle), what,
	       json_array_size(idle) ? ": can they fail?" : "");
	json_array_foreach(idle, i, word)
	{
		printf("  %s\n", json_string_value(word));
	}
	json_decref(idle);
}

void mutants_show_idle(const struct mutants *m)
{
	idle_show("cases", mutants_idle_cases(m));
	idle_show("kinds of findings", mutants_idle_findings(m));
}
