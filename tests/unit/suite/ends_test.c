// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ends on a toy device: sound, every way of using it passes; with each
 * broken promise, the case ends with the finding that names it.  A case ends
 * by leaving its process, so each runs in a child whose words are compared.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy_cases.h"

/* --- cases --------------------------------------------------------------- */

enum { COUNT = 8, BYTES = 100 };

/* Messages one by one, the receive with room to spare. */
static void messages(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_wr *recv[COUNT], *send[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recv[i] = vb_post_recv(p->b, .len = BYTES + 10);
	for (unsigned i = 0; i < COUNT; i++)
		send[i] = vb_post_send(p->a, .len = BYTES,
				       .imm = VB_SET(0x1000 + i));
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(send[i], recv[i]);
	vb_expect_settled(p);
}

static void unsignaled(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send =
		vb_post_send(p->a, .len = BYTES, .unsignaled = true);

	vb_expect_message(send, recv);
	vb_expect_settled(p);
}

static void stream(struct vb_test *t)
{
	struct vb_pair *p[2] = {
		vb_connect(t, .sges = 4, .inline_max = 64, .cq = VB_CQ_SHARED),
		vb_connect(t, .sges = 4, .cq = VB_CQ_SPLIT, .sig_all = true),
	};

	vb_stream_pairs(p, 2, .messages = 200, .sges = 4, .imm = true,
			.inlined = true, .signal_every = 5, .list = 3,
			.direction = VB_BOTH_WAYS);
	vb_stream(p[1], .messages = 50, .receives = 2);
	vb_expect_all_settled(t);
}

static void plain_stream(struct vb_test *t)
{
	vb_stream(vb_connect(t), .messages = 20);
}

static void too_long(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_wr *small = vb_post_recv(p->b, .len = 10);
	struct vb_wr *spare = vb_post_recv(p->b, .len = 10);
	struct vb_wr *large, *later;
	struct vb_wr *wrs[2];
	const struct vb_send_args args[2] = {
		{ .len = 11 }, { .len = 9, .unsignaled = true }
	};

	vb_post_send_list(p->a, 2, args, 2, wrs);
	large = wrs[0];
	later = wrs[1];
	vb_expect_scenario(t, "S02", large, small);
	vb_expect_wc(later, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(spare, IBV_WC_WR_FLUSH_ERR);
	vb_expect_untouched(spare);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_settled(p);
	vb_reconnect(p);
	vb_stream(p, .messages = 20, .direction = VB_BOTH_WAYS);
}

/* The case forgets to say that the error was to be expected. */
static void unexplained(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);

	vb_post_recv(p->b, .len = 10);
	vb_post_send(p->a, .len = 11);
	vb_expect_state(p->a, IBV_QPS_ERR);
}

static void never_received(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);

	vb_post_send(p->a, .len = 11);
}

static void illegal(struct vb_test *t)
{
	struct vb_qp *qp = vb_create_qp(vb_a(t), .depth = 4);

	vb_modify_refused(qp, IBV_QPS_RTS);
	vb_modify_refused(qp, IBV_QPS_INIT, .omit = IBV_QP_PORT);
	vb_modify(qp, IBV_QPS_INIT);
	vb_post_send_refused(qp, .len = 4);
	vb_create_cq_refused(vb_a(t), .cqe = VB_SET(0));
}

static void illegal_post(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = 2);

	vb_post_send_refused(p->a, .len = 90, .sges = 8);
}

static void bad_in_list(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = 2);
	const struct vb_send_args args[3] = { { .len = 5 },
					      { .len = 90, .sges = 8 },
					      { .len = 6 } };
	struct vb_wr *recv = vb_post_recv(p->b, .len = 5), *sent[3];

	vb_post_send_list(p->a, 3, args, 1, sent);
	vb_expect_message(sent[0], recv);
	vb_expect_settled(p);
}

static void early_expectation(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_post_send(p->a, .len = BYTES);
	vb_expect_pending(recv, 100);
}

/* Looked at before anything has been sent. */
static void idle_receive(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);

	vb_post_recv(p->b, .len = BYTES);
	vb_let_pass(t, 10);
}

static void noise(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);

	vb_post_recv(p->b, .len = BYTES);
	vb_post_send(p->a, .len = BYTES);
	vb_expect_quiet(vb_b(t), 100);
}

