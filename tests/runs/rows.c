// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded before the software device: the row of the mutant ROW_ID names the
 * cases ROW_CASES and the finding ROW_FINDING, where these are set.  A row that
 * is wrong must show in the score (mutants.test).
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "softrdma/softdv.h"

EXPORTED int softdv_mutants(unsigned int index,
			    const struct softdv_mutant **row)
{
	static struct softdv_mutant changed;
	void *symbol = dlsym(RTLD_NEXT, "softdv_mutants");
	const char *id = getenv("ROW_ID"), *cases = getenv("ROW_CASES");
	const char *finding = getenv("ROW_FINDING");
	__typeof__(softdv_mutants) *ask;
	int err;

	memcpy(&ask, &symbol, sizeof(ask));
	if (!symbol)
		return ENOSYS;
	err = ask(index, row);
	if (err || !id || strcmp((*row)->id, id) != 0)
		return err;
	changed = **row;
	changed.cases = cases ? cases : changed.cases;
	changed.finding = finding ? finding : changed.finding;
	*row = &changed;
	return 0;
}
