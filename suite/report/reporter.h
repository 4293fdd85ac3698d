/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A reporter turns events into one format.  To add one: a file with its
 * struct reporter_type, and a row in reporter.c.
 */
#ifndef SUITE_REPORT_REPORTER_H
#define SUITE_REPORT_REPORTER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"

/* How the human reporter speaks; machine formats never change. */
struct reporter_style {
	bool verbose, quiet;
	bool live; /* a live line on stderr */
	bool colour;
	const char *dir; /* where the files are, for the last line */
};

struct reporter {
	const struct reporter_type *type;
	FILE *out;     /* NULL: it writes to none */
	bool owns_out; /* close it at the end */
	struct reporter_style style;
	void *state; /* of the type; NULL at first */
};

struct reporter_type {
	const char *name; /* as --format takes it */
	const char *file; /* in the run's directory; NULL: none there */
	void (*event)(struct reporter *r, const char *kind,
		      const json_t *event);
	/* Frees @state; NULL: there is none to free. */
	void (*close)(struct reporter *r);
};

extern const struct reporter_type reporter_human, reporter_tap, reporter_jsonl,
	reporter_junit, reporter_summary;

/* All types; the last entry is NULL. */
extern const struct reporter_type *const reporter_types[];

struct reporter *reporter_open(const struct reporter_type *type, FILE *out,
			       bool owns_out,
			       const struct reporter_style *style) MUST_USE;
/* NULL: none is called so. */
const struct reporter_type *reporter_find(const char *name);
/* 0, or a negative errno: the last of a file of its own has not got out. */
int reporter_close(struct reporter *r) MUST_USE;

#endif
