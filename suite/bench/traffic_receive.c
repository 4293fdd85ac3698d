// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The receiving half of an end: receives posted, and each message judged. */
#include <endian.h>
#include <string.h>

#include "suite/bench/traffic_inner.h"
#include "suite/oracle/wrid.h"

void traffic_receive_fill(struct traffic_end *e, uint32_t qp)
{
	struct traffic_rx *rx = &e->qps[qp].rx;
	struct ibv_recv_wr wr[TRAFFIC_POST_MAX], *bad;
	struct ibv_sge sge[TRAFFIC_POST_MAX];
	uint32_t len = traffic_len_max(e->p);
	int err;

	while (rx->posted - rx->takers < e->p->rq_depth && !e->failed) {
		uint32_t n = 0;

		for (; n < TRAFFIC_POST_MAX &&
		       rx->posted - rx->takers < e->p->rq_depth;
		     n++, rx->posted++) {
			const struct wrid id = {
				.generation = e->generation,
				.end = e->end,
				.qp_index = qp,
				.queue = WRID_RQ,
				.sequence = rx->posted % WRID_SEQUENCES,
			};
			unsigned char *at =
				traffic_slot(e, &e->receive, qp, rx->posted);

			sge[n] = (struct ibv_sge){ (uintptr_t)at, len,
						   e->mr->lkey };
			wr[n] = (struct ibv_recv_wr){ .wr_id = wrid_encode(&id),
						      .sg_list = &sge[n],
						      .num_sge = 1 };
			if (n > 0)
				wr[n - 1].next = &wr[n];
		}
		e->live->receives_posted += n;
		err = verbs_post_recv(&e->at, e->qps[qp].qp, wr, &bad);
		if (!err)
			continue;
		traffic_find(e, "wrong-return", qp, rx->posted,
			     "%c qp%u: a post of %u receives was refused: %s",
			     'a' + (int)e->end, qp, n, strerror(-err));
		e->failed = true;
	}
}

void traffic_receive_refill(struct traffic_end *e)
{
	for (uint32_t i = 0; i < e->touched_count; i++) {
		e->qps[e->touched[i]].touched = false;
		traffic_receive_fill(e, e->touched[i]);
	}
	e->touched_count = 0;
}

static bool receive_seen(struct traffic_rx *rx, uint64_t sequence, bool enter)
{
	uint64_t *word = &rx->seen[sequence % TRAFFIC_SEEN / 64];
	uint64_t bit = UINT64_C(1) << sequence % 64;

	if (enter) {
		*word |= bit;
		/* Half a window later the place is another's. */
		rx->seen[(sequence + TRAFFIC_SEEN / 2) % TRAFFIC_SEEN / 64] &=
			~bit;
	}
	return *word & bit;
}

/* The sequence that the message bears: if it has a header, and that is one. */
static bool receive_header(uint32_t len, const unsigned char *at,
			   uint64_t *sequence)
{
	uint64_t word;
	uint32_t magic;

	if (len < PATTERN_FRAMED_MIN)
		return false;
	memcpy(&word, at, sizeof(word));
	memcpy(&magic, at + sizeof(word), sizeof(magic));
	*sequence = be64toh(word);
	return be32toh(magic) == PATTERN_MAGIC;
}

/* Not the message that was due: say which it is, and go on behind it. */
static void receive_misplaced(struct traffic_end *e, uint32_t qp,
			      uint64_t found)
{
	struct traffic_rx *rx = &e->qps[qp].rx;

	if (found < rx->next && receive_seen(rx, found, false))
		traffic_find(e, "duplicated", qp, found,
			     "%c qp%u: message %lu came twice, where %lu was "
			     "due",
			     'a' + (int)e->end, qp, (unsigned long)found,
			     (unsigned long)rx->next);
	else if (found > rx->next)
		traffic_find(e, "lost", qp, rx->next,
			     "%c qp%u: message %lu was due, and %lu came: %lu "
			     "are missing",
			     'a' + (int)e->end, qp, (unsigned long)rx->next,
			     (unsigned long)found,
			     (unsigned long)(found - rx->next));
	else
		traffic_find(e, "out-of-order", qp, found,
			     "%c qp%u: message %lu came, where %lu was due",
			     'a' + (int)e->end, qp, (unsigned long)found,
			     (unsigned long)rx->next);
	if (found > rx->next && found - rx->next < TRAFFIC_SEEN)
		rx->next = found;
}

