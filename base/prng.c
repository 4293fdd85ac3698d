// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/prng.h"

#include <assert.h>

#include "base/hash.h"

static uint64_t prng_rotate(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

void prng_seed(struct prng *p, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		seed += 0x9e3779b97f4a7c15;
		p->s[i] = hash_mix64(seed);
	}
}

uint64_t prng_next(struct prng *p)
{
	uint64_t *s = p->s;
	uint64_t result = prng_rotate(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = prng_rotate(s[3], 45);
	return result;
}

uint64_t prng_below(struct prng *p, uint64_t bound)
{
	assert(bound > 0);
	return (uint64_t)(((unsigned __int128)prng_next(p) * bound) >> 64);
}

uint64_t prng_range(struct prng *p, uint64_t low, uint64_t high)
{
	assert(low <= high);
	if (low == 0 && high == UINT64_MAX)
		return prng_next(p);
	return low + prng_below(p, high - low + 1);
}
