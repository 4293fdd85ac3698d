/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much may be under way to one address by UDP.  A socket drops what its
 * buffer does not hold, and all queue pairs of a peer share that buffer: so
 * those that send to the same address share a budget, which is what a socket
 * of our own kind holds.  The answers that READs await fill our socket in the
 * same way, and count like requests.
 *
 *	queue pair	charged for what it has out
 *	destination	the sum of charges; who finds no room waits in a line
 *
 * What has been out for long is in no buffer any more: it is not charged.
 */
#ifndef DEVICE_WORLD_FLOW_H
#define DEVICE_WORLD_FLOW_H

#include "device/world/adapter.h"

/* One address that RC queue pairs send to. */
struct flow_destination {
	SLIST_ENTRY(flow_destination) link;
	struct link_address address;
	uint32_t users;
	uint64_t charged; /* bytes, the sum of its queue pairs' */
	TAILQ_HEAD(, world_qp) waiting;
};

enum { FLOW_BUCKETS = 64 };

struct flow {
	SLIST_HEAD(, flow_destination) buckets[FLOW_BUCKETS];
	uint64_t budget;   /* bytes to each destination */
	uint64_t check_ns; /* when to look for old charges; 0: nobody waits */
};

/* @room: bytes that the kernel counts against a socket's receive buffer. */
void flow_init(struct flow *f, uint64_t room);
/* @q, RC, sends to q->peer from now on. */
void flow_join(struct flow *f, struct world_qp *q);
void flow_leave(struct sd_adapter *a, struct world_qp *q);
/* Before a run of the requester: how far it may go. */
void flow_open(const struct flow *f, struct world_qp *q);
/* What @q has out may have changed; who waits for the room may run. */
void flow_settle(struct sd_adapter *a, struct world_qp *q);
/* @q has not got all the window it wanted; perhaps it has to wait in line. */
void flow_wait(struct sd_adapter *a, struct world_qp *q);
/* It need not wait any more. */
void flow_stop_waiting(struct world_qp *q);
/* Look for old charges, if the time has come. */
void flow_check(struct sd_adapter *a);

#endif
