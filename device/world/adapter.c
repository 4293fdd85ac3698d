// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The adapter's life: its address, its parts, its queue pairs. */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/prng.h"
#include "device/engine/qp_state.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter_private.h"
#include "device/world/held.h"
#include "device/world/memory.h"
#include "device/world/recent.h"

static pthread_mutex_t adapter_global_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sd_adapter *adapter_global;
static pthread_once_t adapter_fork_once = PTHREAD_ONCE_INIT;

static struct link_address adapter_ipv4(const uint8_t bytes[4])
{
	struct link_address a = { .gid = { [10] = 0xff, [11] = 0xff } };

	memcpy(a.gid + 12, bytes, 4);
	return a;
}

static int adapter_bind_given(struct sd_adapter *a,
			      const struct sd_settings *settings)
{
	const uint8_t *b = settings->address;
	int err;

	a->address = adapter_ipv4(b);
	err = link_udp_open(&a->address, &a->link);
	if (err)
		log_error(
			"SOFT_ADDR %u.%u.%u.%u: UDP port %d: %s%s", b[0], b[1],
			b[2], b[3], WIRE_UDP_PORT, strerror(-err),
			err == -EADDRINUSE
				? "; another adapter has it, choose another address"
				: "");
	return err;
}

/*
 * Find an address of our own in 127.0.0.0/8.  Where the search begins depends
 * on the process, so that many starting at once rarely meet.
 */
static int adapter_bind_any(struct sd_adapter *a)
{
	struct prng prng;
	int err = -EADDRINUSE;

	prng_seed(&prng, hash_mix64((uint64_t)getpid()) ^ clock_wall_ns());
	for (int attempt = 0; attempt < 1000 && err == -EADDRINUSE; attempt++) {
		uint64_t r = prng_next(&prng);
		uint8_t bytes[4] = { 127, (uint8_t)(1 + (r % 254)),
				     (uint8_t)(r >> 8),
				     (uint8_t)(1 + ((r >> 16) % 254)) };

		a->address = adapter_ipv4(bytes);
		err = link_udp_open(&a->address, &a->link);
	}
	if (err)
		log_error("no address in 127.0.0.0/8: UDP port %d: %s",
			  WIRE_UDP_PORT, strerror(-err));
	return err;
}

/* The largest MTU whose packets the interface sends whole, or what the user
 * wants if that is one of them. */
static int adapter_choose_mtu(struct sd_adapter *a,
			      const struct sd_settings *settings)
{
	struct link_interface i;
	uint32_t most;

	a->mtu_bytes = settings->mtu_bytes ? settings->mtu_bytes
					   : SD_SETTINGS_MTU_MAX;
	/* An address that is bound, but of no interface, says nothing. */
	if (link_interface_find(&a->address, &i))
		return 0;
	most = link_interface_fits(i.mtu, false);
	if (a->mtu_bytes <= most)
		return 0;
	if (most && !settings->mtu_bytes) {
		a->mtu_bytes = most;
		return 0;
	}
	if (most)
		log_error("SOFT_MTU %u: with its headers that does not fit "
			  "interface %s, whose MTU is %u: at most %u",
			  settings->mtu_bytes, i.name, i.mtu, most);
	else
		log_error(
			"interface %s: its MTU of %u leaves no room for RDMA, "
			"choose another address by SOFT_ADDR",
			i.name, i.mtu);
	return -EINVAL;
}

static int adapter_open_capture(struct sd_adapter *a, const char *path)
{
	int err;

	if (!path)
		return 0;
	err = capture_open(path, &a->capture);
	if (err)
		log_error("SOFT_PCAP %s: %s", path, strerror(-err));
	return err;
}

/* Without it there is UDP: it is no reason to give up. */
static void adapter_open_shared(struct sd_adapter *a, enum sd_links links)
{
	int err;

	if (links != SD_LINKS_AUTO && links != SD_LINKS_SHM)
		return;
	err = link_shm_open(&a->address, links == SD_LINKS_SHM, &a->shm);
	if (err) {
		a->shm = NULL;
		log_warn("no shared memory link, all goes by UDP: %s",
			 strerror(-err));
	}
}

static void adapter_close_links(struct sd_adapter *a)
{
	if (a->shm)
		a->shm->ops->close(a->shm);
	a->link->ops->close(a->link);
}

static int adapter_open_faults(struct sd_adapter *a,
			       const struct sd_settings *settings)
{
	char *error = NULL;
	int err = faults_open(settings->seed, &a->faults);

	if (err || !settings->faults)
		return err;
	err = faults_add(a->faults, settings->faults, &error);
	if (err) {
		log_error("SOFT_FAULTS: %s", error ? error : strerror(-err));
		faults_close(a->faults);
		free(error);
	}
	return err;
}

static int adapter_init_boxes(struct sd_adapter *a)
{
	if (outbox_init(&a->remote))
		return -ENOMEM;
	if (outbox_init(&a->local[0]))
		goto err_free_remote;
	if (outbox_init(&a->local[1]))
		goto err_free_local;
	return 0;

err_free_local:
	outbox_free(&a->local[0]);
err_free_remote:
	outbox_free(&a->remote);
	return -ENOMEM;
}

