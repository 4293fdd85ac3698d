/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The folder that a run leaves behind:
 *
 *	events.jsonl  results.tap  junit.xml  summary.json
 *	scene/<topic>/<behaviour>.txt and .jsonl, for every verdict but pass
 *
 * verbatim-runs/<time>, with verbatim-runs/latest pointing to the newest; or
 * the folder that --out names.
 */
#ifndef SUITE_REPORT_RUNDIR_H
#define SUITE_REPORT_RUNDIR_H

#include <stdio.h>

#include "base/compiler.h"

/*
 * Make the folder (and those above it); what an earlier run left in it is
 * removed.  @out NULL: by time.  0, its path in *@path (free() it) and in *@fd a
 * descriptor: as long as it or a copy of it is open, no other run gets that
 * folder.  Or a negative errno and *@error (free() it).
 */
int rundir_make(const char *out, char **path, int *fd, char **error) MUST_USE;
/* A file in it, opened new; NULL and errno. */
FILE *rundir_open(const char *path, const char *name) MUST_USE;
/* The same, making the folders that @name has in it. */
FILE *rundir_open_deep(const char *path, const char *name) MUST_USE;

#endif
