// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists of 254, 255 and 256 requests, where counters of eight bits end, are
 * posted by one call and executed to the last one.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	static const uint32_t counts[] = { 254, 255, 256 };
	static struct vb_send_args sends[VB_LIST_MAX];
	static struct vb_recv_args recvs[VB_LIST_MAX];
	struct vb_wr *sent[VB_LIST_MAX], *received[VB_LIST_MAX];
	struct vb_pair *p = vb_connect(t, .depth = VB_LIST_MAX);

	for (uint32_t i = 0; i < VB_LIST_MAX; i++) {
		sends[i].len = i;
		recvs[i].len = i + 1;
	}
	for (unsigned k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		vb_post_recv_list(p->b, counts[k], recvs, counts[k], received);
		vb_post_send_list(p->a, counts[k], sends, counts[k], sent);
		for (uint32_t i = 0; i < counts[k]; i++)
			vb_expect_message(sent[i], received[i]);
	}
	vb_expect_settled(p);
}

VB_CASE(queue_long_lists, .id = "queue/long-lists",
	.title = "lists of 256 requests are executed to the end",
	.spec = "ibv_post_send(3), ibv_post_recv(3)", .needs = VB_NEED_RC,
	.limit_ms = 15000, .rules = VB_LIST("PST-01", "CMP-01", "CMP-02"),
	.defects = VB_LIST("POST-03", "INL-03"), .run = run);
