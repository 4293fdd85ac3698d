// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A completion channel cannot be destroyed while CQs use it; with the last of
 * them gone it can.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_a(t));
	struct vb_object *first =
		vb_create_cq(vb_a(t), .channel = channel, .cqe = VB_SET(8));
	struct vb_object *second =
		vb_create_cq(vb_a(t), .channel = channel, .cqe = VB_SET(8));

	vb_destroy_refused(channel);
	vb_destroy(first);
	vb_destroy_refused(channel);
	vb_destroy(second);
	vb_destroy(channel);
}

VB_CASE(resource_channel_in_use, .id = "resource/channel-in-use",
	.title = "a completion channel that a CQ uses is not destroyed",
	.spec = "ibv_destroy_comp_channel(3): fails while CQs use it",
	.needs = VB_NEED_EVENT, .limit_ms = 10000,
	.rules = VB_LIST("CQ-12", "DST-11"), .run = run);
