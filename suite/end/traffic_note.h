/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is said between the command `run_traffic` and its answer, by both
 * sides:
 *
 *	[1, bytes]	what one end says to the other: frames of exchange.h,
 *			cut anywhere
 *	[2, live]	what the end shows of itself; from its side alone
 *	[3, null]	end early, but in order; to its side alone
 *	[4, null]	end at once; likewise
 *
 * An answer begins with 0 or a negative number, and so is none of these.
 */
#ifndef SUITE_END_TRAFFIC_NOTE_H
#define SUITE_END_TRAFFIC_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"
#include "suite/control/cbor.h"
#include "suite/control/channel.h"

enum traffic_note_kind {
	TRAFFIC_ANSWER,
	TRAFFIC_WORDS,
	TRAFFIC_LIVE,
	TRAFFIC_STOP,
	TRAFFIC_ABORT,
};

enum { TRAFFIC_WORDS_MAX = 16384 };

struct traffic_note {
	enum traffic_note_kind kind;
	int err;	   /* of an answer */
	const void *words; /* within the payload */
	size_t words_len;
	struct cbor_reader rest; /* of an answer, and of what is live */
};

/* Take a frame apart.  -EBADMSG and @error: it is no note. */
int traffic_note_read(const void *payload, size_t len, struct traffic_note *out,
		      struct strbuf *error) MUST_USE;
/* Of TRAFFIC_LIVE; of TRAFFIC_ANSWER. */
int traffic_note_live(const struct traffic_note *note, struct traffic_live *out,
		      struct strbuf *error) MUST_USE;
int traffic_note_result(const struct traffic_note *note,
			struct traffic_result *out,
			struct strbuf *error) MUST_USE;

int traffic_note_send_live(struct channel *c, const struct traffic_live *live,
			   struct strbuf *error) MUST_USE;
/* STOP or ABORT. */
int traffic_note_send_order(struct channel *c, enum traffic_note_kind kind,
			    struct strbuf *error) MUST_USE;

/* Words from the socket @fd into the channel: as many as there are now.
 * 1: there will be no more; or a negative errno. */
int traffic_words_send(struct channel *c, int fd,
		       struct strbuf *error) MUST_USE;
/* And from the channel to @fd; for whoever has gone they are lost. */
int traffic_words_deliver(const struct traffic_note *note, int fd,
			  struct strbuf *error) MUST_USE;

#endif
