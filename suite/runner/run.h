/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run: the chosen cases, one after the other, each to its verdict.
 *
 *	front ---- worker ---- case         (processes)
 *
 * The front is the program that was started: it only waits, passes signals on
 * and gives the exit status.  The worker runs the cases and writes the files.
 * If the front dies, the worker ends the run; if the worker dies, the front
 * does.  Either way the case that was running gets a verdict and a scene, and
 * no process stays behind.
 */
#ifndef SUITE_RUNNER_RUN_H
#define SUITE_RUNNER_RUN_H

#include <jansson.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/report/reporter.h"
#include "suite/report/stream.h"
#include "suite/runner/deviations.h"
#include "suite/runner/inside.h"
#include "suite/runner/judge.h"
#include "suite/runner/select.h"
#include "suite/runner/target.h"

struct area;
struct metrics;
struct process_host;
struct recorder;

/* What became of the other host's half of a case. */
struct run_half {
	int signal;  /* its process died by it; 0: it did not */
	int status;  /* or left with this exit status */
	bool killed; /* it had to be ended */
	bool stuck;  /* and could not be */
	/* Its clock against ours, as measured around the case. */
	int64_t offset_ns;
	uint64_t rtt_ns;
	double drift_ppm;
};

/* The other host of a run over two; the functions are its keeper's.  Each
 * returns 0, or a negative errno and *@error (free() it): the run is over. */
struct run_peer {
	struct inside_peer inside;
	json_t *here, *there; /* facts of the two hosts */
	const char *kind;     /* of the device there: names deviations */
	int (*begin)(struct run_peer *peer, char **error);
	int (*end)(struct run_peer *peer, uint64_t grace_ms,
		   struct run_half *out, char **error);
	/* The records of both hosts, in order; NULL: @own is all.  To be
	 * given back by put_records(). */
	const struct recorder *(*records)(struct run_peer *peer,
					  const struct recorder *own);
	void (*put_records)(struct run_peer *peer);
};

struct run {
	/* As resolved: device, GID index, MTU and seed are said. */
	const struct vb_options *options;
	/* As given: name and text of each that is not the default. */
	json_t *options_given;
	struct selection cases;
	const struct target *target;
	const json_t *here;    /* facts of this host; NULL: none, or the peer's
			     * keeper has them */
	struct run_peer *peer; /* NULL: both ends are here */
	const char *dir;
	const struct deviation *deviations;
	size_t deviation_count;
	const struct reporter_type *format; /* of stdout */
	struct reporter_style style;
	struct metrics *metrics; /* NULL: none are published */

	/* The rest is the run's own. */
	struct area *area;
	struct stream stream;
	uint64_t started_ns;
	json_t *stale; /* array: deviations that no longer occur */
};

/* The exit status of the program. */
int run_all(struct run *r);

/* The seed of the case @id in a run with @seed; fits a JSON number of any
 * reader (53 bits). */
uint64_t run_case_seed(uint64_t seed, const char *id);

/* --- For the files of the runner ---------------------------------------- */

/* Opens the files and reporters; an earlier run's events are kept if
 * @again.  0, or a negative errno and *@error (free() it). */
int run_open_stream(struct run *r, bool again, char **error) MUST_USE;
void run_close_stream(struct run *r);
/* Everything after the verdict: notes, scene, event. */
void run_end_case(struct run *r, const struct vb_case *record,
		  struct result *result);
/* The last event; @interrupted NULL: it came to its end. */
void run_end(struct run *r, const char *interrupted);
/* After the end: what the verdicts and the state of the files come to. */
int run_exit_status(const struct run *r);
/* The worker: the exit status. */
int run_work(struct run *r, int front);
/* The front, when the worker has ended so (waitpid(2)). */
int run_recover(struct run *r, int status);

/* run_calls.c: the last calls of a case, from @recorder; NULL: none. */
void run_tell_calls(struct run *r, const struct vb_case *record,
		    const struct recorder *recorder);

json_t *run_event_start(const struct run *r) MUST_USE;
/* How the clocks of the two hosts stood to each other during a case. */
json_t *run_event_clock(const struct run *r, const struct vb_case *record,
			const struct run_half *half) MUST_USE;
json_t *run_event_case_start(const struct run *r, size_t number) MUST_USE;
json_t *run_event_case_end(const struct run *r, const struct vb_case *record,
			   const struct result *result,
			   const char *scene) MUST_USE;
json_t *run_event_end(const struct run *r, const char *interrupted) MUST_USE;

#endif
