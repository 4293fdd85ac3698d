/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of every rank and every pair, for all ways to show it. */
#ifndef SUITE_MESH_MATRIX_H
#define SUITE_MESH_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"
#include "suite/mesh/schedule.h"
#include "verbatim/verdict.h"

struct mesh_rank {
	json_t *facts; /* as peer_facts_make() has them; NULL: none came */
	bool lost;     /* it can take no part any more */
	char why[128]; /* if lost */
};

struct mesh_cell {
	struct mesh_pair pair;
	enum vb_verdict verdict;
	char reason[640]; /* unless pass: both ranks and hosts, and what */
	/* By direction: 0 from a to b, 1 from b to a.  0: not measured. */
	double bytes_s[2], messages_s[2];
	uint64_t messages; /* verified on both ends, in all */
	/* Of a round trip, one message at a time; count 0: not measured. */
	uint64_t trips, p50_ns, p99_ns, max_ns;
};

struct mesh_matrix {
	uint32_t ranks;
	struct mesh_rank *rank;
	struct mesh_cell *cell; /* by mesh_pair_index() */
	bool disjoint;
	uint64_t seed, wall_ns;
};

struct mesh_matrix *mesh_matrix_new(uint32_t ranks) MUST_USE;
void mesh_matrix_free(struct mesh_matrix *m);

/* "rank 2 (host)" */
void mesh_rank_text(const struct mesh_matrix *m, uint32_t rank,
		    struct strbuf *out);
/* A text among the facts; "?" when there is none. */
const char *mesh_fact(const struct mesh_matrix *m, uint32_t rank,
		      const char *key);
uint64_t mesh_fact_number(const struct mesh_matrix *m, uint32_t rank,
			  const char *key);
/* Of the two, in whatever order; NULL: a rank and itself. */
const struct mesh_cell *mesh_cell(const struct mesh_matrix *m, uint32_t one,
				  uint32_t other);
/* From @from to @to, bytes a second; 0: not measured. */
double mesh_speed(const struct mesh_matrix *m, uint32_t from, uint32_t to);
double mesh_speed_max(const struct mesh_matrix *m);
uint32_t mesh_count(const struct mesh_matrix *m, enum vb_verdict v);

/*
 * The one rank that is in every pair that did not pass, at least two of them,
 * when another pair passed; -1: there is none such.
 */
int mesh_suspect(const struct mesh_matrix *m);
/* Where ranks differ in what makes a difference: a line for each. */
void mesh_mismatches(const struct mesh_matrix *m, struct strbuf *out);

/* --- ways to show it ----------------------------------------------------- */

/* Who takes part; before anything is run. */
void mesh_show_ranks(const struct mesh_matrix *m, FILE *out);
/* Verdicts, throughput, latency, heat: without colours, since launchers give
 * every rank a terminal, whatever there is behind it. */
void mesh_show(const struct mesh_matrix *m, FILE *out);
json_t *mesh_json(const struct mesh_matrix *m, const json_t *settings) MUST_USE;
/* One picture by itself. */
void mesh_svg(const struct mesh_matrix *m, FILE *out);

#endif
