/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options as data: one row each, made from options.def.  The command line,
 * the environment, a recorded run and the help are all walks over these rows.
 */
#ifndef SUITE_CLI_OPTIONS_H
#define SUITE_CLI_OPTIONS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "verbatim/options.h"

/* The commands, as the last argument of each row names them. */
enum vb_command {
	VB_CMD_RUN = 1u << 0,
	VB_CMD_REPLAY = 1u << 1,
	VB_CMD_DEVICES = 1u << 2,
	VB_CMD_LIST = 1u << 3,
	VB_CMD_EXPLAIN = 1u << 4,
	VB_CMD_EXEC = 1u << 5,
	VB_CMD_CHECK = 1u << 6,
	VB_CMD_SERVE = 1u << 7,
	VB_CMD_MESH = 1u << 8,
	VB_CMD_BENCH = 1u << 9,
	VB_CMD_COMPARE = 1u << 10,
	VB_CMD_SOAK = 1u << 11,
	VB_CMD_SWEEP = 1u << 12,
	VB_CMD_MUTANTS = 1u << 13,
	VB_CMD_REPORT = 1u << 14,
	VB_CMD_COMPLETION = 1u << 15,
	VB_CMD_ALL = (1u << 16) - 1,
	VB_CMD_APPEARANCE = 1u << 16,
};

enum option_kind {
	OPTION_STRING,
	OPTION_UINT,
	OPTION_REAL,
	OPTION_SIZES,
	OPTION_CHOICE,
	OPTION_FLAG,
};

struct option_row {
	enum option_kind kind;
	const char *name;	   /* long, without dashes */
	char letter;		   /* 0: none */
	size_t offset;		   /* in struct vb_options */
	const char *initial;	   /* default, as text; NULL: none */
	uint64_t min, max;	   /* UINT */
	double real_min, real_max; /* REAL */
	const char *argument;	   /* its name in the help; CHOICE: "a|b|c" */
	const char *help;
	unsigned commands;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

void options_default(struct vb_options *o);
/*
 * Set one from @text, which must live as long as @o.  @where says where it
 * came from ("--size", "VERBATIM_SIZE").  0, or -EINVAL and a line in @error.
 */
int options_set(struct vb_options *o, const struct option_row *row,
		const char *text, const char *where,
		struct strbuf *error) MUST_USE;
/* From VERBATIM_<NAME>, for those that @command takes. */
int options_from_environment(struct vb_options *o, unsigned command,
			     struct strbuf *error) MUST_USE;
/*
 * From the command line; argv[0] is the command's name.  *@first: the first
 * operand, after which @argv holds operands only.
 */
int options_from_arguments(struct vb_options *o, unsigned command, int argc,
			   char **argv, int *first,
			   struct strbuf *error) MUST_USE;
/* What no row can say: pairs that exclude each other, odd sets of values. */
int options_check(const struct vb_options *o, struct strbuf *error) MUST_USE;

/* Value as text, as options_set() takes it. */
void options_text(const struct vb_options *o, const struct option_row *row,
		  struct strbuf *out);
/* Name and text of each that differs from its default and is no matter of
 * appearance. */
json_t *options_given(const struct vb_options *o) MUST_USE;
/* The row of that long name; NULL: none. */
const struct option_row *options_find(const char *name);
/* "VERBATIM_RNR_RETRY" */
void options_variable(const struct option_row *row, struct strbuf *out);
/* The part of -h that lists the options of @command. */
void options_help(unsigned command, struct strbuf *out);

#endif
