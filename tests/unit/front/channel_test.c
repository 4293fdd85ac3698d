// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion channels: who gets which event, when the descriptor is readable,
 * and who waits for whom. */
#include "front_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>

#include "device/front/channel.h"

struct two {
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq[2];
};

static struct two two_make(void **state)
{
	struct two t = { .context = *state };

	t.channel = ibv_create_comp_channel(t.context);
	assert_non_null(t.channel);
	for (int i = 0; i < 2; i++) {
		t.cq[i] = ibv_create_cq(t.context, 4, &t.cq[i], t.channel, i);
		assert_non_null(t.cq[i]);
	}
	assert_int_equal(fcntl(t.channel->fd, F_SETFL, O_NONBLOCK), 0);
	return t;
}

static void two_free(struct two *t)
{
	assert_int_equal(ibv_destroy_cq(t->cq[0]), 0);
	assert_int_equal(ibv_destroy_cq(t->cq[1]), 0);
	assert_int_equal(ibv_destroy_comp_channel(t->channel), 0);
}

static void post(struct ibv_cq *cq)
{
	channel_post(soft_channel_cast(cq->channel), (struct soft_cq *)cq);
}

static bool readable(struct ibv_comp_channel *channel)
{
	struct pollfd p = { .fd = channel->fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/* Fetch one event, which must be there. */
static struct ibv_cq *fetch(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq = NULL;
	void *cq_context = NULL;

	assert_true(readable(channel));
	assert_int_equal(ibv_get_cq_event(channel, &cq, &cq_context), 0);
	assert_ptr_equal(cq_context, cq->cq_context);
	return cq;
}

static void assert_empty(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *cq_context;

	assert_false(readable(channel));
	errno = 0;
	assert_int_equal(ibv_get_cq_event(channel, &cq, &cq_context), -1);
	assert_int_equal(errno, EAGAIN);
}

static void an_empty_one_says_try_again(void **state)
{
	struct two t = two_make(state);

	assert_empty(t.channel);
	two_free(&t);
}

static void each_event_names_its_cq_in_order(void **state)
{
	struct two t = two_make(state);

	post(t.cq[1]);
	post(t.cq[0]);
	assert_ptr_equal(fetch(t.channel), t.cq[1]);
	assert_ptr_equal(fetch(t.channel), t.cq[0]);
	assert_empty(t.channel);
	ibv_ack_cq_events(t.cq[0], 1);
	ibv_ack_cq_events(t.cq[1], 1);
	two_free(&t);
}

static void as_many_are_fetched_as_were_posted(void **state)
{
	struct two t = two_make(state);
	unsigned int count[2] = { 0, 0 };

	for (int i = 0; i < 1000; i++)
		post(t.cq[i % 3 == 0]);
	for (int i = 0; i < 1000; i++)
		count[fetch(t.channel) == t.cq[1]]++;
	assert_empty(t.channel);
	assert_int_equal(count[0], 666);
	assert_int_equal(count[1], 334);
	ibv_ack_cq_events(t.cq[0], 666);
	ibv_ack_cq_events(t.cq[1], 334);
	two_free(&t);
}

static void events_of_a_destroyed_cq_are_gone(void **state)
{
	struct two t = two_make(state);

	post(t.cq[0]);
	post(t.cq[0]);
	post(t.cq[1]);
	assert_int_equal(ibv_destroy_cq(t.cq[0]), 0);
	assert_ptr_equal(fetch(t.channel), t.cq[1]);
	assert_empty(t.channel);
	ibv_ack_cq_events(t.cq[1], 1);
	post(t.cq[1]);
	assert_int_equal(ibv_destroy_cq(t.cq[1]), 0);
	assert_empty(t.channel);
	assert_int_equal(ibv_destroy_comp_channel(t.channel), 0);
}

static void a_channel_in_use_is_not_destroyed(void **state)
{
	struct two t = two_make(state);

	assert_refused(ibv_destroy_comp_channel(t.channel), EBUSY);
	assert_int_equal(ibv_destroy_cq(t.cq[0]), 0);
	assert_refused(ibv_destroy_comp_channel(t.channel), EBUSY);
	assert_int_equal(ibv_destroy_cq(t.cq[1]), 0);
	assert_int_equal(ibv_destroy_comp_channel(t.channel), 0);
}

static void too_many_acks_do_not_hang_a_destroy(void **state)
{
	struct two t = two_make(state);

	ibv_ack_cq_events(t.cq[0], 0);
	post(t.cq[0]);
	assert_ptr_equal(fetch(t.channel), t.cq[0]);
	ibv_ack_cq_events(t.cq[0], 5);
	two_free(&t);
}

static void *destroy_cq(void *cq)
{
	return (void *)(intptr_t)ibv_destroy_cq(cq);
}

/* The thread can end only behind the ack: join succeeds after it, and a timed
 * one before it does not. */
static void destroy_waits_for_the_ack(void **state)
{
	struct two t = two_make(state);
	struct timespec soon;
	pthread_t thread;
	void *result;

	post(t.cq[0]);
	fetch(t.channel);
	assert_int_equal(pthread_create(&thread, NULL, destroy_cq, t.cq[0]), 0);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 50 * 1000 * 1000;
	if (soon.tv_nsec >= 1000 * 1000 * 1000) {
		soon.tv_sec++;
		soon.tv_nsec -= 1000 * 1000 * 1000;
	}
	assert_int_equal(pthread_timedjoin_np(thread, &result, &soon),
			 ETIMEDOUT);
	ibv_ack_cq_events(t.cq[0], 1);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	assert_int_equal(ibv_destroy_cq(t.cq[1]), 0);
	assert_int_equal(ibv_destroy_comp_channel(t.channel), 0);
}

struct reader {
	pthread_t thread;
	struct ibv_comp_channel *channel;
	unsigned int share;
};

static void *read_share(void *arg)
{
	struct reader *r = arg;

	for (unsigned int i = 0; i < r->share; i++) {
		struct ibv_cq *cq;
		void *cq_context;

		if (ibv_get_cq_event(r->channel, &cq, &cq_context))
			return "an event was not got";
		ibv_ack_cq_events(cq, 1);
	}
	return NULL;
}

/* Several readers block on one channel: no event is lost, nobody sleeps on
 * while there is one. */
static void blocked_readers_share_all_events(void **state)
{
	enum { READERS = 3, SHARE = 2000 };
	struct two t = two_make(state);
	struct reader readers[READERS];

	assert_int_equal(fcntl(t.channel->fd, F_SETFL, 0), 0);
	for (int i = 0; i < READERS; i++) {
		readers[i] =
			(struct reader){ .channel = t.channel, .share = SHARE };
		assert_int_equal(pthread_create(&readers[i].thread, NULL,
						read_share, &readers[i]),
				 0);
	}
	for (int i = 0; i < READERS * SHARE; i++)
		post(t.cq[i & 1]);
	for (int i = 0; i < READERS; i++) {
		void *result;

		assert_int_equal(pthread_join(readers[i].thread, &result), 0);
		assert_null(result);
	}
	assert_false(readable(t.channel));
	two_free(&t);
}

static void a_foreign_channel_is_refused(void **state)
{
	struct ibv_comp_channel foreign = { .context = *state, .fd = -1 };

	assert_refused(ibv_destroy_comp_channel(&foreign), EINVAL);
	assert_refused(ibv_destroy_comp_channel(NULL), EINVAL);
	assert_no_object(ibv_create_comp_channel(NULL), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_one_says_try_again),
		cmocka_unit_test(each_event_names_its_cq_in_order),
		cmocka_unit_test(as_many_are_fetched_as_were_posted),
		cmocka_unit_test(events_of_a_destroyed_cq_are_gone),
		cmocka_unit_test(a_channel_in_use_is_not_destroyed),
		cmocka_unit_test(too_many_acks_do_not_hang_a_destroy),
		cmocka_unit_test(destroy_waits_for_the_ack),
		cmocka_unit_test(blocked_readers_share_all_events),
		cmocka_unit_test(a_foreign_channel_is_refused),
	};

	return cmocka_run_group_tests(tests, front_setup, front_teardown);
}
