// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A fence holds back behind atomics as behind READs, and holds back whatever
 * carries it: a fenced WRITE, with immediate or without, brings what the
 * atomics before it have fetched, and a fenced READ sees memory as a WRITE
 * behind it has not left it yet.
 */
#include <verbatim/case.h>

enum { ADDS = 8, ROUNDS = 6, WORD = 8, ROOM = ADDS * WORD, BYTES = 64 };

/* What each FETCH_ADD brings into @between goes on to @to, by one WRITE. */
static void forward(struct vb_test *t, struct vb_pair *p,
		    struct vb_object *cell, struct vb_object *to, uint32_t at,
		    bool imm)
{
	struct vb_object *between = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	uint64_t first = vb_load(cell, at), came[ADDS];
	struct vb_wr *adds[ADDS], *write, *recv = NULL;
	struct vb_send_args args = { .op = VB_WRITE,
				     .to = to,
				     .len = ROOM,
				     .mr = between,
				     .as_is = true,
				     .fence = true };

	if (imm) {
		args.imm = VB_SET(0xfe7c4);
		recv = vb_post_recv(p->b, .len = BYTES);
	}
	for (unsigned i = 0; i < ADDS; i++)
		adds[i] = vb_post_fetch_add(p->a, .to = cell, .offset = at,
					    .add = 1, .mr = between,
					    .mr_offset = i * WORD);
	write = vb_post_send_args(p->a, &args);
	for (unsigned i = 0; i < ADDS; i++)
		vb_expect_wc(adds[i], IBV_WC_SUCCESS);
	vb_expect_wc(write, IBV_WC_SUCCESS);
	if (recv)
		vb_expect_wc(recv, IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = WORD), IBV_WC_SUCCESS);
	vb_load_words(to, 0, came, ADDS);
	for (unsigned i = 0; i < ADDS; i++)
		vb_check(t, VB_FIND_WRONG_CONTENT, came[i] == first + i,
			 "a fenced WRITE%s did not carry what FETCH_ADD %u of "
			 "%d before it had brought",
			 imm ? " with immediate" : "", i + 1, ADDS);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = ADDS + 2);
	struct vb_object *cell = vb_create_target(vb_qp_pd(p->b), 2 * BYTES);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	uint32_t at = (WORD - vb_mr_address(cell) % WORD) % WORD;

	for (unsigned i = 0; i < ROUNDS; i++)
		forward(t, p, cell, to, at, i % 2);
	vb_expect_settled(p);
}

VB_CASE(read_fence_atomic, .id = "read/fence-atomic",
	.title = "a fenced request waits for the atomics before it",
	.spec = "ibv_post_send(3): IBV_SEND_FENCE",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_ATOMIC | VB_NEED_IMM,
	.limit_ms = 15000, .rules = VB_LIST("RMA-04", "ATO-01", "ATO-12"),
	.defects = VB_LIST("READ-01", "READ-02", "IMM-03"),
	.kills = VB_LIST("D55"), .run = run);
