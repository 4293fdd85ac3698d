// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A binding that must not be is refused when posted or fails: of a region
 * without MW_BIND, with rights that the region cannot give, past the region's
 * end.  The failure moves the queue pair to ERR, and the window opens nothing.
 */
#include <verbatim/case.h>

enum { ROOM = 512, TRIES = 5 };

static const struct {
	unsigned region, window;
	uint32_t offset, len;
	bool late; /* some devices find it when the window is used */
} tries[TRIES] = {
	{ IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE, 0, ROOM, false },
	{ IBV_ACCESS_MW_BIND, IBV_ACCESS_REMOTE_WRITE, 0, ROOM, false },
	{ IBV_ACCESS_MW_BIND, IBV_ACCESS_REMOTE_ATOMIC, 0, ROOM, false },
	{ IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, IBV_ACCESS_REMOTE_WRITE,
	  0, ROOM + 1, true },
	{ IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, IBV_ACCESS_REMOTE_WRITE,
	  ROOM - 8, 9, true },
};

static void attempt(struct vb_test *t, struct vb_pair *p, unsigned i)
{
	struct vb_object *pd = vb_qp_pd(p->b);
	struct vb_object *mr = vb_create_mr(pd, .len = ROOM,
					    .access = VB_SET(tries[i].region));
	struct vb_object *mw = vb_create_mw(pd, IBV_MW_TYPE_2);
	struct vb_wr *bind =
		vb_try_bind_mw(p->b, mw, .mr = mr, .offset = tries[i].offset,
			       .len = tries[i].len, .access = tries[i].window);

	if (!bind) {
		vb_expect_state(p->b, IBV_QPS_RTS);
	} else if (tries[i].late &&
		   vb_expect_wc_among(bind, IBV_WC_SUCCESS,
				      IBV_WC_MW_BIND_ERR) == IBV_WC_SUCCESS) {
		vb_note(t, "bounds are not looked at when a window is bound");
	} else {
		vb_expect_wc(bind, IBV_WC_MW_BIND_ERR);
		vb_expect_state(p->b, IBV_QPS_ERR);
		vb_reconnect(p);
	}
	/* To the byte past the region, where the window would reach it. */
	vb_expect_wc(vb_post_write(p->a, .to = mr, .len = 8,
				   .remote =
					   VB_SET(vb_mr_address(mr) + ROOM - 7),
				   .rkey = VB_SET(vb_mr_rkey(mw))),
		     IBV_WC_REM_ACCESS_ERR);
	vb_expect_memory(mr);
	vb_reconnect(p);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);

	for (unsigned i = 0; i < TRIES; i++)
		attempt(t, p, i);
	vb_expect_settled(p);
}

VB_CASE(mw_bind_refused, .id = "mw/bind-refused",
	.title = "a window is not bound to what its region cannot give",
	.spec = "ibv_bind_mw(3), ibv_post_send(3): IBV_WR_BIND_MW",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_MW2,
	.limit_ms = 15000,
	.rules = VB_LIST("MW-02", "MW-03", "MW-04", "MW-15", "WCS-06"),
	.kills = VB_LIST("R09"), .run = run);
