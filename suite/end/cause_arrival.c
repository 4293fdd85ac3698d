// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Has the request that got no answer come to the peer?  What tells requests
 * that are lost from answers that are: its receive there, its bytes in the
 * peer's memory, and how many requests came there again.
 */
#include <string.h>

#include "suite/end/ends.h"

/* Its bytes, whole, where it was to write them. */
static enum diagnose_arrival arrival_written(const struct vb_wr *wr)
{
	const struct region_piece piece = {
		.len = wr->len,
		.kind = REGION_MESSAGE,
		.message = wr->payload,
	};
	struct vb_object *mr = wr->memory ? wr->memory->owner : NULL;
	struct end_region in = { .pieces = &piece, .pieces_count = 1 };
	struct end_region_verified out;

	if (!mr || mr->gone || !wr->len || wr->as_is)
		return DIAGNOSE_ARRIVAL_UNKNOWN;
	in.mr = mr->id;
	in.offset = (uint32_t)wr->memory_at;
	if (mr->end->ops->verify_region(mr->end->host, &in, &out))
		return DIAGNOSE_ARRIVAL_UNKNOWN;
	/* A guard that is broken says nothing about the message. */
	if (!out.good && out.complaint.finding == VB_FIND_GUARD)
		return DIAGNOSE_ARRIVAL_UNKNOWN;
	return out.good ? DIAGNOSE_ARRIVED_IN_MEMORY
			: DIAGNOSE_ASTRAY_IN_MEMORY;
}

/* The n-th message meets the n-th receive; without one it is refused, and says
 * nothing there. */
static enum diagnose_arrival arrival_received(const struct vb_wr *wr,
					      const struct vb_qp *peer,
					      enum diagnose_receive receive)
{
	if (peer->received > wr->number)
		return DIAGNOSE_ARRIVED_AT_RECEIVE;
	if (receive == DIAGNOSE_RECEIVE_READY && !peer->rq_failed)
		return DIAGNOSE_ASTRAY_AT_RECEIVE;
	return DIAGNOSE_ARRIVAL_UNKNOWN;
}

static enum diagnose_arrival arrival_of(const struct vb_qp *qp,
					const struct vb_qp *peer,
					enum diagnose_receive receive)
{
	const struct vb_wr *wr = qp->failure;

	if (!wr || !wr->send || qp->type != IBV_QPT_RC || peer->gone ||
	    peer->peer != qp || peer->generation != qp->remote.generation)
		return DIAGNOSE_ARRIVAL_UNKNOWN;
	if (verbs_wr_takes_recv(wr->op))
		return arrival_received(wr, peer, receive);
	return wr->op == IBV_WR_RDMA_WRITE ? arrival_written(wr)
					   : DIAGNOSE_ARRIVAL_UNKNOWN;
}

void ends_cause_arrival(const struct vb_qp *qp, const struct vb_qp *peer,
			struct diagnose_facts *facts)
{
	struct vb_end *far = qp->ends->end[!qp->end->side];
	unsigned side;

	for (side = 0; side < 2; side++) {
		const struct vb_end *end = qp->ends->end[side];

		facts->port_down |= end && end->port_events[0].came >
						   end->port_events[1].came;
	}
	facts->again_known = far && ends_look_counted(far, "duplicate_request",
						      &facts->again);
	if (peer)
		facts->arrival = arrival_of(qp, peer, facts->receive);
}
