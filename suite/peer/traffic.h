/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The end there of a traffic program: bench, soak and sweep over two hosts.
 *
 *	end a --- session --- carrier === case --- end b
 *	          (processes here)        (there)
 *
 * The two ends talk as they do on one host; the carrier is the one of
 * session.h, and the case at the server runs one command, run_traffic.
 */
#ifndef SUITE_PEER_TRAFFIC_H
#define SUITE_PEER_TRAFFIC_H

#include "base/compiler.h"
#include "suite/bench/session.h"
#include "suite/runner/run.h"

struct peer_traffic;

/* Of the session with the peer that @run belongs to; @patience as the option.
 * It stays @run's: free() what is returned. */
struct peer_traffic *peer_traffic_make(struct run_peer *run,
				       double patience) MUST_USE;
/* For session_set_far(). */
const struct session_far *peer_traffic_far(const struct peer_traffic *t);

#endif
