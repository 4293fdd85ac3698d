// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The key of a WRITE of several packets dies before its last packet has come,
 * which the wire keeps losing until then: its region is deregistered, or its
 * window invalidated.  That what came before was judged is no licence: the
 * rest is refused, and its bytes are not written.  So it is with a READ whose
 * last answer keeps being lost, and with the region that it reads into.
 */
#include <verbatim/case.h>

enum { MTU = 1024, BYTES = 4 * MTU, TIMEOUT = 14 };

static struct vb_pair *pair(struct vb_test *t)
{
	return vb_connect(t, .depth = 4,
			  .attr = { .mtu = VB_SET(MTU),
				    .timeout = VB_SET(TIMEOUT),
				    .retry = VB_SET(7) });
}

/* All but the last packet is there, in the memory of @whole. */
static struct vb_wr *begin(struct vb_test *t, struct vb_pair *p,
			   struct vb_object *to, struct vb_object *whole)
{
	uint64_t was = vb_load(whole, 2 * MTU);
	struct vb_wr *write;

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_wire_spoil(t, "drop:op=RC_WRITE_LAST");
	write = vb_post_write(p->a, .to = to, .len = BYTES);
	while (vb_wire_acted(t, 0) == 0 || vb_load(whole, 2 * MTU) == was)
		vb_let_pass(t, 1);
	return write;
}

static void end(struct vb_test *t, struct vb_pair *p, struct vb_wr *write,
		struct vb_object *whole, uint64_t tail)
{
	vb_wire_heal(t);
	vb_expect_scenario(t, "S10", write, NULL);
	vb_check(t, VB_FIND_WRONG_CONTENT, vb_load(whole, BYTES - 8) == tail,
		 "a packet of a WRITE was written by a key that had died");
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void deregistered(struct vb_test *t)
{
	struct vb_pair *p = pair(t);
	struct vb_object *whole = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_object *mr =
		vb_create_mr(vb_qp_pd(p->b), .over = whole, .len = BYTES,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_WRITE));
	uint64_t tail = vb_load(whole, BYTES - 8);
	struct vb_wr *write = begin(t, p, mr, whole);

	if (!vb_try_destroy(mr)) {
		vb_note(t, "deregistering is refused while it is written to");
		vb_wire_heal(t);
		vb_expect_wc(write, IBV_WC_SUCCESS);
		return;
	}
	end(t, p, write, whole, tail);
}

static void invalidated(struct vb_test *t)
{
	struct vb_pair *p = pair(t);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = BYTES,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_try_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_2);
	uint64_t tail = vb_load(mr, BYTES - 8);
	struct vb_wr *write;

	if (!mw) {
		vb_note(t, "there are no windows of type 2");
		return;
	}
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = BYTES,
				.access = IBV_ACCESS_REMOTE_WRITE),
		     IBV_WC_SUCCESS);
	write = begin(t, p, mw, mr);
	vb_expect_wc(vb_post_local_inv(p->b, .invalidate = mw), IBV_WC_SUCCESS);
	end(t, p, write, mr, tail);
}

/* It is asked for again and again, and answered but for its last packet. */
static struct vb_wr *begin_read(struct vb_test *t, struct vb_pair *p,
				struct vb_object *from, struct vb_object *into)
{
	struct vb_wr *read;

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_wire_spoil(t, "drop:op=RC_READ_RESP_LAST");
	read = vb_post_read(p->a, .to = from, .mr = into, .len = BYTES);
	while (vb_wire_acted(t, 0) == 0)
		vb_let_pass(t, 1);
	return read;
}

static void end_read(struct vb_test *t, struct vb_pair *p, struct vb_wr *read,
		     bool dead, enum ibv_wc_status status)
{
	if (!dead)
		vb_note(t, "deregistering is refused while a READ uses it");
	vb_wire_heal(t);
	vb_expect_wc(read, dead ? status : IBV_WC_SUCCESS);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

/* @local: the region that it reads into dies, else the one it reads from. */
static void read_loses(struct vb_test *t, bool local)
{
	struct vb_pair *p = pair(t);
	struct vb_object *from = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_object *into = vb_create_mr(vb_qp_pd(p->a), .len = BYTES);
	struct vb_wr *read = begin_read(t, p, from, into);

	end_read(t, p, read, vb_try_destroy(local ? into : from),
		 local ? IBV_WC_LOC_PROT_ERR : IBV_WC_REM_ACCESS_ERR);
}

static void run(struct vb_test *t)
{
	deregistered(t);
	invalidated(t);
	read_loses(t, false);
	read_loses(t, true);
}

VB_CASE(wire_key_dies, .id = "wire/key-dies",
	.title = "a key that dies in the middle of a WRITE or READ ends it",
	.spec = "ibv_dereg_mr(3); ibv_post_send(3): IBV_WR_LOCAL_INV",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_FAULTS,
	.limit_ms = 15000,
	.rules = VB_LIST("MR-10", "MR-21", "MW-10", "WCS-10"),
	.defects = VB_LIST("KEY-01", "KEY-05", "DATA-01"),
	.kills = VB_LIST("D76", "M47"), .run = run);
