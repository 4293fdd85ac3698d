/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects behind the verbs handles, and how a handle from the application
 * becomes one of them.
 *
 * What the application gives is never trusted: an object is found by the
 * ->handle in it, in a table of ours, and must be the one that the pointer
 * points to.  Inside front a call returns 0 or a negative errno; only entry.c
 * turns that into what verbs promise (errno set as well).
 *
 * Locks, in the order in which they may be taken:
 *	poll lock, builder lock   one CQ, one queue pair: held by the
 *	                          application between two calls
 *	front lock (registry.c)   the tables of handles, users counts
 *	adapter lock (world)      engines, the memory key table, the tables of
 *	                          SRQs and address handles
 *	channel, event queue      leaves
 */
#ifndef DEVICE_FRONT_OBJECTS_H
#define DEVICE_FRONT_OBJECTS_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/compiler.h"
#include "base/ring.h"
#include "device/engine/mr.h"
#include "device/engine/qp.h"
#include "device/front/notifier.h"
#include "device/world/adapter.h"
#include "device/world/settings.h"

/* Providers cast any ibv_device to a private structure that is larger; they
 * must find zeroes there, not our neighbours in memory. */
struct soft_device {
	struct ibv_device verbs;
	uint8_t zeroes[2048];
};

/* Counts the events of one kind that a queue pair, CQ or SRQ has given. */
struct event_source {
	uint32_t fetched; /* by the application; never less than acked */
	uint32_t acked;
};

struct event_queue {
	pthread_mutex_t lock;
	pthread_cond_t acked;		/* an acked count moved */
	struct notifier notifier;	/* raised while @count > 0 */
	struct ibv_async_event *events; /* a ring of @room entries */
	uint32_t room;
	uint32_t head; /* oldest */
	uint32_t count;
	bool overflow_told; /* the line in the log was written */
};

struct soft_context {
	/* The last member of this one is the ibv_context that applications
	 * hold; ours come behind it. */
	struct verbs_context verbs;
	struct sd_adapter *adapter; /* shared by all contexts, counted */
	uint32_t users; /* objects alive in it; it outlives a close */
	struct event_queue events;
	LIST_HEAD(, soft_qp) qps; /* under the adapter lock */
	LIST_ENTRY(soft_context) link;
};

struct soft_pd {
	struct ibv_pd verbs;
	struct soft_context *context;
	uint32_t users; /* MRs and QPs that live in it; dealloc is refused */
};

struct soft_mr {
	struct ibv_mr verbs;
	struct soft_pd *pd;
	struct sd_mr engine;
	LIST_ENTRY(soft_mr) dying; /* M36 */
};

struct soft_mw {
	struct ibv_mw verbs;
	struct soft_pd *pd;
	struct sd_mr engine;
};

struct soft_ah {
	struct ibv_ah verbs;
	struct soft_pd *pd;
	struct sd_datagram_path path; /* but for qpn and qkey */
};

struct soft_srq {
	struct ibv_srq verbs;
	struct soft_context *context;
	struct soft_pd *pd;
	/* Under the adapter lock. */
	uint32_t users; /* queue pairs; destroy is refused */
	struct sd_srq engine;
	uint32_t max_sge;
	/* What engine's ring is made of. */
	struct sd_recv_wqe *wqes;
	struct ibv_sge *sges;
	/* Under the event queue's lock. */
	struct event_source async;
};

struct soft_cq;
TAILQ_HEAD(soft_cq_list, soft_cq);

struct soft_channel {
	struct ibv_comp_channel verbs; /* its refcnt: the CQs that use it */
	struct soft_context *context;
	pthread_mutex_t lock;
	pthread_cond_t acked;
	struct notifier notifier;    /* raised while @pending is not empty */
	struct soft_cq_list pending; /* CQs with events not fetched */
	LIST_ENTRY(soft_channel) link;
};

/* What the owner of a CQ waits for. */
enum soft_cq_armed {
	SOFT_CQ_NOT_ARMED,
	SOFT_CQ_ARMED_SOLICITED,
	SOFT_CQ_ARMED_ANY,
};

