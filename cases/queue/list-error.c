// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A list with a request in it that cannot be accepted is posted up to there:
 * the call tells so and names the request, those before it are executed, it
 * and those behind it never were.  Each place, each way; ibv_wr_complete()
 * takes all of a list or nothing.
 */
#include <verbatim/case.h>

enum { COUNT = 5, BYTES = 50 };

static void sends(struct vb_pair *p, uint32_t wrong)
{
	struct vb_send_args list[COUNT] = { { 0 } };
	struct vb_wr *sent[COUNT], *recvs[COUNT];
	uint32_t taken;

	for (uint32_t i = 0; i < COUNT; i++) {
		list[i].len = BYTES - i;
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	}
	list[wrong].sges = vb_qp_cap(p->a)->max_send_sge + 1;
	vb_post_send_list(p->a, COUNT, list, wrong, sent);
	taken = vb_posts_whole(p->a) ? 0 : wrong;
	/* They go without a further post to push them. */
	for (uint32_t i = 0; i < taken; i++)
		vb_expect_message(sent[i], recvs[i]);
	/* What was not accepted may be posted anew. */
	for (uint32_t i = taken; i < COUNT; i++)
		sent[i] = vb_post_send(p->a, .len = BYTES - i);
	for (uint32_t i = taken; i < COUNT; i++)
		vb_expect_message(sent[i], recvs[i]);
}

static void receives(struct vb_pair *p, uint32_t wrong)
{
	struct vb_recv_args list[COUNT] = { { 0 } };
	struct vb_wr *recvs[COUNT], *send;

	for (uint32_t i = 0; i < COUNT; i++)
		list[i].len = BYTES - i;
	list[wrong].sges = vb_qp_cap(p->b)->max_recv_sge + 1;
	vb_post_recv_list(p->b, COUNT, list, wrong, recvs);
	for (uint32_t i = wrong; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES - i);
	for (uint32_t i = 0; i < COUNT; i++) {
		send = vb_post_send(p->a, .len = BYTES - i);
		vb_expect_message(send, recvs[i]);
	}
}

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	{
		struct vb_pair *p =
			vb_connect(t, .depth = COUNT, .sges = 2, .path = path);

		for (uint32_t wrong = 0; wrong < COUNT; wrong++) {
			sends(p, wrong);
			receives(p, wrong);
		}
		vb_expect_settled(p);
	}
}

VB_CASE(queue_list_error, .id = "queue/list-error",
	.title = "a list is posted up to the request that is refused",
	.spec = "ibv_post_send(3), ibv_post_recv(3): bad_wr",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PST-02", "PST-04", "RES-01"),
	.defects = VB_LIST("POST-01", "POST-02", "POST-06"),
	.kills = VB_LIST("M40", "D69"), .run = run);
