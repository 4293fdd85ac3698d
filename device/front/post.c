// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting: each request of the list is judged whole before anything of it is
 * queued; the first that is refused ends the list, and those before it run.
 */
#include "device/front/post.h"

#include <errno.h>
#include <string.h>

#include "device/engine/operation.h"
#include "device/front/ah.h"
#include "device/front/limits.h"
#include "device/front/mw.h"
#include "device/front/qp.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"

enum { POST_ATOMIC_BYTES = 8 };

static int post_send_state(const struct sd_qp *qp)
{
	switch (qp->state) {
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
	case IBV_QPS_SQE:
		return 0;
	case IBV_QPS_ERR:
		return MUTANT_ACTS(D22, true) ? EINVAL : 0;
	case IBV_QPS_RTR:
		return MUTANT_ACTS(D32, true) ? 0 : EINVAL;
	default:
		return EINVAL;
	}
}

static int post_length(const struct ibv_sge *sge, int num_sge, uint64_t *length)
{
	*length = 0;
	for (int i = 0; i < num_sge; i++)
		*length += sge[i].length;
	return *length > limit_max_msg_bytes() ? EINVAL : 0;
}

/* A datagram is one packet, and goes by an address handle of its own domain. */
static int post_judge_datagram(const struct soft_qp *qp,
			       const struct ibv_send_wr *wr,
			       struct post_send *out)
{
	const struct soft_ah *ah;

	if (out->length > sd_adapter_mtu_bytes(qp->context->adapter))
		return EINVAL;
	ah = wr->wr.ud.ah ? soft_ah_find(wr->wr.ud.ah) : NULL;
	if (!ah || ah->pd != qp->pd)
		return EINVAL;
	out->path = ah->path;
	out->path.qpn = wr->wr.ud.remote_qpn & 0xffffff;
	out->path.qkey = wr->wr.ud.remote_qkey;
	return 0;
}

/* Binding and invalidating have neither data nor a way. */
static int post_judge_local(const struct ibv_send_wr *wr, enum sd_mr_kind kind,
			    struct post_send *out)
{
	out->length = 0;
	if (wr->send_flags & IBV_SEND_INLINE)
		return EINVAL;
	if (wr->opcode == IBV_WR_BIND_MW)
		return -mw_judge_bind(wr, kind, &out->bind);
	return 0;
}

/* D08: each entry for itself. */
static MUTANT_COLD bool post_inline_parts(const struct ibv_send_wr *wr,
					  const struct ibv_qp_cap *cap,
					  uint64_t *length)
{
	for (int i = 0; i < wr->num_sge; i++)
		if (wr->sg_list[i].length > cap->max_inline_data)
			return false;
	*length = cap->max_inline_data;
	return mutant_note(MUTANT_D08);
}

static int post_judge_data(const struct soft_qp *qp,
			   const struct ibv_send_wr *wr, uint64_t *length)
{
	const struct ibv_qp_cap *cap = &qp->world.qp.cap;
	int err;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > cap->max_send_sge)
		return EINVAL;
	if ((err = post_length(wr->sg_list, wr->num_sge, length)))
		return err;
	if (wr->send_flags & IBV_SEND_INLINE) {
		if (operation_is_fetch(wr->opcode))
			return EINVAL;
		if (*length > cap->max_inline_data &&
		    !(MUTANT_ON(D08) && post_inline_parts(wr, cap, length)))
			return EINVAL;
	}
	if (operation_is_atomic(wr->opcode) &&
	    (*length != POST_ATOMIC_BYTES ||
	     (wr->wr.atomic.remote_addr % POST_ATOMIC_BYTES &&
	      !MUTANT_ACTS(M37, !qp->world.remote))))
		return EINVAL;
	return 0;
}

int post_judge_send(const struct soft_qp *qp, const struct ibv_send_wr *wr,
		    enum sd_mr_kind kind, struct post_send *out)
{
	const unsigned flags_known = IBV_SEND_FENCE | IBV_SEND_SIGNALED |
				     IBV_SEND_SOLICITED | IBV_SEND_INLINE;
	enum ibv_qp_type type = qp->world.qp.type;
	int err = post_send_state(&qp->world.qp);

	if (err)
		return err;
	if (!operation_allowed(wr->opcode, type) ||
	    (wr->send_flags & ~flags_known))
		return EINVAL;
	out->wr = wr;
	if (operation_is_local(wr->opcode))
		return post_judge_local(wr, kind, out);
	err = post_judge_data(qp, wr, &out->length);
	if (!err && type == IBV_QPT_UD)
		err = post_judge_datagram(qp, wr, out);
	return err;
}

