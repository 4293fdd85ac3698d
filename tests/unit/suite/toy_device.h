/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A toy in the place of libibverbs: one device that moves each SEND at once to
 * the receive it meets, in memory, and breaks exactly one promise when told.
 * Everything from the observed verbs up to a case runs on it unchanged.
 *
 * It knows RC queue pairs of one process, SEND with and without immediate,
 * and no timers: a SEND without a receive waits for ever.
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

struct toy_qp {
	struct ibv_qp qp; /* first */
	struct ibv_qp_attr attr;
	struct ibv_qp_cap cap;
	struct toy_queue sq, rq;
	bool sig_all;
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
		if (write(cq->cq.channel->refcnt, &p, sizeof(p)) < 0)
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
	q->attr.qp_state = IBV_QPS_ERR;
	toy_flush(q, &q->sq, q->qp.send_cq, toy_defect == TOY_FLUSH_SKIPPED);
	toy_flush(q, &q->rq, q->qp.recv_cq, false);
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

	if (s->imm) {
		rwc.wc_flags = IBV_WC_WITH_IMM;
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

static void toy_move(struct toy_qp *q)
{
	struct toy_qp *p = toy_find(q->attr.dest_qp_num);

	while (p && q->attr.qp_state == IBV_QPS_RTS &&
	       p->attr.qp_state >= IBV_QPS_RTR &&
	       p->attr.qp_state <= IBV_QPS_RTS && q->sq.tail != q->sq.head &&
	       p->rq.tail != p->rq.head) {
		struct toy_wr *s = &q->sq.wr[q->sq.tail++ % TOY_DEPTH];
		struct toy_wr *r = &p->rq.wr[p->rq.tail++ % TOY_DEPTH];

		if (toy_len(s) > toy_len(r)) {
			struct ibv_wc bad = { .wr_id = r->id,
					      .status = IBV_WC_LOC_LEN_ERR,
					      .qp_num = p->qp.qp_num };

			toy_complete(p->qp.recv_cq, &bad);
			bad.wr_id = s->id;
			bad.status = IBV_WC_REM_INV_REQ_ERR;
			bad.qp_num = q->qp.qp_num;
			toy_complete(q->qp.send_cq, &bad);
			toy_error(p);
			toy_error(q);
			return;
		}
		toy_place(q, s, r);
		toy_tell(q, p, s, r);
		q->moved++;
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
			return EINVAL;
		}
		*w = (struct toy_wr){
			.id = wr->wr_id,
			.sges = wr->num_sge,
			.signaled = q->sig_all ||
				    (wr->send_flags & IBV_SEND_SIGNALED),
			.imm = wr->opcode == IBV_WR_SEND_WITH_IMM,
			.imm_data = wr->imm_data,
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

#include "toy_verbs.h"

#endif
