// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* explain: what is known of a case, a rule, a status or a finding. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "base/verbs_names.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/rules.h"
#include "suite/oracle/matrix.h"
#include "suite/report/scene_read.h"
#include "suite/report/text.h"
#include "suite/runner/nearest.h"
#include "suite/runner/registry.h"

/*
 * An explanation is an array of [name, text] pairs: printed as lines, or as
 * JSON as it is.
 */
static void explain_add(json_t *pairs, const char *name, const char *text)
{
	if (text && text[0] && strcmp(text, "-"))
		json_array_append_new(pairs, json_pack("[s,o]", name,
						       text_json(text)));
}

static void explain_add_words(json_t *pairs, const char *name,
			      const char *const *words)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; words && words[i]; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "", words[i]);
	explain_add(pairs, name, strbuf_text(&text));
	strbuf_free(&text);
}

static void explain_case(json_t *pairs, const struct vb_case *c)
{
	struct strbuf text = STRBUF_INIT;

	explain_add(pairs, "case", c->id);
	explain_add(pairs, "asserts", c->title);
	explain_add(pairs, "source", c->spec);
	explain_add(pairs, "dimension", registry_dimension_name(c->dimension));
	strbuf_addf(&text, "%u ms, times --patience", c->limit_ms);
	explain_add(pairs, "limit", strbuf_text(&text));
	for (size_t i = 0; c->rules && c->rules[i]; i++) {
		const struct rule *rule = rules_find(c->rules[i]);

		strbuf_reset(&text);
		strbuf_addf(&text, "%s (%s): %s", c->rules[i],
			    rule ? rule->severity : "unknown",
			    rule ? rule->text : "not in rules/rules.tsv");
		explain_add(pairs, "rule", strbuf_text(&text));
		if (rule)
			explain_add(pairs, "devices differ", rule->differs);
	}
	explain_add_words(pairs, "real defects", c->defects);
	explain_add_words(pairs, "kills mutants", c->kills);
	explain_add(pairs, "file", c->file);
	strbuf_free(&text);
}

static void explain_rule(json_t *pairs, const struct rule *rule)
{
	struct strbuf text = STRBUF_INIT;

	explain_add(pairs, "rule", rule->id);
	explain_add(pairs, "says", rule->text);
	explain_add(pairs, "category", rule->category);
	explain_add(pairs, "applies to", rule->applies);
	explain_add(pairs, "observed by", rule->observe);
	explain_add(pairs, "severity", rule->severity);
	explain_add(pairs, "devices differ", rule->differs);
	explain_add(pairs, "source", rule->source);
	for (size_t i = 0; i < registry_count(); i++)
		if (rules_checked_by(rule, registry_at(i)))
			strbuf_addf(&text, "%s%s", text.len ? " " : "",
				    registry_at(i)->id);
	explain_add(pairs, "checked by",
		    text.len ? strbuf_text(&text) : "no case");
	if (!text.len)
		explain_add(pairs, "not checked because", rules_excuse(rule));
	strbuf_free(&text);
}

/* Does the table name @status there?  What accepts all of them, or success,
 * explains nothing. */
static bool explain_names(const struct matrix_accept *accept,
			  enum ibv_wc_status status)
{
	bool any = (accept->statuses & MATRIX_ANY_ERROR) == MATRIX_ANY_ERROR;

	return !any && status != IBV_WC_SUCCESS &&
	       matrix_accepts(accept, status);
}

static void explain_scenario(json_t *pairs, const struct matrix_row *row,
			     const char *where)
{
	struct strbuf text = STRBUF_INIT;
	const char *comma = "";

	strbuf_addf(&text, "%s, ", row->id);
	for (int type = 0; type < 32; type++) {
		if (!(row->types & (1u << type)))
			continue;
		strbuf_addf(&text, "%s%s", comma,
			    verbs_qp_type_name((enum ibv_qp_type)type));
		comma = ",";
	}
	strbuf_addf(&text, ": %s; accepted: requester ", row->scenario);
	matrix_accept_print(&row->requester, &text);
	strbuf_add(&text, ", responder ");
	matrix_accept_print(&row->responder, &text);
	explain_add(pairs, where, strbuf_text(&text));
	strbuf_free(&text);
}

