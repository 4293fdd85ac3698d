/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one meaning of wr_id, for the whole tree:
 *
 *	63        52 51 50          37 36 35 34                8 7      0
 *	+-----------+--+--------------+-----+-------------------+--------+
 *	| generation|e |   QP index   |queue|     sequence      | check  |
 *	|    12     |1 |      14      |  2  |        27         |   8    |
 *	+-----------+--+--------------+-----+-------------------+--------+
 *
 * The check bits are a CRC of the other 56 that sees every change of one, two
 * or three bits; neither 0 nor ~0 is a valid id.  All of it is veiled by a
 * constant, so that each part of an id has bits to lose.  A value that is not
 * ours passes by chance once in 300.
 */
#ifndef SUITE_ORACLE_WRID_H
#define SUITE_ORACLE_WRID_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum {
	WRID_CHECK_BITS = 8,
	WRID_SEQUENCE_BITS = 27,
	WRID_QUEUE_BITS = 2,
	WRID_QP_BITS = 14,
	WRID_END_BITS = 1,
	WRID_GENERATION_BITS = 12,
};

#define WRID_GENERATIONS (1u << WRID_GENERATION_BITS)
#define WRID_ENDS	 (1u << WRID_END_BITS)
#define WRID_QPS	 (1u << WRID_QP_BITS)
#define WRID_SEQUENCES	 (1u << WRID_SEQUENCE_BITS)
/* Room that wrid_text() always finds enough, with the NUL. */
#define WRID_TEXT_MAX 48

enum wrid_queue { WRID_SQ, WRID_RQ, WRID_SRQ, WRID_QUEUES };

struct wrid {
	uint32_t generation; /* of the connection, modulo WRID_GENERATIONS */
	uint32_t end;	     /* 0: a, 1: b */
	uint32_t qp_index;   /* for WRID_SRQ: the index of the SRQ */
	enum wrid_queue queue;
	uint32_t sequence; /* of this queue, modulo WRID_SEQUENCES */
};

/* Every field of @id must be within its bits (asserted). */
uint64_t wrid_encode(const struct wrid *id);
/* -EBADMSG when the check bits do not fit: then it is no id of ours. */
int wrid_decode(uint64_t wr_id, struct wrid *id) MUST_USE;
/* "a qp3 sq #17 gen 2", "b srq0 #5 gen 1", or "0x... (no id of ours)".
 * Returns @text. */
const char *wrid_text(uint64_t wr_id, char text[WRID_TEXT_MAX]);
/* "sq", "rq", "srq" */
const char *wrid_queue_name(enum wrid_queue queue);

#endif
