// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The adapter's own thread, for all the time in which the application does not
 * drive the adapter by polling: it waits on TCP, on a completion channel, or
 * for bytes in memory to change.
 *
 *	nap	the application polls busily: stay out of its way, look at the
 *		clock every NAP_NS
 *	duty	it polls too seldom to rely on, or its owner sleeps on an armed
 *		CQ: wait for packets, timers and kicks, and do the work
 *
 * A nap that found packets which nobody had taken was a mistake: the
 * application polls now and then, and waits by other means.  Duty is not left
 * so soon then, and longer each time that the next nap is a mistake again.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/world/adapter_private.h"

enum {
	THREAD_IDLE_NS = 100 * 1000,
	THREAD_NAP_NS = 200 * 1000,
	/* Busily: as often as this, over as long as that. */
	THREAD_POLL_NS = 10 * 1000,
	THREAD_JUDGE_NS = 150 * 1000,
	/* A full link may belong to a peer that has stopped for long. */
	THREAD_FULL_NS = 50 * 1000,
	/* Being woken costs tens of microseconds: after work, more of it is
	 * looked out for as long as this. */
	THREAD_LINGER_NS = 50 * 1000,
	THREAD_TURNS_TO_YIELD = 8,
	/* Unless others want the core: then looking out means keeping them
	 * from it, or being kept away longer than being woken takes. */
	THREAD_CROWDED_NS = 20 * 1000,
	THREAD_CROWDED_FOR_NS = 100 * 1000 * 1000,
	/* Duty after a nap that was a mistake. */
	THREAD_MISTAKES = 2,
	THREAD_LATE_NS = 80 * 1000,
	THREAD_REGRET_MIN_NS = 5 * 1000 * 1000,
	THREAD_REGRET_MAX_NS = 80 * 1000 * 1000,
	/* An event ends a CQ's being armed; its owner is about to arm it
	 * again, and the thread would only just have gone to nap. */
	THREAD_ARMED_NS = 20 * 1000 * 1000,
	THREAD_SLICE_NS = 100 * 1000,
};

/* An application that polls once for each message, and waits for the next by
 * looking at its memory, must not be taken for one that polls. */
static void thread_judge_polling(struct sd_adapter *a, uint64_t now_ns)
{
	struct adapter_thread *t = &a->thread;
	uint64_t time_ns = now_ns - t->judged_ns;

	if (time_ns < THREAD_JUDGE_NS)
		return;
	t->idle = (a->polls - t->judged_polls) * THREAD_POLL_NS < time_ns;
	t->judged_ns = now_ns;
	t->judged_polls = a->polls;
}

static bool thread_on_duty(struct sd_adapter *a, uint64_t now_ns)
{
	thread_judge_polling(a, now_ns);
	return a->armed > 0 || now_ns - a->armed_last_ns < THREAD_ARMED_NS ||
	       a->thread.idle || now_ns < a->thread.regrets_until_ns ||
	       now_ns - a->polled_last_ns > THREAD_IDLE_NS;
}

/* The nap since @from_ns was a mistake.  One that lasted too long says that
 * all of us have had no core, and one alone says little. */
static void thread_regret(struct adapter_thread *t, uint64_t from_ns,
			  uint64_t now_ns)
{
	bool again = now_ns - t->regrets_until_ns < t->regret_ns;

	if (now_ns - from_ns > THREAD_NAP_NS + THREAD_LATE_NS ||
	    ++t->mistakes < THREAD_MISTAKES)
		return;
	t->mistakes = 0;
	t->regret_ns = again ? 2 * t->regret_ns : THREAD_REGRET_MIN_NS;
	if (t->regret_ns > THREAD_REGRET_MAX_NS)
		t->regret_ns = THREAD_REGRET_MAX_NS;
	t->regrets_until_ns = now_ns + t->regret_ns;
}

static bool thread_work_waits(const struct sd_adapter *a)
{
	return adapter_local_waiting(a) || !TAILQ_EMPTY(&a->runnable) ||
	       !TAILQ_EMPTY(&a->answering);
}

/* The next deadline of queue pairs and fault rules; 0: none. */
static uint64_t thread_next_ns(const struct sd_adapter *a)
{
	uint64_t timer_ns = timers_next_ns(&a->timers);
	uint64_t fault_ns = faults_next_ns(a->faults);
	uint64_t flow_ns = a->flow.check_ns;

	if (!timer_ns || (fault_ns && fault_ns < timer_ns))
		timer_ns = fault_ns;
	if (!timer_ns || (flow_ns && flow_ns < timer_ns))
		timer_ns = flow_ns;
	return timer_ns;
}

/* How long to wait, ns; -1: until something happens. */
static int64_t thread_wait_ns(struct sd_adapter *a, bool duty, uint64_t now_ns)
{
	uint64_t next_ns = thread_next_ns(a);
	int64_t wait_ns = -1;

	if (!duty)
		return THREAD_NAP_NS;
	if (a->more_outside ||
	    (now_ns - a->thread.worked_ns < THREAD_LINGER_NS &&
	     now_ns > a->thread.crowded_until_ns))
		return 0;
	if (next_ns)
		wait_ns = next_ns > now_ns ? (int64_t)(next_ns - now_ns) : 0;
	if (thread_work_waits(a)) {
		if (!a->link_full)
			return 0;
		if (wait_ns < 0 || wait_ns > THREAD_FULL_NS)
			wait_ns = THREAD_FULL_NS;
	}
	return wait_ns;
}

