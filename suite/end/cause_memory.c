// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the books say of the memory and the addresses that a work request
 * names: may it, or must the device refuse it?  For the diagnosis; nothing in
 * here may end the case.
 */
#include <string.h>

#include "suite/end/ends.h"

/* A region of @end with that key; one that still is before one that was. */
static const struct vb_object *cause_region(const struct vb_end *end,
					    uint32_t key, bool local)
{
	const struct vb_object *o, *gone = NULL;

	for (o = end->objects; o; o = o->next) {
		if (o->kind != END_MR || (local ? o->lkey : o->rkey) != key)
			continue;
		if (!o->gone)
			return o;
		gone = gone ? gone : o;
	}
	return gone;
}

/* Is there a window with that key?  What it allows is not kept here. */
static bool cause_window(const struct vb_end *end, uint32_t key)
{
	const struct vb_object *o;

	for (o = end->objects; o; o = o->next)
		if (o->kind == END_MW && o->rkey == key)
			return true;
	return false;
}

static enum diagnose_key cause_judge(const struct vb_object *mr,
				     const struct vb_object *pd, bool inside,
				     unsigned wanted)
{
	if (!mr)
		return DIAGNOSE_KEY_UNKNOWN;
	if (mr->gone)
		return DIAGNOSE_KEY_GONE;
	if (pd && mr->in_pd && mr->in_pd != pd)
		return DIAGNOSE_KEY_FOREIGN;
	if (!inside)
		return DIAGNOSE_KEY_BEYOND;
	if (mr->access_known && (wanted & ~mr->access))
		return DIAGNOSE_KEY_FORBIDDEN;
	return DIAGNOSE_KEY_FITS;
}

static bool cause_writes(const struct vb_wr *wr)
{
	return !wr->send || wr->op == IBV_WR_RDMA_READ ||
	       wr->op == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wr->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

enum diagnose_key ends_cause_local(const struct vb_wr *wr)
{
	const struct vb_object *own = ends_object_find(wr->end, wr->place.mr);
	const struct vb_object *mr = own;
	bool inside = true;

	if (!own || wr->lkeys_said || wr->place.at_set || !wr->qp)
		return DIAGNOSE_KEY_NOT_KNOWN;
	if (wr->lkey_said)
		mr = cause_region(wr->end, wr->lkey, true);
	if (mr != own)
		inside = mr && mr->memory && mr->memory == own->memory;
	else if (!own->own)
		inside = (uint64_t)wr->place.offset + wr->len <= own->room;
	return cause_judge(mr, wr->srq ? wr->srq->in_pd : wr->qp->pd, inside,
			   cause_writes(wr) ? IBV_ACCESS_LOCAL_WRITE : 0);
}

unsigned ends_cause_right(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_ACCESS_REMOTE_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_ACCESS_REMOTE_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_ACCESS_REMOTE_ATOMIC;
	default:
		return 0;
	}
}

enum diagnose_key ends_cause_remote(const struct vb_wr *wr)
{
	const struct vb_qp *peer = wr->qp ? wr->qp->peer : NULL;
	unsigned wanted = ends_cause_right(wr->op);
	const struct vb_object *mr;
	bool inside;

	if (!wr->send || !wanted || !wr->len || !peer)
		return DIAGNOSE_KEY_NOT_KNOWN;
	if (cause_window(peer->end, wr->rkey))
		return DIAGNOSE_KEY_NOT_KNOWN;
	mr = cause_region(peer->end, wr->rkey, false);
	inside = mr && wr->remote_address >= mr->address &&
		 wr->remote_address - mr->address <= mr->room &&
		 wr->len <= mr->room - (wr->remote_address - mr->address);
	return cause_judge(mr, peer->pd, inside, wanted);
}

/* The last send of @qp. */
static const struct vb_wr *cause_last_send(const struct vb_qp *qp)
{
	const struct vb_wr *wr = qp->wrs;

	while (wr && (!wr->send || wr->refused))
		wr = wr->next;
	return wr;
}

static const struct vb_wr *cause_waiting_receive(const struct vb_qp *qp)
{
	const struct vb_wr *wr, *oldest = NULL;

	for (wr = qp->wrs; wr; wr = wr->next)
		if (!wr->send && !wr->refused && !wr->done)
			oldest = wr;
	return oldest;
}

void ends_cause_datagram(const struct vb_qp *qp, struct diagnose_facts *facts)
{
	const struct vb_wr *recv, *sent;
	const struct vb_object *ah;

	if (qp->type != IBV_QPT_UD || !qp->peer || qp->peer->gone)
		return;
	recv = cause_waiting_receive(qp);
	sent = cause_last_send(qp->peer);
	if (!recv || !sent)
		return;
	ah = ends_object_find(sent->end, sent->ah);
	facts->datagram_known = true;
	facts->qkey_sent = sent->remote_qkey;
	facts->qkey = qp->set.qkey;
	facts->qpn_astray = sent->remote_qpn != qp->qpn;
	facts->ah_astray =
		ah && ah->dgid_known &&
		memcmp(&ah->dgid, &qp->end->opened.gid, sizeof(ah->dgid)) != 0;
	facts->datagram_early = recv->posted_ns > sent->posted_ns;
	facts->message_len = sent->len;
	facts->receive_len = recv->len;
}
