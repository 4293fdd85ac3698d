/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A toy in the place of libibverbs: one device that moves each SEND at once to
 * the receive it meets, in memory, and breaks exactly one promise when told.
 * Everything from the observed verbs up to a case runs on it unchanged.
 *
 * It knows RC and UD queue pairs of one process, all operations but binding and
 * invalidation, SRQs, and no timers: a SEND without a receive waits for ever.
 * Keys and bounds it does not look at.
 */
#ifndef TESTS_UNIT_SUITE_TOY_DEVICE_H
#define TESTS_UNIT_SUITE_TOY_DEVICE_H

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum toy_defect {
	TOY_SOUND,
	TOY_SEND_WC_LOST,
	TOY_RECV_WC_LOST,
	TOY_WC_TWICE,
	TOY_RECV_WC_EARLY,
	TOY_SEND_WCS_SWAPPED,
	TOY_WR_ID_FOREIGN,
	TOY_QP_NUM_FOREIGN,
	TOY_STATUS_WRONG,
	TOY_LENGTH_WRONG,
	TOY_BIT_FLIPPED,
	TOY_PAYLOAD_OLD, /* the one before comes again */
	TOY_BYTE_BEFORE,
	TOY_BYTE_BEHIND,
	TOY_SURPLUS_WRITTEN, /* within the buffer, behind the message */
	TOY_IMM_WRONG,
	TOY_OPCODE_WRONG,
	TOY_UNSIGNALED_TOLD,
	TOY_ATTRIBUTE_WRONG,
	TOY_STATE_STUCK,
	TOY_REFUSAL_CHANGES,
	TOY_ILLEGAL_TAKEN,
	TOY_POST_REFUSED,
	TOY_BAD_WR_WRONG,
	TOY_EVENT_SPURIOUS,
	TOY_EVENT_FOREIGN,
	TOY_FLUSH_SKIPPED,
	TOY_FLUSH_SUCCESS,
	TOY_DESTROY_REFUSED,
	TOY_STALE_WC, /* no defect: a completion of before a reset */
	TOY_WRITE_LOST,
	TOY_WRITE_SHIFTED,
	TOY_READ_FLIPPED,
	TOY_ATOMIC_TWICE,
	TOY_ATOMIC_NEW, /* the new value comes back, not the old */
	TOY_SWAP_ALWAYS,
	TOY_IMM_WITHOUT_DATA,
	TOY_DATAGRAM_TWICE,
	TOY_DATAGRAM_SOURCE,
	TOY_DATAGRAM_ADDRESS,
	TOY_DATAGRAM_BARE, /* no 40 bytes before it */
	TOY_SRQ_OTHER_QP,
	TOY_SRQ_FLUSHED,
	TOY_SRQ_LIMIT_TWICE,
	TOY_SRQ_LIMIT_STAYS,
	TOY_CQ_EVENT_TWICE,
	TOY_CQ_EVENT_LOST,
	TOY_CQ_SHRINKS,
	TOY_RNR_FINITE,	    /* a SEND without a receive fails at once */
	TOY_RNR_FILLED,	    /* and so does one that has a receive */
	TOY_NAK_WITHHELD,   /* the requester's retries run out instead */
	TOY_RETRY_SPURIOUS, /* they do, and nothing is wrong */
	TOY_RETRY_ANSWERED, /* no defect: to a peer in ERR they run out */
	TOY_COMM_EST,	    /* no defect: it comes in each life; */
	TOY_COMM_EST_TWICE,
	TOY_FATAL, /* likewise, with each error */
	TOY_FATAL_TWICE,
	TOY_INIT_DEPTH, /* of the attributes of creation as queried: wrong */
	TOY_INIT_SIGNALS,
	TOY_INIT_CQS,
	TOY_INIT_SRQ,
	TOY_INIT_CONTEXT,
	TOY_SRQ_CONTEXT,
	TOY_MR_LENGTH,
	TOY_REFUSAL_NEGATIVE, /* no defect, but to be noted */
};

static enum toy_defect toy_defect;
/* Messages go before the defect shows. */
enum { TOY_NTH = 5, TOY_DEPTH = 512, TOY_QPS = 64, TOY_SGES = 8 };

