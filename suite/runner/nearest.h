/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words that somebody may have meant: nearest by edit distance. */
#ifndef SUITE_RUNNER_NEAREST_H
#define SUITE_RUNNER_NEAREST_H

#include <stddef.h>

struct strbuf;

/* Edits (insert, delete, replace, swap of neighbours) from @a to @b. */
unsigned nearest_distance(const char *a, const char *b);

/*
 * Adds at most @max of the @count words to @out, nearest first, as
 * "'x', 'y' or 'z'"; only those near enough to be a slip of @word, or that
 * contain it.  Returns how many.
 */
size_t nearest_list(const char *word, const char *const *words, size_t count,
		    size_t max, struct strbuf *out);

#endif
