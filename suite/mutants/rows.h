/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The mutants as the software device tells of them: one row each, with the
 * cases expected to kill it and the finding with which they fail.
 */
#ifndef SUITE_MUTANTS_ROWS_H
#define SUITE_MUTANTS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "softrdma/softdv.h"
#include "verbatim/case.h"

/* In the order of the device; the rows are its own. */
struct rows {
	const struct softdv_mutant **row;
	size_t count;
};

/*
 * Those that @selectors choose: an id, a name, a rule, a group of rules
 * ("RNR"), or a pattern of these; none at all: every one.  0, or -EINVAL for a
 * selector that fits nothing, -ENOTSUP without the device in this process; then
 * *@error, to be freed, says so.
 */
int rows_select(const char *const *selectors, size_t count, struct rows *out,
		char **error) MUST_USE;
void rows_free(struct rows *rows);

/* The letters before the dash of the rule that it breaks. */
size_t rows_group_len(const struct softdv_mutant *row);
/* The row says that this case kills it. */
bool rows_name(const struct softdv_mutant *row, const char *id);
/* The row or the case says that the one kills the other. */
bool rows_expect(const struct softdv_mutant *row, const struct vb_case *c);
/* So it does, or the case checks the rule that the mutant breaks. */
bool rows_concern(const struct softdv_mutant *row, const struct vb_case *c);
/* A failure with @finding and @reason is the one that the row foretells. */
bool rows_foretell(const struct softdv_mutant *row, const char *finding,
		   const char *reason);

#endif
