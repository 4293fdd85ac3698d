/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The adapter of this process: one address, one lock, the queue pairs, and the
 * loop that decides who runs next.
 *
 * Everything behind the lock happens in adapter_progress(): packets in,
 * timers, requesters, answers, packets out.  Whoever polls or posts calls it;
 * while nobody does, or while a CQ is armed, the adapter's own thread
 * (thread.h) does.
 */
#ifndef DEVICE_WORLD_ADAPTER_H
#define DEVICE_WORLD_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/compiler.h"
#include "device/engine/host.h"
#include "device/engine/mr.h"
#include "device/engine/qp.h"
#include "device/link/faults.h"
#include "device/link/link.h"
#include "device/world/settings.h"

struct sd_adapter;
struct flow_destination;

/* A queue pair and its places in the adapter's lists.  Zeroes are ready. */
struct world_qp {
	struct sd_qp qp;
	struct link_address peer; /* from RTR on */
	bool remote;		  /* that peer is reached through the link */
	struct flow_destination *destination; /* NULL: not RC, or ourselves */
	uint32_t charged;     /* bytes of the destination's budget, flow.h */
	bool flow_waits;      /* in the destination's line, by runnable_link */
	bool by_socket;	      /* its last packet went by UDP */
	uint64_t charged_ns;  /* when @charged last changed */
	uint64_t deadline_ns; /* what the engine asked for; 0: nothing */
	uint32_t timer_slot;  /* in the heap, counted from 1; 0: not there */
	bool runnable;	      /* its requester has something to do */
	bool answering;	      /* its responder has an answer to send */
	bool recycled;	      /* M20: has the number of one just destroyed */
	uint32_t held_count;  /* packets kept back, see held.h */
	STAILQ_HEAD(, held_packet) held; /* meaningful while there are any */
	TAILQ_ENTRY(world_qp) runnable_link;
	TAILQ_ENTRY(world_qp) answering_link;
};

static inline struct world_qp *world_qp_of(struct sd_qp *qp)
{
	return container_of(qp, struct world_qp, qp);
}

/*
 * The adapter of this process, made on the first call: an address is bound and
 * the thread started.  Later calls share it; the settings and the key table are
 * the first caller's.  0 or a negative errno, with a line in the log.
 */
int sd_adapter_acquire(const struct sd_settings *settings,
		       struct sd_mr_table *keys,
		       struct sd_adapter **out) MUST_USE;
/* The last release closes it; there are no queue pairs then. */
void sd_adapter_release(struct sd_adapter *a);

const uint8_t *sd_adapter_gid(const struct sd_adapter *a); /* 16 bytes */
uint32_t sd_adapter_mtu_bytes(const struct sd_adapter *a);

void sd_adapter_lock(struct sd_adapter *a);
void sd_adapter_unlock(struct sd_adapter *a);

/* Is the port up?  May be asked without the lock. */
bool sd_adapter_port_up(const struct sd_adapter *a);

/* The rest is called with the lock held. */

/* While it is down, no packet goes or comes. */
void sd_adapter_port_set(struct sd_adapter *a, bool up);

/* The fault rules of this adapter. */
struct faults *sd_adapter_faults(struct sd_adapter *a);
/* Both with the lock held: keep the last @count packets from here on, 0 none
 * (-EINVAL: too many; -ENOMEM), and show them, oldest first. */
int sd_adapter_keep(struct sd_adapter *a, uint32_t count) MUST_USE;
void sd_adapter_show(const struct sd_adapter *a,
		     void (*line)(void *arg, uint64_t when_ns,
				  const char *text),
		     void *arg);

/* The counters, brought up to date. */
const struct sd_counters *sd_adapter_counters(struct sd_adapter *a);

/* How many queue pairs there are. */
uint32_t adapter_qp_count(const struct sd_adapter *a);
/* Give @q its number and host; 0 or -ENOSPC. */
int adapter_qp_add(struct sd_adapter *a, struct world_qp *q) MUST_USE;
/* The queue pair with that number, or NULL. */
struct world_qp *adapter_qp_find(struct sd_adapter *a, uint32_t qpn);
/* After this nothing of @q happens any more. */
void adapter_qp_remove(struct sd_adapter *a, struct world_qp *q);
/* The address vector was set, so that packets go to and come from that peer;
 * or a UD queue pair takes packets from anybody from now on. */
void adapter_qp_connect(struct sd_adapter *a, struct world_qp *q);

/* A bounded amount of work, whatever there is; true if there was any. */
bool adapter_progress(struct sd_adapter *a);
/* Read all that has come so far, and answer it. */
void adapter_catch_up(struct sd_adapter *a);
/* Start what was just posted to @q and send it off, and no more. */
void adapter_post(struct sd_adapter *a, struct world_qp *q);
/* A CQ was armed (+1), or is no longer (-1): its owner sleeps until told. */
void adapter_armed(struct sd_adapter *a, int change);

/*
 * What the world asks of front, with the lock held: put a completion into a
 * CQ; tell the application of an event of a queue pair.
 */
void front_complete(struct sd_cq *cq, const struct sd_cqe *cqe);
void front_event(struct world_qp *q, enum ibv_event_type type);
/* A shared receive queue has fewer receives than its limit. */
void front_srq_limit(struct sd_srq *srq);
/* Has this CQ overflowed?  front_complete() says so with adapter_cq_failed(). */
bool front_cq_failed(const struct sd_cq *cq);
void adapter_cq_failed(struct sd_adapter *a);

#endif
