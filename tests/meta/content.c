// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages of which the bytes are not what the receiver's books expect: each
 * case must fail with wrong-content, and content.test wants it said what the
 * bytes were.  The device carries them as they are; the lie is the sender's.
 *
 *	region | the receive | ... | the bytes of a message, to be spoilt |
 */
#include <verbatim/case.h>

enum {
	PIECE = 4096, /* at least a packet */
	BYTES = 3 * PIECE,
	SOURCE = 4 * PIECE, /* where the bytes to be sent lie */
	ROOM = SOURCE + BYTES + PIECE,
	SGES = 4,
	SHIFT = 24,
};

struct lie {
	struct vb_pair *p;
	struct vb_object *mr;
};

static struct vb_pair *own_pair(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 8, .sges = SGES);
	struct vb_qp *b = vb_create_qp(vb_a(t), .depth = 8, .sges = SGES);
	struct vb_pair *p = vb_introduce(a, b);

	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_modify(b, s);
	}
	return p;
}

static struct lie lie(struct vb_test *t)
{
	struct lie l = { .p = own_pair(t) };

	l.mr = vb_create_target(vb_qp_pd(l.p->a), ROOM);
	return l;
}

/* The bytes of the next message, by a post that is refused: it has too many
 * pieces, and its number is given again. */
static void prepare(struct lie *l)
{
	uint32_t bytes[32] = { BYTES };

	vb_post_send_refused(l->p->a, .mr = l->mr, .mr_offset = SOURCE,
			     .layout = { vb_qp_cap(l->p->a)->max_send_sge + 1,
					 bytes });
}

static void send_from(struct lie *l, uint32_t first, uint32_t second,
		      uint32_t third)
{
	struct vb_wr *recv = vb_post_recv(l->p->b, .len = BYTES, .mr = l->mr);
	struct vb_wr *send =
		vb_post_send(l->p->a, .mr = l->mr, .as_is = true,
			     .at = VB_LAYOUT(first, second, third),
			     .layout = VB_LAYOUT(PIECE, PIECE, PIECE));

	vb_expect_message(send, recv);
}

#define CONTENT(name, id_text)                                            \
	VB_CASE(content_##name, .id = "content/" id_text,                 \
		.title = "a message with other bytes than its own",       \
		.dimension = VB_META, .needs = VB_NEED_RC | VB_NEED_RDMA, \
		.limit_ms = 8000, .rules = VB_LIST("MSG-15"),             \
		.run = run_##name)

/* Nothing is spoilt: the arrangement itself is no lie. */
static void run_right(struct vb_test *t)
{
	struct lie l = lie(t);

	prepare(&l);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
	vb_expect_all_settled(t);
}
CONTENT(right, "right");

static void run_shifted(struct vb_test *t)
{
	struct lie l = lie(t);

	prepare(&l);
	send_from(&l, SOURCE, SOURCE + PIECE + SHIFT, SOURCE + 2 * PIECE);
}
CONTENT(shifted, "shifted");

static void run_duplicate_packet(struct vb_test *t)
{
	struct lie l = lie(t);

	prepare(&l);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + PIECE);
}
CONTENT(duplicate_packet, "duplicate-packet");

/* Of the receive itself: there its bytes are as if never written. */
static void run_hole(struct vb_test *t)
{
	struct lie l = lie(t);

	prepare(&l);
	send_from(&l, SOURCE, PIECE, SOURCE + 2 * PIECE);
}
CONTENT(hole, "hole");

static void run_other_message(struct vb_test *t)
{
	struct lie l = lie(t);

	prepare(&l);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
}
CONTENT(other_message, "other-message");

static void run_stale(struct vb_test *t)
{
	struct lie l = lie(t);

	prepare(&l);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
	vb_reconnect(l.p);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
}
CONTENT(stale, "stale-generation");

static void run_other_qp(struct vb_test *t)
{
	struct lie l = lie(t), other = { .p = own_pair(t), .mr = l.mr };

	prepare(&l);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
	send_from(&other, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
}
CONTENT(other_qp, "other-qp");

/* Swapped for zeroes, eight bytes at a time. */
static void run_zeros(struct vb_test *t)
{
	struct lie l = lie(t);
	uint32_t at = SOURCE + PIECE;

	if (!vb_atomic_access(vb_qp_pd(l.p->a)))
		vb_skip(t, "no atomics to make zeroes with");
	prepare(&l);
	at += (8 - (vb_mr_address(l.mr) + at) % 8) % 8;
	for (uint32_t i = 0; i < 256; i += 8)
		vb_expect_wc(
			vb_post_cmp_swap(
				l.p->b, .to = l.mr,
				.remote = VB_SET(vb_mr_address(l.mr) + at + i),
				.compare = vb_load(l.mr, at + i), .swap = 0),
			IBV_WC_SUCCESS);
	send_from(&l, SOURCE, SOURCE + PIECE, SOURCE + 2 * PIECE);
}
CONTENT(zeros, "zeros");
