/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who meets whom in a mesh, and when: every two ranks once.
 *
 * Disjoint: in each round no rank has more than one partner, so that no pair
 * disturbs another at a host; n - 1 rounds, or n if n is odd and one rank rests
 * in each.  All: one round with every pair in it.
 */
#ifndef SUITE_MESH_SCHEDULE_H
#define SUITE_MESH_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct mesh_pair {
	uint32_t a, b; /* ranks, a < b */
};

uint32_t mesh_pair_count(uint32_t ranks);
/* Of the pair among all: the same in both kinds of schedule. */
uint32_t mesh_pair_index(uint32_t ranks, struct mesh_pair pair);
uint32_t mesh_round_count(uint32_t ranks, bool disjoint);
/* The pairs of @round, at most mesh_pair_count() of them; how many. */
uint32_t mesh_round(uint32_t ranks, bool disjoint, uint32_t round,
		    struct mesh_pair *out);

#endif
