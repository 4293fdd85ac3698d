// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options from the command line and the environment, and their help. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/cli/options.h"
#include "suite/runner/nearest.h"

/* getopt_long() gives a row's number plus this, to keep clear of letters. */
enum { ARGUMENT_FIRST = 256 };

int options_from_environment(struct vb_options *o, unsigned command,
			     struct strbuf *error)
{
	int err = 0;

	for (size_t i = 0; i < option_row_count && !err; i++) {
		const struct option_row *row = &option_rows[i];
		struct strbuf name = STRBUF_INIT;
		const char *text;

		options_variable(row, &name);
		text = getenv(strbuf_text(&name));
		/* Empty is as good as unset. */
		if (text && text[0] && (row->commands & command))
			err = options_set(o, row, text, strbuf_text(&name),
					  error);
		strbuf_free(&name);
	}
	return err;
}

/* An option that @command does not take: the nearest of those it does. */
static int arguments_unknown(unsigned command, const char *command_name,
			     const char *given, struct strbuf *error)
{
	const char *words[64];
	size_t count = 0, len;
	struct strbuf near = STRBUF_INIT, word = STRBUF_INIT;

	for (size_t i = 0; i < option_row_count && count < 64; i++)
		if (option_rows[i].commands & command)
			words[count++] = option_rows[i].name;
	len = strncmp(given, "--", 2) == 0 ? strcspn(given + 2, "=") : 0;
	strbuf_add_bytes(&word, given + 2, len);
	strbuf_addf(error, "option '%s': 'verbatim %s' has none such; ", given,
		    command_name);
	if (len && nearest_list(strbuf_text(&word), words, count, 2, &near)) {
		strbuf_addf(error, "nearest: %s", strbuf_text(&near));
	} else {
		strbuf_addf(error, "'verbatim %s -h' lists them", command_name);
	}
	strbuf_free(&near);
	strbuf_free(&word);
	return -EINVAL;
}

/* The tables of getopt_long(), from the rows. */
struct argument_tables {
	struct option longs[64];
	char letters[160];
};

static void arguments_tables(unsigned command, struct argument_tables *t)
{
	size_t count = 0, letters = 0;

	memset(t, 0, sizeof(*t));
	/* '+': the operands of exec are another program's options. */
	if (command == VB_CMD_EXEC)
		t->letters[letters++] = '+';
	t->letters[letters++] = ':';
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		bool takes = row->kind != OPTION_FLAG;

		if (!(row->commands & command))
			continue;
		t->longs[count++] = (struct option){
			.name = row->name,
			.has_arg = takes ? required_argument : no_argument,
			.val = ARGUMENT_FIRST + (int)i,
		};
		if (!row->letter)
			continue;
		t->letters[letters++] = row->letter;
		if (takes)
			t->letters[letters++] = ':';
	}
}

static const struct option_row *arguments_row(unsigned command, int code)
{
	if (code >= ARGUMENT_FIRST)
		return &option_rows[code - ARGUMENT_FIRST];
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].letter == code &&
		    (option_rows[i].commands & command))
			return &option_rows[i];
	return NULL;
}

int options_from_arguments(struct vb_options *o, unsigned command, int argc,
			   char **argv, int *first, struct strbuf *error)
{
	struct argument_tables tables;
	int err = 0, code, before;

	arguments_tables(command, &tables);
	optind = 0; /* glibc: begin anew, also the permuting */
	opterr = 0;
	for (;;) {
		char where[72], letter[3] = "-?";
		const struct option_row *row;

		before = optind ? optind : 1;
		code = getopt_long(argc, argv, tables.letters, tables.longs,
				   NULL);
		if (code == -1)
			break;
		if (code == '?' || code == ':') {
			const char *given =
				argv[optind > before ? optind - 1 : before];

			letter[1] = (char)optopt;
			if (optopt && optopt < ARGUMENT_FIRST &&
			    strncmp(given, "--", 2))
				given = letter;
			if (code == '?' && optopt < ARGUMENT_FIRST)
				return arguments_unknown(command, argv[0],
							 given, error);
			strbuf_addf(error,
				    code == ':' ? "option '%s': its value is "
						  "missing"
						: "option '%s': it takes no "
						  "value",
				    given);
			return -EINVAL;
		}
		row = arguments_row(command, code);
		snprintf(where, sizeof(where), "--%s", row->name);
		err = options_set(o, row,
				  row->kind == OPTION_FLAG ? "1" : optarg,
				  where, error);
		if (err)
			return err;
	}
	*first = optind;
	return 0;
}

static void arguments_help_row(const struct option_row *row, struct strbuf *out)
{
	struct strbuf head = STRBUF_INIT;

	if (row->letter)
		strbuf_addf(&head, "  -%c, ", row->letter);
	else
		strbuf_add(&head, "      ");
	strbuf_addf(&head, "--%s", row->name);
	if (row->kind != OPTION_FLAG)
		strbuf_addf(&head, " %s", row->argument);
	strbuf_addf(out, "%s\n", strbuf_text(&head));
	strbuf_addf(out, "          %s", row->help);
	if (row->kind == OPTION_UINT)
		strbuf_addf(out, " (%llu to %llu)",
			    (unsigned long long)row->min,
			    (unsigned long long)row->max);
	if (row->kind == OPTION_REAL)
		strbuf_addf(out, " (%g to %g)", row->real_min, row->real_max);
	if (row->kind != OPTION_FLAG && row->initial)
		strbuf_addf(out, "; default: %s", row->initial);
	strbuf_add(out, "\n");
	strbuf_free(&head);
}

void options_help(unsigned command, struct strbuf *out)
{
	strbuf_add(out, "Options (each also from the environment: "
			"VERBATIM_<NAME>):\n");
	for (size_t i = 0; i < option_row_count; i++)
		if (option_rows[i].commands & command)
			arguments_help_row(&option_rows[i], out);
}
