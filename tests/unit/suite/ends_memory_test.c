// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ends on a toy device, beyond SEND on RC: one-sided operations,
 * datagrams, SRQs, completion events.  Sound, each case passes; each broken
 * promise is found, and named.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy_cases.h"

enum { COUNT = 12, BYTES = 100, ROOM = COUNT * BYTES };

static void writes(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .sges = 3);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *wr[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		wr[i] = vb_post_write(p->a, .to = to, .offset = i * BYTES,
				      .len = BYTES, .sges = 3);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc(wr[i], IBV_WC_SUCCESS);
	vb_expect_memory(to);
	vb_expect_settled(p);
}

/* The last of them reaches the end of the region. */
static void writes_to_the_end(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);

	for (unsigned i = 0; i <= TOY_NTH; i++)
		vb_expect_wc(vb_post_write(p->a, .to = to, .len = BYTES),
			     IBV_WC_SUCCESS);
	vb_expect_memory(to);
}

static void reads(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .sges = 3);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	vb_store(to, 3, 50);
	for (unsigned i = 0; i < COUNT; i++) {
		vb_post_write(p->a, .to = to, .offset = i, .len = BYTES,
			      .unsignaled = true);
		vb_expect_wc(vb_post_read(p->a, .to = to, .len = ROOM - i,
					  .sges = 3),
			     IBV_WC_SUCCESS);
	}
	vb_expect_memory(to);
}

