// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The connection manager of this process: lock, adapter, thread. */
#include "device/front/cm/manager.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/prng.h"
#include "device/front/cq.h"
#include "device/front/environment.h"
#include "device/front/objects.h"
#include "device/link/cm_link.h"

static pthread_mutex_t manager_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct sd_adapter *adapter; /* NULL: not needed yet */
	struct sd_adapter *left;    /* to be released without the lock */
	unsigned files;
	bool running; /* the thread, from then on for good */
	pid_t owner;  /* whose that is; see fork(2) */
	uint64_t alarm_ns;
	struct cm_link link;
	struct prng prng;
} manager;

void manager_lock(void)
{
	pthread_mutex_lock(&manager_mutex);
}

void manager_unlock(void)
{
	struct sd_adapter *left = manager.left;

	manager.left = NULL;
	pthread_mutex_unlock(&manager_mutex);
	if (left)
		sd_adapter_release(left);
}

static void manager_expire(void)
{
	manager.alarm_ns = 0;
	manager_alarm(cm_id_deadlines(clock_now_ns(), cm_peer_due));
}

static void *manager_run(void *unused)
{
	uint64_t tokens[CM_LINK_TOKENS];
	struct cm_id *id;

	(void)unused;
	for (;;) {
		unsigned n = cm_link_wait(&manager.link, tokens);

		manager_lock();
		for (unsigned i = 0; i < n; i++) {
			if (tokens[i] == CM_LINK_TIMER) {
				manager_expire();
				continue;
			}
			/* It may be gone, by what came before. */
			id = cm_id_numbered((uint32_t)tokens[i]);
			if (id)
				cm_peer_ready(id);
		}
		manager_unlock();
	}
	return NULL;
}

static int manager_start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	int err = cm_link_open(&manager.link);

	if (err)
		return err;
	/* The program's signals are not for this thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&thread, NULL, manager_run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		cm_link_discard(&manager.link);
		return err;
	}
	pthread_detach(thread);
	manager.running = true;
	manager.owner = getpid();
	return 0;
}

static void manager_fork_watch(void)
{
	pthread_atfork(manager_lock, manager_unlock, manager_unlock);
}

/* A forked process has neither its parent's thread nor its connections, and
 * begins anew. */
static void manager_forget_parent(void)
{
	cm_id_forget_all();
	cm_link_discard(&manager.link);
	manager.adapter = NULL;
	manager.running = false;
	manager.alarm_ns = 0;
}

int manager_start(void)
{
	static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
	struct sd_settings settings;
	int err;

	if (manager.running && manager.owner != getpid())
		manager_forget_parent();
	if (!manager.adapter) {
		err = environment_read(&settings);
		if (err)
			return err;
		err = sd_adapter_acquire(&settings, soft_mr_table(),
					 &manager.adapter);
		if (err)
			return err;
		pthread_once(&fork_once, manager_fork_watch);
		prng_seed(&manager.prng, settings.seed ^ (uint64_t)getpid()
								 << 32);
	}
	return manager.running ? 0 : manager_start_thread();
}

const uint8_t *manager_gid(void)
{
	return sd_adapter_gid(manager.adapter);
}

uint32_t manager_mtu(void)
{
	return sd_adapter_mtu_bytes(manager.adapter);
}

uint32_t manager_random(void)
{
	return (uint32_t)prng_next(&manager.prng);
}

struct cm_link *manager_link(void)
{
	return &manager.link;
}

void manager_alarm(uint64_t at_ns)
{
	if (!at_ns || (manager.alarm_ns && manager.alarm_ns <= at_ns))
		return;
	manager.alarm_ns = at_ns;
	cm_link_alarm(&manager.link, at_ns);
}

void manager_catch_up(void)
{
	if (!manager.adapter)
		return;
	sd_adapter_lock(manager.adapter);
	adapter_catch_up(manager.adapter);
	sd_adapter_unlock(manager.adapter);
}

bool manager_unread(uint32_t qpn)
{
	const struct world_qp *q;
	bool unread = false;

	if (!manager.adapter)
		return false;
	sd_adapter_lock(manager.adapter);
	q = adapter_qp_find(manager.adapter, qpn);
	if (q)
		unread = cq_has_done(q->qp.send_cq, qpn) ||
			 cq_has_done(q->qp.recv_cq, qpn);
	sd_adapter_unlock(manager.adapter);
	return unread;
}

void manager_count_file(int change)
{
	manager.files += (unsigned)change;
	if (manager.files == 0) {
		manager.left = manager.adapter;
		manager.adapter = NULL;
	}
}