/* Nothing is polled at end b; does anything else come there? */
static void limit_noise(struct vb_test *t, uint32_t limit)
{
	struct vb_object *srq = vb_create_srq(vb_end_pd(vb_b(t)));
	struct vb_pair *p = vb_connect(t, .depth = 4, .srq_b = srq);
	struct vb_object *cq = vb_qp_send_cq(p->b);
	struct vb_wr *recvs[2];

	for (unsigned i = 0; i < 2; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_arm_srq(srq, limit);
	vb_hold_cq(cq);
	for (unsigned i = 0; i < 2; i++)
		vb_post_send(p->a, .len = BYTES);
	vb_expect_quiet(vb_b(t), 100);
	vb_release_cq(cq);
	for (unsigned i = 0; i < 2; i++)
		vb_expect_wc(recvs[i], IBV_WC_SUCCESS);
	vb_expect_settled(p);
}

static void limit_event(struct vb_test *t)
{
	limit_noise(t, 1);
}

static void no_limit(struct vb_test *t)
{
	limit_noise(t, 0);
}

/* Two lives with traffic. */
static void lives(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);

	vb_stream(p, .messages = 20);
	vb_expect_settled(p);
	vb_reconnect(p);
	vb_stream(p, .messages = 20);
	vb_expect_settled(p);
}

static void told_init(struct vb_test *t)
{
	struct vb_object *srq = vb_create_srq(vb_end_pd(vb_a(t)));
	struct vb_qp *shared =
		vb_create_qp(vb_a(t), .depth = 4, .srq = srq, .sig_all = true);
	struct vb_qp *plain =
		vb_create_qp(vb_a(t), .depth = 4, .cq = VB_CQ_SPLIT);

	vb_expect_told_init(plain);
	vb_expect_told_init(shared);
}

static void event_missing(struct vb_test *t)
{
	vb_expect_event(vb_connect(t)->a, IBV_EVENT_SQ_DRAINED);
}

static void objects(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_a(t));
	struct vb_object *cq = vb_create_cq(vb_a(t), .channel = channel);

	vb_destroy_refused(channel);
	vb_destroy(cq);
	vb_destroy(channel);
	/* Nothing refers to it: this is our own mistake, and is told. */
	vb_destroy_refused(vb_create_pd(vb_a(t)));
}

/* The other process: connected as far as parameters go. */
static void peer_side(struct vb_test *t, struct vb_peer *peer,
		      struct vb_end *end)
{
	struct vb_qp *qp = vb_create_qp(end, .depth = 4);

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_RTR);
	vb_modify(qp, IBV_QPS_RTS);
	vb_peer_barrier(peer, "rts");
	vb_expect_attributes(qp);
	vb_expect_qp_settled(qp);
}

static void peer_good(struct vb_test *t, struct vb_peer *peer)
{
	peer_side(t, peer, vb_b(t));
}

static void peer_dead(struct vb_test *t, struct vb_peer *peer)
{
	raise(SIGKILL);
}

static void peer_silent(struct vb_test *t, struct vb_peer *peer)
{
	pause();
}

static void peer_elsewhere(struct vb_test *t, struct vb_peer *peer)
{
	vb_peer_barrier(peer, "another place");
}

static void peer_failing(struct vb_test *t, struct vb_peer *peer)
{
	vb_fail(t, VB_FIND_OTHER, "told by the second process");
}

static void with(struct vb_test *t,
		 void (*fn)(struct vb_test *t, struct vb_peer *peer))
{
	struct vb_peer *peer = vb_peer_start(t, fn);

	peer_side(t, peer, vb_a(t));
	vb_peer_finish(peer);
}

static void with_good(struct vb_test *t)
{
	with(t, peer_good);
}

static void with_dead(struct vb_test *t)
{
	with(t, peer_dead);
}

static void with_silent(struct vb_test *t)
{
	with(t, peer_silent);
}

static void with_failing(struct vb_test *t)
{
	with(t, peer_failing);
}

static void with_elsewhere(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, peer_elsewhere);

	vb_peer_barrier(peer, "here");
}

static void with_killed(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, peer_silent);

	vb_peer_kill(peer);
	messages(t);
}

/* --- tests --------------------------------------------------------------- */

static void sound_passes(void **state)
{
	const char *modes[] = { "poll", "event" };

	for (unsigned i = 0; i < 2; i++) {
		options.cq_mode = modes[i];
		expect(TOY_SOUND, messages, "pass");
		expect(TOY_SOUND, unsignaled, "pass");
		expect(TOY_SOUND, stream, "pass");
		expect(TOY_SOUND, too_long, "pass");
		expect(TOY_SOUND, illegal, "pass");
		expect(TOY_SOUND, illegal_post, "pass");
		expect(TOY_SOUND, bad_in_list, "pass");
		/* Of another generation: dropped, never mixed with this one. */
		expect(TOY_STALE_WC, too_long, "pass");
	}
	options.cq_mode = "poll";
}