static void adapter_free_boxes(struct sd_adapter *a)
{
	outbox_free(&a->local[1]);
	outbox_free(&a->local[0]);
	outbox_free(&a->remote);
}

static int adapter_init_tables(struct sd_adapter *a)
{
	a->qp_slots = calloc(ADAPTER_QPS_MAX, sizeof(a->qp_slots[0]));
	if (!a->qp_slots)
		return -ENOMEM;
	idtable_init(&a->qps, a->qp_slots, ADAPTER_QPS_MAX, ADAPTER_QPN_BITS);
	if (timers_init(&a->timers, ADAPTER_QPS_MAX)) {
		free(a->qp_slots);
		return -ENOMEM;
	}
	TAILQ_INIT(&a->runnable);
	TAILQ_INIT(&a->answering);
	return 0;
}

static void adapter_free_tables(struct sd_adapter *a)
{
	timers_free(&a->timers);
	free(a->qp_slots);
}

static int adapter_open(const struct sd_settings *settings,
			struct sd_mr_table *keys, struct sd_adapter **out)
{
	struct sd_adapter *a = calloc(1, sizeof(*a));
	int err = -ENOMEM;

	if (!a)
		return err;
	a->host.ops = &adapter_host_ops;
	a->self_direct = settings->links == SD_LINKS_AUTO ||
			 settings->links == SD_LINKS_DIRECT;
	a->keys = keys;
	a->owner = getpid();
	a->users = 1;
	pthread_mutex_init(&a->lock, NULL);
	memory_guard_install();
	qp_state_init();
	if ((err = mutant_choose(settings->mutants)))
		goto err_free;
	if ((err = adapter_init_tables(a)))
		goto err_free;
	if ((err = adapter_init_boxes(a)))
		goto err_free_tables;
	if ((err = settings->has_address ? adapter_bind_given(a, settings)
					 : adapter_bind_any(a)))
		goto err_free_boxes;
	flow_init(&a->flow, a->link->room);
	adapter_open_shared(a, settings->links);
	if ((err = adapter_choose_mtu(a, settings)))
		goto err_close_links;
	if ((err = adapter_open_faults(a, settings)))
		goto err_close_links;
	if ((err = adapter_open_capture(a, settings->pcap_path)))
		goto err_close_faults;
	if ((err = adapter_thread_start(a)))
		goto err_close_capture;
	*out = a;
	return 0;

err_close_capture:
	if (a->capture)
		capture_close(a->capture);
err_close_faults:
	faults_close(a->faults);
err_close_links:
	adapter_close_links(a);
err_free_boxes:
	adapter_free_boxes(a);
err_free_tables:
	adapter_free_tables(a);
err_free:
	free(a);
	return err;
}

/* A process that is forked gets no lock that a thread of its parent holds. */
static void adapter_fork_prepare(void)
{
	pthread_mutex_lock(&adapter_global_lock);
	if (adapter_global)
		sd_adapter_lock(adapter_global);
}

static void adapter_fork_done(void)
{
	if (adapter_global)
		sd_adapter_unlock(adapter_global);
	pthread_mutex_unlock(&adapter_global_lock);
}

static void adapter_fork_watch(void)
{
	pthread_atfork(adapter_fork_prepare, adapter_fork_done,
		       adapter_fork_done);
}

int sd_adapter_acquire(const struct sd_settings *settings,
		       struct sd_mr_table *keys, struct sd_adapter **out)
{
	int err = 0;

	pthread_once(&adapter_fork_once, adapter_fork_watch);
	pthread_mutex_lock(&adapter_global_lock);
	/* What a forked process has of its parent's has no thread here, and
	 * that address is the parent's: it gets one of its own. */
	if (adapter_global && adapter_global->owner != getpid())
		adapter_global = NULL;
	if (adapter_global)
		adapter_global->users++;
	else
		err = adapter_open(settings, keys, &adapter_global);
	if (!err)
		*out = adapter_global;
	pthread_mutex_unlock(&adapter_global_lock);
	return err;
}