/* Let others have the core.  The time that this takes tells whether there
 * are any: the peer, or our own application. */
static void thread_yield(struct adapter_thread *t)
{
	uint64_t from_ns = clock_now_ns(), now_ns;

	sched_yield();
	now_ns = clock_now_ns();
	if (now_ns - from_ns > THREAD_CROWDED_NS)
		t->crowded_until_ns = now_ns + THREAD_CROWDED_FOR_NS;
}

/* Without the lock.  Sets whether the socket has something. */
static void thread_sleep(struct sd_adapter *a, bool duty, int64_t wait_ns,
			 bool *socket)
{
	struct timespec t = { .tv_sec = wait_ns / (int64_t)NS_PER_S,
			      .tv_nsec = wait_ns % (int64_t)NS_PER_S };
	struct pollfd fds[3] = {
		{ .fd = a->thread.kick_fd, .events = POLLIN },
		{ .fd = a->link->ops->fd(a->link), .events = POLLIN },
		{ .fd = a->shm ? a->shm->ops->fd(a->shm) : -1,
		  .events = POLLIN },
	};
	uint64_t kicks;

	*socket = false;
	if (duty && wait_ns == 0) {
		if (++a->thread.lingered % THREAD_TURNS_TO_YIELD == 0)
			thread_yield(&a->thread);
		return;
	}
	if (ppoll(fds, duty ? 3 : 1, wait_ns < 0 ? NULL : &t, NULL) <= 0)
		return;
	if (fds[0].revents)
		(void)!read(a->thread.kick_fd, &kicks, sizeof(kicks));
	*socket = fds[1].revents;
}

/* From here on whoever has something for us wakes us, unless something is
 * there already: then there is no time to sleep. */
static int64_t thread_announce(struct sd_adapter *a, int64_t wait_ns,
			       uint64_t now_ns)
{
	if (wait_ns == 0)
		return 0;
	if (a->shm && !link_shm_sleep(a->shm))
		return 0;
	a->thread.sleeps = true;
	a->thread.sleeps_until_ns = wait_ns < 0 ? UINT64_MAX
						: now_ns + (uint64_t)wait_ns;
	if (a->capture)
		capture_flush(a->capture);
	return wait_ns;
}

static void thread_woken(struct sd_adapter *a, bool slept, bool socket)
{
	a->thread.sleeps = false;
	if (socket)
		a->socket_idle = 0;
	if (a->shm && slept) {
		link_shm_awake(a->shm);
		link_shm_attend(a->shm);
	}
}

/*
 * Where the application's thread spins on the same core, the kernel lets it
 * have its whole slice, milliseconds, before a thread that wakes; unless that
 * one asks for short slices only (Linux 6.12; before, it cannot be asked).
 */
static void thread_ask_promptness(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime_ns, deadline_ns, period_ns;
	} attr = { .size = sizeof(attr), .runtime_ns = THREAD_SLICE_NS };

	attr.nice = getpriority(PRIO_PROCESS, 0);
	(void)syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void *thread_main(void *arg)
{
	struct sd_adapter *a = arg;
	uint64_t napped_ns = 0; /* when the nap began; 0: there was none */
	bool socket;

	thread_ask_promptness();
	sd_adapter_lock(a);
	while (!a->thread.stop) {
		uint64_t now_ns = clock_now_ns();
		bool duty = thread_on_duty(a, now_ns);
		int64_t wait_ns;

		if (duty && adapter_work(a, true, true, now_ns)) {
			a->thread.worked_ns = now_ns;
			if (napped_ns && a->turn_packets > 0)
				thread_regret(&a->thread, napped_ns, now_ns);
		}
		if (!duty && napped_ns)
			a->thread.mistakes = 0;
		napped_ns = duty ? 0 : now_ns;
		wait_ns = thread_wait_ns(a, duty, now_ns);
		if (duty)
			wait_ns = thread_announce(a, wait_ns, now_ns);
		sd_adapter_unlock(a);
		thread_sleep(a, duty, wait_ns, &socket);
		sd_adapter_lock(a);
		thread_woken(a, wait_ns != 0, socket);
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
	uint64_t next_ns;

	if (!a->thread.sleeps)
		return;
	next_ns = thread_next_ns(a);
	/* Work that waits for room needs somebody to look again: the thread,
	 * unless it does so soon by itself. */
	if (thread_work_waits(a)) {
		uint64_t look_ns =
			a->link_full ? clock_now_ns() + THREAD_FULL_NS : 1;

		if (!next_ns || look_ns < next_ns)
			next_ns = look_ns;
	}
	if (next_ns && next_ns < a->thread.sleeps_until_ns) {
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
