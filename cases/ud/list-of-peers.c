// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One list of datagrams, each for another queue pair than the one before it,
 * by one address handle: each goes where it itself says.
 */
#include <verbatim/case.h>

enum { PEERS = 3, EACH = 2, COUNT = PEERS * EACH, BYTES = 90 };

static void attempt(struct vb_test *t, unsigned path)
{
	struct vb_pair *pairs[PEERS];
	struct vb_send_args list[COUNT] = { { 0 } };
	struct vb_wr *sends[COUNT], *recvs[COUNT];
	struct vb_object *ah;

	for (unsigned i = 0; i < PEERS; i++)
		pairs[i] = vb_connect(t, .type = IBV_QPT_UD, .depth = COUNT,
				      .path = path);
	ah = vb_create_ah(vb_qp_pd(pairs[0]->a), .to = pairs[0]->b);
	for (unsigned i = 0; i < COUNT; i++) {
		recvs[i] = vb_post_recv(pairs[i % PEERS]->b, .len = BYTES);
		list[i] = (struct vb_send_args){ .len = BYTES - i,
						 .dest = pairs[i % PEERS]->b,
						 .ah = ah };
	}
	vb_post_send_list(pairs[0]->a, COUNT, list, COUNT, sends);
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
		vb_expect_some_message(recvs[i]);
	}
	for (unsigned i = 0; i < PEERS; i++)
		vb_expect_settled(pairs[i]);
	vb_destroy(ah);
}

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_UD, path)
	attempt(t, path);
}

VB_CASE(ud_list_of_peers, .id = "ud/list-of-peers",
	.title = "datagrams of one list go each to its own queue pair",
	.spec = "ibv_post_send(3), ibv_wr_set_ud_addr(3)", .needs = VB_NEED_UD,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("UD-08", "CMP-19", "MSG-01"),
	.defects = VB_LIST("UD-04", "LEN-04"), .kills = VB_LIST("D99"),
	.run = run);
