// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is said of an error that nothing explains: that it is told when it
 * comes and not when a deadline passes, what is taken for its cause, and what
 * the dashboard and the record show of it.  On the toy device.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy_cases.h"

#include "base/clock.h"
#include "suite/oracle/dashboard.h"
#include "suite/oracle/recorder.h"
#include "suite/runner/area.h"

enum { BYTES = 100, COUNT = 8, LIMIT_MS = 20000, SLACK_MS = 2000 };

/* --- cases --------------------------------------------------------------- */

static struct vb_pair *retries(struct vb_test *t, unsigned rnr_retry)
{
	return vb_connect(t, .depth = COUNT,
			  .attr = { .rnr_retry = VB_SET(rnr_retry) });
}

/* The receive comes after the send: with rnr_retry 7 early enough. */
static void seven(struct vb_test *t)
{
	struct vb_pair *p = retries(t, 7);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_let_pass(t, 10);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}

static void once(struct vb_test *t)
{
	struct vb_pair *p = retries(t, 1);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_let_pass(t, 10);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}

static void seven_shared(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .path = VB_PATH_SRQ,
				       .attr = { .rnr_retry = VB_SET(7) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_let_pass(t, 10);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}

static void second_first(struct vb_test *t)
{
	struct vb_pair *p = retries(t, 1);

	vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}

/* The row is about another send than the one that failed before it. */
static void row_of_another(struct vb_test *t)
{
	struct vb_pair *p = retries(t, 7);

	vb_post_send(p->a, .len = BYTES);
	vb_expect_scenario(t, "S01", vb_post_send(p->a, .len = BYTES),
			   vb_post_recv(p->b, .len = BYTES));
}

/* Errors that the case knows of, looked at last: no false alarm. */
static void looked_at_later(struct vb_test *t)
{
	struct vb_pair *p = retries(t, 1);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *own = vb_post_recv(p->a, .len = BYTES);

	vb_expect_pending(recv, 30);
	vb_expect_wc(own, IBV_WC_WR_FLUSH_ERR);
	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(send, IBV_WC_RNR_RETRY_EXC_ERR);
	vb_expect_settled(p);
}

/* The responder's own failure comes to its receives, however late it is. */
static void responder_first(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_wr *small = vb_post_recv(p->b, .len = BYTES - 1);
	struct vb_wr *spare = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *large = vb_post_send(p->a, .len = BYTES);
	struct vb_wr *later = vb_post_send(p->a, .len = BYTES);
	struct vb_object *cq = vb_qp_send_cq(p->b);

	vb_hold_cq(cq);
	vb_let_pass(t, 10);
	vb_release_cq(cq);
	vb_expect_wc(spare, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(later, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(small, IBV_WC_LOC_LEN_ERR);
	vb_expect_wc(large, IBV_WC_REM_INV_REQ_ERR);
	vb_expect_settled(p);
}

static void stream_to_err(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_stream *s = vb_stream_start(&p, 1, .messages = 100);

	vb_stream_reach(s, 10);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_stream_finish(s);
}

static void plain_stream(struct vb_test *t)
{
	vb_stream(vb_connect(t), .messages = 20);
}

static void stalled(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t);

	vb_hold_cq(vb_qp_send_cq(p->b));
	vb_stream(p, .messages = 20);
}

static void too_long(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);

	vb_post_recv(p->b, .len = BYTES - 1);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_REM_INV_REQ_ERR);
}

static void told_before(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);

	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}

static void told_after(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2 * COUNT);
	struct vb_wr *send[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		send[i] = vb_post_send(p->a, .len = BYTES);
	vb_let_pass(t, 10);
	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_wc(send[TOY_NTH], IBV_WC_SUCCESS);
}

static void again(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);

	plain_stream(t);
	vb_expect_message(vb_post_send(p->a, .len = BYTES),
			  vb_post_recv(p->b, .len = BYTES));
	vb_reconnect(p);
	vb_stream(p, .messages = 20);
	vb_expect_settled(p);
}

