/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The agent of a rank: it has the ends of this rank started as the judge says,
 * passes on what they say, and tells the judge what came of them.
 */
#ifndef SUITE_MESH_AGENT_H
#define SUITE_MESH_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"
#include "suite/mesh/end.h"
#include "suite/mesh/message.h"

struct mesh_agent {
	int fd; /* to the relay */
	uint32_t rank, ranks;
	/* Of this rank: device, port, GID and MTU of every program. */
	const struct traffic_program *own;
	struct mesh_end *ends;
	uint32_t count;
	bool ended; /* the judge has said so */
	bool cut;   /* nobody will: the launcher ended the job */
	/* Of rank 0: what comes for the judge goes there. */
	void (*judge)(void *arg, const struct mesh_message *m, uint32_t len);
	void *arg;
};

/* Learn from the relay who one is. */
int mesh_agent_open(struct mesh_agent *a, int fd,
		    struct strbuf *error) MUST_USE;
/* Look after everything that has come, or wait up to @wait_ms for something. */
void mesh_agent_step(struct mesh_agent *a, int wait_ms);
/* Ends that are left are killed. */
void mesh_agent_close(struct mesh_agent *a);
/* Through the relay; whoever is not there any more is not told. */
void mesh_agent_send(struct mesh_agent *a, enum mesh_kind kind, uint32_t to,
		     uint32_t pair, uint32_t offset, const void *body,
		     uint32_t len);

/* A result as it travels: what is not of a queue pair, then all flows out,
 * then all flows in. */
uint32_t mesh_result_bytes(uint32_t qps);
/* Out of those bytes, and fit to be read; @qps as they were asked for. */
void mesh_result_unpack(const unsigned char *bytes, uint32_t qps,
			struct traffic_result *out);

#endif
