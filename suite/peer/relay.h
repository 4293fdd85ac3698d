/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many connections over one pair of pipes:
 *
 *	local sockets === relay --- pipe --- relay === local sockets
 *
 *	| what (1) | stream (2, BE) | length (4, BE) | bytes |
 *
 * A relay never waits for one of them: what cannot go on at once is kept, up
 * to a limit, beyond which that stream is cut.
 */
#ifndef SUITE_PEER_RELAY_H
#define SUITE_PEER_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/strbuf.h"

/* The server's first bytes; what a login shell prints goes before. */
#define RELAY_MAGIC "\1verbatim relay 1\n"

enum { RELAY_STREAMS = 64 };

struct relay {
	int in, out; /* the pipes; `out` is made non-blocking */
	/* This side's new connections; -1: the other side begins them. */
	int listener;
	/* A socket for a stream that the other side has begun; -1: refused. */
	int (*begin)(void *arg);
	/* A descriptor to be looked at; false: leave.  -1: none. */
	int signals;
	bool (*signalled)(void *arg);
	void *arg;
};

/* Until the pipe ends or `signalled` says so.  0, or -EBADMSG and @error: the
 * other side is no relay. */
int relay_run(struct relay *r, struct strbuf *error) MUST_USE;

#endif
