/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What session.c shares with the processes of the ends. */
#ifndef SUITE_BENCH_SESSION_INNER_H
#define SUITE_BENCH_SESSION_INNER_H

#include "suite/bench/session.h"

struct session_shared {
	struct traffic_program program;
	bool stop, abort;	  /* set by the one who looks on */
	int status[SESSION_ENDS]; /* as waitpid() gave it */
	uint32_t first;		  /* end that failed; valid if abort is set */
	struct traffic_live live[SESSION_ENDS];
	struct traffic_result results[SESSION_ENDS];
};

/* A process of a session, whose parent is @parent: it goes with that. */
void session_child_settle(pid_t parent);
/* The life of the process of an end; @fd leads to the other one. */
NO_RETURN void session_child(struct session_shared *shared, uint32_t end,
			     int fd, pid_t parent);
/* Both ends in one process. */
NO_RETURN void session_child_threads(struct session_shared *shared, int fds[2],
				     pid_t parent);

#endif
