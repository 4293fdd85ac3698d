// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An error is news that nobody has asked its sender to tell: a CQ armed for
 * solicited entries alone raises its event for one, of whichever queue and
 * kind, though no request bore the flag.
 */
#include <verbatim/case.h>

enum { ROOM = 64, DEPTH = 4, QUIET_MS = 5 };

enum error {
	LOCAL_SEND,   /* its own list is bad */
	REMOTE_WRITE, /* its peer refuses it */
	RECEIVE,      /* too short for what came */
	SEND_FLUSHED,
	RECEIVE_FLUSHED,
	ERRORS,
};

static const char *const names[ERRORS] = {
	"a send with a bad lkey",      "a WRITE that is refused",
	"a receive that is too short", "a send that is flushed",
	"a receive that is flushed",
};

/* The request at b that is to end with an error, which has not come yet when
 * this returns; a message of a may still be needed for it. */
static struct vb_wr *begin(struct vb_pair *p, enum error e)
{
	switch (e) {
	case LOCAL_SEND:
		return vb_post_send(p->b, .len = ROOM, .lkey = VB_SET(1));
	case REMOTE_WRITE:
		return vb_post_write(
			p->b, .to = vb_create_target(vb_qp_pd(p->a), ROOM),
			.len = ROOM, .rkey = VB_SET(1));
	case SEND_FLUSHED: /* a has no receive for it */
		return vb_post_send(p->b, .len = ROOM);
	default:
		return vb_post_recv(p->b, .len = ROOM);
	}
}

static void end(struct vb_pair *p, enum error e, struct vb_wr *wr)
{
	struct vb_wr *send;

	if (e == SEND_FLUSHED || e == RECEIVE_FLUSHED) {
		vb_modify(p->b, IBV_QPS_ERR);
		vb_expect_wc(wr, IBV_WC_WR_FLUSH_ERR);
	} else if (e == RECEIVE) {
		send = vb_post_send(p->a, .len = ROOM + 1);
		vb_expect_wc(wr, IBV_WC_LOC_LEN_ERR);
		vb_expect_wc_among(send, IBV_WC_REM_INV_REQ_ERR,
				   IBV_WC_REM_OP_ERR);
	} else if (e == REMOTE_WRITE) {
		vb_expect_wc(wr, IBV_WC_REM_ACCESS_ERR);
	} else {
		vb_expect_wc_among(wr, IBV_WC_LOC_PROT_ERR,
				   IBV_WC_LOC_QP_OP_ERR);
	}
}

static void attempt(struct vb_test *t, struct vb_object *channel, enum error e)
{
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = DEPTH, .send_cq = cq,
				       .recv_cq = cq);
	struct vb_pair *p = vb_join(vb_create_qp(vb_a(t), .depth = DEPTH), b);
	struct vb_wr *wr;

	vb_note(t, "%s", names[e]);
	vb_allow_event(p->a, IBV_EVENT_QP_ACCESS_ERR);
	vb_arm(cq, true);
	wr = begin(p, e);
	end(p, e, wr);
	vb_expect_cq_event(cq);
	vb_expect_no_cq_event(cq, QUIET_MS);
	vb_ack_cq(cq);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
	vb_destroy(cq);
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));

	for (unsigned e = 0; e < ERRORS; e++)
		attempt(t, channel, (enum error)e);
}

VB_CASE(cq_solicited_errors, .id = "cq/solicited-errors",
	.title = "armed for solicited entries, a CQ tells of every error",
	.spec = "ibv_req_notify_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_EVENT,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ, .rules = VB_LIST("CQ-08"),
	.defects = VB_LIST("IMM-04", "EVT-02"), .kills = VB_LIST("D71"),
	.run = run);