/* In event mode a wait with nothing to do arms the queues. */
static void paced(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);

	vb_let_pass(t, 300);
	vb_expect_message(vb_post_send(p->a, .len = BYTES),
			  vb_post_recv(p->b, .len = BYTES));
	vb_let_pass(t, 300);
	vb_expect_settled(p);
}

static void own_events(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(
		vb_b(t), .channel = vb_create_channel(vb_b(t)), .manual = true);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = COUNT);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = COUNT, .recv_cq = cq);
	struct vb_pair *p = vb_introduce(a, b);
	struct vb_wr *recv;

	vb_reconnect(p);
	recv = vb_post_recv(b, .len = BYTES);
	vb_arm(cq, false);
	vb_post_send(a, .len = BYTES);
	vb_expect_cq_event(cq);
	vb_expect_wc(recv, IBV_WC_SUCCESS);
	vb_ack_cq(cq);
}

/* Refused twice by each verb. */
static void refusals(struct vb_test *t)
{
	struct vb_qp *qp = vb_create_qp(vb_a(t), .depth = COUNT);

	for (unsigned i = 0; i < 2; i++) {
		vb_modify_refused(qp, IBV_QPS_RTS);
		vb_post_send_refused(qp, .len = BYTES);
	}
}

/* --- running them as the runner does --------------------------------------- */

static struct area *area;

static void run(enum toy_defect defect, void (*fn)(struct vb_test *t))
{
	pid_t child;
	int status;

	area_begin(area, 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct inside inside = {
			.area = area,
			.end_ns = clock_now_ns() + LIMIT_MS * NS_PER_MS,
		};
		struct vb_test t = { .record = &record,
				     .options = &options,
				     .seed = 11,
				     .runner = &inside };

		toy_defect = defect;
		fn(&t);
		vb_ends_close(&t);
		outcome_settle(&area->outcome, VB_PASS, VB_FIND_OTHER, "%s",
			       "");
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
}

static void passes(enum toy_defect defect, void (*fn)(struct vb_test *t))
{
	run(defect, fn);
	if (area->outcome.verdict != VB_PASS)
		fail_msg("defect %d: %s", defect, area->outcome.reason);
}

static void fails(enum toy_defect defect, void (*fn)(struct vb_test *t),
		  enum vb_finding finding, const char *reason,
		  const char *cause)
{
	const struct outcome *o = &area->outcome;

	run(defect, fn);
	if (o->verdict != VB_FAIL || o->finding != finding ||
	    !strstr(o->reason, reason) || !strstr(o->diagnosis, cause))
		fail_msg("defect %d: finding %s, \"%s\"; \"%s\"; expected "
			 "\"%s\"; \"%s\"",
			 defect, vb_finding_word(o->finding), o->reason,
			 o->diagnosis, reason, cause);
}

/* --- tests --------------------------------------------------------------- */

static void errors_are_told_when_they_come(void **state)
{
	const char *first = "a qp0 sq #0 gen 1 (SEND, 100 bytes) completed "
			    "with RNR_RETRY_EXC_ERR";

	fails(TOY_RNR_FINITE, seven, VB_FIND_WRONG_STATUS, first, "");
	fails(TOY_RNR_FINITE, seven_shared, VB_FIND_WRONG_STATUS, first, "");
	fails(TOY_RNR_FINITE, second_first, VB_FIND_WRONG_STATUS, first, "");
	fails(TOY_RNR_FINITE, row_of_another, VB_FIND_WRONG_STATUS, first, "");
	fails(TOY_SOUND, stream_to_err, VB_FIND_WRONG_STATUS,
	      "belongs to a stream", "");
	passes(TOY_RNR_FINITE, looked_at_later);
	passes(TOY_SOUND, responder_first);
}

static void causes_are_those_of_the_time(void **state)
{
	fails(TOY_RNR_FINITE, seven, VB_FIND_WRONG_STATUS, "",
	      "rnr_retry is 7");
	fails(TOY_RNR_FINITE, once, VB_FIND_WRONG_STATUS, "",
	      "had no receive posted");
	fails(TOY_RNR_FILLED, plain_stream, VB_FIND_WRONG_STATUS, "",
	      "although the receive was posted before");
	fails(TOY_NAK_WITHHELD, too_long, VB_FIND_WRONG_STATUS, "",
	      "its NAK has not come");
	fails(TOY_RETRY_ANSWERED, told_before, VB_FIND_WRONG_STATUS, "",
	      "was moved to ERR");
	fails(TOY_RETRY_SPURIOUS, told_after, VB_FIND_WRONG_STATUS, "",
	      "both ends look connected");
}

static void the_dashboard_shows_the_last_query(void **state)
{
	run(TOY_RNR_FINITE, seven);
	assert_int_equal(area->dashboard->ends[0].qps[0].queried, IBV_QPS_ERR);
	assert_int_equal(area->dashboard->ends[1].qps[0].queried, IBV_QPS_RTS);
}

static void stale_completions_are_counted(void **state)
{
	uint64_t stale = 0;

	passes(TOY_STALE_WC, again);
	for (unsigned i = 0; i < DASHBOARD_QPS_MAX; i++)
		stale += area->dashboard->ends[0].qps[i].stale;
	assert_int_equal(stale, 1);
}

static uint64_t events(unsigned end)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < DASHBOARD_CQS_MAX; i++)
		sum += area->dashboard->ends[end].cqs[i].events;
	return sum;
}

