// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/answer.h"
#include "device/mutant/mutant.h"

#include <assert.h>

static struct sd_answer *answer_last(struct sd_qp *qp)
{
	struct sd_responder *resp = &qp->resp;

	if (resp->answer_ring.count == 0)
		return NULL;
	return &qp->answers[ring_at(&resp->answer_ring,
				    resp->answer_ring.count - 1)];
}

bool answer_room(const struct sd_qp *qp)
{
	return ring_room(&qp->resp.answer_ring) > 1;
}

/* The last place is kept for acknowledgements, which replace one another. */
static struct sd_answer *answer_push(struct sd_qp *qp)
{
	return &qp->answers[ring_push(&qp->resp.answer_ring)];
}

static void answer_single(struct sd_qp *qp, uint8_t syndrome, struct psn psn)
{
	struct sd_answer *last = answer_last(qp);
	bool replaces = last && last->kind == SD_ANSWER_ACK &&
			(last->syndrome & WIRE_AETH_KIND_MASK) == WIRE_AETH_ACK;

	if (!replaces && ring_room(&qp->resp.answer_ring) == 0)
		return; /* the peer will ask again */
	*(replaces ? last : answer_push(qp)) = (struct sd_answer){
		.kind = SD_ANSWER_ACK,
		.psn = psn,
		.syndrome = syndrome,
		.msn = qp->resp.msn,
	};
}

void answer_ack(struct sd_qp *qp)
{
	answer_single(qp, WIRE_AETH_ACK_UNLIMITED,
		      psn_add(qp->resp.expected, PSN_MASK));
}

void answer_nak(struct sd_qp *qp, uint8_t syndrome, struct psn psn)
{
	answer_single(qp, syndrome, psn);
}

bool answer_read(struct sd_qp *qp, const struct wire_packet *request)
{
	if (!answer_room(qp))
		return false;
	*answer_push(qp) = (struct sd_answer){
		.kind = SD_ANSWER_READ,
		.psn = request->psn,
		.syndrome = WIRE_AETH_ACK_UNLIMITED,
		.msn = qp->resp.msn,
		.rkey = request->reth.rkey,
		.va = request->reth.va,
		.left = request->reth.length,
		.first = true,
	};
	return true;
}

bool answer_atomic(struct sd_qp *qp, struct psn psn, uint64_t before)
{
	if (!answer_room(qp))
		return false;
	*answer_push(qp) = (struct sd_answer){
		.kind = SD_ANSWER_ATOMIC,
		.psn = psn,
		.syndrome = WIRE_AETH_ACK_UNLIMITED,
		.msn = qp->resp.msn,
		.before = before,
	};
	return true;
}

void replay_remember(struct sd_qp *qp, const struct wire_packet *request,
		     uint32_t packets, uint64_t before)
{
	struct sd_responder *resp = &qp->resp;
	bool atomic = wire_opcode_is_atomic(request->opcode);

	if (qp->replay_slots == 0)
		return;
	qp->replays[resp->replay_next++ % qp->replay_slots] =
		(struct sd_replay){
			.valid = true,
			.atomic = atomic,
			.psn_first = request->psn,
			.packets = packets,
			.rkey = atomic ? request->atomic.rkey
				       : request->reth.rkey,
			.va = atomic ? request->atomic.va : request->reth.va,
			.length = atomic ? 8 : request->reth.length,
			.before = before,
		};
}

static bool replay_covers(const struct sd_qp *qp, const struct sd_replay *r,
			  const struct wire_packet *request)
{
	uint32_t inside = psn_ahead(r->psn_first, request->psn);
	uint64_t offset;

	if (!r->valid || inside >= r->packets)
		return false;
	if (MUTANT_ACTS(D74, request->psn.v < r->psn_first.v))
		return false;
	if (r->atomic)
		return wire_opcode_is_atomic(request->opcode) &&
		       request->atomic.rkey == r->rkey &&
		       request->atomic.va == r->va;
	offset = (uint64_t)inside * qp->mtu_bytes;
	return wire_opcode_is_read_request(request->opcode) &&
	       request->reth.rkey == r->rkey &&
	       request->reth.va == r->va + offset &&
	       request->reth.length <= r->length - offset;
}

/* D75: an atomic that is not the newest entry. */
static MUTANT_COLD bool replay_is_old(const struct sd_qp *qp, unsigned slot)
{
	unsigned newest = (qp->resp.replay_next - 1) % qp->replay_slots;

	return qp->replays[slot].atomic && slot != newest;
}

