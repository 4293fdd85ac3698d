// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The longest message at the smallest MTU takes 2^23 PSNs, half of all: its
 * ends cannot be told apart by comparing PSNs.  Nobody waits for eight million
 * packets here: some go at the beginning, then both ends are put near the end.
 */
#include "tests/unit/engine/wire_pair.h"

enum { LONGEST_PACKETS = 1 << 23, LONGEST_LEFT = 300 };

static const uint32_t longest_bytes = 1u << 31;

static enum ibv_wc_status longest_move(struct sd_host *h, const void *pd,
				       const struct ibv_sge *sge, int num_sge,
				       uint64_t offset, void *to, size_t len)
{
	assert_int_equal(len, PAIR_MTU);
	assert_true(offset + len <= sge[0].length);
	return IBV_WC_SUCCESS;
}

static enum ibv_wc_status longest_place(struct sd_host *h, const void *pd,
					const struct ibv_sge *sge, int num_sge,
					uint64_t offset, const void *from,
					size_t len)
{
	return longest_move(h, pd, sge, num_sge, offset, NULL, len);
}

static int longest_check(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			 uint64_t va, uint64_t len, int access)
{
	return va + len <= longest_bytes ? 0 : -ERANGE;
}

static int longest_write(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			 uint64_t va, const void *from, size_t len)
{
	return longest_check(h, qp, rkey, va, len, 0);
}

static int longest_read(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			uint64_t va, void *to, size_t len)
{
	memset(to, 0, len);
	return longest_check(h, qp, rkey, va, len, 0);
}

static struct sd_host_ops longest_ops;

static struct wire_pair *longest_pair(enum ibv_wr_opcode op)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct sd_send_wqe *wqe;

	longest_ops = pair_ops;
	longest_ops.gather = longest_move;
	longest_ops.scatter = longest_place;
	longest_ops.remote_check = longest_check;
	longest_ops.remote_write = longest_write;
	longest_ops.remote_read = longest_read;
	p->end[0].host.ops = &longest_ops;
	p->end[1].host.ops = &longest_ops;
	if (op == IBV_WR_SEND)
		pair_recv(&p->end[1], 9, 0, longest_bytes);
	wqe = pair_send(&p->end[0], 1, 0, longest_bytes);
	wqe->opcode = op;
	wqe->remote.rkey = PAIR_RKEY;
	return p;
}

/* One turn of the requester, and all that it brings forth is delivered. */
static void longest_turn(struct wire_pair *p)
{
	requester_run(&p->end[0].qp, 64, p->now_ns);
	while (p->head != p->tail)
		pair_deliver(p);
}

/* All up to the last few packets have come and are acknowledged. */
static void longest_skip(struct wire_pair *p)
{
	struct sd_qp *from = &p->end[0].qp, *to = &p->end[1].qp;
	uint32_t done = LONGEST_PACKETS - LONGEST_LEFT;
	struct psn psn;

	/* READs are asked for in pieces that begin at multiples. */
	done -= done % REQ_READ_PACKETS;
	psn = psn_add(qp_send_wqe(from, 0)->psn_first, done);
	from->req.unacked = from->req.next = from->req.sent = psn;
	from->req.cursor_packet = done;
	to->resp.expected = psn;
	to->resp.received = (uint64_t)done * PAIR_MTU;
}

static void longest_arrives(struct wire_pair *p)
{
	for (int i = 0; i < 4; i++)
		longest_turn(p);
	assert_int_equal(p->end[0].cqe_count, 0);
	assert_int_equal(p->end[0].qp.sq.count, 1);
	assert_true(psn_ahead(qp_send_wqe(&p->end[0].qp, 0)->psn_first,
			      p->end[0].qp.req.unacked) > 64);
	longest_skip(p);
	pair_run(p);
	assert_int_equal(p->end[0].cqe_count, 1);
	pair_expect(&p->end[0], 0, 1, IBV_WC_SUCCESS);
	assert_int_equal(p->end[0].qp.req.unacked.v, p->end[0].qp.req.fresh.v);
	/* What comes behind it has its own numbers. */
	pair_recv(&p->end[1], 3, 0, PAIR_MTU);
	pair_send(&p->end[0], 4, 0, PAIR_MTU);
	pair_run(p);
	pair_expect(&p->end[0], 1, 4, IBV_WC_SUCCESS);
	pair_free(p);
}

static void longest_send(void **state)
{
	struct wire_pair *p = longest_pair(IBV_WR_SEND);

	(void)state;
	longest_arrives(p);
}

static void longest_rdma_write(void **state)
{
	(void)state;
	longest_arrives(longest_pair(IBV_WR_RDMA_WRITE));
}

static void longest_rdma_read(void **state)
{
	(void)state;
	longest_arrives(longest_pair(IBV_WR_RDMA_READ));
}

static bool longest_first_is_lost(struct wire_pair *p,
				  const struct pair_packet *packet,
				  const struct wire_packet *decoded)
{
	return p->user++ != 0;
}

/* The gap at its very beginning concerns it, and sends all of it again. */
static void longest_loses_its_first(void **state)
{
	struct wire_pair *p = longest_pair(IBV_WR_SEND);

	(void)state;
	p->passes = longest_first_is_lost;
	longest_arrives(p);
}

/* A window that is closed without a question would never open again. */
static void longest_small_window_asks(void **state)
{
	struct wire_pair *p = longest_pair(IBV_WR_SEND);

	(void)state;
	p->end[0].qp.window = 3;
	longest_turn(p);
	assert_int_equal(
		p->end[0].qp.req.unacked.v,
		psn_add(qp_send_wqe(&p->end[0].qp, 0)->psn_first, 3).v);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_send),
		cmocka_unit_test(longest_rdma_write),
		cmocka_unit_test(longest_rdma_read),
		cmocka_unit_test(longest_loses_its_first),
		cmocka_unit_test(longest_small_window_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