static void events_are_counted(void **state)
{
	passes(TOY_SOUND, own_events);
	assert_int_equal(events(0), 0);
	assert_int_equal(events(1), 1);
	passes(TOY_SOUND, plain_stream);
	assert_int_equal(events(0) + events(1), 0);
	options.cq_mode = "event";
	passes(TOY_SOUND, paced);
	options.cq_mode = "poll";
	assert_true(events(0) > 0);
}

static void stalls_tell_the_time_that_passed(void **state)
{
	const char *text;
	unsigned long ms;

	fails(TOY_SOUND, stalled, VB_FIND_LOST, "nothing completed for ", "");
	text = strstr(area->outcome.reason, " for ");
	ms = strtoul(text + strlen(" for "), NULL, 10);
	/* The patience is a tenth of what the timers ask for. */
	assert_in_range(ms, SLACK_MS / 10, SLACK_MS - 1);
}

static void negative_refusals_are_noted_once(void **state)
{
	const struct outcome *o = &area->outcome;

	passes(TOY_SOUND, refusals);
	assert_int_equal(outcome_notes_kept(o), 0);
	passes(TOY_REFUSAL_NEGATIVE, refusals);
	assert_int_equal(outcome_notes_kept(o), 2);
	assert_non_null(strstr(o->note[0], "ibv_modify_qp refuses by a nega"));
	assert_non_null(strstr(o->note[1], "ibv_post_send refuses by a nega"));
}

struct told {
	char text[512];
	unsigned records;
};

static int told(void *arg, const struct recorder_record *r)
{
	struct told *told = arg;

	if (r->call != RECORDER_COMPLAINT)
		return 0;
	assert_int_equal(r->object, 0x12);
	assert_int_equal(r->end, 1);
	if (told->records++)
		strcat(told->text, " ");
	strcat(told->text, r->text);
	return 0;
}

static void complaints_are_recorded_whole(void **state)
{
	struct told all = { .records = 0 };

	fails(TOY_BIT_FLIPPED, plain_stream, VB_FIND_WRONG_CONTENT, "", "");
	recorder_walk(area->recorder, told, &all);
	assert_true(all.records > 1);
	assert_string_equal(all.text, area->outcome.reason);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_told_when_they_come),
		cmocka_unit_test(causes_are_those_of_the_time),
		cmocka_unit_test(the_dashboard_shows_the_last_query),
		cmocka_unit_test(stale_completions_are_counted),
		cmocka_unit_test(events_are_counted),
		cmocka_unit_test(stalls_tell_the_time_that_passed),
		cmocka_unit_test(complaints_are_recorded_whole),
		cmocka_unit_test(negative_refusals_are_noted_once),
	};

	if (area_map(&area))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
