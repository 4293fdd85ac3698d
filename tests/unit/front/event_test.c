// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asynchronous events: order, acks, purging, and the limit of the queue. */
#include "front_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>

#include "base/log.h"
#include "device/front/event.h"

enum { QUEUE_MAX = 65536 };

static struct ibv_cq *cq_make(void **state)
{
	struct ibv_context *context = *state;
	struct ibv_cq *cq = ibv_create_cq(context, 1, NULL, NULL, 0);

	assert_non_null(cq);
	assert_int_equal(fcntl(context->async_fd, F_SETFL, O_NONBLOCK), 0);
	return cq;
}

static void post(struct ibv_cq *cq)
{
	event_post(soft_context_cast(cq->context), IBV_EVENT_CQ_ERR, cq);
}

static bool readable(struct ibv_context *context)
{
	struct pollfd p = { .fd = context->async_fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static struct ibv_async_event fetch(struct ibv_context *context)
{
	struct ibv_async_event e;

	assert_true(readable(context));
	assert_int_equal(ibv_get_async_event(context, &e), 0);
	return e;
}

static void assert_empty(struct ibv_context *context)
{
	struct ibv_async_event e;

	assert_false(readable(context));
	errno = 0;
	assert_int_equal(ibv_get_async_event(context, &e), -1);
	assert_int_equal(errno, EAGAIN);
}

static void events_come_in_order_with_their_element(void **state)
{
	struct ibv_cq *cq[2] = { cq_make(state), cq_make(state) };
	struct soft_context *c = soft_context_cast(*state);
	struct ibv_async_event e;

	assert_empty(*state);
	post(cq[1]);
	event_post(c, IBV_EVENT_GID_CHANGE, NULL);
	post(cq[0]);
	e = fetch(*state);
	assert_int_equal(e.event_type, IBV_EVENT_CQ_ERR);
	assert_ptr_equal(e.element.cq, cq[1]);
	ibv_ack_async_event(&e);
	e = fetch(*state);
	assert_int_equal(e.event_type, IBV_EVENT_GID_CHANGE);
	assert_int_equal(e.element.port_num, 1);
	ibv_ack_async_event(&e);
	e = fetch(*state);
	assert_ptr_equal(e.element.cq, cq[0]);
	ibv_ack_async_event(&e);
	assert_empty(*state);
	assert_int_equal(ibv_destroy_cq(cq[0]), 0);
	assert_int_equal(ibv_destroy_cq(cq[1]), 0);
}

/* Across several growths of the queue, with its start anywhere in it. */
static void a_growing_queue_keeps_the_order(void **state)
{
	enum { CQS = 7, LEAD = 9, EVENTS = 300 };
	struct ibv_cq *cq[CQS];
	struct ibv_async_event e;

	for (int i = 0; i < CQS; i++)
		cq[i] = cq_make(state);
	for (int i = 0; i < LEAD; i++)
		post(cq[0]);
	for (int i = 0; i < LEAD; i++) {
		e = fetch(*state);
		ibv_ack_async_event(&e);
	}
	for (int i = 0; i < EVENTS; i++)
		post(cq[i * i % CQS]);
	for (int i = 0; i < EVENTS; i++) {
		e = fetch(*state);
		assert_ptr_equal(e.element.cq, cq[i * i % CQS]);
		ibv_ack_async_event(&e);
	}
	assert_empty(*state);
	for (int i = 0; i < CQS; i++)
		assert_int_equal(ibv_destroy_cq(cq[i]), 0);
}

static void a_destroyed_element_takes_its_unread_events_along(void **state)
{
	struct ibv_cq *cq[2] = { cq_make(state), cq_make(state) };
	struct ibv_async_event e;

	post(cq[0]);
	post(cq[1]);
	post(cq[0]);
	assert_int_equal(ibv_destroy_cq(cq[0]), 0);
	e = fetch(*state);
	assert_ptr_equal(e.element.cq, cq[1]);
	ibv_ack_async_event(&e);
	assert_empty(*state);
	post(cq[1]);
	assert_int_equal(ibv_destroy_cq(cq[1]), 0);
	assert_empty(*state);
}

static void *destroy_cq(void *cq)
{
	return (void *)(intptr_t)ibv_destroy_cq(cq);
}

static void destroy_waits_for_the_ack(void **state)
{
	struct ibv_cq *cq = cq_make(state);
	struct ibv_async_event e;
	struct timespec soon;
	pthread_t thread;
	void *result;

	post(cq);
	e = fetch(*state);
	assert_int_equal(pthread_create(&thread, NULL, destroy_cq, cq), 0);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 50 * 1000 * 1000;
	if (soon.tv_nsec >= 1000 * 1000 * 1000) {
		soon.tv_sec++;
		soon.tv_nsec -= 1000 * 1000 * 1000;
	}
	assert_int_equal(pthread_timedjoin_np(thread, &result, &soon),
			 ETIMEDOUT);
	ibv_ack_async_event(&e);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
}

static void *read_one(void *context)
{
	struct ibv_async_event e;

	if (ibv_get_async_event(context, &e))
		return "an event was not got";
	ibv_ack_async_event(&e);
	return NULL;
}

static void a_blocked_reader_wakes(void **state)
{
	struct ibv_cq *cq = cq_make(state);
	struct ibv_context *context = *state;
	pthread_t thread;
	void *result;

	assert_int_equal(fcntl(context->async_fd, F_SETFL, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_one, context), 0);
	post(cq);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void what_finds_no_room_is_lost_and_nothing_else(void **state)
{
	struct ibv_cq *cq = cq_make(state);
	struct ibv_async_event e;

	/* One error line is expected here: keep it out of the output. */
	log_setup("event_test", LOG_NONE);
	for (int i = 0; i < QUEUE_MAX + 10; i++)
		post(cq);
	for (int i = 0; i < QUEUE_MAX; i++) {
		e = fetch(*state);
		ibv_ack_async_event(&e);
	}
	assert_empty(*state);
	post(cq);
	e = fetch(*state);
	ibv_ack_async_event(&e);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_in_order_with_their_element),
		cmocka_unit_test(a_growing_queue_keeps_the_order),
		cmocka_unit_test(
			a_destroyed_element_takes_its_unread_events_along),
		cmocka_unit_test(destroy_waits_for_the_ack),
		cmocka_unit_test(a_blocked_reader_wakes),
		cmocka_unit_test(what_finds_no_room_is_lost_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, front_setup, front_teardown);
}
