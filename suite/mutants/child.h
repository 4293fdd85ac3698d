/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run of some cases by this program in a process of its own, with or without
 * a mutant in its device; its events come over a pipe, a line each.
 */
#ifndef SUITE_MUTANTS_CHILD_H
#define SUITE_MUTANTS_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/strbuf.h"

struct child_order {
	const char *mutant; /* NULL: the device as it is */
	const char *acted;  /* the file in which the device says that it has */
	const char *dir;    /* of the run's files; its parent is there */
	const char *const *cases; /* ids */
	size_t case_count;
	uint64_t seed;
	double patience;
};

struct child {
	pid_t pid; /* 0: there is none */
	int events;
	struct strbuf line; /* the last one, without its end yet */
	bool stopped;	    /* it was told to */
};

/* 0, or a negative errno and *@error (free() it). */
int child_start(struct child *c, const struct child_order *order,
		char **error) MUST_USE;
/* Give what has come, line by line.  False: nothing more will. */
bool child_read(struct child *c, void (*told)(void *arg, const char *line),
		void *arg) MUST_USE;
/* It has said enough; the end of its events is still to be awaited. */
void child_stop(struct child *c);
/* Once child_read() has said false: the exit status, or 128 and the signal. */
int child_end(struct child *c);

#endif
