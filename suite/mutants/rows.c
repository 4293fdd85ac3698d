// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Choosing rows, and what follows from one. */
#include "suite/mutants/rows.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "suite/end/direct.h"

size_t rows_group_len(const struct softdv_mutant *row)
{
	return strcspn(row->rule, "-");
}

static bool rows_fit(const struct softdv_mutant *row, const char *selector)
{
	size_t len = rows_group_len(row);

	if (strlen(selector) == len && !strncmp(row->rule, selector, len))
		return true;
	return !fnmatch(selector, row->id, FNM_CASEFOLD) ||
	       !fnmatch(selector, row->name, 0) ||
	       !fnmatch(selector, row->rule, 0);
}

static void rows_keep(struct rows *rows, const struct softdv_mutant *row)
{
	rows->row =
		reallocarray(rows->row, rows->count + 1, sizeof(rows->row[0]));
	if (!rows->row)
		abort();
	rows->row[rows->count++] = row;
}

/* Every selector fits something, or the first that does not is complained
 * about. */
static int rows_check(__typeof__(softdv_mutants) *ask,
		      const char *const *selectors, size_t count, char **error)
{
	struct strbuf text = STRBUF_INIT;
	const struct softdv_mutant *row;

	for (size_t s = 0; s < count; s++) {
		bool found = false;

		for (unsigned int i = 0; !found && !ask(i, &row); i++)
			found = rows_fit(row, selectors[s]);
		if (found)
			continue;
		strbuf_addf(&text,
			    "mutant \"%s\": there is none of this id, name, "
			    "rule or group of rules; 'verbatim mutants --list' "
			    "shows all",
			    selectors[s]);
		*error = strbuf_detach(&text);
		return -EINVAL;
	}
	return 0;
}

int rows_select(const char *const *selectors, size_t count, struct rows *out,
		char **error)
{
	const struct softdv_mutant *row;
	struct direct direct;
	int err;

	*out = (struct rows){ 0 };
	direct_find(&direct);
	if (!direct.mutants) {
		*error = strdup("the software device in this process has no "
				"mutants: it is of another version");
		return -ENOTSUP;
	}
	err = rows_check(direct.mutants, selectors, count, error);
	if (err)
		return err;
	for (unsigned int i = 0; !direct.mutants(i, &row); i++) {
		bool chosen = count == 0;

		for (size_t s = 0; !chosen && s < count; s++)
			chosen = rows_fit(row, selectors[s]);
		if (chosen)
			rows_keep(out, row);
	}
	return 0;
}

void rows_free(struct rows *rows)
{
	free(rows->row);
	*rows = (struct rows){ 0 };
}

bool rows_name(const struct softdv_mutant *row, const char *id)
{
	size_t len = strlen(id);

	for (const char *s = row->cases; *s;) {
		size_t word = strcspn(s, ",");

		if (word == len && !strncmp(s, id, len))
			return true;
		s += word + (s[word] == ',');
	}
	return false;
}

static bool rows_hold(const char *const *words, const char *word)
{
	for (; words && *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

bool rows_expect(const struct softdv_mutant *row, const struct vb_case *c)
{
	return rows_name(row, c->id) || rows_hold(c->kills, row->id);
}

bool rows_concern(const struct softdv_mutant *row, const struct vb_case *c)
{
	return rows_expect(row, c) || rows_hold(c->rules, row->rule);
}

/* One of the alternatives: FINDING or FINDING:PART-OF-REASON. */
static bool rows_fits(const char *told, size_t told_len, const char *finding,
		      const char *reason)
{
	const char *colon = memchr(told, ':', told_len);
	size_t len = colon ? (size_t)(colon - told) : told_len;

	if (strlen(finding) != len || strncmp(finding, told, len))
		return false;
	return !colon ||
	       memmem(reason, strlen(reason), colon + 1, told_len - len - 1);
}

bool rows_foretell(const struct softdv_mutant *row, const char *finding,
		   const char *reason)
{
	const char *told = row->finding;

	for (;;) {
		size_t len = strcspn(told, "|");

		if (rows_fits(told, len, finding, reason))
			return true;
		if (!told[len])
			return false;
		told += len + 1;
	}
}
