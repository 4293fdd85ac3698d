// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Faults of the device or of the wire: the application does all right, and
 * the run switches on what goes wrong.  Without that, each of these passes.
 */
#include "fault.h"

enum { DEPTH = 16, ROOM = 65536, LONG = 9000, WRAP = 0xfffffe, FETCHES = 8 };

static void run_messages(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = DEPTH, .sges = 3, .attr = { QUICK });
	struct vb_wr *recv;

	for (unsigned i = 0; i < 3 * DEPTH; i++) {
		recv = vb_post_recv(p->b, .len = LONG, .sges = 3);
		vb_expect_message(vb_post_send(p->a, .len = LONG - i, .sges = 2,
					       .imm = VB_SET(0x01020304 + i)),
				  recv);
	}
}
FAULT(messages, "device/messages", VB_NEED_RC);

/* Far more of them, without a word of receives. */
static void run_writes(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	for (unsigned i = 0; i < 3 * DEPTH; i++)
		vb_expect_wc(vb_post_write(p->a, .to = to, .len = BYTES),
			     IBV_WC_SUCCESS);
	vb_expect_memory(to);
}
FAULT(writes, "device/writes", VB_NEED_RC | VB_NEED_RDMA);

/* Nothing at the peer shows whether one of them was executed. */
static void run_reads(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_wc(vb_post_read(p->a, .to = to, .len = BYTES),
			     IBV_WC_SUCCESS);
}
FAULT(reads, "device/reads", VB_NEED_RC | VB_NEED_RDMA);

static void run_immediate(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .attr = { QUICK });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *recv = vb_post_recv(p->b, .len = LONG);

	vb_expect_message(vb_post_write(p->a, .to = to, .len = LONG,
					.imm = VB_SET(77)),
			  recv);
}
FAULT(immediate, "device/immediate", VB_NEED_RC | VB_NEED_RDMA);

static void run_zero_entry(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .sges = 3);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .layout = VB_LAYOUT(0, 300, 300)),
			  recv);
}
FAULT(zero_entry, "device/zero-entry", VB_NEED_RC);

static void run_late(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH,
				       .attr = { .rnr_retry = VB_SET(7),
						 .min_rnr_timer = VB_SET(1) });
	struct vb_wr *sends[DEPTH], *recvs[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_let_pass(t, 50);
	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(sends[i], recvs[i]);
}
FAULT(late, "device/late", VB_NEED_RC, .fixed = VB_PATH_SRQ);

static void run_flushed(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *wrs[FETCHES];

	vb_modify(p->b, IBV_QPS_RESET);
	for (unsigned i = 0; i < FETCHES; i++)
		wrs[i] = vb_post_read(p->a, .to = to, .len = 8 * i + 8);
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < FETCHES; i++)
		vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_settled(p);
}
FAULT(flushed, "device/flushed", VB_NEED_RC | VB_NEED_RDMA);

static void run_post_in_error(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);

	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_WR_FLUSH_ERR);
}
FAULT(post_in_error, "device/post-in-error", VB_NEED_RC);

static void run_refused_key(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *wr =
		vb_post_write(p->a, .to = to, .len = BYTES,
			      .rkey = VB_SET(vb_mr_rkey(to) ^ 0x5500));

	vb_expect_scenario(t, "S10", wr, NULL);
}
FAULT(refused_key, "device/refused-key", VB_NEED_RC | VB_NEED_RDMA);

static void run_short(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES - 1);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_expect_wc(send, IBV_WC_REM_INV_REQ_ERR);
	vb_expect_wc(recv, IBV_WC_LOC_LEN_ERR);
}
FAULT(short, "device/short", VB_NEED_RC);

static void run_full(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);
	uint32_t most = vb_qp_cap(p->a)->max_send_wr;

	vb_modify(p->b, IBV_QPS_RESET);
	for (uint32_t i = 0; i < most; i++)
		vb_post_send(p->a, .len = 8);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_settled(p);
}
FAULT(full, "device/full", VB_NEED_RC);

static void run_gives_up(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2,
				       .attr = { .timeout = VB_SET(13),
						 .retry = VB_SET(3) });
	struct vb_wr *wr;
	uint64_t least = 3 * vb_ack_timeout_ns(13);

	vb_destroy_qp(p->b);
	wr = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(wr, IBV_WC_RETRY_EXC_ERR);
	vb_check(t, VB_FIND_WRONG_TIMING, vb_took_ns(wr) >= least,
		 "given up after %llu us, 3 retries take at least %llu",
		 (unsigned long long)vb_took_ns(wr) / 1000,
		 (unsigned long long)least / 1000);
}
FAULT(gives_up, "device/gives-up", VB_NEED_RC);

static void run_wrap(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH,
				       .attr = { QUICK, .rq_psn = VB_SET(WRAP),
						 .sq_psn = VB_SET(WRAP) });

	for (unsigned i = 0; i < DEPTH; i++)
		message(p);
}
FAULT(wrap, "device/wrap", VB_NEED_RC);

static void run_errors_name(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);
	const struct vb_send_args args[] = {
		{ .len = BYTES, .lkey = VB_SET(0x77665500) },
		{ .len = BYTES },
	};
	struct vb_wr *wrs[2];

	vb_post_send_list(p->a, 2, args, 2, wrs);
	vb_expect_wc(wrs[0], IBV_WC_LOC_PROT_ERR);
	vb_expect_wc(wrs[1], IBV_WC_WR_FLUSH_ERR);
}
FAULT(errors_name, "device/errors-name", VB_NEED_RC);

static void run_attributes(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);

	vb_expect_attributes(p->a);
	vb_expect_attributes(p->b);
}
FAULT(attributes, "device/attributes", VB_NEED_RC);
