// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two processes tell each other where their memory is, and then each reads the
 * other's, writes to it and counts in it, both at once: what was read is what
 * lay there, what was written lies there, and no count is lost.
 */
#include <verbatim/case.h>

enum { BYTES = 13000, WORDS = 5, ADDS = 8, STEP = 5, NOTE = 24 };

/* In which word of the region: some of each packet, and the ends. */
static const uint32_t words[WORDS] = { 0, 1000, 4096, 8192, BYTES - 8 };

struct side {
	struct vb_test *t;
	struct vb_peer *peer;
	struct vb_qp *qp;
	/* The peer reads the first, writes to the second, counts in the third;
	 * and where the peer's are. */
	struct vb_object *read, *written, *counted;
	uint64_t address[3], rkey[3];
};

/* The upper 63 bits, which is as many as can be told. */
static uint64_t word_of(struct vb_object *mr, unsigned i)
{
	return vb_load(mr, words[i]) >> 1;
}

/* The peer's words, which lie here in @mine, are those that it has. */
static void compare(struct side *s, struct vb_object *theirs,
		    struct vb_object *mine, const char *what)
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t there = vb_peer_tell(s->peer, word_of(theirs, i));
		uint64_t here = word_of(mine, i);

		vb_check(s->t, VB_FIND_WRONG_CONTENT, here == there,
			 "of %d bytes %s by another process, those from %u on "
			 "are 0x%llx, must be 0x%llx (upper 63 bits)",
			 BYTES, what, words[i], (unsigned long long)here,
			 (unsigned long long)there);
	}
}

static void introduce(struct side *s, struct vb_end *e)
{
	struct vb_object *pd = vb_end_pd(e);
	struct vb_object **own[3] = { &s->read, &s->written, &s->counted };

	s->qp = vb_create_qp(e, .depth = 2 * ADDS);
	vb_peer_exchange(s->peer, s->qp);
	for (enum ibv_qp_state to = IBV_QPS_INIT; to <= IBV_QPS_RTS; to++) {
		vb_modify(s->qp, to);
		vb_peer_barrier(s->peer, "step");
	}
	for (unsigned i = 0; i < 3; i++) {
		*own[i] = vb_create_target(pd, BYTES);
		s->address[i] = vb_peer_tell(s->peer, vb_mr_address(*own[i]));
		s->rkey[i] = vb_peer_tell(s->peer, vb_mr_rkey(*own[i]));
	}
}

static void read_and_write(struct side *s, struct vb_end *e)
{
	struct vb_object *sink = vb_create_mr(vb_end_pd(e), .len = BYTES);
	struct vb_object *source = vb_create_target(vb_end_pd(e), BYTES);
	struct vb_wr *note = vb_post_recv(s->qp, .len = NOTE), *wrs[3];

	vb_peer_barrier(s->peer, "receives posted");
	wrs[0] = vb_post_read(s->qp, .mr = sink, .len = BYTES,
			      .remote = VB_SET(s->address[0]),
			      .rkey = VB_SET(s->rkey[0]));
	wrs[1] = vb_post_write(s->qp, .mr = source, .len = BYTES, .as_is = true,
			       .remote = VB_SET(s->address[1]),
			       .rkey = VB_SET(s->rkey[1]));
	/* Behind it, the receiver's processor sees what was written. */
	wrs[2] = vb_post_send(s->qp, .len = NOTE);
	for (unsigned i = 0; i < 3; i++)
		vb_expect_wc(wrs[i], IBV_WC_SUCCESS);
	vb_expect_received(note, NOTE);
	vb_peer_barrier(s->peer, "read and written");
	compare(s, s->read, sink, "read");
	compare(s, source, s->written, "written");
}

static void count(struct side *s)
{
	uint32_t at = (8 - vb_mr_address(s->counted) % 8) % 8;
	uint64_t before = vb_load(s->counted, at), now;
	uint64_t there = vb_peer_tell(s->peer, at);
	struct vb_wr *wrs[ADDS];

	for (unsigned i = 0; i < ADDS; i++)
		wrs[i] = vb_post_fetch_add(
			s->qp, .add = STEP, .rkey = VB_SET(s->rkey[2]),
			.remote = VB_SET(s->address[2] + there));
	for (unsigned i = 0; i < ADDS; i++) {
		vb_expect_wc(wrs[i], IBV_WC_SUCCESS);
		vb_check(s->t, VB_FIND_WRONG_CONTENT,
			 vb_result(wrs[i]) - vb_result(wrs[0]) == i * STEP,
			 "FETCH_ADD %u in another process brought 0x%llx, the "
			 "first 0x%llx",
			 i, (unsigned long long)vb_result(wrs[i]),
			 (unsigned long long)vb_result(wrs[0]));
	}
	vb_peer_barrier(s->peer, "counted");
	now = vb_load(s->counted, at);
	vb_check(s->t, VB_FIND_WRONG_CONTENT, now - before == ADDS * STEP,
		 "another process added %d times %d, the word has grown by "
		 "%lld",
		 ADDS, STEP, (long long)(now - before));
}

static void both(struct vb_test *t, struct vb_end *e, struct vb_peer *peer)
{
	struct side s = { .t = t, .peer = peer };

	introduce(&s, e);
	read_and_write(&s, e);
	if (vb_atomic_access(vb_end_pd(e)))
		count(&s);
	vb_expect_qp_settled(s.qp);
	vb_peer_barrier(peer, "settled");
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	both(t, vb_b(t), peer);
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);

	both(t, vb_a(t), peer);
	vb_peer_finish(peer);
}

VB_CASE(mix_two_processes, .id = "mix/two-processes",
	.title = "two processes read, write and count in each other's memory",
	.spec = "ibv_post_send(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("RMA-01", "RMA-10", "MSG-15", "ATO-01", "ATO-06"),
	.defects = VB_LIST("DATA-10", "PSN-05", "ATOM-02"),
	.kills = VB_LIST("R13", "R14"), .run = run);
