// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A WRITE whose acknowledgement is lost comes again when it has long been
 * executed, and its receiver has gone on to use the memory for something else:
 * it is acknowledged again, and writes nothing, takes no second receive, and
 * tells of its immediate no second time.
 */
#include <verbatim/case.h>

enum { TIMEOUT = 14, SIZES = 3 };

static void write_again(struct vb_test *t, struct vb_pair *p,
			struct vb_object *to, uint32_t len, bool imm)
{
	uint64_t was = vb_load(to, 0), now;
	struct vb_wr *recv = NULL, *spare = NULL, *write;
	struct vb_send_args args = { .op = VB_WRITE, .to = to, .len = len };

	if (imm) {
		args.imm = VB_SET(0xab1e0000 + len);
		recv = vb_post_recv(p->b, .len = 16);
		spare = vb_post_recv(p->b, .len = 16);
	}
	vb_wire_spoil(t, "drop:op=ack,count=1");
	write = vb_post_send_args(p->a, &args);
	/* Its answer is lost, so it has been executed. */
	while (vb_wire_acted(t, 0) == 0)
		vb_let_pass(t, 1);
	vb_check(t, VB_FIND_WRONG_CONTENT, vb_load(to, 0) != was,
		 "a WRITE of %u bytes was acknowledged and has not been "
		 "executed",
		 len);
	if (recv)
		vb_expect_wc(recv, IBV_WC_SUCCESS);
	vb_store(to, 0, len);
	was = vb_load(to, 0);
	vb_expect_wc(write, IBV_WC_SUCCESS);
	if (spare) {
		vb_expect_pending(spare, 1);
		vb_expect_message(vb_post_send(p->a, .len = 16), spare);
	}
	now = vb_load(to, 0);
	vb_check(t, VB_FIND_DUPLICATED, now == was,
		 "a WRITE of %u bytes that was repeated, its ACK being lost, "
		 "was executed again, over what its receiver had stored "
		 "meanwhile: 0x%llx, must be 0x%llx",
		 len, (unsigned long long)now, (unsigned long long)was);
	vb_wire_heal(t);
}

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_b(t));
	const uint32_t sizes[SIZES] = { 64, mtu, 3 * mtu - 8 };
	struct vb_pair *p = vb_connect(t, .depth = 4,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(7) });

	for (unsigned i = 0; i < SIZES; i++) {
		struct vb_object *to =
			vb_create_target(vb_qp_pd(p->b), sizes[i]);

		write_again(t, p, to, sizes[i], false);
		write_again(t, p, to, sizes[i], true);
	}
	vb_expect_settled(p);
}

VB_CASE(wire_write_repeated, .id = "wire/write-repeated",
	.title = "a WRITE that is repeated is not executed again",
	.spec = "InfiniBand: duplicate requests", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM | VB_NEED_FAULTS,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("MSG-16", "RNR-09", "MSG-08", "MSG-11"),
	.defects = VB_LIST("PSN-04", "RETRY-05"), .kills = VB_LIST("D58"),
	.run = run);