/* What went before the message without taking a receive: its place is the one
 * that the message itself counts for. */
static void receive_pass(struct traffic_end *e, uint32_t qp, enum traffic_op op)
{
	struct traffic_qp *q = &e->qps[qp];
	uint64_t sequence = q->rx.next++;
	uint32_t len = traffic_len_of(e->p, !e->end, qp, sequence, op);

	traffic_flow_add(&e->result->rx[qp], op, sequence, len);
	e->live->received++;
	e->live->received_bytes += len;
	if (op == TRAFFIC_WRITE && e->p->verify)
		traffic_judge_content(
			e, qp, q->key_peer, q->peer.qpn, sequence, len,
			traffic_slot(e, &e->landing, qp, q->rx.takers));
}

/* The fields of a completion that the program determines. */
static void receive_judge_fields(struct traffic_end *e, uint32_t qp,
				 enum traffic_op op, bool last, uint32_t len,
				 const struct ibv_wc *wc)
{
	bool imm = op == TRAFFIC_SEND_IMM || op == TRAFFIC_WRITE_IMM;
	enum ibv_wc_opcode opcode = op == TRAFFIC_WRITE_IMM
					    ? IBV_WC_RECV_RDMA_WITH_IMM
					    : IBV_WC_RECV;
	uint64_t sequence = e->qps[qp].rx.next;

	if (wc->byte_len != len)
		traffic_find(e, "wrong-length", qp, sequence,
			     "%c qp%u: message %lu has %u bytes, byte_len is "
			     "%u",
			     'a' + (int)e->end, qp, (unsigned long)sequence,
			     len, wc->byte_len);
	if (wc->opcode != opcode || !!(wc->wc_flags & IBV_WC_WITH_IMM) != imm)
		traffic_find(e, "wrong-field", qp, sequence,
			     "%c qp%u: message %lu completed as opcode %d "
			     "with flags 0x%x",
			     'a' + (int)e->end, qp, (unsigned long)sequence,
			     (int)wc->opcode, wc->wc_flags);
	else if (imm && (be32toh(wc->imm_data) & TRAFFIC_IMM_SEQUENCE) !=
				(sequence & TRAFFIC_IMM_SEQUENCE))
		traffic_find(e, "wrong-field", qp, sequence,
			     "%c qp%u: message %lu came with immediate 0x%x",
			     'a' + (int)e->end, qp, (unsigned long)sequence,
			     be32toh(wc->imm_data));
}

/* The peer has said its last: so do we, if it leads. */
static void receive_last(struct traffic_end *e, uint32_t qp, uint32_t imm)
{
	struct traffic_rx *rx = &e->qps[qp].rx;

	if (rx->ended)
		return;
	rx->ended = true;
	e->rx_open--;
	if (e->leads || e->ending)
		return;
	e->again = imm & TRAFFIC_IMM_AGAIN;
	if (e->p->direction == TRAFFIC_ECHO)
		return;
	e->ending = true;
	for (uint32_t i = 0; i < e->p->qps; i++)
		traffic_send_ready(e, i);
}

/* Where its bytes are, and were they left where they belong? */
static void receive_judge_memory(struct traffic_end *e, uint32_t qp,
				 enum traffic_op op, uint32_t len)
{
	struct traffic_qp *q = &e->qps[qp];
	const unsigned char *slot = traffic_slot(
		e, op == TRAFFIC_WRITE_IMM ? &e->landing : &e->receive, qp,
		q->rx.takers);
	size_t first, wrong;

