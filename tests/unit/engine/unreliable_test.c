// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* UC and UD: what they promise and no more.  A message is whole or absent,
 * nobody is told of a loss, and nothing but the send queue stops. */
#include "device/engine/datagram.h"
#include "tests/unit/engine/wire_pair.h"

#define UC_INIT_MASK PAIR_INIT_MASK
#define UC_RTR_MASK                                                     \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN)
#define UC_RTS_MASK (IBV_QP_STATE | IBV_QP_SQ_PSN)
#define UD_INIT_MASK \
	(IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY)

enum { UD_QKEY = 0x1234 };

static struct wire_pair *unreliable_pair(enum ibv_qp_type type)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p = pair_new(attr);
	bool uc = type == IBV_QPT_UC;

	attr.qkey = UD_QKEY;
	for (int i = 0; i < 2; i++) {
		struct pair_end *e = &p->end[i];

		qp_reset(&e->qp);
		e->qp.type = type;
		attr.dest_qp_num = 0x100 + (uint32_t)!i;
		pair_modify(e, IBV_QPS_INIT, attr,
			    uc ? UC_INIT_MASK : UD_INIT_MASK);
		pair_modify(e, IBV_QPS_RTR, attr,
			    uc ? UC_RTR_MASK : IBV_QP_STATE);
		pair_modify(e, IBV_QPS_RTS, attr, UC_RTS_MASK);
		if (uc)
			continue;
		assert_int_equal(e->qp.mtu_bytes, 4096);
		e->qp.mtu_bytes = PAIR_MTU; /* what a test packet holds */
	}
	return p;
}

static bool unreliable_lose_one(struct wire_pair *p,
				const struct pair_packet *packet,
				const struct wire_packet *decoded)
{
	(void)packet;
	(void)decoded;
	return p->user-- != 0;
}

/* UC-01: lose each packet in turn; the message it is of is absent, its receive
 * serves the next, and all others are whole. */
static void uc_loses_whole_messages(void **state)
{
	(void)state;
	for (unsigned lost = 0; lost < 12; lost++) {
		struct wire_pair *p = unreliable_pair(IBV_QPT_UC);
		unsigned victim = lost / 3, got = 0;

		p->user = lost;
		p->passes = unreliable_lose_one;
		pair_paint(&p->end[0], 1);
		for (unsigned i = 0; i < 4; i++) {
			pair_recv(&p->end[1], i, 1000 * i, 1000);
			pair_send(&p->end[0], 10 + i, 5000 + 1000 * i,
				  3 * PAIR_MTU - i);
		}
		pair_run(p);
		assert_int_equal(p->end[0].cqe_count, 4);
		assert_int_equal(p->end[1].cqe_count, 3);
		for (unsigned i = 0; i < 4; i++) {
			pair_expect(&p->end[0], i, 10 + i, IBV_WC_SUCCESS);
			if (i == victim)
				continue;
			pair_expect(&p->end[1], got, got, IBV_WC_SUCCESS);
			assert_int_equal(p->end[1].cqes[got].wc.byte_len,
					 3 * PAIR_MTU - i);
			assert_memory_equal(p->end[1].memory + 1000 * got,
					    p->end[0].memory + 5000 + 1000 * i,
					    3 * PAIR_MTU - i);
			got++;
		}
		assert_int_equal(p->end[1].qp.state, IBV_QPS_RTS);
		pair_free(p);
	}
}

