/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a region of memory must hold that a peer reads and writes: a list of
 * pieces, each a stretch of a message, a word that an atomic left, or not
 * known.
 *
 *	0                                                     len
 *	| background    | message 7 | w | message 9 | backgr.. |
 *
 * No byte is kept: all of them are regenerated where they are compared.
 */
#ifndef SUITE_ORACLE_REGION_H
#define SUITE_ORACLE_REGION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/compiler.h"
#include "suite/oracle/complaint.h"
#include "suite/oracle/pattern.h"

enum region_kind {
	REGION_UNKNOWN, /* whatever it holds is right */
	REGION_MESSAGE, /* bytes `from` .. of `message` */
	REGION_WORD,	/* bytes `from` .. of `word`, in the host's order */
};

struct region_piece {
	uint64_t at; /* in the region (of a slice: in the slice) */
	uint64_t len;
	enum region_kind kind;
	struct pattern_message message;
	uint64_t from;
	uint64_t word;
	/* It may have been lost on the way, whole or from some byte on: there
	 * bytes `was_from` .. of `was` are still right. */
	bool loose;
	struct pattern_message was;
	uint64_t was_from;
};

struct region;

enum { REGION_PIECES_MAX = 65536 };

/* All of it is bytes 0 .. of @background.  NULL: out of memory. */
struct region *region_create(uint64_t len,
			     const struct pattern_message *background) MUST_USE;
void region_destroy(struct region *r);
uint64_t region_len(const struct region *r);

/* From now on @piece lies there.  What @piece says of `was` is not used: with
 * `loose` it is what lay there before, and unknown if that was more than one
 * piece.  -ERANGE: it does not lie in the region; -ENOMEM. */
int region_put(struct region *r, const struct region_piece *piece) MUST_USE;
/* The same for a stretch that anything may have been done to. */
int region_forget(struct region *r, uint64_t at, uint64_t len) MUST_USE;

/* The pieces of a stretch, offsets from its begin: *@count of them, at most
 * @room, else -ENOSPC. */
int region_slice(const struct region *r, uint64_t at, uint64_t len,
		 struct region_piece *out, uint32_t room,
		 uint32_t *count) MUST_USE;
/* The bytes themselves; -ENODATA: some are not known. */
int region_bytes(const struct region *r, uint64_t at, void *bytes,
		 uint64_t len) MUST_USE;

/*
 * Do the bytes of @iov, one after the other, hold these pieces?  0, or
 * -EBADMSG and *@c names the first byte that does not.  *@lost (may be NULL)
 * gets how many loose pieces did not arrive whole.
 */
int region_check(const struct region_piece *pieces, uint32_t count,
		 const struct iovec *iov, uint32_t iov_count,
		 const struct pattern_context *context, uint32_t *lost,
		 struct complaint *c) MUST_USE;

#endif
