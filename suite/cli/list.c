// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* list: the cases, or the coverage of the rules by them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "suite/cli/command.h"
#include "suite/cli/rules.h"
#include "suite/report/text.h"
#include "suite/runner/registry.h"
#include "suite/runner/select.h"

static json_t *list_words(const char *const *words)
{
	json_t *list = json_array();

	for (size_t i = 0; words && words[i]; i++)
		json_array_append_new(list, text_json(words[i]));
	return list;
}

static json_t *list_case_json(const struct vb_case *c)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "id", text_json(c->id));
	json_object_set_new(entry, "title", text_json(c->title));
	json_object_set_new(entry, "spec", text_json(c->spec));
	json_object_set_new(entry, "dimension",
			    json_string(registry_dimension_name(c->dimension)));
	json_object_set_new(entry, "limit_ms", json_integer(c->limit_ms));
	json_object_set_new(entry, "rules", list_words(c->rules));
	json_object_set_new(entry, "defects", list_words(c->defects));
	json_object_set_new(entry, "kills", list_words(c->kills));
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

/* Letters before the dash: "RNR-03" belongs to "RNR". */
static size_t list_group_len(const struct rule *rule)
{
	return strcspn(rule->id, "-");
}

static bool list_same_group(const struct rule *a, const struct rule *b)
{
	size_t len = list_group_len(a);

	return len == list_group_len(b) && strncmp(a->id, b->id, len) == 0;
}

static size_t list_count_checkers(const struct selection *s,
				  const struct rule *rule)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += rules_checked_by(rule, s->cases[i]);
	return count;
}

static void list_rule_line(const struct selection *s, const struct rule *rule)
{
	size_t named = 0;

	printf("%-8s %-22s ", rule->id, rule->severity);
	for (size_t i = 0; i < s->count; i++)
		if (rules_checked_by(rule, s->cases[i]))
			printf("%s%s", named++ ? " " : "", s->cases[i]->id);
	puts(named ? "" : "none");
}

static void list_rules(const struct selection *s)
{
	size_t all = 0;

	for (size_t i = 0; i < rule_count; i++)
		list_rule_line(s, &rules[i]);
	puts("\nrules that some case checks, by group:");
	for (size_t from = 0, to; from < rule_count; from = to) {
		size_t covered = 0;

		for (to = from; to < rule_count &&
				list_same_group(&rules[from], &rules[to]);
		     to++)
			covered += list_count_checkers(s, &rules[to]) > 0;
		printf("%-8.*s %3zu of %3zu  %s\n",
		       (int)list_group_len(&rules[from]), rules[from].id,
		       covered, to - from, rules[from].category);
		all += covered;
	}
	printf("%-8s %3zu of %3zu\n", "all", all, rule_count);
}

static json_t *list_rules_json(const struct selection *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rule_count; i++) {
		json_t *entry = json_object(), *cases = json_array();

		for (size_t k = 0; k < s->count; k++)
			if (rules_checked_by(&rules[i], s->cases[k]))
				json_array_append_new(
					cases, text_json(s->cases[k]->id));
		json_object_set_new(entry, "id", text_json(rules[i].id));
		json_object_set_new(entry, "severity",
				    text_json(rules[i].severity));
		json_object_set_new(entry, "category",
				    text_json(rules[i].category));
		json_object_set_new(entry, "cases", cases);
		json_array_append_new(list, entry);
	}
	return list;
}

/* A rule that a case names and that there is not would never be covered. */
static int list_check_rules(const struct selection *s)
{
	int status = EXIT_FINE;

	for (size_t i = 0; i < s->count; i++) {
		const char *const *names = s->cases[i]->rules;

		for (size_t k = 0; names && names[k]; k++) {
			if (rules_find(names[k]))
				continue;
			log_error("case '%s': rule '%s' is not in "
				  "rules/rules.tsv",
				  s->cases[i]->id, names[k]);
			status = EXIT_FAILED;
		}
	}
	return status;
}

int command_list(struct command_call *call)
{
	const struct vb_options *o = &call->options;
	struct selection s;
	char *error = NULL;
	json_t *json = NULL;
	int status = EXIT_FINE;

	if (select_cases((const char *const *)call->operands,
			 (size_t)call->count, &s, &error)) {
		log_error("%s", error);
		free(error);
		return EXIT_USAGE;
	}
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
	if (json) {
		json_dumpf(json, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(json);
	}
	if (o->rules)
		status = list_check_rules(&s);
	select_free(&s);
	return status;
}
