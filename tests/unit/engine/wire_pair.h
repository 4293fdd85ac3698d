/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two queue pairs on a table: packets lie in a queue between them until the
 * test lets them pass, time is a variable, memory is two arrays.  What the
 * engines do here they do in the adapter, without an adapter.
 */
#ifndef TESTS_WIRE_PAIR_H
#define TESTS_WIRE_PAIR_H

#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "device/engine/answer.h"
#include "device/engine/qp_state.h"
#include "device/engine/requester.h"
#include "device/engine/retry.h"

enum {
	PAIR_DEPTH = 16,
	PAIR_MEMORY = 1 << 16,
	PAIR_PACKETS = 4096,
	PAIR_MTU = 256,
	PAIR_SGES = 4,
	PAIR_RKEY = 0x5eed,
	PAIR_ACCESS = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		      IBV_ACCESS_REMOTE_ATOMIC,
};

struct pair_packet {
	int to; /* 0 or 1 */
	size_t len;
	uint8_t bytes[WIRE_HEADERS_MAX + PAIR_MTU + WIRE_ICRC_BYTES];
};

struct pair_end {
	struct sd_host host; /* first */
	struct sd_qp qp;
	int index;
	struct wire_pair *pair;
	uint8_t memory[PAIR_MEMORY];
	uint64_t bad_from, bad_to; /* addresses that cannot be accessed */
	struct sd_cqe cqes[1024];
	unsigned cqe_count;
	enum ibv_event_type events[64];
	unsigned event_count;
	uint64_t deadline_ns;
	bool link_full;
	uint32_t invalidated, bound;
	unsigned srq_limits;
	struct sd_send_wqe sq[PAIR_DEPTH];
	struct sd_recv_wqe rq[PAIR_DEPTH];
	struct ibv_sge sges[2 * PAIR_DEPTH][PAIR_SGES];
	struct ibv_sge recv_sge[PAIR_SGES];
	struct sd_answer answers[2 * SD_RD_ATOMIC_MAX + 4];
	struct sd_replay replays[SD_RD_ATOMIC_MAX];
	uint8_t inlines[PAIR_DEPTH][64];
};

struct wire_pair {
	struct pair_end end[2];
	uint64_t now_ns;
	struct pair_packet packets[PAIR_PACKETS]; /* a queue, head to tail */
	unsigned head, tail;
	unsigned sent; /* packets ever put on the wire */
	/* Asked for each packet about to be delivered: false loses it. */
	bool (*passes)(struct wire_pair *p, const struct pair_packet *packet,
		       const struct wire_packet *decoded);
	unsigned delivered;
	uint64_t user;
};

static inline struct pair_end *pair_end_of(struct sd_host *h)
{
	return container_of(h, struct pair_end, host);
}

static inline uint8_t *pair_packet_begin(struct sd_host *h, struct sd_qp *qp,
					 const struct sd_datagram_path *path,
					 size_t len_max)
{
	struct pair_end *e = pair_end_of(h);
	struct wire_pair *p = e->pair;

	(void)qp;
	(void)path;
	assert_true(len_max <= sizeof(p->packets[0].bytes));
	if (e->link_full || p->tail - p->head == PAIR_PACKETS)
		return NULL;
	return p->packets[p->tail % PAIR_PACKETS].bytes;
}

static inline void pair_packet_end(struct sd_host *h, size_t len)
{
	struct pair_end *e = pair_end_of(h);
	struct pair_packet *packet =
		&e->pair->packets[e->pair->tail++ % PAIR_PACKETS];

	packet->to = !e->index;
	packet->len = len;
	e->pair->sent++;
}

static inline bool pair_accessible(const struct pair_end *e, uint64_t from,
				   uint64_t len)
{
	return from <= PAIR_MEMORY && len <= PAIR_MEMORY - from &&
	       (from + len <= e->bad_from || from >= e->bad_to);
}