struct toy_wr {
	uint64_t id;
	struct ibv_sge sge[TOY_SGES];
	int sges;
	bool signaled, imm;
	uint32_t imm_data;
	unsigned char *inlined; /* a copy; or NULL */
	enum ibv_wr_opcode op;
	uint64_t remote, compare_add, swap;
	uint32_t qpn; /* UD */
};

struct toy_queue {
	struct toy_wr wr[TOY_DEPTH];
	unsigned head, tail;
};

struct toy_cq {
	struct ibv_cq cq; /* first */
	struct ibv_wc wc[TOY_DEPTH * 4];
	unsigned head, tail, users;
	bool armed;
};

struct toy_srq {
	struct ibv_srq srq; /* first */
	struct toy_queue rq;
	uint32_t max_wr, limit;
};

struct toy_qp {
	struct ibv_qp qp; /* first */
	struct ibv_qp_attr attr;
	struct ibv_qp_cap cap;
	struct toy_queue sq, rq;
	bool sig_all, comm_told;
	struct toy_srq *srq;
	uint64_t moved, modified;
	struct ibv_wc old; /* the first completion ever */
	bool old_told;
};

static struct toy_qp *toy_qps[TOY_QPS];
static unsigned toy_qps_count;
static struct ibv_device toy_dev = { .name = "toy" };
static struct ibv_context toy_ctx[2];
static unsigned toy_opened;
/* CQs that use a channel, by context: nobody has more than one in use. */
static unsigned toy_channel_users[2];
static int toy_pipe[2][2];
static bool toy_event_told;
static struct ibv_async_event toy_events[16];
static unsigned toy_events_head, toy_events_tail;

static bool toy_breaks(const struct toy_qp *q, enum toy_defect d)
{
	return toy_defect == d && q->moved == TOY_NTH;
}

/* --- completions --------------------------------------------------------- */

static void toy_complete(struct ibv_cq *ibcq, const struct ibv_wc *wc)
{
	struct toy_cq *cq = (struct toy_cq *)ibcq;

	cq->wc[cq->head++ % (TOY_DEPTH * 4)] = *wc;
	if (cq->armed && cq->cq.channel) {
		struct ibv_cq *p = ibcq;

		cq->armed = false;
		if (toy_defect == TOY_CQ_EVENT_LOST)
			return;
		if (write(cq->cq.channel->refcnt, &p, sizeof(p)) < 0)
			abort();
		if (toy_defect == TOY_CQ_EVENT_TWICE &&
		    write(cq->cq.channel->refcnt, &p, sizeof(p)) < 0)
			abort();
	}
}

static int toy_poll(struct ibv_cq *ibcq, int n, struct ibv_wc *wc)
{
	struct toy_cq *cq = (struct toy_cq *)ibcq;
	int got = 0;

	while (got < n && cq->tail != cq->head)
		wc[got++] = cq->wc[cq->tail++ % (TOY_DEPTH * 4)];
	return got;
}

static int toy_arm(struct ibv_cq *ibcq, int solicited)
{
	((struct toy_cq *)ibcq)->armed = true;
	return 0;
}

static void toy_event(enum ibv_event_type type, struct ibv_srq *srq)
{
	struct ibv_async_event *e = &toy_events[toy_events_head++ % 16];

	*e = (struct ibv_async_event){ .event_type = type };
	e->element.srq = srq;
}

/* Once where the device may tell it, again with the defect. */
static void toy_qp_event(enum ibv_event_type type, struct toy_qp *q,
			 enum toy_defect once, enum toy_defect twice)
{
	unsigned n = toy_defect == twice ? 2 : toy_defect == once;

	while (n--) {
		toy_event(type, NULL);
		toy_events[(toy_events_head - 1) % 16].element.qp = &q->qp;
	}
}

/* --- moving a message ---------------------------------------------------- */

static struct toy_qp *toy_find(uint32_t qpn)
{
	for (unsigned i = 0; i < toy_qps_count; i++)
		if (toy_qps[i] && toy_qps[i]->qp.qp_num == qpn)
			return toy_qps[i];
	return NULL;
}

static uint32_t toy_len(const struct toy_wr *w)
{
	uint32_t len = 0;

	for (int i = 0; i < w->sges; i++)
		len += w->sge[i].length;
	return len;
}

static unsigned char *toy_gather(const struct toy_wr *w)
{
	unsigned char *all = malloc(toy_len(w) + 1), *at = all;

	for (int i = 0; i < w->sges; i++) {
		memcpy(at, (void *)(uintptr_t)w->sge[i].addr, w->sge[i].length);
		at += w->sge[i].length;
	}
	return all;
}

