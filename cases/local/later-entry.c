// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Of a list of entries one that is not the first has a key which does not open
 * its memory: of a region in another PD, of one that is gone, of none.  The
 * request fails as for a first entry, though what comes before is in order.
 */
#include <verbatim/case.h>

enum { PIECE = 40, PIECES = 3, BYTES = PIECES * PIECE };
enum { FOREIGN, GONE, UNKNOWN, KEYS };

static const char *const names[KEYS] = { "of another PD",
					 "of a region that is gone",
					 "that nobody gave out" };

static uint32_t wrong_key(struct vb_end *e, struct vb_object *whole,
			  unsigned kind)
{
	struct vb_object *mr;
	uint32_t key;

	if (kind == UNKNOWN)
		return 0x7fffff00;
	mr = vb_create_mr(kind == FOREIGN ? vb_create_pd(e) : vb_end_pd(e),
			  .over = whole, .len = BYTES);
	key = vb_mr_lkey(mr);
	if (kind == GONE)
		vb_destroy(mr);
	return key;
}

/* Whose list it is: of a send at a, of a READ at a, of a receive at b. */
static void attempt(struct vb_test *t, enum vb_op op, bool receive,
		    unsigned kind, unsigned at)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .sges = PIECES);
	struct vb_qp *qp = receive ? p->b : p->a;
	struct vb_object *mr = vb_create_mr(vb_qp_pd(qp), .len = BYTES);
	struct vb_object *from = vb_create_target(vb_qp_pd(p->b), BYTES);
	uint32_t keys[PIECES] = { vb_mr_lkey(mr), vb_mr_lkey(mr),
				  vb_mr_lkey(mr) };
	const struct vb_layout lkeys = { .count = PIECES, .bytes = keys };
	const struct vb_layout pieces = VB_LAYOUT(PIECE, PIECE, PIECE);
	struct vb_wr *recv;

	vb_note(t, "entry %u has a key %s", at, names[kind]);
	keys[at] = wrong_key(vb_qp_end(qp), mr, kind);
	if (op == VB_READ) {
		vb_expect_scenario(t, "S09",
				   vb_post_read(p->a, .to = from, .mr = mr,
						.layout = pieces,
						.lkeys = lkeys),
				   NULL);
	} else if (receive) {
		recv = vb_post_recv(p->b, .mr = mr, .layout = pieces,
				    .lkeys = lkeys);
		vb_expect_scenario(t, "S05", vb_post_send(p->a, .len = BYTES),
				   recv);
	} else {
		(void)vb_post_recv(p->b, .len = BYTES);
		vb_expect_scenario(t, "S07",
				   vb_post_send(p->a, .mr = mr,
						.layout = pieces,
						.lkeys = lkeys),
				   NULL);
	}
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void run(struct vb_test *t)
{
	for (unsigned kind = 0; kind < KEYS; kind++)
		for (unsigned at = 1; at < PIECES; at++) {
			attempt(t, VB_SEND, false, kind, at);
			attempt(t, VB_SEND, true, kind, at);
			attempt(t, VB_READ, false, kind, at);
		}
}

VB_CASE(local_later_entry, .id = "local/later-entry",
	.title = "an entry of a list is judged wherever it stands",
	.spec = "ibv_post_send(3), ibv_post_recv(3): sg_list",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("SGE-06", "SGE-05", "PD-03", "PD-05", "MR-10"),
	.defects = VB_LIST("SGE-08", "PD-01"), .kills = VB_LIST("D80"),
	.run = run);