/* Inline data is copied now: its buffer is the application's again when the
 * post returns. */
static void post_copy_inline(struct sd_send_wqe *wqe,
			     const struct ibv_send_wr *wr)
{
	uint8_t *to = wqe->inline_data;

	for (int i = 0; i < wr->num_sge; i++) {
		if (MUTANT_ON(D08) &&
		    to + wr->sg_list[i].length > wqe->inline_data + wqe->length)
			break;
		if (wr->sg_list[i].length)
			memcpy(to, (const void *)(uintptr_t)wr->sg_list[i].addr,
			       wr->sg_list[i].length);
		if (MUTANT_ACTS(M01, i > 0 && wr->sg_list[i].length))
			memset(to, 0, wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	if (MUTANT_ACTS(D04, wqe->length > 64)) {
		memmove(wqe->inline_data, wqe->inline_data + 64,
			wqe->length - 64 < 64 ? wqe->length - 64 : 64);
		memset(wqe->inline_data + 64, 0, wqe->length - 64);
	}
}

static void post_fill_target(struct sd_send_wqe *wqe, enum ibv_qp_type type,
			     const struct post_send *send)
{
	const struct ibv_send_wr *wr = send->wr;

	if (type == IBV_QPT_UD) {
		wqe->path = send->path;
	} else if (wr->opcode == IBV_WR_BIND_MW) {
		wqe->bind = send->bind;
	} else if (operation_is_atomic(wr->opcode)) {
		bool swap = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;

		wqe->remote.va = wr->wr.atomic.remote_addr;
		wqe->remote.rkey = wr->wr.atomic.rkey;
		wqe->remote.compare = swap ? wr->wr.atomic.compare_add : 0;
		wqe->remote.swap_add = swap ? wr->wr.atomic.swap
					    : wr->wr.atomic.compare_add;
	} else {
		wqe->remote.va = wr->wr.rdma.remote_addr;
		wqe->remote.rkey = wr->wr.rdma.rkey;
	}
}

/* M02 */
static MUTANT_COLD void post_shift_gather(struct sd_send_wqe *wqe)
{
	struct ibv_sge *sge = wqe->sge, tail = sge[0];
	int n = wqe->num_sge, empty = 0;

	while (empty < 2 && empty + 1 < n &&
	       !(sge[empty].length == 0 && sge[empty + 1].length > 0))
		empty++;
	if (!MUTANT_ACTS(M02, empty < 2 && empty + 1 < n))
		return;
	tail.length = sge[empty + 1].length;
	memmove(sge + empty, sge + empty + 2,
		(size_t)(n - empty - 2) * sizeof(*sge));
	sge[n - 2] = tail;
	wqe->num_sge = n - 1;
}

static void post_fill_data(struct sd_send_wqe *wqe,
			   const struct ibv_send_wr *wr)
{
	wqe->is_inline = wr->send_flags & IBV_SEND_INLINE;
	wqe->num_sge = operation_is_local(wr->opcode) ? 0 : wr->num_sge;
	if (wqe->is_inline)
		post_copy_inline(wqe, wr);
	else if (wqe->num_sge)
		memcpy(wqe->sge, wr->sg_list,
		       (size_t)wqe->num_sge * sizeof(wqe->sge[0]));
}

static MUTANT_COLD void post_spoil_send(const struct sd_qp *qp,
					struct sd_send_wqe *wqe,
					const struct post_send *send)
{
	unsigned flags = send->wr->send_flags & ~(unsigned)IBV_SEND_SIGNALED;

	if (MUTANT_ACTS(M08, wqe->fence && flags != IBV_SEND_FENCE))
		wqe->fence = false;
	if (MUTANT_ACTS(M08, wqe->solicited && flags != IBV_SEND_SOLICITED))
		wqe->solicited = false;
	if (MUTANT_ACTS(M09, qp->sig_all && send->later))
		wqe->signaled = false;
	if (MUTANT_ACTS(D11, wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD))
		wqe->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	if (MUTANT_ACTS(D07, !wqe->is_inline && wqe->num_sge > 6))
		for (int i = 6; i < wqe->num_sge; i++)
			wqe->sge[i].addr = wqe->sge[i - 6].addr;
	if (MUTANT_ACTS(D06, !wqe->is_inline && wqe->num_sge == 2 &&
				     !operation_is_fetch(wqe->opcode))) {
		struct ibv_sge first = wqe->sge[0];

		wqe->sge[0] = wqe->sge[1];
		wqe->sge[1] = first;
	}
	if (MUTANT_ON(M02) && !wqe->is_inline &&
	    !operation_is_fetch(wqe->opcode))
		post_shift_gather(wqe);
}

/* It is accepted, and told at once that it is late. */
static void post_flush_late(struct sd_qp *qp, const struct post_send *send)
{
	if (MUTANT_ACTS(D21, send->built && qp->state == IBV_QPS_ERR) ||
	    MUTANT_ACTS(M22, qp->state == IBV_QPS_ERR) ||
	    MUTANT_ACTS(M23, mutant_window_is_open(MUTANT_M23, qp)))
		qp->sq.count--;
	else
		qp_complete_send(qp, IBV_WC_WR_FLUSH_ERR);
}

void post_queue_send(struct soft_qp *soft, const struct post_send *send)
{
	struct sd_qp *qp = &soft->world.qp;
	struct sd_send_wqe *wqe = &qp->sq_wqe[ring_push(&qp->sq)];
	const struct ibv_send_wr *wr = send->wr;

	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->signaled = qp->sig_all || (wr->send_flags & IBV_SEND_SIGNALED);
	wqe->solicited = (wr->send_flags & IBV_SEND_SOLICITED) &&
			 operation_solicits(wr->opcode);
	wqe->fence = wr->send_flags & IBV_SEND_FENCE;
	wqe->begun = false;
	wqe->imm = wr->imm_data; /* or invalidate_rkey: one field */
	wqe->length = (uint32_t)send->length;
	post_fill_target(wqe, qp->type, send);
	post_fill_data(wqe, wr);
	if (MUTANT_ANY())
		post_spoil_send(qp, wqe, send);
	if (qp->state == IBV_QPS_ERR || qp->state == IBV_QPS_SQE)
		post_flush_late(qp, send);
}

void post_start(struct soft_qp *qp)
{
	struct sd_qp_mutants *m = &qp->world.qp.mutants;

	if (MUTANT_ON(D48))
		m->hidden = ++m->posts % mutant_param(MUTANT_D48) == 0 &&
			    mutant_note(MUTANT_D48);
	if (MUTANT_ACTS(M45, qp->world.qp.req.rnr_deadline_ns > 0))
		qp->world.qp.req.rnr_deadline_ns = 0;
	adapter_post(qp->context->adapter, &qp->world);
}

/* R01: @wr as it is taken, behind @before of its list. */
static MUTANT_COLD const struct ibv_send_wr *
post_stale(const struct ibv_send_wr *wr, const struct ibv_send_wr *before,
	   struct ibv_send_wr *stale)
{
	if (!before || wr->num_sge || operation_is_local(wr->opcode) ||
	    operation_is_fetch(wr->opcode) || !before->num_sge)
		return wr;
	mutant_note(MUTANT_R01);
	*stale = *wr;
	stale->send_flags &= ~(unsigned)IBV_SEND_INLINE;
	stale->send_flags |= before->send_flags & IBV_SEND_INLINE;
	stale->sg_list = before->sg_list;
	stale->num_sge = before->num_sge;
	return stale;
}

/* R11: one entry is never used. */
static bool post_full(const struct ring *ring, uint32_t count)
{
	return ring_room(ring) < count ||
	       (ring_room(ring) == count && MUTANT_ACTS(R11, ring->size > 1));
}

bool post_room(const struct soft_qp *qp, uint32_t count)
{
	return !post_full(&qp->world.qp.sq, count);
}

/* D99: datagrams of one list, by one handle, to several queue pairs. */
static MUTANT_COLD bool post_same_way(const struct soft_qp *qp,
				      const struct ibv_send_wr *before,
				      const struct ibv_send_wr *wr)
{
	return before && qp->world.qp.type == IBV_QPT_UD &&
	       before->wr.ud.ah == wr->wr.ud.ah &&
	       before->wr.ud.remote_qpn != wr->wr.ud.remote_qpn;
}

static int post_send_list(struct soft_qp *qp, struct ibv_send_wr *wr,
			  enum sd_mr_kind kind, struct ibv_send_wr **bad_wr)
{
	struct sd_adapter *adapter = qp->context->adapter;
	const struct ibv_send_wr *before = NULL;
	struct ibv_send_wr stale;
	uint32_t count = 0;
	int err = 0;

	sd_adapter_lock(adapter);
	for (; wr; before = wr, wr = wr->next) {
		const struct ibv_send_wr *taken = wr;
		struct post_send send = { .later = before };

		if (MUTANT_ON(R01))
			taken = post_stale(wr, before, &stale);
		err = post_judge_send(qp, taken, kind, &send);
		if (MUTANT_ACTS(D99, !err && post_same_way(qp, before, wr)))
			send.path.qpn = before->wr.ud.remote_qpn;
		if (MUTANT_ACTS(M51, !err && !post_room(qp, 1) &&
					     qp->world.qp.sq.tail > 0)) {
			before = wr;
			continue;
		}
		if (!err && !post_room(qp, 1))
			err = ENOMEM;
		if (err && MUTANT_ACTS(M40, err == EINVAL && before)) {
			err = 0;
			break;
		}
		if (err) {
			*bad_wr = wr;
			break;
		}
		post_queue_send(qp, &send);
		count++;
	}
	if (count >= 256 && MUTANT_ACTS(D47, qp->world.qp.sq.count >= 256))
		qp->world.qp.sq.count -= 256;
	if (!MUTANT_ACTS(D69, err && count > 0))
		post_start(qp);
	sd_adapter_unlock(adapter);
	return err;
}

int soft_post_send(struct ibv_qp *verbs, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr)
{
	return post_send_list(soft_qp_cast(verbs), wr, SD_MR_WINDOW_2, bad_wr);
}

/* The window's key changes with each binding, and the new one is the
 * application's to tell as soon as this returns. */
int soft_bind_mw(struct ibv_qp *verbs, struct ibv_mw *mw,
		 struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = { .mw = mw,
			     .rkey = ibv_inc_rkey(mw->rkey),
			     .bind_info = bind->bind_info },
	};
	struct ibv_send_wr *bad;
	int err =
		post_send_list(soft_qp_cast(verbs), &wr, SD_MR_WINDOW_1, &bad);

	if (!err)
		mw->rkey = wr.bind_mw.rkey;
	return err;
}

int post_judge_recv(const struct ibv_recv_wr *wr, uint32_t max_sge,
		    const struct ring *ring, uint64_t *length)
{
	int err;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > max_sge)
		return EINVAL;
	if ((err = post_length(wr->sg_list, wr->num_sge, length)))
		return err;
	return ring_room(ring) ? 0 : ENOMEM;
}

