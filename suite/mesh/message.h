/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ranks of a mesh say to each other.
 *
 *	rank 0:  verbatim-mesh ~~~ MPI ~~~ verbatim-mesh   :rank 1
 *	              |                         |
 *	           verbatim                  verbatim       judge, and agents
 *	            |    |                    |    |
 *	           end  end                  end  end       a process each
 *
 * MPI carries messages and nothing more: verbatim-mesh passes them between
 * ranks, so that neither the suite nor a device has MPI in its process, and no
 * death of an end or an agent ends the job.  Each line within a rank is a
 * socket that keeps messages apart.
 */
#ifndef SUITE_MESH_MESSAGE_H
#define SUITE_MESH_MESSAGE_H

#include <stdint.h>

#include "base/compiler.h"

enum {
	MESH_BODY_MAX = 32 * 1024,
	MESH_RANKS_MAX = 1024,
	/* With all pairs at once a rank has as many ends. */
	MESH_RANKS_AT_ONCE_MAX = 64,
};

/* The number of the descriptor that leads to the relay, for its agent. */
#define MESH_FD_VARIABLE "VERBATIM_MESH_FD"

enum mesh_kind {
	/* From the relay: rank is one's own, pair the number of ranks. */
	MESH_WELCOME = 1,
	/* From a relay to the judge: its agent has ended; pair is the status
	 * as waitpid() has it. */
	MESH_GONE,
	/* From an agent to the judge: JSON. */
	MESH_FACTS,
	MESH_READY,  /* the end of this pair has its device open */
	MESH_RESULT, /* a piece of what it found: offset, bytes */
	MESH_DONE,   /* its process has ended: offset is the status */
	/* From the judge to agents. */
	MESH_START, /* struct mesh_start */
	MESH_GO,    /* both are ready: connect, and begin */
	MESH_ABORT, /* end it, at once */
	MESH_END,   /* of the run */
	/* From the end of a pair to the other. */
	MESH_MEET,    /* JSON */
	MESH_BARRIER, /* the name of what was reached */
};

struct mesh_head {
	uint32_t kind; /* enum mesh_kind */
	uint32_t rank; /* whom it goes to; when it has come: from whom */
	uint32_t pair; /* of mesh_pair_index(), where it is about one */
	uint32_t offset;
};

struct mesh_message {
	struct mesh_head head;
	unsigned char body[MESH_BODY_MAX];
};

/* A socket for messages: two ends of it.  0 or -errno. */
int mesh_message_pair(int fds[2]) MUST_USE;
/* 0; or -errno, -EPIPE when there is nobody any more. */
int mesh_send(int fd, const struct mesh_head *head, const void *body,
	      uint32_t len) MUST_USE;
/* The length of the body; -EAGAIN when none has come, -EPIPE when none will,
 * -EBADMSG when it was too short for one. */
int mesh_receive(int fd, struct mesh_message *m) MUST_USE;

#endif
