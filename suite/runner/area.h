/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the processes of a run share: the program that was started, the worker
 * that runs the cases, and the case.  It outlives any of them, so that the
 * others can tell what the dead one had been doing.
 */
#ifndef SUITE_RUNNER_AREA_H
#define SUITE_RUNNER_AREA_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/runner/outcome.h"

struct recorder;
struct dashboard;

enum { AREA_CAPTURE_MAX = 16384, AREA_FOLDER_MAX = 4096, AREA_NO_CASE = -1 };

struct area {
	/* Place of the running case in the selection, or AREA_NO_CASE. */
	atomic_int current;
	_Atomic uint64_t started_ns; /* of that case */
	struct outcome outcome;	     /* of that case */
	/* The newest of what it printed: byte n of all is at n % MAX. */
	_Atomic uint64_t captured;
	char capture[AREA_CAPTURE_MAX];
	char folder[AREA_FOLDER_MAX]; /* of the run's files; set once */
	struct recorder *recorder;    /* laid anew for each case */
	struct dashboard *dashboard;
	/* Where those two lie: shared mappings of their own. */
	void *recorder_memory, *dashboard_memory;
	size_t recorder_bytes;
};

/* 0, or a negative errno. */
int area_map(struct area **out) MUST_USE;
void area_unmap(struct area *a);
/* Begin with case number @current: nothing said, recorded or printed. */
void area_begin(struct area *a, int current);
void area_add_capture(struct area *a, const char *bytes, size_t len);
/* What is kept of what was printed, oldest first; free() it. */
char *area_capture_text(const struct area *a) MUST_USE;
/* The newest line of the flight recorder; NULL: it is empty.  free() it. */
char *area_last_line(const struct area *a) MUST_USE;

#endif
