// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* list: the cases; the coverage of the rules by them is list_rules.c. */
#include <jansson.h>
#include <stdio.h>

#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/list_rules.h"
#include "suite/report/text.h"
#include "suite/runner/registry.h"
#include "suite/runner/select.h"

static json_t *list_case_json(const struct vb_case *c)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "id", text_json(c->id));
	json_object_set_new(entry, "title", text_json(c->title));
	json_object_set_new(entry, "spec", text_json(c->spec));
	json_object_set_new(entry, "dimension",
			    json_string(registry_dimension_name(c->dimension)));
	json_object_set_new(entry, "limit_ms", json_integer(c->limit_ms));
	json_object_set_new(entry, "rules", text_json_words(c->rules));
	json_object_set_new(entry, "defects", text_json_words(c->defects));
	json_object_set_new(entry, "kills", text_json_words(c->kills));
	return entry;
}

static void list_print_words(const char *title, const char *const *words)
{
	if (!words || !words[0])
		return;
	printf("    %s:", title);
	for (size_t i = 0; words[i]; i++)
		printf(" %s", words[i]);
	putchar('\n');
}

static void list_cases(const struct selection *s, bool verbose)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct vb_case *c = s->cases[i];

		printf("%-32s %s  [%s, %u ms]\n", c->id, c->title,
		       registry_dimension_name(c->dimension), c->limit_ms);
		if (!verbose)
			continue;
		if (c->spec)
			printf("    source: %s\n", c->spec);
		list_print_words("rules", c->rules);
		list_print_words("defects", c->defects);
		list_print_words("kills", c->kills);
	}
}

int command_list(struct command_call *call)
{
	const struct vb_options *o = &call->options;
	struct selection s;
	char *error = NULL;
	json_t *json = NULL;
	int status = EXIT_FINE;

	if (select_cases((const char *const *)call->operands,
			 (size_t)call->count, &s, &error))
		return answer_error(error, EXIT_USAGE);
	if (o->rules && o->json) {
		json = list_rules_json(&s);
	} else if (o->json) {
		json = json_array();
		for (size_t i = 0; i < s.count; i++)
			json_array_append_new(json, list_case_json(s.cases[i]));
	} else if (o->rules) {
		list_rules(&s);
	} else {
		list_cases(&s, o->verbose);
	}
	if (json)
		answer_json(json);
	if (o->rules)
		status = list_rules_check(&s) ? EXIT_FAILED : EXIT_FINE;
	select_free(&s);
	return status;
}
