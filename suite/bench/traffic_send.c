// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The sending half of an end: what may be sent, made and posted in chains. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "suite/bench/traffic_inner.h"
#include "suite/oracle/wrid.h"

/* What may still be sent before the next poll.  A turn is short: what was made
 * is posted while it is in the caches, and a device that works while it is
 * polled is not left alone for long. */
struct send_turn {
	uint32_t messages;
	int64_t bytes; /* the last message may take more */
};

enum { SEND_TURN_MESSAGES = 128, SEND_TURN_BYTES = 128 * 1024 };

/* One call's worth of requests for one queue pair. */
struct send_chain {
	struct ibv_send_wr wr[TRAFFIC_POST_MAX];
	struct ibv_sge sge[TRAFFIC_POST_MAX];
	uint32_t count;
};

static const enum ibv_wr_opcode send_opcodes[TRAFFIC_OPS] = {
	[TRAFFIC_SEND] = IBV_WR_SEND,
	[TRAFFIC_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[TRAFFIC_WRITE] = IBV_WR_RDMA_WRITE,
	[TRAFFIC_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[TRAFFIC_READ] = IBV_WR_RDMA_READ,
};

void traffic_send_ready(struct traffic_end *e, uint32_t qp)
{
	struct traffic_qp *q = &e->qps[qp];

	if (q->queued || !e->sends || q->tx.ended)
		return;
	q->queued = true;
	e->ready[(e->ready_head + e->ready_count++) % e->p->qps] = qp;
}

static uint64_t send_id(const struct traffic_end *e, uint32_t qp,
			uint64_t sequence)
{
	const struct wrid id = {
		.generation = e->generation,
		.end = e->end,
		.qp_index = qp,
		.queue = WRID_SQ,
		.sequence = sequence % WRID_SEQUENCES,
	};

	return wrid_encode(&id);
}

/* Where at the peer it reads or writes: the areas are laid out alike there. */
static void send_aim(struct traffic_end *e, uint32_t qp, enum traffic_op op,
		     uint64_t sequence, struct ibv_send_wr *wr)
{
	struct traffic_qp *q = &e->qps[qp];
	const struct traffic_area *area = op == TRAFFIC_READ ? &e->source
							     : &e->landing;
	uint64_t number = op == TRAFFIC_READ ? sequence : q->tx.takers;
	ptrdiff_t at = traffic_slot(e, area, qp, number) - e->memory;

	wr->wr.rdma.remote_addr = q->peer.address + (uint64_t)at;
	wr->wr.rdma.rkey = q->peer.rkey;
}

static void send_make(struct traffic_end *e, uint32_t qp, uint64_t sequence,
		      uint32_t len, unsigned char *at)
{
	const struct pattern_message m = {
		.key = e->qps[qp].key_own,
		.sequence = sequence,
		.len = len,
		.qp_num = e->qps[qp].qp->qp_num,
	};

	pattern_fill(&m, 0, at, len);
}

/* The next message of a queue pair into the chain; @last: it says so.  Returns
 * its length. */
static uint32_t send_form(struct traffic_end *e, uint32_t qp, bool last,
			  uint64_t when_ns, struct send_chain *c)
{
	struct traffic_tx *tx = &e->qps[qp].tx;
	uint64_t sequence = tx->next++;
	enum traffic_op op = last ? TRAFFIC_SEND_IMM
				  : traffic_op_of(e->p, e->end, qp, sequence);
	uint32_t len = traffic_len_of(e->p, e->end, qp, sequence, op);
	struct traffic_sent *s = &tx->ring[sequence & e->ring_mask];
	struct ibv_send_wr *wr = &c->wr[c->count];
	unsigned char *at;

	*s = (struct traffic_sent){
		.when_ns = when_ns,
		.len = len,
		.slot = e->free_slots[--e->free_count],
		.op = (uint8_t)op,
		.signaled = last || op == TRAFFIC_READ ||
			    (sequence + 1) % e->signal_every == 0,
	};
	at = traffic_slot(e, &e->pool, 0, s->slot);
	if (e->p->verify && op != TRAFFIC_READ)
		send_make(e, qp, sequence, len, at);
	c->sge[c->count] = (struct ibv_sge){ (uintptr_t)at, len, e->mr->lkey };
	*wr = (struct ibv_send_wr){
		.wr_id = send_id(e, qp, sequence),
		.sg_list = &c->sge[c->count],
		.num_sge = 1,
		.opcode = send_opcodes[op],
		.send_flags = s->signaled ? IBV_SEND_SIGNALED : 0,
	};
	if (c->count > 0)
		c->wr[c->count - 1].next = wr;
	c->count++;
	if (last)
		wr->imm_data = htobe32(
			TRAFFIC_IMM_LAST | (e->again ? TRAFFIC_IMM_AGAIN : 0) |
			((uint32_t)sequence & TRAFFIC_IMM_SEQUENCE));
	else
		wr->imm_data =
			htobe32((uint32_t)sequence & TRAFFIC_IMM_SEQUENCE);
	if (op != TRAFFIC_SEND && op != TRAFFIC_SEND_IMM)
		send_aim(e, qp, op, sequence, wr);
	if (traffic_takes_receive(op))
		tx->takers++;
	traffic_flow_add(&e->result->tx[qp], op, sequence, len);
	e->live->sent++;
	e->live->sent_bytes += len;
	return len;
}

static void send_post(struct traffic_end *e, uint32_t qp, struct send_chain *c)
{
	struct ibv_send_wr *bad;
	int err;

	if (c->count == 0)
		return;
	e->outstanding += c->count;
	err = verbs_post_send(&e->at, e->qps[qp].qp, c->wr, &bad);
	if (!err)
		return;
	traffic_find(e, "wrong-return", qp, e->qps[qp].tx.next,
		     "%c qp%u: a post of %u sends was refused: %s",
		     'a' + (int)e->end, qp, c->count, strerror(-err));
	e->failed = true;
}

/* Is the next one the last?  One that asks the peer's memory to be looked at
 * must not be: a WRITE has its SEND behind it. */
static bool send_is_last(const struct traffic_end *e, uint32_t qp)
{
	const struct traffic_tx *tx = &e->qps[qp].tx;

	if (e->p->direction == TRAFFIC_ECHO && e->end == 1)
		return e->qps[qp].rx.ended && tx->owed == 1;
	if (e->ending)
		return true;
	return e->p->messages > 0 && tx->next + 1 >= e->p->messages;
}

static bool send_may(const struct traffic_end *e, uint32_t qp)
{
	const struct traffic_tx *tx = &e->qps[qp].tx;

	if (tx->ended || tx->next - tx->done >= e->p->inflight)
		return false;
	if (e->p->direction != TRAFFIC_ECHO)
		return true;
	/* A message is in flight until its answer is there. */
	return e->end == 1 ? tx->owed > 0
			   : tx->next - e->qps[qp].rx.next < e->p->inflight;
}

/* As many as may be sent now, and the turn allows. */
static void send_qp(struct traffic_end *e, uint32_t qp, struct send_turn *turn)
{
	struct traffic_tx *tx = &e->qps[qp].tx;
	struct send_chain chain = { .count = 0 };

	while (chain.count < TRAFFIC_POST_MAX && turn->messages > 0 &&
	       turn->bytes > 0 && send_may(e, qp)) {
		bool last = send_is_last(e, qp);

		turn->bytes -= send_form(
			e, qp, last, e->due_every_ns ? e->due_ns : e->now_ns,
			&chain);
		turn->messages--;
		if (tx->owed > 0)
			tx->owed--;
		if (last) {
			tx->ended = true;
			e->tx_open--;
		}
	}
	send_post(e, qp, &chain);
}

/* Message after message at its time, whatever became of those before; with
 * no room it is late, and that counts as latency. */
static void send_paced(struct traffic_end *e)
{
	while (e->due_ns <= e->now_ns && !e->failed) {
		struct send_turn one = { .messages = 1, .bytes = 1 };
		uint32_t qp = 0, tries;

		for (tries = 0; tries < e->p->qps; tries++) {
			qp = (uint32_t)(e->due_turn++ % e->p->qps);
			if (send_may(e, qp))
				break;
		}
		if (tries == e->p->qps)
			return;
		send_qp(e, qp, &one);
		e->due_ns += e->due_every_ns;
	}
}

static bool send_is_paced(const struct traffic_end *e)
{
	return e->due_every_ns && !e->ending;
}

bool traffic_send_waits(const struct traffic_end *e)
{
	return e->ready_count > 0 && e->sends && !send_is_paced(e);
}

void traffic_send_all(struct traffic_end *e)
{
	struct send_turn turn = { .messages = SEND_TURN_MESSAGES,
				  .bytes = SEND_TURN_BYTES };

	if (!e->sends || e->failed)
		return;
	if (send_is_paced(e)) {
		send_paced(e);
		return;
	}
	for (uint32_t n = e->ready_count;
	     n > 0 && turn.messages > 0 && turn.bytes > 0 && !e->failed; n--) {
		uint32_t qp = e->ready[e->ready_head];

		e->ready_head = (e->ready_head + 1) % e->p->qps;
		e->ready_count--;
		e->qps[qp].queued = false;
		send_qp(e, qp, &turn);
		if (send_may(e, qp))
			traffic_send_ready(e, qp);
	}
}

/* A READ has brought what lies at the peer under that number. */
static void send_judge_read(struct traffic_end *e, uint32_t qp,
			    uint64_t sequence, const struct traffic_sent *s)
{
	struct traffic_qp *q = &e->qps[qp];

	traffic_judge_content(e, qp, q->key_peer, q->peer.qpn,
			      traffic_read_sequence(sequence), s->len,
			      traffic_slot(e, &e->pool, 0, s->slot));
}

void traffic_send_done(struct traffic_end *e, uint32_t qp, uint64_t low)
{
	struct traffic_tx *tx = &e->qps[qp].tx;
	/* The completion carries the low bits of the sequence. */
	uint64_t ahead = (low - tx->done) % WRID_SEQUENCES;
	uint64_t sequence = tx->done + ahead;

	if (sequence >= tx->next) {
		traffic_find(e, "duplicated", qp, low,
			     "%c qp%u: send %lu completed, which was completed "
			     "before or never posted; %lu to %lu are open",
			     'a' + (int)e->end, qp, (unsigned long)low,
			     (unsigned long)tx->done, (unsigned long)tx->next);
		return;
	}
	for (; tx->done <= sequence; tx->done++) {
		struct traffic_sent *s = &tx->ring[tx->done & e->ring_mask];

		if (s->signaled && tx->done != sequence)
			traffic_find(e, "out-of-order", qp, tx->done,
				     "%c qp%u: send %lu completed before %lu, "
				     "which was signaled too",
				     'a' + (int)e->end, qp,
				     (unsigned long)sequence,
				     (unsigned long)tx->done);
		if (s->op == TRAFFIC_READ && e->p->verify)
			send_judge_read(e, qp, tx->done, s);
		if (tx->done == sequence && e->p->direction != TRAFFIC_ECHO)
			histogram_add(&e->live->latency,
				      e->now_ns > s->when_ns
					      ? e->now_ns - s->when_ns
					      : 0);
		e->free_slots[e->free_count++] = s->slot;
		e->outstanding--;
	}
	traffic_send_ready(e, qp);
}