const struct sd_replay *replay_find(const struct sd_qp *qp,
				    const struct wire_packet *request)
{
	/* A READ that was asked for in pieces has an entry for each: a
	 * duplicate may reach over several of them. */
	for (unsigned i = 0; i < qp->replay_slots; i++)
		if (replay_covers(qp, &qp->replays[i], request) &&
		    !MUTANT_ACTS(D75, replay_is_old(qp, i)))
			return &qp->replays[i];
	return NULL;
}

void answer_give_room(struct sd_qp *qp, struct sd_answer *answers,
		      uint16_t answer_slots, struct sd_replay *replays,
		      uint16_t replay_slots)
{
	struct sd_responder *resp = &qp->resp;
	struct ring ring = ring_make(answer_slots);
	unsigned from = 0;

	assert(answer_slots >= qp->answer_slots);
	assert(replay_slots >= qp->replay_slots);
	while (resp->answer_ring.count > 0)
		answers[ring_push(&ring)] =
			qp->answers[ring_pop(&resp->answer_ring)];
	if (resp->replay_next > qp->replay_slots)
		from = resp->replay_next - qp->replay_slots;
	for (unsigned i = from; i < resp->replay_next; i++)
		replays[i - from] = qp->replays[i % qp->replay_slots];
	resp->replay_next -= from;
	resp->answer_ring = ring;
	qp->answers = answers;
	qp->answer_slots = answer_slots;
	qp->replays = replays;
	qp->replay_slots = replay_slots;
}

static enum wire_opcode answer_opcode(const struct sd_answer *a, bool last)
{
	switch (a->kind) {
	case SD_ANSWER_READ:
		if (a->first)
			return last ? WIRE_RC_READ_RESP_ONLY
				    : WIRE_RC_READ_RESP_FIRST;
		return last ? WIRE_RC_READ_RESP_LAST : WIRE_RC_READ_RESP_MIDDLE;
	case SD_ANSWER_ATOMIC:
		return WIRE_RC_ATOMIC_ACK;
	default:
		return WIRE_RC_ACK;
	}
}

enum answer_result { ANSWER_SENT, ANSWER_MORE, ANSWER_LATER };

/* Reading may fail half way: the region is judged at every packet, and may
 * have been taken away meanwhile. */
static enum answer_result answer_read_failed(struct sd_qp *qp,
					     struct sd_answer *a)
{
	a->kind = SD_ANSWER_ACK;
	a->syndrome = WIRE_NAK_REMOTE_ACCESS;
	qp->host->ops->event(qp->host, qp, IBV_EVENT_QP_ACCESS_ERR);
	qp_enter_error(qp);
	return ANSWER_MORE;
}

static enum answer_result answer_send_packet(struct sd_qp *qp,
					     struct sd_answer *a)
{
	bool read = a->kind == SD_ANSWER_READ;
	bool last = !read || a->left <= qp->mtu_bytes;
	uint32_t len = !read ? 0 : last ? a->left : qp->mtu_bytes;
	struct wire_packet packet = {
		.opcode = answer_opcode(a, last),
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = qp->attr.dest_qp_num,
		.psn = a->psn,
		.aeth.syndrome = a->syndrome,
		.aeth.msn = a->msn,
		.atomic_ack = a->before,
		.payload_len = len,
	};
	size_t bytes = wire_packet_bytes(&packet);
	uint8_t *at = qp->host->ops->packet_begin(qp->host, qp, NULL, bytes);

	if (!at) {
		qp->host->counters.ack_deferred++;
		return ANSWER_LATER;
	}
	if (len && qp->host->ops->remote_read(
			   qp->host, qp, a->rkey, a->va,
			   wire_packet_payload_at(at, packet.opcode), len))
		return answer_read_failed(qp, a);
	wire_packet_encode(&packet, at);
	qp->host->ops->packet_end(qp->host, bytes);
	a->first = false;
	a->psn = psn_add(a->psn, 1);
	a->va += len;
	a->left -= len;
	return last ? ANSWER_SENT : ANSWER_MORE;
}

bool answer_send(struct sd_qp *qp)
{
	struct sd_responder *resp = &qp->resp;

	while (resp->answer_ring.count > 0) {
		struct sd_answer *a =
			&qp->answers[ring_at(&resp->answer_ring, 0)];
		enum answer_result result = answer_send_packet(qp, a);

		if (result == ANSWER_LATER)
			return false;
		if (result == ANSWER_SENT)
			ring_pop(&resp->answer_ring);
	}
	return true;
}
