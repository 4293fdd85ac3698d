// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of reporters. */
#include "suite/report/reporter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct reporter_type *const reporter_types[] = {
	&reporter_human, &reporter_tap,	    &reporter_jsonl,
	&reporter_junit, &reporter_summary, NULL,
};

const struct reporter_type *reporter_find(const char *name)
{
	for (size_t i = 0; reporter_types[i]; i++)
		if (strcmp(reporter_types[i]->name, name) == 0)
			return reporter_types[i];
	return NULL;
}

struct reporter *reporter_open(const struct reporter_type *type, FILE *out,
			       bool owns_out,
			       const struct reporter_style *style)
{
	struct reporter *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	r->type = type;
	r->out = out;
	r->owns_out = owns_out;
	if (style)
		r->style = *style;
	return r;
}

int reporter_close(struct reporter *r)
{
	int err = 0;

	if (r->type->close)
		r->type->close(r);
	if (r->owns_out && fclose(r->out))
		err = -errno;
	free(r);
	return err;
}
