// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Edit distance (optimal string alignment) over words of bounded length. */
#include "suite/runner/nearest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum { WORD_MAX = 63, FAR = 1000 };

static unsigned nearest_min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned nearest_distance(const char *a, const char *b)
{
	/* rows[i][j]: from the first i letters of a to the first j of b */
	unsigned rows[WORD_MAX + 1][WORD_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > WORD_MAX || lb > WORD_MAX)
		return FAR;
	for (size_t i = 0; i <= la; i++)
		rows[i][0] = (unsigned)i;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			unsigned other = a[i - 1] != b[j - 1];
			unsigned best = rows[i - 1][j - 1] + other;

			best = nearest_min(best, rows[i - 1][j] + 1);
			best = nearest_min(best, rows[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				best = nearest_min(best,
						   rows[i - 2][j - 2] + 1);
			rows[i][j] = best;
		}
	}
	return rows[la][lb];
}

/* How far @candidate is from what was typed; FAR: not worth naming. */
static unsigned nearest_score(const char *word, const char *candidate)
{
	unsigned distance = nearest_distance(word, candidate);
	unsigned allowed = (unsigned)strlen(word) / 3 + 1;
	const char *slash = strchr(candidate, '/');

	if (slash)
		distance = nearest_min(distance,
				       nearest_distance(word, slash + 1));
	if (distance <= allowed)
		return distance;
	if (strlen(word) >= 3 && strstr(candidate, word))
		return allowed + 1;
	return FAR;
}

size_t nearest_list(const char *word, const char *const *words, size_t count,
		    size_t max, struct strbuf *out)
{
	size_t named = 0;
	bool *used = calloc(count + 1, sizeof(*used));
	const char *chosen[8];

	if (!used)
		abort();
	while (named < max && named < 8) {
		unsigned best = FAR;
		size_t at = 0;

		for (size_t i = 0; i < count; i++) {
			unsigned score = nearest_score(word, words[i]);

			if (!used[i] && score < best) {
				best = score;
				at = i;
			}
		}
		if (best == FAR)
			break;
		used[at] = true;
		chosen[named++] = words[at];
	}
	for (size_t i = 0; i < named; i++)
		strbuf_addf(out, "%s'%s'",
			    i == 0	    ? ""
			    : i + 1 < named ? ", "
					    : " or ",
			    chosen[i]);
	free(used);
	return named;
}
