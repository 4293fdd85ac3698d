// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scripts of walks as text, written and read. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/oracle/walk_script.h"

#define WALK_HEAD "# verbatim walk\n"

/* The @n-th of "a|b|c"; its length, or 0: there are not so many. */
static size_t walk_word(const char *words, uint32_t n, const char **word)
{
	for (; n; n--) {
		words = strchr(words, '|');
		if (!words)
			return 0;
		words++;
	}
	*word = words;
	return strcspn(words, "|");
}

static void walk_operand_print(const struct walk_operand_row *row,
			       uint32_t value, struct strbuf *out)
{
	const char *word = "";
	size_t len;

	strbuf_addf(out, " %s", row->name);
	if (row->flag)
		return;
	if (!row->words) {
		strbuf_addf(out, "=%u", value);
		return;
	}
	len = walk_word(row->words, value, &word);
	strbuf_addf(out, "=%.*s", (int)len, word);
}

void walk_step_print(const struct walk_step *step, struct strbuf *out)
{
	const struct walk_row *row = &walk_rows[step->kind];
	struct walk_step copy = *step;

	strbuf_addf(out, "%s: %s",
		    row->both	 ? "ab"
		    : step->side ? "b"
				 : "a",
		    row->name);
	for (unsigned i = 0; i < WALK_OPERANDS; i++) {
		uint32_t value = *walk_operand_of(&copy, i);

		if ((row->operands >> i & 1) && value)
			walk_operand_print(&walk_operand_rows[i], value, out);
	}
}

void walk_script_print(const struct walk_script *s, struct strbuf *out)
{
	strbuf_addf(out, WALK_HEAD "case %s\nseed %llu\n", s->id,
		    (unsigned long long)s->seed);
	for (uint32_t i = 0; i < s->count; i++) {
		walk_step_print(&s->steps[i], out);
		strbuf_add(out, "\n");
	}
}

/* --- Reading ------------------------------------------------------------- */

struct walk_reader {
	struct walk_script *script;
	unsigned line;
	struct strbuf error;
};

static int walk_wrong(struct walk_reader *r, const char *format, ...)
	PRINTF_LIKE(2, 3);

static int walk_wrong(struct walk_reader *r, const char *format, ...)
{
	va_list args;

	strbuf_addf(&r->error, "line %u: ", r->line);
	va_start(args, format);
	strbuf_vaddf(&r->error, format, args);
	va_end(args);
	return -EINVAL;
}

/* A decimal number and nothing else. */
static int walk_number(const char *text, uint64_t max, uint64_t *value)
{
	unsigned long long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (*end || errno || n > max)
		return -EINVAL;
	*value = n;
	return 0;
}

static int walk_read_word(struct walk_reader *r,
			  const struct walk_operand_row *row, const char *text,
			  uint32_t *value)
{
	const char *word;
	size_t len;

	for (uint32_t n = 0; (len = walk_word(row->words, n, &word)); n++) {
		if (strlen(text) != len || memcmp(text, word, len) != 0)
			continue;
		*value = n;
		return 0;
	}
	return walk_wrong(r, "%s=%.40s: it must be one of %s", row->name, text,
			  row->words);
}

/* "name=value" or "name". */
static int walk_read_operand(struct walk_reader *r, struct walk_step *step,
			     char *text)
{
	const struct walk_row *step_row = &walk_rows[step->kind];
	char *value = strchr(text, '=');
	uint64_t number;

	if (value)
		*value++ = '\0';
	for (unsigned i = 0; i < WALK_OPERANDS; i++) {
		const struct walk_operand_row *row = &walk_operand_rows[i];

		if (!(step_row->operands >> i & 1) || strcmp(text, row->name))
			continue;
		if (row->flag != !value)
			return walk_wrong(r, "%s takes %s value", row->name,
					  row->flag ? "no" : "a");
		if (row->flag)
			*walk_operand_of(step, i) = 1;
		else if (row->words)
			return walk_read_word(r, row, value,
					      walk_operand_of(step, i));
		else if (walk_number(value, row->max, &number))
			return walk_wrong(r, "%s=%.40s: a number of 0 to %u",
					  row->name, value, row->max);
		else
			*walk_operand_of(step, i) = (uint32_t)number;
		return 0;
	}
	return walk_wrong(r, "%s takes no \"%.40s\"", step_row->name, text);
}