static void atomics(struct vb_test *t)
{
	struct vb_pair *p[2] = { vb_connect(t, .depth = COUNT),
				 vb_connect(t, .depth = COUNT) };
	struct vb_object *to = vb_create_target(vb_qp_pd(p[0]->b), 64);
	struct vb_wr *wr[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		wr[i] = vb_post_fetch_add(p[i % 2]->a, .to = to, .offset = 8,
					  .add = 1000 + i);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc(wr[i], IBV_WC_SUCCESS);
	vb_expect_memory(to);
	vb_expect_wc(vb_post_cmp_swap(p[0]->a, .to = to, .offset = 16,
				      .compare = 1, .swap = 2),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_cmp_swap(p[0]->a, .to = to, .offset = 16,
				      .compare = vb_load(to, 16), .swap = 3),
		     IBV_WC_SUCCESS);
	vb_expect_memory(to);
	vb_expect_all_settled(t);
}

static void immediates(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	for (unsigned i = 0; i < COUNT; i++) {
		struct vb_wr *recv = vb_post_recv(p->b, .len = 8);
		struct vb_wr *send = vb_post_write(p->a, .to = to, .len = BYTES,
						   .imm = VB_SET(i));

		vb_expect_message(send, recv);
		vb_expect_untouched(recv);
	}
	vb_expect_settled(p);
}

static void mixed_stream(struct vb_test *t)
{
	vb_stream(vb_connect(t, .sges = 2), .messages = 100, .sges = 2,
		  .mix = VB_MIX_WRITE | VB_MIX_WRITE_IMM | VB_MIX_READ,
		  .signal_every = 3, .list = 2, .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

static void datagrams(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = COUNT);
	struct vb_wr *send[COUNT], *recv[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recv[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		send[i] = vb_post_send(p->a, .len = BYTES - i);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(send[i], recv[i]);
	vb_expect_settled(p);
}

static void datagram_stream(struct vb_test *t)
{
	vb_stream(vb_connect(t, .type = IBV_QPT_UD), .messages = 50,
		  .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

static void shared_receives(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(COUNT));
	struct vb_pair *p[2] = { vb_connect(t, .srq_b = srq),
				 vb_connect(t, .srq_b = srq) };
	struct vb_wr *recv[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recv[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_post_srq_recv_refused(srq, .len = BYTES);
	vb_arm_srq(srq, 3);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(vb_post_send(p[i % 2]->a, .len = BYTES),
				  recv[i]);
	vb_expect_srq_limit(srq);
	vb_modify_srq_refused(srq, IBV_SRQ_LIMIT, 0, COUNT + 1);
	vb_expect_all_settled(t);
	vb_stream_pairs(p, 2, .messages = 40);
}

static void shared_receives_stay(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(4));
	struct vb_pair *p = vb_connect(t, .srq_b = srq);

	for (unsigned i = 0; i < 4; i++)
		vb_post_srq_recv(srq, .len = BYTES);
	vb_modify(p->b, IBV_QPS_ERR);
	vb_let_pass(t, 5);
}

static void events(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(
		vb_b(t), .channel = vb_create_channel(vb_b(t)), .manual = true);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4, .recv_cq = cq);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);

	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_modify(b, s);
	}
	vb_arm(cq, false);
	vb_post_recv(b, .len = BYTES);
	vb_post_send(a, .len = BYTES);
	vb_expect_cq_event(cq);
	vb_expect_no_cq_event(cq, 5);
	vb_try_resize_cq(cq, 300);
	vb_expect_settled(p);
}

static void threaded(struct vb_test *t, unsigned index, void *arg)
{
	(void)arg;
	vb_let_pass(t, index);
}

static void threads(struct vb_test *t)
{
	vb_connect(t);
	vb_threads(t, 3, threaded, NULL);
}

static void sound_passes(void **state)
{
	expect(TOY_SOUND, writes, "pass");
	expect(TOY_SOUND, writes_to_the_end, "pass");
	expect(TOY_SOUND, reads, "pass");
	expect(TOY_SOUND, atomics, "pass");
	expect(TOY_SOUND, immediates, "pass");
	expect(TOY_SOUND, mixed_stream, "pass");
	expect(TOY_SOUND, datagrams, "pass");
	expect(TOY_SOUND, datagram_stream, "pass");
	expect(TOY_SOUND, shared_receives, "pass");
	expect(TOY_SOUND, shared_receives_stay, "pass");
	expect(TOY_SOUND, events, "pass");
	expect(TOY_SOUND, threads, "pass");
}

static void memory_is_judged(void **state)
{
	expect(TOY_MR_LENGTH, writes, "fail: wrong-attribute: ");
	expect(TOY_WRITE_LOST, writes, "fail: wrong-content: ");
	expect(TOY_WRITE_SHIFTED, writes, "fail: wrong-content: ");
	expect(TOY_WRITE_SHIFTED, writes_to_the_end,
	       "fail: guard-overwritten: ");
	expect(TOY_WRITE_LOST, mixed_stream, "fail: wrong-content: ");
	expect(TOY_READ_FLIPPED, reads, "fail: wrong-content: ");
	expect(TOY_ATOMIC_TWICE, atomics, "fail: wrong-content: ");
	expect(TOY_ATOMIC_NEW, atomics, "fail: wrong-content: ");
	expect(TOY_SWAP_ALWAYS, atomics, "fail: wrong-content: ");
	expect(TOY_IMM_WITHOUT_DATA, immediates, "fail: wrong-content: ");
	expect(TOY_OPCODE_WRONG, immediates, "fail: wrong-field: ");
}

static void datagrams_are_judged(void **state)
{
	expect(TOY_DATAGRAM_TWICE, datagrams, "fail: duplicated: ");
	expect(TOY_DATAGRAM_SOURCE, datagrams, "fail: wrong-field: ");
	expect(TOY_DATAGRAM_ADDRESS, datagrams, "fail: wrong-content: ");
	expect(TOY_DATAGRAM_BARE, datagrams, "fail: wrong-content: ");
	expect(TOY_BIT_FLIPPED, datagrams, "fail: wrong-content: ");
	expect(TOY_LENGTH_WRONG, datagrams, "fail: wrong-length: ");
	expect(TOY_RECV_WC_LOST, datagrams, "fail: out-of-order: ");
}

static void shared_receives_are_judged(void **state)
{
	expect(TOY_SRQ_OTHER_QP, shared_receives, "fail: foreign: ");
	expect(TOY_SRQ_FLUSHED, shared_receives_stay, "fail: wrong-status: ");
	expect(TOY_SRQ_LIMIT_TWICE, shared_receives, "fail: wrong-event: ");
	expect(TOY_SRQ_LIMIT_STAYS, shared_receives, "fail: wrong-");
	expect(TOY_WC_TWICE, shared_receives, "fail: duplicated: ");
}

static void events_are_judged(void **state)
{
	expect(TOY_CQ_EVENT_TWICE, events, "fail: wrong-event: ");
	expect(TOY_CQ_EVENT_LOST, events, "fail: wrong-event: ");
	expect(TOY_CQ_SHRINKS, events, "fail: wrong-attribute: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_passes),
		cmocka_unit_test(memory_is_judged),
		cmocka_unit_test(datagrams_are_judged),
		cmocka_unit_test(shared_receives_are_judged),
		cmocka_unit_test(events_are_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
