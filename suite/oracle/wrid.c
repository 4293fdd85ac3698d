// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The encoding of wr_id; the layout is drawn in the header. */
#include "suite/oracle/wrid.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum {
	WRID_SEQUENCE_AT = WRID_CHECK_BITS,
	WRID_QUEUE_AT = WRID_SEQUENCE_AT + WRID_SEQUENCE_BITS,
	WRID_QP_AT = WRID_QUEUE_AT + WRID_QUEUE_BITS,
	WRID_END_AT = WRID_QP_AT + WRID_QP_BITS,
	WRID_GENERATION_AT = WRID_END_AT + WRID_END_BITS,
};

static_assert(WRID_GENERATION_AT + WRID_GENERATION_BITS == 64,
	      "the fields fill 64 bits");
static_assert(WRID_QUEUES <= 1u << WRID_QUEUE_BITS, "each queue has a value");

#define WRID_CHECK_MASK ((UINT64_C(1) << WRID_CHECK_BITS) - 1)

/*
 * Generations and queue pairs are small numbers: without this the upper bits of
 * most ids would be zeroes, and nobody would miss them on a device that loses
 * them.
 */
#define WRID_VEIL UINT64_C(0xa5c396d15a3c6900)

/*
 * The CRC-8 of x^8+x^2+x+1 over 7 bytes.  x^8 is x^2+x+1 there, so a byte is
 * moved on by two shifts, and the two bits that leave come back the same way.
 * Its distance is 4 up to 119 bits.  The constant keeps 0 and ~0 out.
 */
static uint32_t wrid_check(uint64_t fields)
{
	uint32_t crc = 0;

	for (int at = 56; at > 0; at -= 8) {
		uint32_t high;

		crc ^= (uint32_t)(fields >> at) & 0xff;
		crc = crc << 2 ^ crc << 1 ^ crc;
		high = crc >> 8;
		crc = (crc & 0xff) ^ high << 2 ^ high << 1 ^ high;
	}
	return crc ^ 0x5a;
}

uint64_t wrid_encode(const struct wrid *id)
{
	uint64_t fields;

	assert(id->generation < WRID_GENERATIONS);
	assert(id->end < WRID_ENDS);
	assert(id->qp_index < WRID_QPS);
	assert(id->queue < WRID_QUEUES);
	assert(id->sequence < WRID_SEQUENCES);
	fields = (uint64_t)id->generation << WRID_GENERATION_AT |
		 (uint64_t)id->end << WRID_END_AT |
		 (uint64_t)id->qp_index << WRID_QP_AT |
		 (uint64_t)id->queue << WRID_QUEUE_AT |
		 (uint64_t)id->sequence << WRID_SEQUENCE_AT;
	return (fields | wrid_check(fields)) ^ WRID_VEIL;
}

int wrid_decode(uint64_t wr_id, struct wrid *id)
{
	uint32_t queue;

	wr_id ^= WRID_VEIL;
	queue = wr_id >> WRID_QUEUE_AT & ((1u << WRID_QUEUE_BITS) - 1);
	if ((wr_id & WRID_CHECK_MASK) != wrid_check(wr_id & ~WRID_CHECK_MASK) ||
	    queue >= WRID_QUEUES)
		return -EBADMSG;
	id->generation = wr_id >> WRID_GENERATION_AT;
	id->end = wr_id >> WRID_END_AT & (WRID_ENDS - 1);
	id->qp_index = wr_id >> WRID_QP_AT & (WRID_QPS - 1);
	id->queue = (enum wrid_queue)queue;
	id->sequence = wr_id >> WRID_SEQUENCE_AT & (WRID_SEQUENCES - 1);
	return 0;
}

const char *wrid_queue_name(enum wrid_queue queue)
{
	static const char *const names[] = { "sq", "rq", "srq" };

	return queue < WRID_QUEUES ? names[queue] : "?";
}

const char *wrid_text(uint64_t wr_id, char text[WRID_TEXT_MAX])
{
	struct wrid id;

	if (wrid_decode(wr_id, &id))
		snprintf(text, WRID_TEXT_MAX, "0x%" PRIx64 " (no id of ours)",
			 wr_id);
	else if (id.queue == WRID_SRQ)
		snprintf(text, WRID_TEXT_MAX, "%c srq%u #%u gen %u",
			 'a' + (int)id.end, id.qp_index, id.sequence,
			 id.generation);
	else
		snprintf(text, WRID_TEXT_MAX, "%c qp%u %s #%u gen %u",
			 'a' + (int)id.end, id.qp_index,
			 wrid_queue_name(id.queue), id.sequence, id.generation);
	return text;
}