static void toy_scatter(const struct toy_wr *w, const unsigned char *all,
			uint32_t len)
{
	for (int i = 0; i < w->sges && len; i++) {
		uint32_t n = w->sge[i].length < len ? w->sge[i].length : len;

		memcpy((void *)(uintptr_t)w->sge[i].addr, all, n);
		all += n;
		len -= n;
	}
}

static void toy_flush(struct toy_qp *q, struct toy_queue *from,
		      struct ibv_cq *cq, bool skip)
{
	while (from->tail != from->head) {
		struct ibv_wc wc = {
			.wr_id = from->wr[from->tail % TOY_DEPTH].id,
			.status = toy_defect == TOY_FLUSH_SUCCESS
					  ? IBV_WC_SUCCESS
					  : IBV_WC_WR_FLUSH_ERR,
			.opcode = from == &q->sq ? IBV_WC_SEND : IBV_WC_RECV,
			.qp_num = q->qp.qp_num,
		};

		from->tail++;
		if (!skip || from->tail != from->head)
			toy_complete(cq, &wc);
	}
}

static void toy_error(struct toy_qp *q)
{
	toy_qp_event(IBV_EVENT_QP_FATAL, q, TOY_FATAL, TOY_FATAL_TWICE);
	if (q->srq && toy_defect == TOY_SRQ_FLUSHED)
		toy_flush(q, &q->srq->rq, q->qp.recv_cq, false);
	q->attr.qp_state = IBV_QPS_ERR;
	toy_flush(q, &q->sq, q->qp.send_cq, toy_defect == TOY_FLUSH_SKIPPED);
	toy_flush(q, &q->rq, q->qp.recv_cq, false);
}

/* The request at the front fails, and its queue pair with it. */
static void toy_fail(struct toy_qp *q, enum ibv_wc_status status)
{
	struct ibv_wc bad = { .wr_id = q->sq.wr[q->sq.tail++ % TOY_DEPTH].id,
			      .status = status,
			      .qp_num = q->qp.qp_num };

	toy_complete(q->qp.send_cq, &bad);
	toy_error(q);
}

static void toy_datagram(struct toy_qp *q, const struct toy_wr *r,
			 const unsigned char *all, uint32_t len)
{
	unsigned char whole[8192] = { [10] = 0xff, [11] = 0xff, [20] = 0x45,
				      [32] = 0,	   [35] = 1,	[39] = 1 };

	if (toy_breaks(q, TOY_DATAGRAM_ADDRESS))
		whole[35] = 9;
	if (toy_breaks(q, TOY_DATAGRAM_BARE)) {
		toy_scatter(r, all, len);
		return;
	}
	memcpy(whole + 40, all, len);
	toy_scatter(r, whole, len + 40);
}

static void toy_write(struct toy_qp *q, const struct toy_wr *s,
		      const unsigned char *all, uint32_t len)
{
	unsigned char *to = (unsigned char *)(uintptr_t)s->remote;

	if (toy_breaks(q, TOY_WRITE_LOST) || toy_defect == TOY_IMM_WITHOUT_DATA)
		return;
	memcpy(to + toy_breaks(q, TOY_WRITE_SHIFTED), all, len);
}

static uint64_t toy_atomic(struct toy_qp *q, const struct toy_wr *s)
{
	uint64_t *cell = (uint64_t *)(uintptr_t)s->remote, old = *cell;

	if (s->op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		*cell += s->compare_add;
		if (toy_breaks(q, TOY_ATOMIC_TWICE))
			*cell += s->compare_add;
	} else if (old == s->compare_add || toy_defect == TOY_SWAP_ALWAYS) {
		*cell = s->swap;
	}
	return toy_breaks(q, TOY_ATOMIC_NEW) ? *cell : old;
}

