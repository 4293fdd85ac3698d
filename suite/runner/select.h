/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From selectors to the cases of a run.  A selector is the id of a case, a
 * topic ("rnr"), a glob over ids ("rc/send-*"), a dimension ("fault") or
 * "all".
 */
#ifndef SUITE_RUNNER_SELECT_H
#define SUITE_RUNNER_SELECT_H

#include <stddef.h>

#include "verbatim/case.h"

/* The cases in the order of their ids, each once. */
struct selection {
	const struct vb_case **cases;
	size_t count;
};

/*
 * No selector at all means "all".  0, or -ENOENT for a selector that matches
 * nothing: then *@error (to be freed) names it and the nearest ids.
 */
int select_cases(const char *const *selectors, size_t count,
		 struct selection *out, char **error) MUST_USE;
/* Leave out the cases of @dimension. */
void select_drop(struct selection *s, enum vb_dimension dimension);
void select_free(struct selection *s);

#endif
