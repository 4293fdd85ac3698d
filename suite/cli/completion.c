// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * completion: what a shell needs to complete a command line of ours, made from
 * the rows of commands and options.  Names of cases and devices are asked of
 * the program itself when they are needed.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "suite/cli/command.h"
#include "suite/cli/options.h"

/* What an option's value or an operand is to a shell. */
enum completion_kind {
	COMPLETION_NONE,
	COMPLETION_FILE,
	COMPLETION_DEVICE,
	COMPLETION_CASE,
};

static enum completion_kind completion_value(const struct option_row *row)
{
	if (strcmp(row->name, "device") == 0)
		return COMPLETION_DEVICE;
	if (row->argument && (strcmp(row->argument, "FILE") == 0 ||
			      strcmp(row->argument, "DIR") == 0))
		return COMPLETION_FILE;
	return COMPLETION_NONE;
}

static enum completion_kind completion_operand(const struct command *c)
{
	if (c->bit & (VB_CMD_RUN | VB_CMD_LIST | VB_CMD_EXPLAIN))
		return COMPLETION_CASE;
	return c->operands_max ? COMPLETION_FILE : COMPLETION_NONE;
}

/* "poll|event" as words. */
static void completion_words(const char *choices)
{
	for (const char *s = choices; *s; s++)
		putchar(*s == '|' ? ' ' : *s);
}

/* --- bash ---------------------------------------------------------------- */

static const char *const completion_bash_do[] = {
	[COMPLETION_NONE] = ":",
	[COMPLETION_FILE] = "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
	[COMPLETION_DEVICE] =
		"mapfile -t COMPREPLY < <(compgen -W "
		"\"$(\"$program\" devices 2>/dev/null | cut -d ' ' -f 1)\" "
		"-- \"$cur\")",
	[COMPLETION_CASE] =
		"mapfile -t COMPREPLY < <(compgen -W "
		"\"$(\"$program\" list 2>/dev/null | cut -d ' ' -f 1)\" "
		"-- \"$cur\")",
};

/* The value of the option before the cursor. */
static void completion_bash_values(void)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (row->kind == OPTION_FLAG)
			continue;
		/* A letter means what it means to the command. */
		for (size_t k = 0; row->letter && k < command_count; k++)
			if (commands[k].bit & row->commands)
				printf("\t%s:-%c |", commands[k].name,
				       row->letter);
		printf("\t*:--%s)\n\t\t", row->name);
		if (row->kind == OPTION_CHOICE) {
			printf("mapfile -t COMPREPLY < <(compgen -W \"");
			completion_words(row->argument);
			printf("\" -- \"$cur\")");
		} else {
			fputs(completion_bash_do[completion_value(row)],
			      stdout);
		}
		puts("\n\t\treturn ;;");
	}
}

static void completion_bash_command(const struct command *c)
{
	printf("\t%s)\n\t\toptions=\"", c->name);
	for (size_t i = 0; i < option_row_count; i++) {
		if (!(option_rows[i].commands & c->bit))
			continue;
		printf("--%s ", option_rows[i].name);
		if (option_rows[i].letter)
			printf("-%c ", option_rows[i].letter);
	}
	printf("\"\n\t\t[[ $cur == -* ]] || %s ;;\n",
	       completion_bash_do[completion_operand(c)]);
}

static void completion_bash(void)
{
	puts("# Completion of verbatim for bash: eval \"$(verbatim completion "
	     "bash)\"\n"
	     "_verbatim() {\n"
	     "\tlocal program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]}\n"
	     "\tlocal command=${COMP_WORDS[1]:-} options=\n"
	     "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	     "\tCOMPREPLY=()\n"
	     "\tif ((COMP_CWORD == 1)); then");
	printf("\t\tmapfile -t COMPREPLY < <(compgen -W \"help --version");
	for (size_t i = 0; i < command_count; i++)
		printf(" %s", commands[i].name);
	puts("\" -- \"$cur\")\n\t\treturn\n\tfi\n"
	     "\tcase $command:$prev in");
	completion_bash_values();
	puts("\tesac\n\tcase $command in");
	for (size_t i = 0; i < command_count; i++)
		completion_bash_command(&commands[i]);
	puts("\tesac\n"
	     "\t[[ $cur == -* ]] &&\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- "
	     "\"$cur\")\n"
	     "\treturn 0\n"
	     "}\n"
	     "complete -o filenames -F _verbatim verbatim");
}

/* --- zsh ----------------------------------------------------------------- */

/* Inside '...', and inside [...] of _arguments. */
static void completion_zsh_text(const char *text)
{
	for (const char *s = text; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *s))
			printf("\\%c", *s);
		else
			putchar(*s);
	}
}

static const char *const completion_zsh_do[] = {
	[COMPLETION_NONE] = " ",
	[COMPLETION_FILE] = "_files",
	[COMPLETION_DEVICE] = "_verbatim_devices",
	[COMPLETION_CASE] = "_verbatim_cases",
};

static void completion_zsh_option(const struct option_row *row)
{
	printf(" \\\n\t\t\t");
	if (row->letter)
		printf("'(-%c --%s)'{-%c,--%s}", row->letter, row->name,
		       row->letter, row->name);
	else
		printf("--%s", row->name);
	printf("'[");
	completion_zsh_text(row->help);
	putchar(']');
	if (row->kind == OPTION_CHOICE) {
		printf(": :(");
		completion_words(row->argument);
		putchar(')');
	} else if (row->kind != OPTION_FLAG) {
		putchar(':');
		completion_zsh_text(row->argument);
		printf(":%s", completion_zsh_do[completion_value(row)]);
	}
	putchar('\'');
}

static void completion_zsh(void)
{
	puts("#compdef verbatim\n"
	     "# Completion of verbatim for zsh: eval \"$(verbatim completion "
	     "zsh)\"\n"
	     "_verbatim_devices() {\n"
	     "\tcompadd -- ${(f)\"$(verbatim devices 2>/dev/null | "
	     "cut -d ' ' -f 1)\"}\n"
	     "}\n"
	     "_verbatim_cases() {\n"
	     "\tcompadd -- ${(f)\"$(verbatim list 2>/dev/null | "
	     "cut -d ' ' -f 1)\"}\n"
	     "}\n"
	     "_verbatim() {\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (size_t i = 0; i < command_count; i++) {
		printf("\t\t'%s:", commands[i].name);
		completion_zsh_text(commands[i].summary);
		puts("'");
	}
	puts("\t)\n"
	     "\tif ((CURRENT == 2)); then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tshift words\n"
	     "\t((CURRENT--))\n"
	     "\tcase $words[1] in");
	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &commands[i];

		printf("\t%s)\n\t\t_arguments", c->name);
		for (size_t k = 0; k < option_row_count; k++)
			if (option_rows[k].commands & c->bit)
				completion_zsh_option(&option_rows[k]);
		if (c->operands_max)
			printf(" \\\n\t\t\t'*: :%s'",
			       completion_zsh_do[completion_operand(c)]);
		puts(" ;;");
	}
	puts("\tesac\n"
	     "}\n"
	     "if [[ ${funcstack[1]} == _verbatim ]]; then\n"
	     "\t_verbatim \"$@\"\n"
	     "else\n"
	     "\tcompdef _verbatim verbatim\n"
	     "fi");
}

int command_completion(struct command_call *call)
{
	const char *shell = call->operands[0];

	if (strcmp(shell, "bash") == 0) {
		completion_bash();
	} else if (strcmp(shell, "zsh") == 0) {
		completion_zsh();
	} else {
		log_error("shell '%s': there is completion for bash and zsh",
			  shell);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}
