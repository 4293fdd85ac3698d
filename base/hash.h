/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mixing functions for seeds, keys and check bits; none is cryptographic. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* A bijection of 64 bits in which every input bit moves about half of the
 * output bits (the finisher of splitmix64). */
static inline uint64_t hash_mix64(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* 64 bits of a text, for seeds derived from names (FNV-1a). */
static inline uint64_t hash_text(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 0x100000001b3;
	return h;
}

#endif