/* The step whose text @line begins with; what follows it, or NULL. */
static char *walk_read_kind(char *line, struct walk_step *step)
{
	for (unsigned i = 0; i < WALK_KINDS; i++) {
		size_t len = strlen(walk_rows[i].name);

		if (strncmp(line, walk_rows[i].name, len) != 0 ||
		    (line[len] && line[len] != ' '))
			continue;
		step->kind = (enum walk_kind)i;
		return line + len;
	}
	return NULL;
}

static int walk_read_step(struct walk_reader *r, char *line)
{
	struct walk_step step = { 0 };
	char *save = NULL, *rest, *word;
	char *colon = strchr(line, ':');
	bool both;
	int err;

	if (!colon)
		return walk_wrong(r,
				  "\"%.40s\": a step is \"a: ...\", \"b: ...\" "
				  "or \"ab: ...\"",
				  line);
	*colon = '\0';
	both = strcmp(line, "ab") == 0;
	step.side = strcmp(line, "b") == 0;
	if (!both && !step.side && strcmp(line, "a") != 0)
		return walk_wrong(r, "\"%.40s\" is no end: a, b or ab", line);
	line = colon + 1 + strspn(colon + 1, " ");
	rest = walk_read_kind(line, &step);
	if (!rest)
		return walk_wrong(r, "there is no step \"%.60s\"", line);
	if (walk_rows[step.kind].both != both)
		return walk_wrong(r, "%s is a step of %s",
				  walk_rows[step.kind].name,
				  both ? "one end: a or b" : "both ends: ab");
	for (word = strtok_r(rest, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		err = walk_read_operand(r, &step, word);
		if (err)
			return err;
	}
	err = walk_script_add(r->script, &step);
	return err == -E2BIG
		       ? walk_wrong(r, "more than %d steps", WALK_STEPS_MAX)
		       : err;
}

static int walk_read_line(struct walk_reader *r, char *line)
{
	size_t len;

	line[strcspn(line, "#")] = '\0';
	for (len = 0; line[len]; len++)
		if (isspace((unsigned char)line[len]))
			line[len] = ' ';
	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
	line += strspn(line, " ");
	if (!*line)
		return 0;
	if (strncmp(line, "seed ", 5) == 0) {
		if (walk_number(line + 5, UINT64_MAX, &r->script->seed))
			return walk_wrong(r, "seed \"%.40s\": a number",
					  line + 5);
		return 0;
	}
	if (strncmp(line, "case ", 5) == 0) {
		if (strlen(line + 5) >= WALK_CASE_MAX)
			return walk_wrong(r, "a case has at most %d letters",
					  WALK_CASE_MAX - 1);
		strcpy(r->script->id, line + 5);
		return 0;
	}
	return walk_read_step(r, line);
}

int walk_script_parse(const char *text, struct walk_script *s, char **error)
{
	struct walk_reader r = { .script = s };
	int err = 0;

	*s = (struct walk_script){ .count = 0 };
	while (*text && !err) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);

		r.line++;
		err = line ? walk_read_line(&r, line) : -ENOMEM;
		free(line);
		text += len + (text[len] == '\n');
	}
	if (!err && (!s->id[0] || !s->count))
		err = walk_wrong(&r, s->id[0] ? "it has no steps"
					      : "it names no case");
	if (!err)
		return 0;
	walk_script_free(s);
	if (err == -EINVAL)
		*error = strbuf_detach(&r.error);
	strbuf_free(&r.error);
	return err;
}
