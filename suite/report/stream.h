/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The event stream: what happens in a run, as JSON objects in order.  It is
 * written to a file first, one object a line; every reporter reads it, and
 * nothing else, so that a report can be made again from the file.
 *
 *	run_start   version, time, device, seed, options, selected
 *	case_start  id, title, seed, limit_ms, number
 *	note        id, text
 *	clock       id, end, offset_ns, rtt_ns, drift_ppm: with a peer, how the
 *	            clock of its end stood to ours
 *	call        id, end, when_ns, call: the last calls of a case that did
 *	            not pass, of both ends in one order of time by our clock;
 *	            `call` is a line of the scene
 *	case_end    id, verdict, reason, finding, diagnosis, duration_ms, seed,
 *	            rules, checks, scene, deviation
 *	run_end     pass, fail, skip, broken, deviation, duration_ms,
 *	            interrupted, stale
 */
#ifndef SUITE_REPORT_STREAM_H
#define SUITE_REPORT_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "verbatim/verdict.h"

struct reporter;

enum { STREAM_REPORTERS_MAX = 8 };

/* Verdicts so far, by enum vb_verdict. */
struct tally {
	uint64_t of[VB_DEVIATION + 1];
};

struct stream {
	FILE *file; /* events.jsonl; NULL: not kept */
	struct reporter *reporters[STREAM_REPORTERS_MAX];
	unsigned reporter_count;
	struct tally tally; /* from the case_end events */
	/* errno of the first write that failed, 0 while none has */
	int stdout_error; /* EPIPE: nobody reads it any more */
	int file_error;	  /* of the run's files */
};

/* Takes over @r. */
void stream_add_reporter(struct stream *s, struct reporter *r);
/* Takes over @event: file first, then the reporters. */
void stream_emit(struct stream *s, json_t *event);
/*
 * Give the events of the file at @path to the reporters again.  The id of a
 * case that started and did not end is left in @open ("" if none).  0, or a
 * negative errno; -EBADMSG and the number of the line that is no event.  A last
 * line without its end, of a writer that died, is left out; *@kept: the bytes
 * of the file before it.
 */
int stream_replay(struct stream *s, const char *path, char *open, size_t size,
		  unsigned *line, uint64_t *kept) MUST_USE;
/* Ends the reporters; the file is closed by its owner.  What does not get out
 * here is counted too. */
void stream_close(struct stream *s);

/* The verdict of that name; VB_NONE: there is none. */
enum vb_verdict stream_verdict(const char *name);
/* 0: every case passed, was skipped or deviates as listed; 1: not. */
int stream_exit_status(const struct tally *t);

/* Members of an event; a missing one is "" and 0. */
const char *event_text(const json_t *event, const char *key);
uint64_t event_number(const json_t *event, const char *key);

#endif
