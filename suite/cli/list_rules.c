// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* list --rules: a line for each rule, then the sums by group. */
#include "suite/cli/list_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "suite/cli/rules.h"
#include "suite/report/text.h"
#include "suite/runner/registry.h"

enum list_class { LIST_CHECKED, LIST_EXCUSED, LIST_OPEN, LIST_CLASSES };

static const char *const list_class_names[] = { "checked", "excused", "open" };

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

/* What leaves it to the device has to be checked by nobody. */
static bool list_binds(const struct rule *rule)
{
	return strcmp(rule->severity, "must") == 0 ||
	       strcmp(rule->severity, "should") == 0;
}

static enum list_class list_class_of(const struct selection *s,
				     const struct rule *rule)
{
	for (size_t i = 0; i < s->count; i++)
		if (rules_checked_by(rule, s->cases[i]))
			return LIST_CHECKED;
	return rules_excuse(rule) ? LIST_EXCUSED : LIST_OPEN;
}

static void list_rule_line(const struct selection *s, const struct rule *rule)
{
	enum list_class class = list_class_of(s, rule);

	printf("%-8s %-22s %-8s", rule->id, rule->severity,
	       list_class_names[class]);
	for (size_t i = 0; i < s->count; i++)
		if (rules_checked_by(rule, s->cases[i]))
			printf(" %s", s->cases[i]->id);
	if (class == LIST_EXCUSED)
		printf(" %s", rules_excuse(rule));
	putchar('\n');
}

struct list_sums {
	size_t rules, binding, of[LIST_CLASSES], binding_open;
};

static void list_sum(struct list_sums *sums, const struct selection *s,
		     const struct rule *rule)
{
	enum list_class class = list_class_of(s, rule);

	sums->rules++;
	sums->of[class]++;
	sums->binding += list_binds(rule);
	sums->binding_open += list_binds(rule) && class == LIST_OPEN;
}

static void list_sums_line(const char *name, size_t len,
			   const struct list_sums *sums, const char *category)
{
	printf("%-8.*s %7zu %8zu %6zu %6zu %6zu of %3zu  %s\n", (int)len, name,
	       sums->of[LIST_CHECKED], sums->of[LIST_EXCUSED],
	       sums->of[LIST_OPEN], sums->rules, sums->binding_open,
	       sums->binding, category);
}

void list_rules(const struct selection *s)
{
	struct list_sums all = { 0 };

	for (size_t i = 0; i < rule_count; i++)
		list_rule_line(s, &rules[i]);
	printf("\n%-8s %7s %8s %6s %6s  %s\n", "group", "checked", "excused",
	       "open", "rules", "open of those that bind (must, should)");
	for (size_t from = 0, to; from < rule_count; from = to) {
		struct list_sums group = { 0 };

		for (to = from; to < rule_count &&
				list_same_group(&rules[from], &rules[to]);
		     to++) {
			list_sum(&group, s, &rules[to]);
			list_sum(&all, s, &rules[to]);
		}
		list_sums_line(rules[from].id, list_group_len(&rules[from]),
			       &group, rules[from].category);
	}
	list_sums_line("all", 3, &all, "");
}

json_t *list_rules_json(const struct selection *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rule_count; i++) {
		json_t *entry = json_object(), *cases = json_array();
		enum list_class class = list_class_of(s, &rules[i]);

		for (size_t k = 0; k < s->count; k++)
			if (rules_checked_by(&rules[i], s->cases[k]))
				json_array_append_new(
					cases, text_json(s->cases[k]->id));
		json_object_set_new(entry, "id", text_json(rules[i].id));
		json_object_set_new(entry, "severity",
				    text_json(rules[i].severity));
		json_object_set_new(entry, "category",
				    text_json(rules[i].category));
		json_object_set_new(entry, "class",
				    json_string(list_class_names[class]));
		json_object_set_new(entry, "excuse",
				    text_json(class == LIST_EXCUSED
						      ? rules_excuse(&rules[i])
						      : NULL));
		json_object_set_new(entry, "cases", cases);
		json_array_append_new(list, entry);
	}
	return list;
}

/* A rule that a case names and that there is not would never be covered. */
static int list_check_case(const struct vb_case *c)
{
	int err = 0;

	for (size_t k = 0; c->rules && c->rules[k]; k++) {
		if (rules_find(c->rules[k]))
			continue;
		log_error("case '%s': rule '%s' is not in rules/rules.tsv",
			  c->id, c->rules[k]);
		err = -EINVAL;
	}
	return err;
}

static int list_check_excuse(const struct excuse *e)
{
	const struct rule *rule = rules_find(e->rule);

	if (!rule) {
		log_error("rules/uncovered.tsv: rule '%s' is not in "
			  "rules/rules.tsv",
			  e->rule);
		return -EINVAL;
	}
	for (size_t i = 0; i < registry_count(); i++) {
		if (!rules_checked_by(rule, registry_at(i)))
			continue;
		log_error("rules/uncovered.tsv: rule '%s' is checked by '%s'; "
			  "take its row out",
			  e->rule, registry_at(i)->id);
		return -EINVAL;
	}
	return 0;
}

int list_rules_check(const struct selection *s)
{
	int err = 0;

	for (size_t i = 0; i < s->count; i++)
		if (list_check_case(s->cases[i]))
			err = -EINVAL;
	for (size_t i = 0; i < excuse_count; i++)
		if (list_check_excuse(&excuses[i]))
			err = -EINVAL;
	return err;
}