static void adapter_close(struct sd_adapter *a)
{
	adapter_thread_stop(a);
	if (a->capture)
		capture_close(a->capture);
	recent_destroy(a->recent);
	faults_close(a->faults);
	adapter_close_links(a);
	adapter_free_boxes(a);
	adapter_free_tables(a);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void sd_adapter_release(struct sd_adapter *a)
{
	pthread_mutex_lock(&adapter_global_lock);
	assert(a->users > 0);
	if (--a->users == 0) {
		if (a == adapter_global)
			adapter_global = NULL;
		/* Of a parent nothing is closed: it goes on. */
		if (a->owner == getpid())
			adapter_close(a);
	}
	pthread_mutex_unlock(&adapter_global_lock);
}

const uint8_t *sd_adapter_gid(const struct sd_adapter *a)
{
	return a->address.gid;
}

uint32_t sd_adapter_mtu_bytes(const struct sd_adapter *a)
{
	return a->mtu_bytes;
}

bool sd_adapter_port_up(const struct sd_adapter *a)
{
	return !__atomic_load_n(&a->port_down, __ATOMIC_RELAXED);
}

void sd_adapter_port_set(struct sd_adapter *a, bool up)
{
	if (!up)
		a->host.counters.link_downed++;
	__atomic_store_n(&a->port_down, !up, __ATOMIC_RELAXED);
}

void sd_adapter_lock(struct sd_adapter *a)
{
	pthread_mutex_lock(&a->lock);
}

void sd_adapter_unlock(struct sd_adapter *a)
{
	pthread_mutex_unlock(&a->lock);
}

struct faults *sd_adapter_faults(struct sd_adapter *a)
{
	return a->faults;
}

const struct sd_counters *sd_adapter_counters(struct sd_adapter *a)
{
	struct sd_counters *c = &a->host.counters;

	c->bad_icrc_pkts = a->link->counters.bad_icrc + a->damaged;
	c->send_err = a->link->counters.send_errors;
	if (a->shm)
		c->bad_icrc_pkts += a->shm->counters.bad_icrc;
	return c;
}

/* M20: the number just given back is the next to be given, as it is. */
static void adapter_recycle(struct idtable *t, uint32_t qpn,
			    uint32_t tail_before)
{
	uint32_t slot = t->free_tail;

	if (tail_before == UINT32_MAX)
		return;
	t->slots[tail_before].next_free = UINT32_MAX;
	t->free_tail = tail_before;
	t->slots[slot].id = qpn;
	t->slots[slot].next_free = t->free_head;
	t->free_head = slot;
	mutant_memory[MUTANT_M20] = qpn;
}

uint32_t adapter_qp_count(const struct sd_adapter *a)
{
	return a->qps.used;
}

int adapter_qp_add(struct sd_adapter *a, struct world_qp *q)
{
	uint32_t qpn;
	int err = idtable_add(&a->qps, q, &qpn);

	if (err)
		return err;
	q->recycled = MUTANT_ACTS(M20, qpn == mutant_memory[MUTANT_M20]);
	q->qp.qpn = qpn;
	q->qp.host = &a->host;
	return 0;
}

struct world_qp *adapter_qp_find(struct sd_adapter *a, uint32_t qpn)
{
	return idtable_find(&a->qps, qpn);
}

static void adapter_set_remote(struct sd_adapter *a, struct world_qp *q,
			       bool remote)
{
	if (q->remote != remote)
		a->remote_qps += remote ? 1 : -1;
	q->remote = remote;
}

void adapter_qp_remove(struct sd_adapter *a, struct world_qp *q)
{
	uint32_t tail_before = a->qps.free_tail;

	idtable_remove(&a->qps, q->qp.qpn);
	if (MUTANT_ON(M20))
		adapter_recycle(&a->qps, q->qp.qpn, tail_before);
	timers_remove(&a->timers, q);
	if (q->runnable)
		TAILQ_REMOVE(&a->runnable, q, runnable_link);
	if (q->answering)
		TAILQ_REMOVE(&a->answering, q, answering_link);
	q->runnable = false;
	q->answering = false;
	flow_leave(a, q);
	adapter_set_remote(a, q, false);
	held_clear(q);
	if (a->shm && a->qps.used == 0)
		link_shm_rest(a->shm);
}

void adapter_qp_connect(struct sd_adapter *a, struct world_qp *q)
{
	bool self;

	flow_leave(a, q);
	memcpy(q->peer.gid, q->qp.attr.ah_attr.grh.dgid.raw, 16);
	self = q->qp.type != IBV_QPT_UD && a->self_direct &&
	       !memcmp(&q->peer, &a->address, sizeof(q->peer));
	adapter_set_remote(a, q, !self);
	if (!self && q->qp.type == IBV_QPT_RC)
		flow_join(&a->flow, q);
}

void adapter_set_runnable(struct sd_adapter *a, struct world_qp *q)
{
	if (q->runnable)
		return;
	flow_stop_waiting(q);
	q->runnable = true;
	TAILQ_INSERT_TAIL(&a->runnable, q, runnable_link);
}

void adapter_set_answering(struct sd_adapter *a, struct world_qp *q)
{
	if (q->answering)
		return;
	q->answering = true;
	TAILQ_INSERT_TAIL(&a->answering, q, answering_link);
}

void adapter_armed(struct sd_adapter *a, int change)
{
	a->armed += change;
	assert(a->armed >= 0);
	if (change > 0) {
		a->armed_last_ns = clock_now_ns();
		if (!a->thread.sleeps)
			adapter_thread_kick(a);
	}
}

int sd_adapter_keep(struct sd_adapter *a, uint32_t count)
{
	struct recent *r = NULL;

	if (count > RECENT_MAX)
		return -EINVAL;
	if (count && !(r = recent_create(count)))
		return -ENOMEM;
	recent_destroy(a->recent);
	a->recent = r;
	return 0;
}

void sd_adapter_show(const struct sd_adapter *a,
		     void (*line)(void *arg, uint64_t when_ns,
				  const char *text),
		     void *arg)
{
	if (a->recent)
		recent_show(a->recent, line, arg);
}
