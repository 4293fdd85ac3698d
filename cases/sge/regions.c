// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The pieces of a request may be of different regions, each with its own key:
 * at the sender, at the receiver, where a READ brings its data.  One key that
 * is wrong, in whatever place, fails the request and it alone.
 */
#include <verbatim/case.h>

enum { SGES = 3, PIECE = 1000, ROOM = SGES * PIECE, GARBAGE = 0xfedcba98 };

struct memory {
	struct vb_object *all, *part[SGES];
	uint32_t lkeys[SGES];
};

/* Each piece is covered by a region of its own, and by no other. */
static void regions(struct vb_object *pd, struct memory *m)
{
	m->all = vb_create_mr(pd, .len = ROOM);
	for (uint32_t i = 0; i < SGES; i++) {
		m->part[i] = vb_create_mr(pd, .len = PIECE, .over = m->all,
					  .offset = i * PIECE);
		m->lkeys[i] = vb_mr_lkey(m->part[i]);
	}
}

static struct vb_layout keys(const struct memory *m)
{
	return (struct vb_layout){ .count = SGES, .bytes = m->lkeys };
}

static void right(struct vb_pair *p, const struct memory *there,
		  const struct memory *here, struct vb_object *target)
{
	struct vb_wr *recv =
		vb_post_recv(p->b, .mr = here->all, .lkeys = keys(here),
			     .layout = VB_LAYOUT(PIECE, PIECE, PIECE));
	struct vb_wr *send =
		vb_post_send(p->a, .mr = there->all, .lkeys = keys(there),
			     .layout = VB_LAYOUT(PIECE, PIECE, PIECE));

	vb_expect_message(send, recv);
	vb_expect_wc(vb_post_read(p->a, .to = target, .mr = there->all,
				  .lkeys = keys(there),
				  .layout = VB_LAYOUT(PIECE, PIECE, PIECE)),
		     IBV_WC_SUCCESS);
}

static void wrong(struct vb_test *t, struct vb_pair *p, struct memory *there,
		  struct memory *here, unsigned at)
{
	const uint32_t send_key = there->lkeys[at], recv_key = here->lkeys[at];
	struct vb_wr *recv, *send;

	there->lkeys[at] = GARBAGE;
	send = vb_post_send(p->a, .mr = there->all, .lkeys = keys(there),
			    .layout = VB_LAYOUT(PIECE, PIECE, PIECE));
	vb_expect_scenario(t, "S07", send, NULL);
	vb_reconnect(p);
	there->lkeys[at] = send_key;

	here->lkeys[at] = GARBAGE;
	recv = vb_post_recv(p->b, .mr = here->all, .lkeys = keys(here),
			    .layout = VB_LAYOUT(PIECE, PIECE, PIECE));
	send = vb_post_send(p->a, .len = ROOM);
	vb_expect_scenario(t, "S05", send, recv);
	vb_reconnect(p);
	here->lkeys[at] = recv_key;
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = SGES);
	struct vb_object *target = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct memory there, here;

	regions(vb_qp_pd(p->a), &there);
	regions(vb_qp_pd(p->b), &here);
	right(p, &there, &here, target);
	for (unsigned i = 0; i < SGES; i++)
		wrong(t, p, &there, &here, i);
	right(p, &there, &here, target);
	vb_expect_settled(p);
}

VB_CASE(sge_regions, .id = "sge/regions",
	.title = "each piece of a request has a region of its own",
	.spec = "ibv_post_send(3), ibv_post_recv(3): lkey",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("SGE-05", "SGE-06", "MR-11", "WCS-04"), .run = run);