/* UC-02, UC-04 */
static void uc_refuses_in_silence(void **state)
{
	struct wire_pair *p = unreliable_pair(IBV_QPT_UC);
	struct sd_send_wqe *wqe;
	static uint8_t before[PAIR_MEMORY];

	(void)state;
	memcpy(before, p->end[1].memory, PAIR_MEMORY);
	pair_send(&p->end[0], 1, 0, 10); /* no receive */
	wqe = pair_send(&p->end[0], 2, 0, 10);
	wqe->opcode = IBV_WR_RDMA_WRITE;
	wqe->remote.rkey = 1; /* none */
	pair_run(p);
	assert_int_equal(p->end[0].cqe_count, 2);
	pair_expect(&p->end[0], 1, 2, IBV_WC_SUCCESS);
	assert_memory_equal(p->end[1].memory, before, PAIR_MEMORY);
	pair_recv(&p->end[1], 9, 0, 100);
	wqe = pair_send(&p->end[0], 3, 0, 10);
	wqe->opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	wqe->remote.rkey = PAIR_RKEY;
	wqe->remote.va = 500;
	pair_run(p);
	pair_expect(&p->end[1], 0, 9, IBV_WC_SUCCESS);
	assert_int_equal(p->end[1].cqes[0].wc.opcode,
			 IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(p->end[1].event_count, 0);
	pair_free(p);
}

/* QPS-21: the receive queue lives on, and SQE -> RTS revives the other. */
static void uc_local_error_stops_the_send_queue(void **state)
{
	struct wire_pair *p = unreliable_pair(IBV_QPT_UC);
	struct pair_end *e = &p->end[0];

	(void)state;
	e->bad_from = 5000;
	e->bad_to = 5001;
	pair_send(e, 1, 5000, 10);
	pair_send(e, 2, 0, 10);
	pair_recv(e, 3, 0, 100);
	pair_run(p);
	pair_expect(e, 0, 1, IBV_WC_LOC_PROT_ERR);
	pair_expect(e, 1, 2, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(e->qp.state, IBV_QPS_SQE);
	pair_send(&p->end[1], 4, 0, 10);
	pair_run(p);
	pair_expect(e, 2, 3, IBV_WC_SUCCESS);
	pair_modify(e, IBV_QPS_RTS, pair_attr(), IBV_QP_STATE);
	pair_recv(&p->end[1], 5, 0, 100);
	pair_send(e, 6, 0, 10);
	pair_run(p);
	pair_expect(e, 3, 6, IBV_WC_SUCCESS);
	pair_expect(&p->end[1], 1, 5, IBV_WC_SUCCESS);
	pair_free(p);
}

/* The pair's wire has no IP header: deliver by hand with one. */
static void ud_deliver(struct wire_pair *p, const uint8_t *header)
{
	for (int end = 0; end < 2; end++)
		requester_run(&p->end[end].qp, 16, p->now_ns);
	while (p->head != p->tail) {
		struct pair_packet *packet =
			&p->packets[p->head++ % PAIR_PACKETS];
		struct wire_packet decoded;

		assert_int_equal(wire_packet_decode(packet->bytes, packet->len,
						    &decoded),
				 WIRE_DECODE_OK);
		qp_receive(&p->end[packet->to].qp, &decoded, header, p->now_ns);
	}
}

static struct sd_send_wqe *ud_send(struct wire_pair *p, uint64_t wr_id,
				   uint32_t len, uint32_t qkey)
{
	struct sd_send_wqe *wqe = pair_send(&p->end[0], wr_id, 5000, len);

	wqe->path.qpn = p->end[1].qp.qpn;
	wqe->path.qkey = qkey;
	return wqe;
}

/* UD-01, UD-04 to UD-07, UD-16, CMP-19 */
static void ud_datagrams(void **state)
{
	struct wire_pair *p = unreliable_pair(IBV_QPT_UD);
	struct pair_end *e = &p->end[1];
	uint8_t header[DATAGRAM_HEADER_BYTES];
	struct sd_send_wqe *wqe;

	(void)state;
	pair_paint(&p->end[0], 2);
	pair_paint(e, 3);
	for (unsigned i = 0; i < sizeof(header); i++)
		header[i] = (uint8_t)(0xa0 + i);
	ud_send(p, 1, 20, UD_QKEY); /* no receive: gone */
	ud_deliver(p, header);
	pair_recv(e, 10, 100, 40 + 20);
	ud_send(p, 2, 20, UD_QKEY + 1); /* wrong Q_Key: gone */
	ud_send(p, 3, 21, UD_QKEY);	/* too long: gone, the receive is not */
	ud_deliver(p, header);
	assert_int_equal(e->cqe_count, 0);
	assert_int_equal(e->qp.rq.count, 1);
	/* UD-05: the high bit means the queue pair's own Q_Key. */
	wqe = ud_send(p, 4, 20, 0x80000000);
	wqe->opcode = IBV_WR_SEND_WITH_IMM;
	wqe->imm = 77;
	ud_deliver(p, header);
	pair_expect(e, 0, 10, IBV_WC_SUCCESS);
	assert_int_equal(e->cqes[0].wc.byte_len, 60);
	assert_int_equal(e->cqes[0].wc.src_qp, p->end[0].qp.qpn);
	assert_int_equal(e->cqes[0].wc.wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
	assert_int_equal(e->cqes[0].wc.imm_data, 77);
	/* The kind of header: the area ends with an IPv4 one. */
	assert_int_equal(e->cqes[0].wc.sl, 2);
	assert_memory_equal(e->memory + 100, header, 40);
	assert_memory_equal(e->memory + 140, p->end[0].memory + 5000, 20);
	assert_int_equal(p->end[0].cqe_count, 4); /* SUCCESS, whatever came */
	for (unsigned i = 0; i < 4; i++)
		pair_expect(&p->end[0], i, i + 1, IBV_WC_SUCCESS);
	assert_int_equal(e->qp.state, IBV_QPS_RTS);
	pair_free(p);
}

/* SRQ-01, SRQ-04 to SRQ-06, SRQ-10 */
static void srq_serves_and_tells(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct sd_recv_wqe wqes[8];
	struct ibv_sge sges[8];
	struct sd_srq srq = { .ring = ring_make(8), .wqe = wqes, .limit = 2 };
	struct pair_end *e = &p->end[1];

	(void)state;
	e->qp.srq = &srq;
	for (unsigned i = 0; i < 4; i++) {
		uint32_t slot = ring_push(&srq.ring);

		sges[slot] = (struct ibv_sge){ .addr = 100 * i, .length = 50 };
		wqes[slot] = (struct sd_recv_wqe){
			.wr_id = i,
			.length = 50,
			.num_sge = 1,
			.sge = &sges[slot],
		};
		pair_send(&p->end[0], 10 + i, 0, 50 - i);
	}
	pair_send(&p->end[0], 14, 0, 10);
	pair_settle(p);
	assert_int_equal(e->cqe_count, 4);
	for (unsigned i = 0; i < 4; i++)
		pair_expect(e, i, i, IBV_WC_SUCCESS);
	assert_int_equal(e->srq_limits, 1);
	assert_int_equal(srq.limit, 0);
	assert_int_equal(e->host.counters.send_rnr_err, 1);
	ring_push(&srq.ring);
	pair_modify(e, IBV_QPS_ERR, pair_attr(), IBV_QP_STATE);
	assert_int_equal(srq.ring.count, 1); /* shared: not flushed */
	assert_int_equal(e->cqe_count, 4);
	assert_int_equal(e->event_count, 1);
	assert_int_equal(e->events[0], IBV_EVENT_QP_LAST_WQE_REACHED);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uc_loses_whole_messages),
		cmocka_unit_test(uc_refuses_in_silence),
		cmocka_unit_test(uc_local_error_stops_the_send_queue),
		cmocka_unit_test(ud_datagrams),
		cmocka_unit_test(srq_serves_and_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
