// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A datagram to a multicast group comes to each queue pair that is attached,
 * once however often it was attached, and to none that has been detached.
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 20, GROUP_QPN = 0xffffff };

static void run(struct vb_test *t)
{
	struct vb_pair *p;
	/* ::ffff:239.255.77.x */
	union ibv_gid group = { .raw = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff,
					 0xff, 239, 255, 77, 9 } };
	struct vb_wr *recv, *send, *spare;
	struct vb_object *ah;
	bool twice;

	if (vb_device_attr(vb_a(t))->max_mcast_grp <= 0)
		vb_skip(t, "the device has no multicast groups");
	p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
	recv = vb_post_recv(p->b, .len = BYTES);
	spare = vb_post_recv(p->b, .len = BYTES);
	ah = vb_try_create_ah(vb_qp_pd(p->a), .dgid = &group);
	if (!ah || vb_attach_multicast(p->b, &group))
		vb_skip(t, "the group cannot be joined through verbs alone");
	twice = !vb_attach_multicast(p->b, &group);
	send = vb_post_send(p->a, .ah = ah, .dest_qpn = VB_SET(GROUP_QPN),
			    .len = BYTES);
	vb_expect_wc(send, IBV_WC_SUCCESS);
	vb_let_pass(t, QUIET_MS);
	if (!vb_completed(recv))
		vb_skip(t, "what is sent to a group does not come back to its "
			   "own port");
	vb_expect_some_message(recv);
	vb_expect_pending(spare, QUIET_MS);
	for (unsigned i = 0; i < 1u + twice; i++)
		vb_check(t, VB_FIND_WRONG_RETURN,
			 !vb_detach_multicast(p->b, &group) || i,
			 "a queue pair could not be detached from its group");
	send = vb_post_send(p->a, .ah = ah, .dest_qpn = VB_SET(GROUP_QPN),
			    .len = BYTES);
	vb_expect_wc(send, IBV_WC_SUCCESS);
	vb_expect_pending(spare, QUIET_MS);
	vb_expect_settled(p);
}

VB_CASE(ud_multicast, .id = "ud/multicast",
	.title = "a group's datagram comes once to who is attached",
	.spec = "ibv_attach_mcast(3)", .needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("UD-14", "DST-02"), .run = run);
