/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames between two hosts, in the clear or under TLS.
 *
 *	| length (BE, 4 bytes) | payload |
 *
 * The first frames of a channel are JSON (frames.h), so that any version can
 * refuse any other in words; commands are CBOR.  The length is judged before
 * anything is kept.
 */
#ifndef SUITE_CONTROL_CHANNEL_H
#define SUITE_CONTROL_CHANNEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/control/frames.h"

struct tls;

enum {
	/* Until the other side is known to be ours. */
	CHANNEL_GREETING_MAX = FRAME_LEN_MAX,
	CHANNEL_FRAME_MAX = 8 << 20,
};

struct channel {
	int fd;		 /* non-blocking; -1: closed */
	struct tls *tls; /* NULL: in the clear */
	size_t limit;	 /* of a payload */
	unsigned char *bytes;
	/* Received: from[0..len) of bytes; the frame in hand is before. */
	size_t from, len, room;
	struct strbuf out; /* the frame to be sent */
};

/* Takes the stream over. */
int channel_open(struct channel *c, int fd, struct strbuf *error) MUST_USE;
void channel_close(struct channel *c);

/* Begin a frame: append its payload to the answer, then channel_send(). */
struct strbuf *channel_begin(struct channel *c) MUST_USE;
/* -ETIMEDOUT: the peer takes nothing for @wait_ms. */
int channel_send(struct channel *c, int wait_ms, struct strbuf *error) MUST_USE;
int channel_send_json(struct channel *c, json_t *object, int wait_ms,
		      struct strbuf *error) MUST_USE;

/*
 * The next frame; it stays where it is until the next call.  -EAGAIN: none
 * within @wait_ms.  -EPIPE: the peer has closed or died; -EBADMSG: what it
 * sent is no frame of ours; both fill @error.
 */
int channel_receive(struct channel *c, int wait_ms,
		    const unsigned char **payload, size_t *len,
		    struct strbuf *error) MUST_USE;
/* *@object is the caller's. */
int channel_receive_json(struct channel *c, int wait_ms, json_t **object,
			 struct strbuf *error) MUST_USE;
/* Something can be received now, if only that the peer is gone. */
bool channel_ready(struct channel *c);

#endif
