// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What each message of a traffic program is, and what programs are possible. */
#include <errno.h>
#include <inttypes.h>

#include "base/hash.h"
#include "suite/bench/traffic.h"

static int traffic_refuse(struct strbuf *error, const char *what,
			  uint64_t value, const char *limit)
{
	strbuf_addf(error, "%s %" PRIu64 ": %s", what, value, limit);
	return -EINVAL;
}

uint32_t traffic_len_max(const struct traffic_program *p)
{
	uint32_t max = 0;

	if (p->sizes.kind == VB_SIZES_RANDOM)
		return TRAFFIC_RANDOM_MAX;
	for (uint32_t i = 0; i < p->sizes.count; i++)
		if (p->sizes.bytes[i] > max)
			max = p->sizes.bytes[i];
	return max;
}

int traffic_program_check(const struct traffic_program *p, struct strbuf *error)
{
	uint64_t slots = (uint64_t)p->qps * (p->inflight + p->rq_depth + 2);
	uint64_t memory;

	if (p->qps == 0 || p->qps > TRAFFIC_QPS_MAX)
		return traffic_refuse(error, "--qps", p->qps,
				      "must be from 1 to 1024");
	if (p->inflight == 0 || p->inflight > TRAFFIC_DEPTH_MAX)
		return traffic_refuse(error, "--inflight", p->inflight,
				      "must be from 1 to 4096");
	if (p->rq_depth == 0 || p->rq_depth > TRAFFIC_DEPTH_MAX)
		return traffic_refuse(error, "--rq-depth", p->rq_depth,
				      "must be from 1 to 4096");
	if (p->batch == 0 || p->batch > TRAFFIC_BATCH_MAX)
		return traffic_refuse(error, "--batch", p->batch,
				      "must be from 1 to 1024");
	if (p->sizes.kind != VB_SIZES_RANDOM &&
	    (p->sizes.count == 0 || p->sizes.count > 64))
		return traffic_refuse(error, "sizes", p->sizes.count,
				      "there must be 1 to 64");
	if (p->sizes.kind == VB_SIZES_RANGE &&
	    (p->sizes.count != 2 || p->sizes.bytes[0] > p->sizes.bytes[1]))
		return traffic_refuse(error, "--size from", p->sizes.bytes[0],
				      "must go up to no less");
	if (p->direction > TRAFFIC_ECHO)
		return traffic_refuse(error, "direction", p->direction,
				      "must be from 0 to 3");
	if (!p->messages && !p->duration_ns)
		return traffic_refuse(error, "duration", 0,
				      "must be more, or messages be counted");
	memory = slots * ((uint64_t)traffic_len_max(p) + 64);
	if (memory > TRAFFIC_MEMORY_MAX) {
		strbuf_addf(
			error,
			"--qps %u x (--inflight %u + --rq-depth %u) x "
			"%u bytes: the buffers of an end would take %" PRIu64
			" MiB, at most %u; take less of one of them",
			p->qps, p->inflight, p->rq_depth, traffic_len_max(p),
			memory >> 20, TRAFFIC_MEMORY_MAX >> 20);
		return -EINVAL;
	}
	return 0;
}

bool traffic_sends(const struct traffic_program *p, uint32_t end)
{
	if (p->direction == TRAFFIC_BOTH || p->direction == TRAFFIC_ECHO)
		return true;
	return end == (p->direction == TRAFFIC_A_TO_B ? 0u : 1u);
}

static uint64_t traffic_draw(const struct traffic_program *p, uint32_t end,
			     uint32_t qp, uint64_t sequence, uint64_t what)
{
	uint64_t flow =
		p->seed + ((uint64_t)(2 * qp + end) << 40) + (what << 60);

	return hash_mix64(flow + sequence * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t traffic_read_sequence(uint64_t sequence)
{
	return (UINT64_C(1) << 35) + sequence % TRAFFIC_READ_SLOTS;
}

bool traffic_takes_receive(enum traffic_op op)
{
	return op == TRAFFIC_SEND || op == TRAFFIC_SEND_IMM ||
	       op == TRAFFIC_WRITE_IMM;
}

static enum traffic_op traffic_op_drawn(const struct traffic_program *p,
					uint32_t end, uint32_t qp,
					uint64_t sequence)
{
	uint64_t all = 0, at;

	for (unsigned i = 0; i < TRAFFIC_OPS; i++)
		all += p->mix[i];
	if (all == p->mix[TRAFFIC_SEND])
		return TRAFFIC_SEND;
	at = traffic_draw(p, end, qp, sequence, 1) % all;
	for (unsigned i = 0; i < TRAFFIC_OPS; i++) {
		if (at < p->mix[i])
			return (enum traffic_op)i;
		at -= p->mix[i];
	}
	return TRAFFIC_SEND;
}

/*
 * Nobody is told of a WRITE: it is verified when the next message that takes a
 * receive comes, which has to be the very next one, lest a place be written
 * again before it was looked at.  So a WRITE has an even number, and a SEND
 * follows.
 */
enum traffic_op traffic_op_of(const struct traffic_program *p, uint32_t end,
			      uint32_t qp, uint64_t sequence)
{
	enum traffic_op op = traffic_op_drawn(p, end, qp, sequence);

	if (sequence % 2 == 0)
		return op;
	if (p->mix[TRAFFIC_WRITE] &&
	    traffic_op_drawn(p, end, qp, sequence - 1) == TRAFFIC_WRITE)
		return TRAFFIC_SEND;
	return op == TRAFFIC_WRITE ? TRAFFIC_WRITE_IMM : op;
}

uint32_t traffic_len_of(const struct traffic_program *p, uint32_t end,
			uint32_t qp, uint64_t sequence, enum traffic_op op)
{
	const uint32_t *bytes = p->sizes.bytes;
	uint64_t drawn, power;

	if (op == TRAFFIC_READ)
		sequence = traffic_read_sequence(sequence);
	switch (p->sizes.kind) {
	case VB_SIZES_LIST:
		return bytes[p->sizes.count == 1 ? 0
						 : sequence % p->sizes.count];
	case VB_SIZES_RANGE:
		drawn = traffic_draw(p, end, qp, sequence, 2);
		return bytes[0] +
		       (uint32_t)(drawn % ((uint64_t)bytes[1] - bytes[0] + 1));
	default:
		/* Each power of two is as likely as any other. */
		drawn = traffic_draw(p, end, qp, sequence, 2);
		power = UINT64_C(1) << drawn % 17;
		return (uint32_t)(power / 2 +
				  (drawn >> 8) % (power - power / 2 + 1));
	}
}