static void completions_are_judged(void **state)
{
	expect(TOY_SEND_WC_LOST, messages, "fail: out-of-order: ");
	expect(TOY_RECV_WC_LOST, messages, "fail: out-of-order: ");
	expect(TOY_WC_TWICE, messages, "fail: duplicated: ");
	expect(TOY_RECV_WC_EARLY, idle_receive, "fail: early: ");
	expect(TOY_SEND_WCS_SWAPPED, messages, "fail: out-of-order: ");
	expect(TOY_WR_ID_FOREIGN, messages, "fail: foreign: ");
	expect(TOY_QP_NUM_FOREIGN, messages, "fail: foreign: ");
	expect(TOY_STATUS_WRONG, messages, "fail: wrong-status: ");
	expect(TOY_STATUS_WRONG, plain_stream, "fail: wrong-status: ");
	expect(TOY_LENGTH_WRONG, messages, "fail: wrong-length: ");
	expect(TOY_OPCODE_WRONG, messages, "fail: wrong-field: ");
	expect(TOY_IMM_WRONG, messages, "fail: wrong-field: ");
	expect(TOY_UNSIGNALED_TOLD, unsignaled, "fail: wrong-count: ");
	expect(TOY_SOUND, never_received, "fail: lost: ");
	expect(TOY_SOUND, early_expectation, "fail: early: ");
	expect(TOY_SOUND, noise, "fail: early: ");
}

static void bytes_are_judged(void **state)
{
	expect(TOY_BIT_FLIPPED, messages, "fail: wrong-content: ");
	expect(TOY_BIT_FLIPPED, plain_stream, "fail: wrong-content: ");
	expect(TOY_PAYLOAD_OLD, messages, "fail: wrong-content: ");
	expect(TOY_BYTE_BEFORE, messages, "fail: guard-overwritten: ");
	expect(TOY_BYTE_BEHIND, messages, "fail: guard-overwritten: ");
	expect(TOY_SURPLUS_WRITTEN, messages, "fail: guard-overwritten: ");
}

static void errors_are_judged(void **state)
{
	expect(TOY_FLUSH_SKIPPED, too_long, "fail: lost: ");
	expect(TOY_FLUSH_SUCCESS, too_long, "fail: wrong-status: ");
	expect(TOY_SOUND, unexplained, "fail: wrong-status: ");
}

static void answers_are_judged(void **state)
{
	expect(TOY_ATTRIBUTE_WRONG, messages, "fail: wrong-attribute: ");
	expect(TOY_STATE_STUCK, messages, "fail: wrong-state: ");
	expect(TOY_REFUSAL_CHANGES, illegal, "fail: wrong-state: ");
	expect(TOY_ILLEGAL_TAKEN, illegal, "fail: wrong-return: ");
	expect(TOY_ILLEGAL_TAKEN, illegal_post, "fail: wrong-return: ");
	expect(TOY_POST_REFUSED, plain_stream, "fail: wrong-return: ");
	expect(TOY_BAD_WR_WRONG, bad_in_list, "fail: wrong-return: ");
	expect(TOY_DESTROY_REFUSED, messages, "fail: wrong-return: ");
	expect(TOY_SOUND, objects, "fail: wrong-return: ");
	expect(TOY_SOUND, told_init, "pass");
	expect(TOY_INIT_DEPTH, told_init, "fail: wrong-attribute: ");
	expect(TOY_INIT_SIGNALS, told_init, "fail: wrong-attribute: ");
	expect(TOY_INIT_CQS, told_init, "fail: wrong-attribute: ");
	expect(TOY_INIT_SRQ, told_init, "fail: wrong-attribute: ");
	expect(TOY_INIT_CONTEXT, told_init, "fail: wrong-attribute: ");
	expect(TOY_SRQ_CONTEXT, told_init, "fail: wrong-attribute: ");
}

static void events_are_judged(void **state)
{
	expect(TOY_EVENT_SPURIOUS, messages, "fail: wrong-event: ");
	expect(TOY_EVENT_FOREIGN, messages, "fail: wrong-event: ");
	expect(TOY_SOUND, event_missing, "fail: wrong-event: ");
	expect(TOY_COMM_EST, lives, "pass");
	expect(TOY_COMM_EST_TWICE, lives, "fail: wrong-event: ");
	expect(TOY_FATAL, too_long, "pass");
	expect(TOY_FATAL_TWICE, too_long, "fail: wrong-event: ");
	expect(TOY_SOUND, no_limit, "pass");
	expect(TOY_SOUND, limit_event, "fail: early: ");
}

static void the_other_process_is_watched(void **state)
{
	expect(TOY_SOUND, with_good, "pass");
	expect(TOY_SOUND, with_killed, "pass");
	expect(TOY_SOUND, with_dead,
	       "fail: crash: the process of end b died by SIGKILL (Killed)");
	expect(TOY_SOUND, with_failing, "fail: other: told by the second");
	expect(TOY_SOUND, with_elsewhere,
	       "broken: the two processes of the case: the peer is at the "
	       "barrier ");
	expect(TOY_SOUND, with_silent,
	       "broken: the two processes of the case: nothing heard");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_passes),
		cmocka_unit_test(completions_are_judged),
		cmocka_unit_test(bytes_are_judged),
		cmocka_unit_test(errors_are_judged),
		cmocka_unit_test(answers_are_judged),
		cmocka_unit_test(events_are_judged),
		cmocka_unit_test(the_other_process_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
