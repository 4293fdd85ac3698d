/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames over a connected socket.  Nothing here waits longer than it is told:
 * the caller loops, and so keeps its own deadline and its own reasons to stop.
 */
#ifndef SUITE_CONTROL_CONNECTION_H
#define SUITE_CONTROL_CONNECTION_H

#include <jansson.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/control/frames.h"

struct connection {
	int fd;	    /* non-blocking; -1: closed */
	size_t len; /* bytes received and not yet taken, from bytes[0] */
	unsigned char bytes[FRAME_HEAD + FRAME_LEN_MAX];
};

/* Take the socket over. */
int connection_open(struct connection *c, int fd,
		    struct strbuf *error) MUST_USE;
void connection_close(struct connection *c);

/* A listening socket on an ephemeral port of the loopback address, and a
 * connection to it. */
int connection_listen(int *fd, unsigned *port, struct strbuf *error) MUST_USE;
int connection_call(unsigned port, int *fd, struct strbuf *error) MUST_USE;
/* -EAGAIN: nobody has called within @wait_ms. */
int connection_accept(int listener, int wait_ms, int *fd,
		      struct strbuf *error) MUST_USE;

/*
 * Send the whole frame.  A frame is small against a socket's buffer, so a peer
 * that does not take it within @wait_ms is an error: -ETIMEDOUT.
 */
int connection_send(struct connection *c, const json_t *object, int wait_ms,
		    struct strbuf *error) MUST_USE;

/*
 * The next frame.  -EAGAIN: none within @wait_ms.  -EPIPE: the peer has closed
 * the connection or died.  -EBADMSG: it sent what is no frame.  All but the
 * first fill @error.
 */
int connection_receive(struct connection *c, int wait_ms, json_t **object,
		       struct strbuf *error) MUST_USE;

#endif
