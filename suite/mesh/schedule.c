// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A tournament: the last place stands still, the others move around a ring by
 * one each round, and who stands opposite is the partner.
 */
#include "suite/mesh/schedule.h"

uint32_t mesh_pair_count(uint32_t ranks)
{
	return ranks ? ranks * (ranks - 1) / 2 : 0;
}

uint32_t mesh_pair_index(uint32_t ranks, struct mesh_pair pair)
{
	/* Those led by a rank below a come first. */
	return pair.a * (2 * ranks - pair.a - 1) / 2 + pair.b - pair.a - 1;
}

uint32_t mesh_round_count(uint32_t ranks, bool disjoint)
{
	if (ranks < 2)
		return 0;
	return disjoint ? (ranks - 1) | 1 : 1;
}

static uint32_t schedule_all(uint32_t ranks, struct mesh_pair *out)
{
	uint32_t count = 0;

	for (uint32_t a = 0; a < ranks; a++)
		for (uint32_t b = a + 1; b < ranks; b++)
			out[count++] = (struct mesh_pair){ a, b };
	return count;
}

uint32_t mesh_round(uint32_t ranks, bool disjoint, uint32_t round,
		    struct mesh_pair *out)
{
	/* Places on the ring: odd; with an odd number of ranks nobody is at
	 * the place that stands still, and who is opposite to it rests. */
	uint32_t ring = (ranks - 1) | 1, count = 0;

	if (ranks < 2 || round >= mesh_round_count(ranks, disjoint))
		return 0;
	if (!disjoint)
		return schedule_all(ranks, out);
	for (uint32_t i = 0; i <= ring / 2; i++) {
		uint32_t one = (round + i) % ring;
		uint32_t other = i ? (round + ring - i) % ring : ring;

		if (one >= ranks || other >= ranks)
			continue;
		out[count++] = one < other ? (struct mesh_pair){ one, other }
					   : (struct mesh_pair){ other, one };
	}
	return count;
}