/* What takes no receive; false: it is a message. */
static bool toy_one_sided(struct toy_qp *q, const struct toy_wr *s)
{
	unsigned char *all, *at = (unsigned char *)(uintptr_t)s->remote;
	uint32_t len = toy_len(s);
	struct ibv_wc wc = { .wr_id = s->id, .qp_num = q->qp.qp_num };
	uint64_t old;

	switch (s->op) {
	case IBV_WR_RDMA_WRITE:
		wc.opcode = IBV_WC_RDMA_WRITE;
		all = toy_gather(s);
		toy_write(q, s, all, len);
		free(all);
		break;
	case IBV_WR_RDMA_READ:
		wc.opcode = IBV_WC_RDMA_READ;
		toy_scatter(s, at, len);
		if (toy_breaks(q, TOY_READ_FLIPPED))
			*(unsigned char *)(uintptr_t)s->sge[0].addr ^= 1;
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wc.opcode = s->op == IBV_WR_ATOMIC_FETCH_AND_ADD
				    ? IBV_WC_FETCH_ADD
				    : IBV_WC_COMP_SWAP;
		old = toy_atomic(q, s);
		toy_scatter(s, (unsigned char *)&old, 8);
		break;
	default:
		return false;
	}
	if (s->signaled)
		toy_complete(q->qp.send_cq, &wc);
	q->moved++;
	return true;
}

static void toy_place(struct toy_qp *q, const struct toy_wr *s,
		      const struct toy_wr *r)
{
	static unsigned char old[1 << 20];
	static uint32_t old_len;
	unsigned char *all = s->inlined ? s->inlined : toy_gather(s);
	uint32_t len = toy_len(s);
	unsigned char *last =
		!r->sges
			? NULL
			: (unsigned char *)(uintptr_t)r->sge[r->sges - 1].addr +
				  r->sge[r->sges - 1].length;

	if (toy_breaks(q, TOY_BIT_FLIPPED) && len)
		all[len / 2] ^= 4;
	if (toy_breaks(q, TOY_PAYLOAD_OLD))
		memcpy(all, old, len < old_len ? len : old_len);
	if (q->qp.qp_type == IBV_QPT_UD)
		toy_datagram(q, r, all, len);
	else if (s->op == IBV_WR_RDMA_WRITE_WITH_IMM)
		toy_write(q, s, all, len);
	else
		toy_scatter(r, all, len);
	if (toy_breaks(q, TOY_BYTE_BEFORE))
		*(unsigned char *)(uintptr_t)(r->sge[0].addr - 1) ^= 1;
	if (toy_breaks(q, TOY_BYTE_BEHIND))
		*last ^= 1;
	if (toy_breaks(q, TOY_SURPLUS_WRITTEN))
		last[-1] ^= 1;
	memcpy(old, all, len);
	old_len = len;
	free(all);
}

static void toy_tell(struct toy_qp *q, struct toy_qp *p, struct toy_wr *s,
		     struct toy_wr *r)
{
	struct ibv_wc rwc = { .wr_id = r->id,
			      .opcode = IBV_WC_RECV,
			      .byte_len = toy_len(s),
			      .qp_num = p->qp.qp_num };
	struct ibv_wc swc = { .wr_id = s->id,
			      .opcode = IBV_WC_SEND,
			      .qp_num = q->qp.qp_num };
	static struct ibv_wc held;

	if (s->op == IBV_WR_RDMA_WRITE_WITH_IMM) {
		rwc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
		swc.opcode = IBV_WC_RDMA_WRITE;
	}
	if (q->qp.qp_type == IBV_QPT_UD) {
		rwc.src_qp = q->qp.qp_num;
		rwc.byte_len += 40;
		rwc.wc_flags = IBV_WC_GRH;
	}
	if (toy_breaks(q, TOY_DATAGRAM_SOURCE))
		rwc.src_qp = 0x999;
	if (toy_breaks(q, TOY_SRQ_OTHER_QP))
		rwc.qp_num = q->qp.qp_num;
	if (s->imm) {
		rwc.wc_flags |= IBV_WC_WITH_IMM;
		rwc.imm_data = s->imm_data ^ toy_breaks(q, TOY_IMM_WRONG);
	}
	if (toy_breaks(q, TOY_WR_ID_FOREIGN))
		rwc.wr_id = 0x1234567;
	if (toy_breaks(q, TOY_QP_NUM_FOREIGN))
		rwc.qp_num = q->qp.qp_num;
	if (toy_breaks(q, TOY_STATUS_WRONG))
		swc.status = IBV_WC_GENERAL_ERR;
	if (toy_breaks(q, TOY_LENGTH_WRONG))
		rwc.byte_len -= 1;
	if (toy_breaks(q, TOY_OPCODE_WRONG))
		swc.opcode = IBV_WC_RDMA_READ;
	if (!toy_breaks(q, TOY_RECV_WC_LOST))
		toy_complete(p->qp.recv_cq, &rwc);
	if (toy_breaks(q, TOY_WC_TWICE))
		toy_complete(p->qp.recv_cq, &rwc);
	if (toy_breaks(q, TOY_SEND_WCS_SWAPPED)) {
		held = swc;
		return;
	}
	if ((s->signaled || toy_defect == TOY_UNSIGNALED_TOLD) &&
	    !toy_breaks(q, TOY_SEND_WC_LOST))
		toy_complete(q->qp.send_cq, &swc);
	if (!q->old_told)
		q->old = swc;
	if (held.qp_num == q->qp.qp_num)
		toy_complete(q->qp.send_cq, &held);
	held.qp_num = 0;
}