	if (pattern_guard_check(slot + e->stride - TRAFFIC_GUARD, TRAFFIC_GUARD,
				e->guard_key, &first, &wrong))
		traffic_find(e, "guard-overwritten", qp, q->rx.next,
			     "%c qp%u: message %lu wrote %zu bytes behind its "
			     "buffer",
			     'a' + (int)e->end, qp, (unsigned long)q->rx.next,
			     wrong);
	traffic_judge_content(e, qp, q->key_peer, q->peer.qpn, q->rx.next, len,
			      slot);
}

/* An answer to the message of the same number: a round trip. */
static void receive_round_trip(struct traffic_end *e, uint32_t qp)
{
	struct traffic_qp *q = &e->qps[qp];
	const struct traffic_sent *s = &q->tx.ring[q->rx.next & e->ring_mask];

	if (e->now_ns > s->when_ns)
		histogram_add(&e->live->latency, e->now_ns - s->when_ns);
}

/* A program of READs alone takes no receive before the last message. */
static bool receive_can_come(const struct traffic_program *p)
{
	for (unsigned i = 0; i < TRAFFIC_OPS; i++)
		if (i != TRAFFIC_READ && p->mix[i])
			return true;
	return p->mix[TRAFFIC_READ] == 0;
}

void traffic_receive_done(struct traffic_end *e, uint32_t qp,
			  const struct ibv_wc *wc)
{
	struct traffic_qp *q = &e->qps[qp];
	const unsigned char *slot =
		traffic_slot(e, &e->receive, qp, q->rx.takers);
	uint32_t imm = wc->wc_flags & IBV_WC_WITH_IMM ? be32toh(wc->imm_data)
						      : 0;
	bool last = imm & TRAFFIC_IMM_LAST;
	enum traffic_op op;
	uint64_t found;
	uint32_t len;

	if (!last && !receive_can_come(e->p)) {
		traffic_find(e, "foreign", qp, q->rx.next,
			     "%c qp%u: a receive completed, and nothing that "
			     "takes one was sent",
			     'a' + (int)e->end, qp);
		return;
	}
	/* What it should be; the last one says itself which it is. */
	for (;;) {
		op = traffic_op_of(e->p, !e->end, qp, q->rx.next);
		if (last && (imm & TRAFFIC_IMM_SEQUENCE) ==
				    (q->rx.next & TRAFFIC_IMM_SEQUENCE))
			op = TRAFFIC_SEND_IMM;
		if (traffic_takes_receive(op))
			break;
		receive_pass(e, qp, op);
	}
	if (e->p->verify && op != TRAFFIC_WRITE_IMM &&
	    receive_header(wc->byte_len, slot, &found) && found != q->rx.next)
		receive_misplaced(e, qp, found);
	len = traffic_len_of(e->p, !e->end, qp, q->rx.next, op);
	receive_judge_fields(e, qp, op, last, len, wc);
	if (e->p->verify && wc->byte_len == len)
		receive_judge_memory(e, qp, op, len);
	if (e->p->direction == TRAFFIC_ECHO && e->end == 0)
		receive_round_trip(e, qp);
	if (wc->byte_len != len)
		traffic_flow_odd(&e->result->rx[qp]);
	traffic_flow_add(&e->result->rx[qp], op, q->rx.next, wc->byte_len);
	receive_seen(&q->rx, q->rx.next, true);
	e->live->received++;
	e->live->received_bytes += wc->byte_len;
	e->live->receives_posted--;
	q->rx.next++;
	q->rx.takers++;
	if (last)
		receive_last(e, qp, imm);
	if (e->p->direction == TRAFFIC_ECHO) {
		q->tx.owed += e->end;
		traffic_send_ready(e, qp);
	}
	if (!q->touched) {
		q->touched = true;
		e->touched[e->touched_count++] = qp;
	}
}