struct soft_cq_entry {
	struct ibv_wc wc;
	uint64_t clock_ns; /* when it was made; 0: nobody asked */
	uint64_t wall_ns;
	bool solicited; /* wakes those who wait for solicited ones, too */
};

struct soft_cq {
	struct ibv_cq_ex verbs; /* an ibv_cq is its beginning */
	struct soft_context *context;
	uint32_t users;	      /* queue pairs; destroy is refused */
	bool stamped;	      /* entries carry times */
	uint32_t vector;      /* R16 */
	bool single_threaded; /* start_poll takes no lock */
	/* From start_poll to end_poll. */
	pthread_mutex_t poll_lock;
	struct soft_cq_entry current;
	/* Under the adapter lock. */
	struct soft_cq_entry *entries; /* ring.size of them */
	struct ring ring;
	enum soft_cq_armed armed;
	/* So many were added since the last event: the youngest in the ring,
	 * as far as they were not polled. */
	uint32_t untold;
	bool failed;	      /* overflowed: dead, takes no more completions */
	uint32_t empty_polls; /* in a row */
	bool stuck;	      /* D15 */
	uint32_t polled;      /* D17: since it was armed */
	struct soft_channel *channel; /* NULL: none */
	/* Under the channel's lock. */
	uint32_t comp_queued; /* events posted and not fetched */
	struct event_source comp;
	TAILQ_ENTRY(soft_cq) pending; /* linked while comp_queued > 0 */
	/* Under the event queue's lock. */
	struct event_source async;
};

/* Applications built against newer headers call slots behind the end of our
 * ibv_qp_ex without a check: each of these must refuse. */
enum { SOFT_QP_SLOTS_BEYOND = 24 };

struct builder;

struct soft_qp {
	struct ibv_qp_ex verbs; /* an ibv_qp is its beginning */
	void (*beyond[SOFT_QP_SLOTS_BEYOND])(void);
	struct soft_context *context;
	struct soft_pd *pd;
	struct soft_cq *send_cq;
	struct soft_cq *recv_cq;
	struct soft_srq *srq;	  /* NULL: receives are its own */
	struct builder *builder;  /* NULL: made without ibv_wr_* */
	struct world_qp world;	  /* under the adapter lock */
	LIST_ENTRY(soft_qp) link; /* the context's, under the adapter lock */
	/* What world.qp's queues are made of. */
	struct sd_send_wqe *send_wqes; /* first of one piece of memory */
	struct sd_recv_wqe *recv_wqes;
	struct ibv_sge *sges;
	uint8_t *inline_bytes;
	void *answer_room; /* from RTR on, as large as was asked for */
	/* Under the event queue's lock. */
	struct event_source async;
};

static inline struct soft_context *soft_context_cast(struct ibv_context *c)
{
	return container_of(c, struct soft_context, verbs.context);
}

static inline struct soft_channel *
soft_channel_cast(struct ibv_comp_channel *channel)
{
	return container_of(channel, struct soft_channel, verbs);
}

/* The one device; its name is soft0. */
struct ibv_device *soft_device_get(void);
/* Whether @context is one of this library's; NULL is not. */
bool soft_is_ours(const struct ibv_context *context);

void front_lock(void);
void front_unlock(void);

/*
 * Find what a handle of the application names and count one more user of it,
 * so that it stays until the _put().  -EINVAL for anything that is not one of
 * our living objects.
 */
int soft_context_get(struct ibv_context *verbs,
		     struct soft_context **context) MUST_USE;
void soft_context_put(struct soft_context *context);
int soft_pd_get(struct ibv_pd *verbs, struct soft_pd **pd) MUST_USE;
void soft_pd_put(struct soft_pd *pd);
/* A CQ's use of its channel; the channel counts in verbs.refcnt. */
int soft_channel_get(struct ibv_comp_channel *verbs,
		     struct soft_channel **channel) MUST_USE;
void soft_channel_put(struct soft_channel *channel);

/* The memory keys of this process; the adapter lock covers it. */
struct sd_mr_table *soft_mr_table(void);

#endif
