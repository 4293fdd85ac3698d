/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How fast payload is made and checked, beside memcpy() in the same run: for
 * each vector unit that this processor has.
 */
#ifndef SUITE_BENCH_PAYLOAD_H
#define SUITE_BENCH_PAYLOAD_H

#include <stdint.h>

#include "base/compiler.h"

struct payload_speed {
	const char *unit;
	uint32_t bytes;
	/* Bytes a ns of CPU time, which is GB/s of one core. */
	double memcpy_speed, fill_speed, check_speed;
};

/*
 * @rounds times, the best of each; each for about @slice_ns.  The three are
 * measured in turn, so that a busy host disturbs all of them alike.  -ENOENT:
 * that unit is not there.
 */
int payload_measure(const char *unit, uint32_t bytes, uint32_t rounds,
		    uint64_t slice_ns, struct payload_speed *out) MUST_USE;

#endif
