/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inside of a case's process: what surrounds the case's function there.
 * The outside, which starts and ends this process, is process.h.
 */
#ifndef SUITE_RUNNER_INSIDE_H
#define SUITE_RUNNER_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/case.h"

struct area;
struct channel;
struct dashboard;
struct recorder;
struct strbuf;

/* The other host of a run over two. */
struct inside_peer {
	unsigned side; /* of its end; 0: a, 1: b */
	/* A channel to an end of its own for this process: 0, or a negative
	 * errno and @error. */
	int (*call)(const struct inside_peer *peer, uint64_t seed,
		    struct channel *out, struct strbuf *error);
};

/* vb_test's @runner. */
struct inside {
	struct area *area;
	const struct inside_peer *peer; /* NULL: both ends are here */
	/* No deadline of the case lies beyond: the rest of its limit is for
	 * saying what was missed. */
	uint64_t end_ns;
	/* How long it had been kept from running when it last set a deadline. */
	_Atomic uint64_t starved_ns;
	/* Told to stop, it looks at its ends for the last time: waits of that
	 * go on, until the runner ends the process. */
	_Atomic bool looking;
};

/*
 * Closes what the ends of @t have open: objects in the right order, contexts
 * last.  A failure to do so is a verdict like any other.  Defined by the
 * ends; a program without them has none.
 */
void vb_ends_close(struct vb_test *t) __attribute__((weak));
/*
 * Asked once, when the case fails with @finding: what the ends of @t take for
 * its cause, and what to do next.  Defined by the ends, if they know.
 */
void vb_ends_diagnose(struct vb_test *t, enum vb_finding finding,
		      struct strbuf *out) __attribute__((weak));

/*
 * Asked once, when the case fails or is stopped: query both ends, so that
 * record, dashboard and notes show them as they are then.  Defined by the ends.
 */
void vb_ends_look(struct vb_test *t) __attribute__((weak));

/* Where the ends record; NULL without a runner. */
struct recorder *inside_recorder(const struct vb_test *t);
struct dashboard *inside_dashboard(const struct vb_test *t);
/* NULL: there is none. */
const struct inside_peer *inside_peer(const struct vb_test *t);

/*
 * Run @record to its verdict in this process, which is the case's own.
 * @capture becomes stdout and stderr.
 */
void inside_run(const struct vb_case *record, const struct vb_options *options,
		uint64_t seed, struct area *area, int capture,
		const struct inside_peer *peer) NO_RETURN;

/* Leave the process; no handlers of exit() run. */
void inside_leave(void) NO_RETURN;

/* The process was told to stop. */
bool inside_told_to_stop(void);

#endif
