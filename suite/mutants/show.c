// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What has come of the hunts: a line each, sums, JSON, a table for a page. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "suite/mutants/mutants.h"

static const char *const mutants_words[] = {
	[MUTANTS_KILLED] = "killed",
	[MUTANTS_WRONG_REASON] = "wrong reason",
	[MUTANTS_SURVIVED] = "survived",
	[MUTANTS_NOT_TRIGGERED] = "not triggered",
};

const char *mutants_verdict_word(enum mutants_verdict v)
{
	return mutants_words[v];
}

const char *mutants_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static json_int_t mutants_number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

enum mutants_verdict mutants_verdict_of(const json_t *result)
{
	const char *word = mutants_text(result, "verdict");
	unsigned v = 0;

	while (v < MUTANTS_VERDICTS && strcmp(word, mutants_words[v]) != 0)
		v++;
	return (enum mutants_verdict)v;
}

/* --- Sums -------------------------------------------------------------------- */

struct show_sums {
	unsigned of[MUTANTS_VERDICTS + 1];
	unsigned mutants, controls, alarms;
	json_int_t hunted_ms; /* of all hunts, one after the other */
	json_int_t seed_low, seed_high;
};

/* Of the mutants whose rule is of the group of @like; NULL: all. */
static void show_add_up(const struct mutants *m,
			const struct softdv_mutant *like, struct show_sums *s)
{
	*s = (struct show_sums){ 0 };
	for (size_t i = 0; i < m->job_count; i++) {
		const struct mutants_job *job = &m->jobs[i];
		json_int_t seed = (json_int_t)job->seed;

		if (!job->result)
			continue;
		if (!job->row) {
			s->seed_low = s->controls ? s->seed_low : seed;
			s->seed_high = seed;
			s->controls++;
			s->alarms += json_array_size(json_object_get(
					     job->result, "tripped")) > 0;
			continue;
		}
		if (like &&
		    (rows_group_len(like) != rows_group_len(job->row) ||
		     strncmp(like->rule, job->row->rule, rows_group_len(like))))
			continue;
		s->mutants++;
		s->of[mutants_verdict_of(job->result)]++;
		s->hunted_ms += mutants_number(job->result, "duration_ms");
	}
}

bool mutants_perfect(const struct mutants *m)
{
	struct show_sums s;

	show_add_up(m, NULL, &s);
	return s.of[MUTANTS_KILLED] == m->rows.count && s.alarms == 0;
}

/* The first of the rows that has this row's group. */
static bool show_leads_group(const struct mutants *m, size_t row)
{
	size_t len = rows_group_len(m->rows.row[row]);

	for (size_t i = 0; i < row; i++)
		if (rows_group_len(m->rows.row[i]) == len &&
		    !strncmp(m->rows.row[i]->rule, m->rows.row[row]->rule, len))
			return false;
	return true;
}

/* --- For people -------------------------------------------------------------- */

static void show_control(const json_t *result)
{
	const json_t *trip;
	size_t i;

	printf("unmodified, seed %" PRIu64 ": %" PRIu64 " cases, %zu failed, "
	       "%.1f s\n",
	       (uint64_t)mutants_number(result, "control"),
	       (uint64_t)mutants_number(result, "cases"),
	       json_array_size(json_object_get(result, "tripped")),
	       (double)mutants_number(result, "duration_ms") / 1e3);
	json_array_foreach(json_object_get(result, "tripped"), i, trip)
	{
		printf("    false alarm: %s, %s\n", mutants_text(trip, "case"),
		       mutants_text(trip, "finding"));
	}
	fflush(stdout);
}

void mutants_show_one(const json_t *result)
{
	enum mutants_verdict v = mutants_verdict_of(result);

	if (v == MUTANTS_VERDICTS) {
		show_control(result);
		return;
	}
	printf("%-4s %-13s %-28s %-15s %6.1f s  %s\n",
	       mutants_text(result, "mutant"), mutants_words[v],
	       mutants_text(result, "case"), mutants_text(result, "finding"),
	       (double)mutants_number(result, "duration_ms") / 1e3,
	       mutants_text(result, "name"));
	if (v != MUTANTS_KILLED)
		printf("    expected: %s\n", mutants_text(result, "expected"));
	if (v == MUTANTS_WRONG_REASON) {
		printf("    reason: %s\n", mutants_text(result, "reason"));
		if (!json_is_true(json_object_get(result, "acted")))
			puts("    and the mutant had not acted");
	}
	fflush(stdout);
}

static void show_alarms(const struct show_sums *s)
{
	if (s->controls)
		printf("false alarms: %u of %u runs of the unmodified device, "
		       "seeds %" PRIu64 " to %" PRIu64 "\n",
		       s->alarms, s->controls, (uint64_t)s->seed_low,
		       (uint64_t)s->seed_high);
}

