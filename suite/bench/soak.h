/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A soak: a traffic program that runs for long, looked at each second.
 *
 *	soak.jsonl	a line at the beginning, one a second, one at the end
 */
#ifndef SUITE_BENCH_SOAK_H
#define SUITE_BENCH_SOAK_H

#include <jansson.h>
#include <stdio.h>

#include "base/compiler.h"
#include "suite/bench/session.h"
#include "suite/oracle/drift.h"

/* An end in one second. */
struct soak_sample {
	struct drift_sample drift;
	double sent_rate, received_rate;	     /* messages a second */
	double sent_bytes_rate, received_bytes_rate; /* bytes a second */
	double batch;				     /* completions a poll */
	uint64_t batch_max, backlog, outstanding, receives_posted;
	uint64_t rnr, rnr_sent, retries; /* in this second */
	uint64_t generation, findings;
	double p50_us, p99_us, p999_us, max_us; /* of this second */
	uint64_t latency_count;
};

struct soak_end {
	struct traffic_live *last; /* a copy, of the look before */
	uint64_t last_ns;
	uint64_t starved_ns;	     /* of its process, at the look before */
	double starved_s;	     /* since then */
	struct drift_sample *series; /* all of them */
	size_t count, room;
	struct soak_sample now;
};

struct soak {
	const struct traffic_program *program;
	struct session session;
	struct soak_end ends[SESSION_ENDS];
	FILE *file; /* soak.jsonl */
	uint64_t started_ns;
	double at_s;
};

/* Start the ends; 0, or a negative errno and @error.  @here: facts of this
 * host. */
int soak_start(struct soak *s, const struct traffic_program *p, FILE *file,
	       json_t *settings, json_t *here, struct strbuf *error) MUST_USE;
/* Wait a second and look.  True: both ends are gone, and there was no look. */
bool soak_step(struct soak *s);
/* How it went, over all; the text of a run that was not completed in
 * @error. */
struct soak_outcome {
	bool cut_short, failed;
	size_t samples, starved; /* those that the host's business spoilt */
	double starved_worst_s;	 /* in one second */
	size_t drift_count[SESSION_ENDS];
	struct drift_complaint drifts[SESSION_ENDS][DRIFTS];
	uint64_t messages, bytes, findings, rnr, retries, reconnects;
	double wall_s;
};

void soak_end(struct soak *s, const struct drift_limits *limits,
	      struct soak_outcome *out, struct strbuf *error);
void soak_free(struct soak *s);

/* One screen, in place of the one before; or one line. */
void soak_show_screen(const struct soak *s, FILE *out);
void soak_show_line(const struct soak *s, FILE *out);

#endif