static MUTANT_COLD void post_spoil_recv(struct sd_recv_wqe *wqe)
{
	for (int i = 0; i < wqe->num_sge; i++) {
		uint32_t length = wqe->sge[i].length % 65536;

		if (!MUTANT_ACTS(R02, length != wqe->sge[i].length))
			continue;
		wqe->length -= wqe->sge[i].length - length;
		wqe->sge[i].length = length;
	}
	if (MUTANT_ON(D03) && wqe->num_sge > 1) {
		uint64_t product = (uint64_t)wqe->num_sge * wqe->sge[0].length;

		if (MUTANT_ACTS(D03, product != wqe->length))
			wqe->length = product;
	}
}

void post_fill_recv(struct sd_recv_wqe *wqe, const struct ibv_recv_wr *wr,
		    uint64_t length)
{
	wqe->wr_id = wr->wr_id;
	wqe->length = length;
	wqe->num_sge = wr->num_sge;
	if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list,
		       (size_t)wr->num_sge * sizeof(wqe->sge[0]));
	if (MUTANT_ANY())
		post_spoil_recv(wqe);
}

static int post_recv_one(struct sd_qp *qp, const struct ibv_recv_wr *wr)
{
	uint64_t length;
	int err;

	/* With an SRQ, there is no other receive queue. */
	if (qp->state == IBV_QPS_RESET || qp->srq ||
	    MUTANT_ACTS(D22, qp->state == IBV_QPS_ERR))
		return EINVAL;
	err = post_judge_recv(wr, qp->cap.max_recv_sge, &qp->rq, &length);
	if (err)
		return err;
	if (qp->state == IBV_QPS_ERR) {
		if (!MUTANT_ACTS(M22, true))
			qp_complete_recv_error(qp, wr->wr_id,
					       IBV_WC_WR_FLUSH_ERR);
	} else {
		post_fill_recv(&qp->rq_wqe[ring_push(&qp->rq)], wr, length);
	}
	return 0;
}

int soft_post_recv(struct ibv_qp *verbs, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad_wr)
{
	struct soft_qp *soft = soft_qp_cast(verbs);
	struct sd_adapter *adapter = soft->context->adapter;
	int err = 0;

	sd_adapter_lock(adapter);
	for (; wr; wr = wr->next) {
		err = post_recv_one(&soft->world.qp, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	sd_adapter_unlock(adapter);
	return err;
}
