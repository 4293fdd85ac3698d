/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What devices are known to do differently: rules/deviations/<kind>.tsv, one
 * file for a kind of device ("rxe", "siw", "mlx5", "soft").  An entry excuses
 * one failure of one case, with its reason and its source.
 */
#ifndef SUITE_RUNNER_DEVIATIONS_H
#define SUITE_RUNNER_DEVIATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/runner/judge.h"

struct deviation {
	const char *kind;
	const char *id;	     /* of the case, or a glob of ids */
	const char *finding; /* its word */
	const char *pattern; /* glob that the whole reason must match */
	const char *reason;
	const char *source;
	bool own; /* @id begins memory that holds all texts but @kind */
};

/* All entries of this program, of all kinds. */
const struct deviation *deviations_all(size_t *count);

/*
 * The entries for devices of @kind and, if it is not NULL, @other, which is
 * that of a peer: those of this program and, if @path is not NULL, those of
 * that file for @kind, which has the columns of rules/deviations.
 * 0 and *@out (for deviations_free(); the kinds must live as long), or a
 * negative errno and *@error (free() it).
 */
int deviations_gather(const char *path, const char *kind, const char *other,
		      struct deviation **out, size_t *count,
		      char **error) MUST_USE;
void deviations_free(struct deviation *list, size_t count);

/* A failure that is excused becomes a deviation, with reason and source. */
void deviations_apply(const struct deviation *list, size_t count,
		      const char *kind, const char *id, struct result *r);
/* The entry of @kind for case @id, which passed: it is stale.  Or NULL.
 * Entries with a glob in their id cover many cases and are never stale. */
const struct deviation *deviations_stale(const struct deviation *list,
					 size_t count, const char *kind,
					 const char *id,
					 const struct result *r);

#endif