/* One receive fewer: is it fewer than the limit says? */
static void toy_limit(struct toy_srq *srq)
{
	if (!srq || !srq->limit || srq->rq.head - srq->rq.tail >= srq->limit)
		return;
	if (toy_defect != TOY_SRQ_LIMIT_STAYS)
		srq->limit = 0;
	toy_event(IBV_EVENT_SRQ_LIMIT_REACHED, &srq->srq);
	if (toy_defect == TOY_SRQ_LIMIT_TWICE)
		toy_event(IBV_EVENT_SRQ_LIMIT_REACHED, &srq->srq);
}

static struct toy_queue *toy_receives(struct toy_qp *p)
{
	return p->srq ? &p->srq->rq : &p->rq;
}

static void toy_deliver(struct toy_qp *q, struct toy_qp *p, struct toy_wr *s,
			struct toy_wr *r)
{
	struct toy_queue *rq = toy_receives(p);

	toy_place(q, s, r);
	toy_tell(q, p, s, r);
	if (toy_breaks(q, TOY_DATAGRAM_TWICE) && rq->tail != rq->head) {
		s->signaled = false;
		r = &rq->wr[rq->tail++ % TOY_DEPTH];
		toy_place(q, s, r);
		toy_tell(q, p, s, r);
	}
	q->moved++;
	if (!p->comm_told)
		toy_qp_event(IBV_EVENT_COMM_EST, p, TOY_COMM_EST,
			     TOY_COMM_EST_TWICE);
	p->comm_told = true;
	toy_limit(p->srq);
}

static void toy_move(struct toy_qp *q)
{
	while (q->attr.qp_state == IBV_QPS_RTS && q->sq.tail != q->sq.head) {
		struct toy_wr *s = &q->sq.wr[q->sq.tail % TOY_DEPTH], *r;
		struct toy_qp *p = toy_find(q->qp.qp_type == IBV_QPT_UD
						    ? s->qpn
						    : q->attr.dest_qp_num);
		struct toy_queue *rq = p ? toy_receives(p) : NULL;

		if (toy_one_sided(q, s)) {
			q->sq.tail++;
			continue;
		}
		if (toy_breaks(q, TOY_RETRY_SPURIOUS) ||
		    (toy_defect == TOY_RETRY_ANSWERED && p &&
		     p->attr.qp_state == IBV_QPS_ERR)) {
			toy_fail(q, IBV_WC_RETRY_EXC_ERR);
			return;
		}
		if (!p || p->attr.qp_state < IBV_QPS_RTR ||
		    p->attr.qp_state > IBV_QPS_RTS)
			return;
		if (toy_breaks(q, TOY_RNR_FILLED) ||
		    (toy_defect == TOY_RNR_FINITE && rq->tail == rq->head)) {
			toy_fail(q, IBV_WC_RNR_RETRY_EXC_ERR);
			return;
		}
		if (rq->tail == rq->head)
			return;
		q->sq.tail++;
		r = &rq->wr[rq->tail++ % TOY_DEPTH];
		if (s->op != IBV_WR_RDMA_WRITE_WITH_IMM &&
		    toy_len(s) > toy_len(r)) {
			struct ibv_wc bad = { .wr_id = r->id,
					      .status = IBV_WC_LOC_LEN_ERR,
					      .qp_num = p->qp.qp_num };

			toy_complete(p->qp.recv_cq, &bad);
			bad.wr_id = s->id;
			bad.status = toy_defect == TOY_NAK_WITHHELD
					     ? IBV_WC_RETRY_EXC_ERR
					     : IBV_WC_REM_INV_REQ_ERR;
			bad.qp_num = q->qp.qp_num;
			toy_complete(q->qp.send_cq, &bad);
			toy_error(p);
			toy_error(q);
			return;
		}
		toy_deliver(q, p, s, r);
	}
}

