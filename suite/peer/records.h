/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flight records of one host, carried to the other and put among its own. */
#ifndef SUITE_PEER_RECORDS_H
#define SUITE_PEER_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/control/channel.h"
#include "suite/oracle/recorder.h"

enum { RECORDS_BATCH = 512 };

/* Batches of what a recorder keeps, the last one with fewer than a full one. */
int records_send(struct channel *c, const void *area, size_t bytes,
		 struct strbuf *error) MUST_USE;

struct records {
	struct recorder_record *all;
	size_t count, room;
};

int records_receive(struct channel *c, int wait_ms, struct records *out,
		    struct strbuf *error) MUST_USE;
void records_free(struct records *r);

/* How the other host's clock stands to ours: there = here + offset, growing
 * by @drift for each nanosecond since @at_ns (here). */
struct records_clock {
	int64_t offset_ns;
	uint64_t at_ns;
	double drift;
	uint64_t error_ns; /* at most so much is the offset wrong: RTT / 2 */
};

uint64_t records_here(const struct records_clock *clock, uint64_t there_ns);

/* A recorder of both in order of time, by our clock; free() its memory. */
const struct recorder *records_merge(const struct recorder *own,
				     const struct records *others,
				     const struct records_clock *clock,
				     void **memory) MUST_USE;

#endif
