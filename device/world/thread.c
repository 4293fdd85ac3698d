// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The adapter's own thread, for all the time in which the application does not
 * drive the adapter by polling: it waits on TCP, on a completion channel, or
 * for bytes in memory to change.
 *
 *	nap	the application polls: stay out of its way, look at the clock
 *		every NAP_NS
 *	duty	it has not polled for IDLE_NS, or its owner sleeps on an armed
 *		CQ: wait for packets, timers and kicks, and do the work
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/world/adapter_private.h"

enum {
	THREAD_IDLE_NS = 100 * 1000,
	THREAD_NAP_NS = 200 * 1000,
	/* An event ends a CQ's being armed; its owner is about to arm it
	 * again, and the thread would only just have gone to nap. */
	THREAD_ARMED_NS = 20 * 1000 * 1000,
};

static bool thread_on_duty(const struct sd_adapter *a, uint64_t now_ns)
{
	return a->armed > 0 || now_ns - a->armed_last_ns < THREAD_ARMED_NS ||
	       now_ns - a->polled_last_ns > THREAD_IDLE_NS;
}

/* How long to wait, ns; -1: until something happens. */
static int64_t thread_wait_ns(struct sd_adapter *a, bool duty, uint64_t now_ns)
{
	uint64_t next_ns = timers_next_ns(&a->timers);
	int64_t wait_ns = -1;

	if (!duty)
		return THREAD_NAP_NS;
	if (a->more_outside || adapter_local_waiting(a) ||
	    !TAILQ_EMPTY(&a->runnable) || !TAILQ_EMPTY(&a->answering))
		return 0;
	if (next_ns)
		wait_ns = next_ns > now_ns ? (int64_t)(next_ns - now_ns) : 0;
	return wait_ns;
}

static void thread_sleep(struct sd_adapter *a, bool duty, int64_t wait_ns)
{
	struct timespec t = { .tv_sec = wait_ns / (int64_t)NS_PER_S,
			      .tv_nsec = wait_ns % (int64_t)NS_PER_S };
	struct pollfd fds[2] = {
		{ .fd = a->thread.kick_fd, .events = POLLIN },
		{ .fd = a->link->ops->fd(a->link), .events = POLLIN },
	};
	uint64_t kicks;

	if (ppoll(fds, duty ? 2 : 1, wait_ns < 0 ? NULL : &t, NULL) > 0 &&
	    fds[0].revents)
		(void)!read(a->thread.kick_fd, &kicks, sizeof(kicks));
}

static void *thread_main(void *arg)
{
	struct sd_adapter *a = arg;

	sd_adapter_lock(a);
	while (!a->thread.stop) {
		uint64_t now_ns = clock_now_ns();
		bool duty = thread_on_duty(a, now_ns);
		int64_t wait_ns;

		if (duty)
			adapter_work(a, true, now_ns);
		wait_ns = thread_wait_ns(a, duty, now_ns);
		a->thread.sleeps = duty && wait_ns != 0;
		a->thread.sleeps_until_ns =
			wait_ns < 0 ? UINT64_MAX : now_ns + (uint64_t)wait_ns;
		if (duty && wait_ns != 0 && a->capture)
			capture_flush(a->capture);
		sd_adapter_unlock(a);
		thread_sleep(a, duty, wait_ns);
		sd_adapter_lock(a);
		a->thread.sleeps = false;
	}
	sd_adapter_unlock(a);
	return NULL;
}

void adapter_thread_kick(struct sd_adapter *a)
{
	uint64_t one = 1;

	(void)!write(a->thread.kick_fd, &one, sizeof(one));
}

void adapter_thread_tell(struct sd_adapter *a)
{
	uint64_t next_ns = timers_next_ns(&a->timers);

	if (!a->thread.sleeps)
		return;
	if (adapter_local_waiting(a) || !TAILQ_EMPTY(&a->runnable) ||
	    (next_ns && next_ns < a->thread.sleeps_until_ns)) {
		a->thread.sleeps = false;
		adapter_thread_kick(a);
	}
}

/* The application's signals are the application's threads'. */
int adapter_thread_start(struct sd_adapter *a)
{
	sigset_t all, before;
	int err;

	a->thread.kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->thread.kick_fd < 0)
		return -errno;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&a->thread.id, NULL, thread_main, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		close(a->thread.kick_fd);
	else
		pthread_setname_np(a->thread.id, "soft-adapter");
	return -err;
}

void adapter_thread_stop(struct sd_adapter *a)
{
	sd_adapter_lock(a);
	a->thread.stop = true;
	sd_adapter_unlock(a);
	adapter_thread_kick(a);
	pthread_join(a->thread.id, NULL);
	close(a->thread.kick_fd);
}
