// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two queue pairs between which a stranger stands: the input says what is
 * posted, which packets pass, are lost or are turned, and what is slipped in
 * that neither of them sent.  Whatever it is, every request completes at most
 * once and in its order, and the PSNs keep theirs.
 */
#include <stdlib.h>

#include "device/engine/operation.h"
#include "tests/unit/engine/wire_pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_SEND, FUZZ_RECV, FUZZ_QUEUES, FUZZ_STEPS_MAX = 4096 };

struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

/* Numbers of what was posted last, and completed last. */
struct fuzz_count {
	uint32_t posted[FUZZ_QUEUES];
	uint32_t completed[FUZZ_QUEUES];
};

static struct wire_pair fuzz_pair;
static struct fuzz_count fuzz_counts[2];
static struct sd_srq fuzz_srqs[2];
static struct sd_recv_wqe fuzz_srq_wqe[2][PAIR_DEPTH];
static struct ibv_sge fuzz_srq_sge[2][PAIR_DEPTH][PAIR_SGES];

static void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t fuzz_byte(struct fuzz_input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

static uint32_t fuzz_word(struct fuzz_input *in)
{
	uint32_t high = fuzz_byte(in);

	return high << 8 | fuzz_byte(in);
}

/* Lengths at which things change, and any other. */
static uint32_t fuzz_length(struct fuzz_input *in)
{
	static const uint32_t edges[] = { 0,
					  1,
					  8,
					  PAIR_MTU,
					  PAIR_MTU - 1,
					  PAIR_MTU + 1,
					  PAIR_MTU * 3,
					  PAIR_MTU * 2 };
	uint8_t which = fuzz_byte(in);

	return which < ARRAY_SIZE(edges) ? edges[which] : fuzz_word(in) % 4000;
}

/* Mostly the whole memory's; some that lead out of it, or around it. */
static uint64_t fuzz_address(struct fuzz_input *in)
{
	uint8_t which = fuzz_byte(in);

	if (which == 0)
		return UINT64_MAX - fuzz_byte(in);
	if (which == 1)
		return PAIR_MEMORY - fuzz_byte(in);
	return fuzz_word(in) & (which & 1 ? 0xfff8 : 0xffff);
}

/* Of the data that the input is at; no two messages are alike. */
static void fuzz_post_recv(struct pair_end *e, struct fuzz_input *in)
{
	struct sd_srq *srq = e->qp.srq;
	struct ring *ring = srq ? &srq->ring : &e->qp.rq;
	struct sd_recv_wqe *wqe;

	if (ring_room(ring) == 0 || (e->qp.state == IBV_QPS_RESET && !srq))
		return;
	wqe = (srq ? srq->wqe : e->qp.rq_wqe) + ring_push(ring);
	wqe->wr_id = (uint64_t)FUZZ_RECV << 32 |
		     ++fuzz_counts[e->index].posted[FUZZ_RECV];
	wqe->num_sge = fuzz_byte(in) % (PAIR_SGES + 1);
	wqe->length = 0;
	for (int i = 0; i < wqe->num_sge; i++) {
		wqe->sge[i].addr = fuzz_address(in);
		wqe->sge[i].length = fuzz_length(in);
		wqe->length += wqe->sge[i].length;
	}
	if (e->qp.state == IBV_QPS_ERR && !srq)
		qp_enter_error(&e->qp);
}

/* What the front would let through, for this type of queue pair. */
static void fuzz_fill_send(struct sd_qp *qp, struct sd_send_wqe *wqe,
			   struct fuzz_input *in)
{
	uint32_t length_max = qp->type == IBV_QPT_UD ? PAIR_MTU : 4000;

	wqe->num_sge = 1;
	wqe->length = fuzz_length(in) % (length_max + 1);
	if (operation_is_atomic(wqe->opcode))
		wqe->length = 8;
	if (operation_is_local(wqe->opcode)) {
		wqe->length = 0;
		wqe->num_sge = 0;
		wqe->bind = (struct sd_bind){ .rkey = PAIR_RKEY, .length = 8 };
		return;
	}
	wqe->sge[0] = (struct ibv_sge){ .addr = fuzz_address(in),
					.length = wqe->length };
	if (qp->type == IBV_QPT_UD) {
		wqe->path.qpn = qp->attr.dest_qp_num;
		wqe->path.qkey = qp->attr.qkey;
		return;
	}
	wqe->is_inline = wqe->length <= 64 && fuzz_byte(in) % 2 &&
			 !operation_is_fetch(wqe->opcode);
	wqe->remote.va = fuzz_address(in);
	wqe->remote.rkey = fuzz_byte(in) ? PAIR_RKEY : PAIR_RKEY + 1;
}

static void fuzz_post_send(struct pair_end *e, struct fuzz_input *in)
{
	enum ibv_wr_opcode op = fuzz_byte(in) % (IBV_WR_SEND_WITH_INV + 1);
	struct sd_send_wqe *wqe;

	if (ring_room(&e->qp.sq) == 0 || !operation_allowed(op, e->qp.type) ||
	    (e->qp.state != IBV_QPS_RTS && e->qp.state != IBV_QPS_SQD))
		return;
	wqe = &e->qp.sq_wqe[ring_push(&e->qp.sq)];
	*wqe = (struct sd_send_wqe){
		.wr_id = (uint64_t)FUZZ_SEND << 32 |
			 ++fuzz_counts[e->index].posted[FUZZ_SEND],
		.opcode = op,
		.signaled = true,
		.solicited = true,
		.fence = fuzz_byte(in) % 4 == 0,
		.imm = fuzz_byte(in) ? PAIR_RKEY : 1,
		.sge = wqe->sge,
		.inline_data = wqe->inline_data,
	};
	fuzz_fill_send(&e->qp, wqe, in);
}

/* As the world does it: silence is the answer to what is not for this one. */
static void fuzz_give(struct pair_end *e, const uint8_t *bytes, size_t len)
{
	static const uint8_t header[40] = { 0x60 };
	static const enum wire_transport speaks[] = {
		[IBV_QPT_RC] = WIRE_RC,
		[IBV_QPT_UC] = WIRE_UC,
		[IBV_QPT_UD] = WIRE_UD,
	};
	uint8_t *exact = malloc(len ? len : 1);
	struct wire_packet packet;
	struct sd_qp *qp = &e->qp;

	fuzz_require(exact);
	memcpy(exact, bytes, len);
	if (wire_packet_decode(exact, len, &packet) == WIRE_DECODE_OK &&
	    wire_opcode_transport(packet.opcode) == speaks[qp->type] &&
	    qp->state >= IBV_QPS_RTR && qp->state != IBV_QPS_ERR &&
	    !(wire_opcode_is_request(packet.opcode) && qp_busy(qp))) {
		qp_receive(qp, &packet, header, fuzz_pair.now_ns);
		answer_send(qp);
	}
	free(exact);
}

/* The oldest packet on its way: it passes, is lost, or one bit of it turns
 * that no checksum finds. */
static void fuzz_deliver(struct fuzz_input *in)
{
	struct wire_pair *p = &fuzz_pair;
	struct pair_packet packet;
	uint8_t fate = fuzz_byte(in);

	if (p->head == p->tail)
		return;
	packet = p->packets[p->head++ % PAIR_PACKETS];
	if (fate == 0)
		return;
	if (fate == 1)
		packet.bytes[fuzz_byte(in) % packet.len] ^=
			1 << fuzz_byte(in) % 8;
	fuzz_give(&p->end[packet.to], packet.bytes, packet.len);
	if (fate == 2)
		fuzz_give(&p->end[packet.to], packet.bytes, packet.len);
}

/* The number that the packet needs to be looked at, or one near it. */
static struct psn fuzz_psn(const struct sd_qp *qp, enum wire_opcode op,
			   struct fuzz_input *in)
{
	struct psn about = wire_opcode_is_request(op) ? qp->resp.expected
						      : qp->req.unacked;
	uint8_t off = fuzz_byte(in);

	if (off == 0x80)
		return psn_make(about.v ^ 0x800000);
	return psn_add(about, (uint32_t)(int8_t)off & PSN_MASK);
}

static void fuzz_inject(struct pair_end *e, struct fuzz_input *in)
{
	static const uint8_t payload[PAIR_MTU * 2];
	uint8_t bytes[WIRE_HEADERS_MAX + sizeof(payload) + 8];
	enum wire_opcode op = (enum wire_opcode)fuzz_byte(in);
	struct wire_packet packet = {
		.opcode = op,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = e->qp.qpn,
		.payload = payload,
	};
	uint8_t flags = fuzz_byte(in);
	size_t len;

	if (!wire_opcode_known(op))
		return;
	packet.psn = fuzz_psn(&e->qp, op, in);
	packet.ack_request = flags & 1;
	packet.solicited = flags & 2;
	packet.reth.va = packet.atomic.va = fuzz_address(in);
	packet.reth.rkey = packet.atomic.rkey = PAIR_RKEY + !!(flags & 4);
	packet.reth.length = flags & 8 ? UINT32_MAX - flags : fuzz_length(in);
	packet.ieth_rkey = PAIR_RKEY;
	packet.deth.qkey = e->qp.attr.qkey + !!(flags & 16);
	packet.aeth.syndrome = fuzz_byte(in);
	if (wire_opcode_has_payload(op))
		packet.payload_len =
			fuzz_length(in) % (uint32_t)(sizeof(payload) + 1);
	len = wire_packet_encode(&packet, bytes);
	/* Pad that the length does not need. */
	if (flags & 32)
		bytes[1] ^= 0x30;
	fuzz_give(e, bytes, len);
}

static void fuzz_raw(struct pair_end *e, struct fuzz_input *in)
{
	size_t len = fuzz_byte(in);

	if (len > in->left)
		len = in->left;
	fuzz_give(e, in->at, len);
	in->at += len;
	in->left -= len;
}

static void fuzz_time(struct fuzz_input *in)
{
	fuzz_pair.now_ns += UINT64_C(1) << fuzz_byte(in) % 34;
	for (int i = 0; i < 2; i++) {
		struct pair_end *e = &fuzz_pair.end[i];

		if (e->deadline_ns && e->deadline_ns <= fuzz_pair.now_ns)
			qp_timer(&e->qp, fuzz_pair.now_ns);
	}
}

static void fuzz_connect(struct pair_end *e)
{
	struct ibv_qp_attr attr = pair_attr();
	unsigned rtr = PAIR_RTR_MASK, rts = PAIR_RTS_MASK;
	unsigned init = PAIR_INIT_MASK;

	attr.dest_qp_num = fuzz_pair.end[!e->index].qp.qpn;
	attr.qkey = 77;
	if (e->qp.type != IBV_QPT_RC) {
		rtr &= ~(unsigned)(IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER);
		rts = IBV_QP_STATE | IBV_QP_SQ_PSN;
	}
	if (e->qp.type == IBV_QPT_UD) {
		init = IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
		       IBV_QP_QKEY;
		rtr = IBV_QP_STATE;
	}
	pair_modify(e, IBV_QPS_INIT, attr, init);
	pair_modify(e, IBV_QPS_RTR, attr, rtr);
	pair_modify(e, IBV_QPS_RTS, attr, rts);
}

static void fuzz_modify(struct pair_end *e, struct fuzz_input *in)
{
	static const enum ibv_qp_state states[] = {
		IBV_QPS_ERR,
		IBV_QPS_SQD,
		IBV_QPS_RTS,
		IBV_QPS_RESET,
	};
	struct ibv_qp_attr attr = pair_attr();
	struct fuzz_count *c = &fuzz_counts[e->index];

	attr.qp_state = states[fuzz_byte(in) % ARRAY_SIZE(states)];
	if (qp_state_modify(&e->qp, &attr, IBV_QP_STATE, &pair_limits) ||
	    attr.qp_state != IBV_QPS_RESET)
		return;
	/* What was posted is forgotten, but for what others may still take. */
	c->completed[FUZZ_SEND] = c->posted[FUZZ_SEND];
	c->completed[FUZZ_RECV] = c->posted[FUZZ_RECV];
	if (e->qp.srq)
		c->completed[FUZZ_RECV] -= e->qp.srq->ring.count;
	fuzz_connect(e);
}

static void fuzz_check(struct pair_end *e)
{
	struct fuzz_count *c = &fuzz_counts[e->index];
	const struct sd_requester *req = &e->qp.req;

	for (unsigned i = 0; i < e->cqe_count; i++) {
		uint64_t wr_id = e->cqes[i].wc.wr_id;

		fuzz_require(wr_id >> 32 < FUZZ_QUEUES);
		fuzz_require((uint32_t)wr_id == ++c->completed[wr_id >> 32]);
		fuzz_require((uint32_t)wr_id <= c->posted[wr_id >> 32]);
	}
	e->cqe_count = 0;
	e->event_count = 0;
	fuzz_require(req->cursor <= e->qp.sq.count);
	if (e->qp.state == IBV_QPS_RTS || e->qp.state == IBV_QPS_SQD) {
		fuzz_require(psn_cmp(req->unacked, req->next) <= 0);
		fuzz_require(psn_cmp(req->next, req->sent) <= 0);
		fuzz_require(psn_cmp(req->sent, req->fresh) <= 0);
	}
}

static void fuzz_step(struct fuzz_input *in)
{
	uint8_t what = fuzz_byte(in);
	struct pair_end *e = &fuzz_pair.end[what >> 7];

	switch (what & 7) {
	case 0:
		fuzz_post_recv(e, in);
		break;
	case 1:
		fuzz_post_send(e, in);
		break;
	case 2:
		e->link_full = what & 64;
		requester_run(&e->qp, 8, fuzz_pair.now_ns);
		answer_send(&e->qp);
		break;
	case 3:
		fuzz_deliver(in);
		break;
	case 4:
	case 5:
		fuzz_inject(e, in);
		break;
	case 6:
		if (what & 64)
			fuzz_raw(e, in);
		else
			fuzz_modify(e, in);
		break;
	case 7:
		fuzz_time(in);
		break;
	}
	fuzz_check(&fuzz_pair.end[0]);
	fuzz_check(&fuzz_pair.end[1]);
}

static void fuzz_begin(uint8_t how)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_RC,
						  IBV_QPT_UC, IBV_QPT_UD };
	struct wire_pair *p = &fuzz_pair;

	qp_state_init();
	memset(p->end, 0, sizeof(p->end));
	memset(fuzz_counts, 0, sizeof(fuzz_counts));
	p->now_ns = 1000000;
	p->head = p->tail = 0;
	for (int i = 0; i < 2; i++) {
		struct pair_end *e = &p->end[i];

		pair_init_end(p, i);
		e->qp.type = types[how % ARRAY_SIZE(types)];
		e->bad_from = PAIR_MEMORY / 2;
		e->bad_to = PAIR_MEMORY / 2 + 512;
		fuzz_srqs[i] = (struct sd_srq){ .ring = ring_make(PAIR_DEPTH),
						.limit = 3,
						.wqe = fuzz_srq_wqe[i] };
		for (int n = 0; n < PAIR_DEPTH; n++)
			fuzz_srq_wqe[i][n].sge = fuzz_srq_sge[i][n];
		if (how & 4)
			e->qp.srq = &fuzz_srqs[i];
	}
	fuzz_connect(&p->end[0]);
	fuzz_connect(&p->end[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .at = data, .left = size };

	fuzz_begin(fuzz_byte(&in));
	for (int i = 0; i < FUZZ_STEPS_MAX && in.left > 0; i++)
		fuzz_step(&in);
	return 0;
}