/* --- posting ------------------------------------------------------------- */

static int toy_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
			 struct ibv_send_wr **bad)
{
	struct toy_qp *q = (struct toy_qp *)ibqp;
	struct ibv_send_wr *first = wr;

	for (; wr; wr = wr->next) {
		struct toy_wr *w = &q->sq.wr[q->sq.head % TOY_DEPTH];

		if ((uint32_t)wr->num_sge > q->cap.max_send_sge ||
		    q->attr.qp_state < IBV_QPS_RTS ||
		    q->sq.head - q->sq.tail >= q->cap.max_send_wr ||
		    (toy_defect == TOY_POST_REFUSED && q->moved == TOY_NTH)) {
			if (toy_defect == TOY_ILLEGAL_TAKEN)
				return 0;
			*bad = toy_defect == TOY_BAD_WR_WRONG ? first : wr;
			toy_move(q);
			return toy_defect == TOY_REFUSAL_NEGATIVE ? -EINVAL
								  : EINVAL;
		}
		*w = (struct toy_wr){
			.id = wr->wr_id,
			.sges = wr->num_sge,
			.signaled = q->sig_all ||
				    (wr->send_flags & IBV_SEND_SIGNALED),
			.imm = wr->opcode == IBV_WR_SEND_WITH_IMM ||
			       wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM,
			.imm_data = wr->imm_data,
			.op = wr->opcode,
			.remote = wr->wr.atomic.remote_addr,
			.compare_add = wr->wr.atomic.compare_add,
			.swap = wr->wr.atomic.swap,
			.qpn = wr->wr.ud.remote_qpn,
		};
		memcpy(w->sge, wr->sg_list,
		       sizeof(*w->sge) * (unsigned)wr->num_sge);
		if (wr->send_flags & IBV_SEND_INLINE)
			w->inlined = toy_gather(w);
		q->sq.head++;
		if (q->attr.qp_state == IBV_QPS_ERR)
			toy_error(q);
	}
	toy_move(q);
	return 0;
}

static int toy_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad)
{
	struct toy_qp *q = (struct toy_qp *)ibqp, *p;

	for (; wr; wr = wr->next) {
		struct toy_wr *w = &q->rq.wr[q->rq.head % TOY_DEPTH];

		if ((uint32_t)wr->num_sge > q->cap.max_recv_sge ||
		    q->attr.qp_state == IBV_QPS_RESET ||
		    q->rq.head - q->rq.tail >= q->cap.max_recv_wr) {
			*bad = wr;
			return ENOMEM;
		}
		*w = (struct toy_wr){ .id = wr->wr_id, .sges = wr->num_sge };
		memcpy(w->sge, wr->sg_list,
		       sizeof(*w->sge) * (unsigned)wr->num_sge);
		q->rq.head++;
		if (toy_defect == TOY_RECV_WC_EARLY) {
			struct ibv_wc wc = { .wr_id = wr->wr_id,
					     .opcode = IBV_WC_RECV,
					     .qp_num = ibqp->qp_num };

			toy_complete(ibqp->recv_cq, &wc);
		}
		if (q->attr.qp_state == IBV_QPS_ERR)
			toy_error(q);
	}
	p = toy_find(q->attr.dest_qp_num);
	if (p)
		toy_move(p);
	return 0;
}

static int toy_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad)
{
	struct toy_srq *srq = (struct toy_srq *)ibsrq;

	for (; wr; wr = wr->next) {
		struct toy_wr *w = &srq->rq.wr[srq->rq.head % TOY_DEPTH];

		if (srq->rq.head - srq->rq.tail >= srq->max_wr) {
			*bad = wr;
			return ENOMEM;
		}
		*w = (struct toy_wr){ .id = wr->wr_id, .sges = wr->num_sge };
		memcpy(w->sge, wr->sg_list,
		       sizeof(*w->sge) * (unsigned)wr->num_sge);
		srq->rq.head++;
	}
	return 0;
}

#include "toy_verbs.h"

#endif
