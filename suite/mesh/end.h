/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An end of a pair: a traffic program in a process of its own, seen from the
 * agent of its rank.
 */
#ifndef SUITE_MESH_END_H
#define SUITE_MESH_END_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"
#include "suite/mesh/message.h"

/* What the judge says to both agents of a pair; plain, as a program is. */
struct mesh_start {
	uint32_t end; /* 0: a, 1: b */
	uint32_t peer;
	struct traffic_program program;
};

/* Of the agent with its end, which writes live and result. */
struct mesh_shared {
	struct mesh_start start;
	bool stop, abort; /* set by the agent */
	struct traffic_live live;
	struct traffic_result result;
};

struct mesh_end {
	uint32_t pair;
	pid_t pid;
	int fd; /* to its process */
	struct mesh_shared *shared;
	uint32_t aborts; /* how often it was told to end */
};

/* Start it; @relay is what its process must not keep open. */
int mesh_end_start(const struct mesh_start *start, uint32_t pair, int relay,
		   struct mesh_end *out, struct strbuf *error) MUST_USE;
/* To end at once; the second time it is killed. */
void mesh_end_abort(struct mesh_end *e);
/* Has its process ended?  Then its status is in @status; else it waits for it
 * only if @wait. */
bool mesh_end_gone(struct mesh_end *e, bool wait, int *status);
void mesh_end_free(struct mesh_end *e);

#endif
