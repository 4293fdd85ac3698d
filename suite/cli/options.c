// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows, and setting one option from a text. */
#include "suite/cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/cli/sizes.h"

#define OPTION_TEXT(x)	#x
#define OPTION_TEXT_(x) OPTION_TEXT(x)

#define OPTION_ROW(type, field, row_name, row_letter, text, row_argument, \
		   row_help, cmds, ...)                                   \
	{ .kind = OPTION_##type,                                          \
	  .name = row_name,                                               \
	  .letter = row_letter,                                           \
	  .offset = offsetof(struct vb_options, field),                   \
	  .initial = text,                                                \
	  .argument = row_argument,                                       \
	  .help = row_help,                                               \
	  .commands = cmds,                                               \
	  ##__VA_ARGS__ },

const struct option_row option_rows[] = {
#define VB_OPTION_STRING(field, name, letter, initial, argument, help, cmds) \
	OPTION_ROW(STRING, field, name, letter, initial, argument, help, cmds)
#define VB_OPTION_UINT(field, name, letter, initial, low, high, argument,      \
		       help, cmds)                                             \
	OPTION_ROW(UINT, field, name, letter, OPTION_TEXT_(initial), argument, \
		   help, cmds, .min = low, .max = high)
#define VB_OPTION_REAL(field, name, letter, initial, low, high, argument,      \
		       help, cmds)                                             \
	OPTION_ROW(REAL, field, name, letter, OPTION_TEXT_(initial), argument, \
		   help, cmds, .real_min = low, .real_max = high)
#define VB_OPTION_SIZES(field, name, letter, initial, argument, help, cmds) \
	OPTION_ROW(SIZES, field, name, letter, initial, argument, help, cmds)
#define VB_OPTION_CHOICE(field, name, letter, initial, choices, help, cmds) \
	OPTION_ROW(CHOICE, field, name, letter, initial, choices, help, cmds)
#define VB_OPTION_FLAG(field, name, letter, help, cmds) \
	OPTION_ROW(FLAG, field, name, letter, "0", NULL, help, cmds)
#include "verbatim/options.def"
#undef VB_OPTION_STRING
#undef VB_OPTION_UINT
#undef VB_OPTION_REAL
#undef VB_OPTION_SIZES
#undef VB_OPTION_CHOICE
#undef VB_OPTION_FLAG
};

const size_t option_row_count = ARRAY_SIZE(option_rows);

const struct option_row *options_find(const char *name)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (strcmp(option_rows[i].name, name) == 0)
			return &option_rows[i];
	return NULL;
}

void options_variable(const struct option_row *row, struct strbuf *out)
{
	strbuf_add(out, "VERBATIM_");
	for (const char *s = row->name; *s; s++)
		strbuf_addf(out, "%c",
			    *s == '-' ? '_' : toupper((unsigned char)*s));
}

static int options_set_uint(uint64_t *out, const struct option_row *row,
			    const char *text, const char *where,
			    struct strbuf *error)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	/* strtoull() takes "-1" and " 1" too. */
	if (!isdigit((unsigned char)text[0]) || *end) {
		strbuf_addf(error, "%s '%s': not a whole number", where, text);
		return -EINVAL;
	}
	if (errno == ERANGE || value < row->min || value > row->max) {
		strbuf_addf(error, "%s '%s': must be from %llu to %llu", where,
			    text, (unsigned long long)row->min,
			    (unsigned long long)row->max);
		return -EINVAL;
	}
	*out = value;
	return 0;
}

static int options_set_real(double *out, const struct option_row *row,
			    const char *text, const char *where,
			    struct strbuf *error)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || isspace((unsigned char)text[0])) {
		strbuf_addf(error, "%s '%s': not a number", where, text);
		return -EINVAL;
	}
	/* Written so that NaN is refused. */
	if (!(value >= row->real_min && value <= row->real_max)) {
		strbuf_addf(error, "%s '%s': must be from %g to %g", where,
			    text, row->real_min, row->real_max);
		return -EINVAL;
	}
	*out = value;
	return 0;
}

static int options_set_choice(const char **out, const struct option_row *row,
			      const char *text, const char *where,
			      struct strbuf *error)
{
	size_t len = strlen(text);

