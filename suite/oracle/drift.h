/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a long run may not do: samples of an end, a second apart, judged as
 * series.
 *
 *	backlog	completions waiting in the CQ become more and more
 *	memory	resident memory grows faster than allowed
 *	fds	file descriptors become more
 *	rate	messages per second fall, and stay down
 *	stall	a direction does not move for longer than allowed
 *
 * A drift is a trend that ranks prove, of a size that matters: noise, a step
 * once and an outlier are none.  The beginning, in which caches and pools
 * fill, is left out; and so are, of backlog and rate, seconds in which the host
 * kept an end from running: they would tell of the host.
 */
#ifndef SUITE_ORACLE_DRIFT_H
#define SUITE_ORACLE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct drift_sample {
	double at_s; /* since the run began */
	double backlog;
	double memory_bytes;
	double descriptors;
	double messages;  /* since the sample before */
	double elapsed_s; /* since then */
	double starved_s; /* of which an end was ready to run, and not let */
	/* In every direction that should move something did. */
	bool moving;
	/* Connections are being made anew, or the end is near: nothing is to be
	 * expected of the rate. */
	bool idle;
};

struct drift_limits {
	double memory_bytes_per_h;
	/* Less growth than this in all is none, however fast. */
	double memory_bytes_least;
	double rate_fall; /* part of the rate, 0.2: a fifth */
	double stall_s;
	/* Completions that can wait in a CQ, as far as a look sees them; of a
	 * fall of the rate they tell whether the consumer is slow.  0: it is
	 * not known. */
	double backlog_full;
	double settle_s; /* left out at the beginning */
};

enum drift_kind {
	DRIFT_BACKLOG,
	DRIFT_MEMORY,
	DRIFT_DESCRIPTORS,
	DRIFT_RATE,
	DRIFT_STALL,
	DRIFTS,
};

struct drift_complaint {
	enum drift_kind kind;
	double from_s, to_s; /* when it happened */
	char text[256];
};

void drift_limits_default(struct drift_limits *l);
/* How many complaints were found, at most one of each kind. */
size_t drift_judge(const struct drift_sample *samples, size_t count,
		   const struct drift_limits *limits,
		   struct drift_complaint out[DRIFTS]);
/* How many samples say nothing of backlog and rate, for want of a processor. */
size_t drift_starved(const struct drift_sample *samples, size_t count);
const char *drift_kind_name(enum drift_kind kind);

#endif
