// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An SGE that begins before its region, or ends behind it, by one byte: what is
 * sent from there, received into it or read into it fails at its own end, and
 * not one byte outside the region is written.  Exactly the region is fine.
 */
#include <verbatim/case.h>

enum { ROOM = 256, AT = 64, BYTES = 100 };

enum { EXACT, BEFORE, BEHIND, PLACES };

static const char *const places[PLACES] = { "exactly in it",
					    "one byte before it",
					    "one byte behind it" };

/* The region lies in the middle of @whole, whose bytes stand around it. */
static struct vb_object *inner(struct vb_object *pd, struct vb_object *whole)
{
	return vb_create_mr(pd, .over = whole, .offset = AT, .len = BYTES);
}

static uint32_t begin(unsigned place)
{
	return place == BEFORE ? AT - 1 : place == BEHIND ? AT + 1 : AT;
}

static void sent(struct vb_test *t, unsigned place)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *whole = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *mr = inner(vb_qp_pd(p->a), whole);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES, .mr = whole,
					  .mr_offset = begin(place),
					  .lkey = VB_SET(vb_mr_lkey(mr)));

	vb_note(t, "a SEND from a region, %s", places[place]);
	if (place == EXACT)
		vb_expect_message(send, recv);
	else
		vb_expect_scenario(t, "S07", send, NULL);
	vb_expect_settled(p);
}

static void received(struct vb_test *t, unsigned place)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *whole = vb_create_mr(vb_qp_pd(p->b), .len = ROOM);
	struct vb_object *mr = inner(vb_qp_pd(p->b), whole);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES, .mr = whole,
					  .mr_offset = begin(place),
					  .lkey = VB_SET(vb_mr_lkey(mr)));
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_note(t, "a receive into a region, %s", places[place]);
	if (place == EXACT)
		vb_expect_message(send, recv);
	else
		vb_expect_scenario(t, "S05", send, recv);
	vb_expect_settled(p);
}

static void fetched(struct vb_test *t, unsigned place)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *from = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_object *whole = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *mr = inner(vb_qp_pd(p->a), whole);
	struct vb_wr *read = vb_post_read(p->a, .to = from, .len = BYTES,
					  .mr = whole,
					  .mr_offset = begin(place),
					  .lkey = VB_SET(vb_mr_lkey(mr)));

	vb_note(t, "a READ into a region, %s", places[place]);
	if (place == EXACT)
		vb_expect_wc(read, IBV_WC_SUCCESS);
	else
		vb_expect_scenario(t, "S09", read, NULL);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	for (unsigned place = 0; place < PLACES; place++) {
		sent(t, place);
		received(t, place);
		fetched(t, place);
	}
}

VB_CASE(local_out_of_bounds, .id = "local/out-of-bounds",
	.title = "an SGE beyond its region by one byte is refused",
	.spec = "ibv_post_send(3), ibv_post_recv(3): sg_list",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("MR-07", "MR-24", "WCS-04", "WCS-25"),
	.defects = VB_LIST("MR-07", "MR-11"), .kills = VB_LIST("D54"),
	.run = run);