static inline enum ibv_wc_status
pair_move(struct pair_end *e, const struct ibv_sge *sge, int num_sge,
	  uint64_t offset, uint8_t *bytes, size_t len, bool write)
{
	for (int i = 0; i < num_sge; i++) {
		for (uint64_t at = 0; at < sge[i].length; at++) {
			uint64_t a = sge[i].addr + at;

			if (offset > 0) {
				offset--;
				continue;
			}
			if (len == 0)
				return IBV_WC_SUCCESS;
			if (!pair_accessible(e, a, 1))
				return IBV_WC_LOC_PROT_ERR;
			if (write)
				e->memory[a] = *bytes++;
			else
				*bytes++ = e->memory[a];
			len--;
		}
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

static inline enum ibv_wc_status pair_gather(struct sd_host *h, const void *pd,
					     const struct ibv_sge *sge,
					     int num_sge, uint64_t offset,
					     void *to, size_t len)
{
	(void)pd;
	return pair_move(pair_end_of(h), sge, num_sge, offset, to, len, false);
}

static inline enum ibv_wc_status pair_scatter(struct sd_host *h, const void *pd,
					      const struct ibv_sge *sge,
					      int num_sge, uint64_t offset,
					      const void *from, size_t len)
{
	(void)pd;
	return pair_move(pair_end_of(h), sge, num_sge, offset, (void *)from,
			 len, true);
}

/* One key, PAIR_RKEY, for all of the memory. */
static inline int pair_remote_check(struct sd_host *h, struct sd_qp *qp,
				    uint32_t rkey, uint64_t va, uint64_t len,
				    int access)
{
	(void)qp;
	(void)access;
	return rkey == PAIR_RKEY && pair_accessible(pair_end_of(h), va, len)
		       ? 0
		       : -EACCES;
}

static inline int pair_remote_write(struct sd_host *h, struct sd_qp *qp,
				    uint32_t rkey, uint64_t va,
				    const void *from, size_t len)
{
	if (pair_remote_check(h, qp, rkey, va, len, 0))
		return -EACCES;
	memcpy(pair_end_of(h)->memory + va, from, len);
	return 0;
}

static inline int pair_remote_read(struct sd_host *h, struct sd_qp *qp,
				   uint32_t rkey, uint64_t va, void *to,
				   size_t len)
{
	if (pair_remote_check(h, qp, rkey, va, len, 0))
		return -EACCES;
	memcpy(to, pair_end_of(h)->memory + va, len);
	return 0;
}

static inline int pair_remote_atomic(struct sd_host *h, struct sd_qp *qp,
				     const struct wire_packet *request,
				     uint64_t *before)
{
	struct pair_end *e = pair_end_of(h);
	uint64_t va = request->atomic.va, now;

	if (pair_remote_check(h, qp, request->atomic.rkey, va, 8, 0))
		return -EACCES;
	memcpy(before, e->memory + va, 8);
	now = *before + request->atomic.swap_add;
	if (request->opcode == WIRE_RC_COMPARE_SWAP)
		now = *before == request->atomic.compare
			      ? request->atomic.swap_add
			      : *before;
	memcpy(e->memory + va, &now, 8);
	return 0;
}

static inline int pair_invalidate(struct sd_host *h, struct sd_qp *qp,
				  uint32_t rkey)
{
	(void)qp;
	pair_end_of(h)->invalidated = rkey;
	return rkey == PAIR_RKEY ? 0 : -EINVAL;
}

static inline int pair_bind(struct sd_host *h, struct sd_qp *qp,
			    const struct sd_bind *bind)
{
	(void)qp;
	pair_end_of(h)->bound = bind->rkey;
	return bind->length ? 0 : -EINVAL;
}

static inline void pair_srq_limit(struct sd_host *h, struct sd_qp *qp)
{
	(void)qp;
	pair_end_of(h)->srq_limits++;
}

static inline void pair_complete(struct sd_host *h, struct sd_cq *cq,
				 const struct sd_cqe *cqe)
{
	struct pair_end *e = pair_end_of(h);

	(void)cq;
	assert_true(e->cqe_count < ARRAY_SIZE(e->cqes));
	e->cqes[e->cqe_count++] = *cqe;
}

static inline void pair_event(struct sd_host *h, struct sd_qp *qp,
			      enum ibv_event_type type)
{
	struct pair_end *e = pair_end_of(h);

	(void)qp;
	assert_true(e->event_count < ARRAY_SIZE(e->events));
	e->events[e->event_count++] = type;
}

static inline void pair_timer(struct sd_host *h, struct sd_qp *qp,
			      uint64_t deadline_ns)
{
	(void)qp;
	pair_end_of(h)->deadline_ns = deadline_ns;
}

static inline void pair_wake(struct sd_host *h, struct sd_qp *qp)
{
	(void)h;
	(void)qp;
}

static const struct sd_host_ops pair_ops = {
	.packet_begin = pair_packet_begin,
	.packet_end = pair_packet_end,
	.gather = pair_gather,
	.scatter = pair_scatter,
	.remote_check = pair_remote_check,
	.remote_write = pair_remote_write,
	.remote_read = pair_remote_read,
	.remote_atomic = pair_remote_atomic,
	.invalidate = pair_invalidate,
	.bind = pair_bind,
	.srq_limit = pair_srq_limit,
	.complete = pair_complete,
	.event = pair_event,
	.timer = pair_timer,
	.wake = pair_wake,
};

static const struct sd_port_limits pair_limits = {
	.ports = 1,
	.gid_entries_valid = 1,
	.pkey_entries = 1,
	.mtu_max = IBV_MTU_4096,
	.rd_atomic_max = 16,
};

static inline void pair_init_end(struct wire_pair *p, int index)
{
	struct pair_end *e = &p->end[index];

	e->index = index;
	e->pair = p;
	e->host.ops = &pair_ops;
	e->qp.host = &e->host;
	e->qp.qpn = 0x100 + (uint32_t)index;
	e->qp.type = IBV_QPT_RC;
	e->qp.sq = ring_make(PAIR_DEPTH);
	e->qp.rq = ring_make(PAIR_DEPTH);
	e->qp.sq_wqe = e->sq;
	e->qp.rq_wqe = e->rq;
	for (int i = 0; i < PAIR_DEPTH; i++) {
		e->sq[i].sge = e->sges[i];
		e->rq[i].sge = e->sges[PAIR_DEPTH + i];
		e->sq[i].inline_data = e->inlines[i];
	}
	e->qp.recv_sge = e->recv_sge;
	answer_give_room(&e->qp, e->answers, ARRAY_SIZE(e->answers), e->replays,
			 ARRAY_SIZE(e->replays));
	qp_reset(&e->qp);
}

#define PAIR_INIT_MASK \
	(IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS)
#define PAIR_RTR_MASK                                                   \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define PAIR_RTS_MASK                                                          \
	(IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
	 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)

/* What a pair is connected with; the tests change what they are about. */
static inline struct ibv_qp_attr pair_attr(void)
{
	return (struct ibv_qp_attr){
		.port_num = 1,
		.path_mtu = IBV_MTU_256,
		.ah_attr = { .is_global = 1, .port_num = 1 },
		.rq_psn = 0xfffffe, /* the wrap is met by every test */
		.sq_psn = 0xfffffe,
		.min_rnr_timer = 12,
		.timeout = 10,
		.retry_cnt = 3,
		.rnr_retry = 3,
		.qp_access_flags = PAIR_ACCESS,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
	};
}

static inline void pair_modify(struct pair_end *e, enum ibv_qp_state to,
			       struct ibv_qp_attr attr, unsigned mask)
{
	attr.qp_state = to;
	assert_int_equal(qp_state_modify(&e->qp, &attr, mask, &pair_limits), 0);
}

static inline void pair_connect(struct pair_end *e, struct ibv_qp_attr attr)
{
	attr.dest_qp_num = 0x100 + (uint32_t)!e->index;
	pair_modify(e, IBV_QPS_INIT, attr, PAIR_INIT_MASK);
	pair_modify(e, IBV_QPS_RTR, attr, PAIR_RTR_MASK);
	pair_modify(e, IBV_QPS_RTS, attr, PAIR_RTS_MASK);
}

/* Both ends in RTS with @attr. */
static inline struct wire_pair *pair_new(struct ibv_qp_attr attr)
{
	struct wire_pair *p = test_calloc(1, sizeof(*p));

	qp_state_init();
	p->now_ns = 1000000;
	for (int i = 0; i < 2; i++) {
		pair_init_end(p, i);
		pair_connect(&p->end[i], attr);
	}
	return p;
}

static inline void pair_free(struct wire_pair *p)
{
	test_free(p);
}

static inline struct sd_send_wqe *pair_send(struct pair_end *e, uint64_t wr_id,
					    uint64_t addr, uint32_t len)
{
	struct sd_send_wqe *wqe = &e->qp.sq_wqe[ring_push(&e->qp.sq)];

	*wqe = (struct sd_send_wqe){
		.wr_id = wr_id,
		.opcode = IBV_WR_SEND,
		.signaled = true,
		.length = len,
		.num_sge = 1,
		.sge = wqe->sge,
		.inline_data = wqe->inline_data,
	};
	wqe->sge[0] = (struct ibv_sge){ .addr = addr, .length = len };
	return wqe;
}

static inline void pair_recv(struct pair_end *e, uint64_t wr_id, uint64_t addr,
			     uint32_t len)
{
	struct sd_recv_wqe *wqe = &e->qp.rq_wqe[ring_push(&e->qp.rq)];

	wqe->wr_id = wr_id;
	wqe->length = len;
	wqe->num_sge = 1;
	wqe->sge[0] = (struct ibv_sge){ .addr = addr, .length = len };
}

static inline void pair_deliver(struct wire_pair *p)
{
	struct pair_packet packet = p->packets[p->head++ % PAIR_PACKETS];
	struct wire_packet decoded;

	assert_int_equal(wire_packet_decode(packet.bytes, packet.len, &decoded),
			 WIRE_DECODE_OK);
	if (p->passes && !p->passes(p, &packet, &decoded))
		return;
	p->delivered++;
	assert_int_equal(decoded.dest_qpn, p->end[packet.to].qp.qpn);
	qp_receive(&p->end[packet.to].qp, &decoded, NULL, p->now_ns);
	answer_send(&p->end[packet.to].qp);
}

/* Run until nothing moves without time passing. */
static inline void pair_settle(struct wire_pair *p)
{
	for (int i = 0; i < 100000; i++) {
		unsigned before = p->sent;

		for (int end = 0; end < 2; end++)
			requester_run(&p->end[end].qp, 8, p->now_ns);
		if (p->head != p->tail)
			pair_deliver(p);
		else if (p->sent == before)
			return;
	}
	fail_msg("the pair never comes to rest");
}

/* Let time pass to the next deadline; false when there is none. */
static inline bool pair_wait(struct wire_pair *p)
{
	uint64_t next_ns = 0;

	for (int i = 0; i < 2; i++) {
		uint64_t d = p->end[i].deadline_ns;

		if (d && (!next_ns || d < next_ns))
			next_ns = d;
	}
	if (!next_ns)
		return false;
	if (next_ns > p->now_ns)
		p->now_ns = next_ns;
	for (int i = 0; i < 2; i++)
		if (p->end[i].deadline_ns && p->end[i].deadline_ns <= p->now_ns)
			qp_timer(&p->end[i].qp, p->now_ns);
	return true;
}

/* Run, and let time pass, until nothing is awaited any more. */
static inline void pair_run(struct wire_pair *p)
{
	pair_settle(p);
	for (int i = 0; i < 100000; i++) {
		if (!pair_wait(p))
			return;
		pair_settle(p);
	}
	fail_msg("the pair retries for ever");
}

static inline void pair_expect(struct pair_end *e, unsigned nth, uint64_t wr_id,
			       enum ibv_wc_status status)
{
	assert_true(nth < e->cqe_count);
	assert_int_equal(e->cqes[nth].wc.wr_id, wr_id);
	assert_int_equal(e->cqes[nth].wc.status, status);
	assert_int_equal(e->cqes[nth].wc.qp_num, e->qp.qpn);
}

/* Bytes that tell their place. */
static inline void pair_paint(struct pair_end *e, uint64_t seed)
{
	struct prng prng;

	prng_seed(&prng, seed);
	for (size_t i = 0; i < PAIR_MEMORY; i++)
		e->memory[i] = (uint8_t)prng_next(&prng);
}

#endif
