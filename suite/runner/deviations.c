// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looking failures up in the lists of known deviations. */
#include "suite/runner/deviations.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum { DEVIATIONS_COLUMNS = 5 };

/* One { kind, case, finding, pattern, reason, source } a row. */
static const struct deviation deviations_rows[] = {
#include "rules/deviations.inc"
	{ NULL },
};

const struct deviation *deviations_all(size_t *count)
{
	*count = ARRAY_SIZE(deviations_rows) - 1;
	return deviations_rows;
}

/* The entry of @kind that excuses @r, or NULL. */
static const struct deviation *deviations_find(const struct deviation *list,
					       size_t count, const char *kind,
					       const char *id,
					       const struct result *r)
{
	if (r->verdict != VB_FAIL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct deviation *d = &list[i];

		if (strcmp(d->kind, kind) == 0 &&
		    strcmp(d->finding, vb_finding_word(r->finding)) == 0 &&
		    fnmatch(d->id, id, 0) == 0 &&
		    fnmatch(d->pattern, r->reason, 0) == 0)
			return d;
	}
	return NULL;
}

void deviations_apply(const struct deviation *list, size_t count,
		      const char *kind, const char *id, struct result *r)
{
	const struct deviation *d = deviations_find(list, count, kind, id, r);

	if (!d)
		return;
	r->verdict = VB_DEVIATION;
	r->deviation_reason = d->reason;
	r->deviation_source = d->source;
	r->deviation_kind = d->kind;
}

const struct deviation *deviations_stale(const struct deviation *list,
					 size_t count, const char *kind,
					 const char *id, const struct result *r)
{
	if (r->verdict != VB_PASS)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].kind, kind) == 0 &&
		    strcmp(list[i].id, id) == 0)
			return &list[i];
	return NULL;
}

static void deviations_add(struct deviation **list, size_t *count,
			   const struct deviation *d)
{
	struct deviation *more = realloc(*list, (*count + 1) * sizeof(**list));

	if (!more)
		abort();
	more[(*count)++] = *d;
	*list = more;
}

/* One line of a file; @line becomes the entry's. */
static int deviations_parse(char *line, const char *kind, struct deviation *d)
{
	char *cells[DEVIATIONS_COLUMNS];
	size_t count = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *cell; (cell = strsep(&line, "\t"));) {
		if (count == DEVIATIONS_COLUMNS)
			return -EINVAL;
		cells[count++] = cell;
	}
	if (count != DEVIATIONS_COLUMNS)
		return -EINVAL;
	*d = (struct deviation){ kind,	   cells[0], cells[1], cells[2],
				 cells[3], cells[4], true };
	return 0;
}

static int deviations_read(FILE *file, const char *kind,
			   struct deviation **list, size_t *count,
			   unsigned *number)
{
	for (*number = 1;; ++*number) {
		struct deviation d;
		char *line = NULL;
		size_t room = 0;

		if (getline(&line, &room, file) <= 0) {
			free(line);
			return 0;
		}
		/* The first one names the columns. */
		if (*number == 1 || line[0] == '\n') {
			free(line);
			continue;
		}
		if (deviations_parse(line, kind, &d)) {
			free(line);
			return -EINVAL;
		}
		deviations_add(list, count, &d);
	}
}

static int deviations_from_file(const char *path, const char *kind,
				struct deviation **list, size_t *count,
				char **error)
{
	struct strbuf text = STRBUF_INIT;
	FILE *file = fopen(path, "re");
	unsigned number;
	int err;

	if (!file) {
		err = -errno;
		strbuf_addf(&text, "--deviations '%s': %s", path,
			    strerror(errno));
		*error = strbuf_detach(&text);
		return err;
	}
	err = deviations_read(file, kind, list, count, &number);
	if (err) {
		strbuf_addf(&text,
			    "--deviations '%s': line %u: not the %d cells "
			    "case, finding, pattern, reason, source, with a "
			    "tab between them",
			    path, number, DEVIATIONS_COLUMNS);
		*error = strbuf_detach(&text);
	}
	fclose(file);
	return err;
}

void deviations_free(struct deviation *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].own)
			free((char *)list[i].id);
	free(list);
}

int deviations_gather(const char *path, const char *kind, const char *other,
		      struct deviation **out, size_t *count, char **error)
{
	struct deviation *list = NULL;
	size_t all, used = 0;
	const struct deviation *rows = deviations_all(&all);
	int err = 0;

	for (size_t i = 0; i < all; i++)
		if (strcmp(rows[i].kind, kind) == 0 ||
		    (other && strcmp(rows[i].kind, other) == 0))
			deviations_add(&list, &used, &rows[i]);
	if (path)
		err = deviations_from_file(path, kind, &list, &used, error);
	if (err) {
		deviations_free(list, used);
		return err;
	}
	*out = list;
	*count = used;
	return 0;
}