	for (const char *s = row->argument; *s;) {
		size_t choice = strcspn(s, "|");

		if (choice == len && strncmp(s, text, len) == 0) {
			*out = text;
			return 0;
		}
		s += choice + (s[choice] == '|');
	}
	strbuf_addf(error, "%s '%s': must be one of %s", where, text,
		    row->argument);
	return -EINVAL;
}

static int options_set_flag(bool *out, const char *text, const char *where,
			    struct strbuf *error)
{
	if (strcmp(text, "0") && strcmp(text, "1")) {
		strbuf_addf(error, "%s '%s': must be 0 or 1", where, text);
		return -EINVAL;
	}
	*out = text[0] == '1';
	return 0;
}

int options_set(struct vb_options *o, const struct option_row *row,
		const char *text, const char *where, struct strbuf *error)
{
	void *field = (char *)o + row->offset;

	switch (row->kind) {
	case OPTION_STRING:
		if (!text[0]) {
			strbuf_addf(error, "%s: %s must not be empty", where,
				    row->argument);
			return -EINVAL;
		}
		*(const char **)field = text;
		return 0;
	case OPTION_UINT:
		return options_set_uint(field, row, text, where, error);
	case OPTION_REAL:
		return options_set_real(field, row, text, where, error);
	case OPTION_SIZES:
		return sizes_parse(text, where, field, error);
	case OPTION_CHOICE:
		return options_set_choice(field, row, text, where, error);
	case OPTION_FLAG:
		return options_set_flag(field, text, where, error);
	}
	return -EINVAL;
}

void options_default(struct vb_options *o)
{
	struct strbuf error = STRBUF_INIT;

	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		/* A default that its own row refuses is our mistake. */
		if (row->initial &&
		    options_set(o, row, row->initial, row->name, &error))
			abort();
	}
}

void options_text(const struct vb_options *o, const struct option_row *row,
		  struct strbuf *out)
{
	const void *field = (const char *)o + row->offset;
	const char *text;

	switch (row->kind) {
	case OPTION_STRING:
	case OPTION_CHOICE:
		text = *(const char *const *)field;
		strbuf_add(out, text ? text : "");
		break;
	case OPTION_UINT:
		strbuf_addf(out, "%llu",
			    (unsigned long long)*(const uint64_t *)field);
		break;
	case OPTION_REAL:
		strbuf_addf(out, "%g", *(const double *)field);
		break;
	case OPTION_SIZES:
		sizes_text(field, out);
		break;
	case OPTION_FLAG:
		strbuf_add(out, *(const bool *)field ? "1" : "0");
		break;
	}
}

json_t *options_given(const struct vb_options *o)
{
	json_t *given = json_object();
	struct vb_options initial;

	options_default(&initial);
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

		options_text(o, row, &a);
		options_text(&initial, row, &b);
		if (!(row->commands & VB_CMD_APPEARANCE) &&
		    strcmp(strbuf_text(&a), strbuf_text(&b)))
			json_object_set_new(given, row->name,
					    json_string(strbuf_text(&a)));
		strbuf_free(&a);
		strbuf_free(&b);
	}
	return given;
}

int options_check(const struct vb_options *o, struct strbuf *error)
{
	if (o->mtu && (o->mtu < 256 || (o->mtu & (o->mtu - 1)))) {
		strbuf_addf(error,
			    "--mtu '%llu': must be 256, 512, 1024, 2048 or "
			    "4096, or 0 for the port's active MTU",
			    (unsigned long long)o->mtu);
		return -EINVAL;
	}
	if (strcmp(o->gid_index, "auto") &&
	    (strspn(o->gid_index, "0123456789") != strlen(o->gid_index) ||
	     strlen(o->gid_index) > 5)) {
		strbuf_addf(error,
			    "--gid-index '%s': must be a number from 0 to "
			    "99999, or auto",
			    o->gid_index);
		return -EINVAL;
	}
	if (o->verbose && o->quiet) {
		strbuf_add(error, "--verbose and --quiet: choose one");
		return -EINVAL;
	}
	return 0;
}
