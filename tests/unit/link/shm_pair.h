/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared memory links on names that nobody else has at the moment. */
#ifndef TESTS_UNIT_LINK_SHM_PAIR_H
#define TESTS_UNIT_LINK_SHM_PAIR_H

#include "device/link/shm.h"

#include "pair.h"

enum { SHM_BURST = 64, SHM_PATIENCE_S = 20 };

static struct prng prng;

static inline void shm_pair_seed(void)
{
	prng_seed(&prng, clock_now_ns() ^ (uint64_t)getpid() << 32);
}

static inline struct link *open_shm(struct link_address *address)
{
	struct link *l;

	for (unsigned tries = 0; tries < 100; tries++) {
		int err;

		*address = pair_ipv4(127, (uint8_t)prng_range(&prng, 1, 254),
				     (uint8_t)prng_range(&prng, 1, 254),
				     (uint8_t)prng_range(&prng, 1, 254));
		err = link_shm_open(address, false, &l);
		if (!err)
			return l;
		assert_int_equal(err, -EADDRINUSE);
	}
	fail_msg("no free name in 100 tries");
	return NULL;
}

#endif