void mutants_show_sums(const struct mutants *m)
{
	struct show_sums s;

	puts("\nby group of rules:");
	for (size_t i = 0; i < m->rows.count; i++) {
		const struct softdv_mutant *row = m->rows.row[i];

		show_add_up(m, row, &s);
		if (s.mutants && show_leads_group(m, i))
			printf("  %-6.*s %u of %u\n", (int)rows_group_len(row),
			       row->rule, s.of[MUTANTS_KILLED], s.mutants);
	}
	show_add_up(m, NULL, &s);
	printf("\n%u of %u mutants killed for the stated reason, %u for "
	       "another, %u survived, %u not triggered\n",
	       s.of[MUTANTS_KILLED], s.mutants, s.of[MUTANTS_WRONG_REASON],
	       s.of[MUTANTS_SURVIVED], s.of[MUTANTS_NOT_TRIGGERED]);
	show_alarms(&s);
}

/* --- For a page ---------------------------------------------------------------- */

/* A cell of a table: a bar would end it. */
static void show_cell(const char *text)
{
	fputs("| ", stdout);
	for (; *text; text++) {
		if (*text == '|')
			putchar('\\');
		putchar(*text);
	}
	putchar(' ');
}

static void show_group_table(const struct mutants *m)
{
	struct show_sums s;

	puts("| Rules | Mutants | Killed |\n|---|---|---|");
	for (size_t i = 0; i < m->rows.count; i++) {
		const struct softdv_mutant *row = m->rows.row[i];

		show_add_up(m, row, &s);
		if (s.mutants && show_leads_group(m, i))
			printf("| %.*s | %u | %u |\n", (int)rows_group_len(row),
			       row->rule, s.mutants, s.of[MUTANTS_KILLED]);
	}
	putchar('\n');
}

void mutants_show_table(const struct mutants *m)
{
	struct show_sums s;

	show_group_table(m);
	puts("| Mutant | What it does | Rule | Verdict | Killed by | Finding |\n"
	     "|---|---|---|---|---|---|");
	for (size_t i = 0; i < m->job_count; i++) {
		const struct softdv_mutant *row = m->jobs[i].row;
		const json_t *result = m->jobs[i].result;

		if (!row || !result)
			continue;
		show_cell(row->id);
		show_cell(row->sentence);
		show_cell(row->rule);
		show_cell(mutants_text(result, "verdict"));
		show_cell(mutants_text(result, "case"));
		show_cell(mutants_text(result, "finding"));
		puts("|");
	}
	show_add_up(m, NULL, &s);
	printf("\n%u of %u killed for the stated reason", s.of[MUTANTS_KILLED],
	       s.mutants);
	if (s.controls)
		printf("; false alarms in %u of %u runs of the unmodified "
		       "device",
		       s.alarms, s.controls);
	puts(".");
}

/* --- For machines ---------------------------------------------------------------- */

static json_t *show_sums_json(const struct show_sums *s)
{
	json_t *sums = json_object();

	json_object_set_new(sums, "mutants", json_integer(s->mutants));
	for (unsigned v = 0; v < MUTANTS_VERDICTS; v++)
		json_object_set_new(sums, mutants_words[v],
				    json_integer(s->of[v]));
	return sums;
}

static json_t *show_groups_json(const struct mutants *m)
{
	json_t *groups = json_object();
	struct show_sums s;

	for (size_t i = 0; i < m->rows.count; i++) {
		const struct softdv_mutant *row = m->rows.row[i];
		char name[16];

		if (!show_leads_group(m, i))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)rows_group_len(row),
			 row->rule);
		show_add_up(m, row, &s);
		json_object_set_new(groups, name, show_sums_json(&s));
	}
	return groups;
}

json_t *mutants_json(const struct mutants *m)
{
	json_t *whole = json_object(), *mutants = json_array();
	json_t *controls = json_array(), *sums;
	struct show_sums s;

	for (size_t i = 0; i < m->job_count; i++)
		json_array_append(m->jobs[i].row ? mutants : controls,
				  m->jobs[i].result);
	show_add_up(m, NULL, &s);
	sums = show_sums_json(&s);
	json_object_set_new(sums, "runs", json_integer(s.controls));
	json_object_set_new(sums, "false_alarms", json_integer(s.alarms));
	json_object_set_new(sums, "hunted_ms", json_integer(s.hunted_ms));
	json_object_set_new(whole, "version", json_string(VB_VERSION));
	json_object_set_new(whole, "seed", json_integer((json_int_t)m->seed));
	json_object_set_new(whole, "mutants", mutants);
	json_object_set_new(whole, "groups", show_groups_json(m));
	json_object_set_new(whole, "control", controls);
	json_object_set_new(whole, "sums", sums);
	if (m->checks) {
		json_object_set_new(whole, "idle_cases", mutants_idle_cases(m));
		json_object_set_new(whole, "idle_findings",
				    mutants_idle_findings(m));
	}
	return whole;
}