static void explain_status(json_t *pairs, const struct status_text *status)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "IBV_WC_%s", status->name);
	explain_add(pairs, "status", strbuf_text(&text));
	explain_add(pairs, "means", status->meaning);
	explain_add(pairs, "usual causes", status->causes);
	strbuf_free(&text);
	for (uint32_t i = 0; i < matrix_count(); i++) {
		struct matrix_row row;

		if (matrix_parse(i, &row, NULL))
			continue;
		if (explain_names(&row.requester, status->status))
			explain_scenario(pairs, &row, "at the requester");
		else if (explain_names(&row.responder, status->status))
			explain_scenario(pairs, &row, "at the responder");
	}
}

struct finding_text {
	const char *word, *meaning;
};

static const struct finding_text explain_findings[] = {
#define VB_FINDING(name, word, text) { word, text },
#include "verbatim/findings.def"
#undef VB_FINDING
};

static const struct finding_text *explain_find_finding(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(explain_findings); i++)
		if (strcmp(explain_findings[i].word, word) == 0)
			return &explain_findings[i];
	return NULL;
}

static void explain_finding(json_t *pairs, const struct finding_text *finding)
{
	explain_add(pairs, "finding", finding->word);
	explain_add(pairs, "means", finding->meaning);
	explain_add(pairs, "read",
		    "in scene/: the reason, the first errors, what each end "
		    "still owed, and the record from there on backwards");
}

static void explain_print(const json_t *pairs)
{
	size_t i;
	json_t *pair;

	json_array_foreach((json_t *)pairs, i, pair)
		printf("%-17s %s\n", json_string_value(json_array_get(pair, 0)),
		       json_string_value(json_array_get(pair, 1)));
}

static int explain_unknown(const char *word)
{
	size_t room = registry_count() + rule_count + status_text_count +
		      ARRAY_SIZE(explain_findings);
	const char **words = calloc(room + 1, sizeof(*words));
	struct strbuf near = STRBUF_INIT;
	size_t count = 0;

	if (!words)
		abort();
	for (size_t i = 0; i < registry_count(); i++)
		words[count++] = registry_at(i)->id;
	for (size_t i = 0; i < rule_count; i++)
		words[count++] = rules[i].id;
	for (size_t i = 0; i < status_text_count; i++)
		words[count++] = status_texts[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(explain_findings); i++)
		words[count++] = explain_findings[i].word;
	if (nearest_list(word, words, count, 3, &near))
		log_error("'%s': no case, rule, status or finding; nearest: %s",
			  word, strbuf_text(&near));
	else
		log_error("'%s': no case, rule, status or finding; see "
			  "'verbatim list' and 'verbatim list --rules'",
			  word);
	strbuf_free(&near);
	free(words);
	return EXIT_USAGE;
}

static int explain_answer(struct command_call *call, json_t *pairs)
{
	if (call->options.json) {
		answer_json(pairs);
		return EXIT_FINE;
	}
	explain_print(pairs);
	json_decref(pairs);
	return EXIT_FINE;
}

static int explain_scene(struct command_call *call)
{
	struct strbuf error = STRBUF_INIT;
	json_t *pairs = json_array();
	int err = scene_explain_file(call->options.scene, pairs, &error);

	if (err) {
		log_error("--scene: %s", strbuf_text(&error));
		json_decref(pairs);
	}
	strbuf_free(&error);
	return err ? EXIT_USAGE : explain_answer(call, pairs);
}

/* Either an operand or --scene. */
static int explain_check(const struct command_call *call)
{
	if (call->count == !call->options.scene)
		return EXIT_FINE;
	if (call->count)
		log_error("'%s': with --scene nothing else is explained",
			  call->operands[0]);
	else
		log_error("a case, rule, status or finding, or --scene FILE, "
			  "is wanted");
	return EXIT_USAGE;
}

static int explain_word(struct command_call *call)
{
	const char *word = call->operands[0];
	const struct vb_case *record = registry_find(word);
	const struct rule *rule = rules_find(word);
	const struct status_text *status = status_find(word);
	const struct finding_text *finding = explain_find_finding(word);
	json_t *pairs = json_array();

	if (record)
		explain_case(pairs, record);
	else if (rule)
		explain_rule(pairs, rule);
	else if (status)
		explain_status(pairs, status);
	else if (finding)
		explain_finding(pairs, finding);
	if (!json_array_size(pairs)) {
		json_decref(pairs);
		return explain_unknown(word);
	}
	return explain_answer(call, pairs);
}

int command_explain(struct command_call *call)
{
	int status = explain_check(call);

	if (status)
		return status;
	return call->options.scene ? explain_scene(call) : explain_word(call);
}
