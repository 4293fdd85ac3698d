/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A seeded stream of pseudo-random numbers (xoshiro256++ by Blackman and
 * Vigna, seeded by splitmix64).  Every stream is a value of its owner: there
 * is no shared one, so that one case's draws never move another's.
 */
#ifndef BASE_PRNG_H
#define BASE_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t s[4];
};

void prng_seed(struct prng *p, uint64_t seed);
uint64_t prng_next(struct prng *p);
/* Uniform in 0..bound-1; @bound must not be 0. */
uint64_t prng_below(struct prng *p, uint64_t bound);
/* Uniform in low..high, both included; @low <= @high. */
uint64_t prng_range(struct prng *p, uint64_t low, uint64_t high);

#endif
