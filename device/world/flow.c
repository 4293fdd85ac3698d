// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/world/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "device/engine/requester.h"
#include "device/world/adapter_private.h"

enum {
	/* What the kernel counts for a packet beside its payload. */
	FLOW_PACKET_BYTES = 256,
	FLOW_OLD_NS = 10 * 1000 * 1000,
};

void flow_init(struct flow *f, uint64_t room)
{
	/* The kernel counts back what has been read a quarter later. */
	f->budget = room / 4 * 3;
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		SLIST_INIT(&f->buckets[i]);
}

static unsigned flow_bucket(const struct link_address *address)
{
	uint64_t tail;

	memcpy(&tail, address->gid + sizeof(address->gid) - sizeof(tail),
	       sizeof(tail));
	return hash_mix64(tail) % FLOW_BUCKETS;
}

static struct flow_destination *flow_get(struct flow *f,
					 const struct link_address *address)
{
	unsigned bucket = flow_bucket(address);
	struct flow_destination *d;

	SLIST_FOREACH (d, &f->buckets[bucket], link) {
		if (!memcmp(&d->address, address, sizeof(*address)))
			return d;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->address = *address;
	TAILQ_INIT(&d->waiting);
	SLIST_INSERT_HEAD(&f->buckets[bucket], d, link);
	return d;
}

/* Without memory for it there is no budget: it only spares losses. */
void flow_join(struct flow *f, struct world_qp *q)
{
	q->destination = flow_get(f, &q->peer);
	if (q->destination)
		q->destination->users++;
	q->by_socket = true; /* until it turns out to go another way */
}

/* The first in line runs; when it has, the next is seen to. */
static void flow_let_run(struct sd_adapter *a, struct flow_destination *d)
{
	struct world_qp *first = TAILQ_FIRST(&d->waiting);

	if (first && d->charged < a->flow.budget)
		adapter_set_runnable(a, first);
}

void flow_leave(struct sd_adapter *a, struct world_qp *q)
{
	struct flow_destination *d = q->destination;

	if (!d)
		return;
	flow_stop_waiting(q);
	d->charged -= q->charged;
	q->charged = 0;
	q->destination = NULL;
	if (--d->users > 0) {
		flow_let_run(a, d);
		return;
	}
	SLIST_REMOVE(&a->flow.buckets[flow_bucket(&d->address)], d,
		     flow_destination, link);
	free(d);
}

static uint32_t flow_packet_bytes(const struct world_qp *q)
{
	return q->qp.mtu_bytes + FLOW_PACKET_BYTES;
}

void flow_open(const struct flow *f, struct world_qp *q)
{
	const struct flow_destination *d = q->destination;
	uint64_t room;
	/* What is out and asks for no answer gets none: one more, that asks. */
	bool one;

	q->qp.window = REQ_WINDOW_PACKETS;
	if (!d || !q->by_socket)
		return;
	one = d->charged == 0 || q->qp.req.since_ack_request > 0;
	room = d->charged < f->budget ? f->budget - d->charged : 0;
	room /= flow_packet_bytes(q);
	if (room == 0 && one)
		room = 1;
	room += requester_out(&q->qp);
	if (room < REQ_WINDOW_PACKETS)
		q->qp.window = (uint32_t)room;
}

void flow_settle(struct sd_adapter *a, struct world_qp *q)
{
	struct flow_destination *d = q->destination;
	uint32_t charge;

	if (!d)
		return;
	charge = q->by_socket ? requester_out(&q->qp) * flow_packet_bytes(q)
			      : 0;
	if (charge != q->charged) {
		d->charged += charge;
		d->charged -= q->charged;
		q->charged = charge;
		q->charged_ns = a->now_ns;
	}
	flow_let_run(a, d);
}

/* Who has something out is woken by its answer. */
void flow_wait(struct sd_adapter *a, struct world_qp *q)
{
	if (!q->destination || q->flow_waits || q->runnable ||
	    q->qp.window >= REQ_WINDOW_PACKETS || requester_out(&q->qp) > 0)
		return;
	q->flow_waits = true;
	TAILQ_INSERT_TAIL(&q->destination->waiting, q, runnable_link);
	if (!a->flow.check_ns)
		a->flow.check_ns = a->now_ns + FLOW_OLD_NS;
}

void flow_stop_waiting(struct world_qp *q)
{
	if (!q->flow_waits)
		return;
	q->flow_waits = false;
	TAILQ_REMOVE(&q->destination->waiting, q, runnable_link);
}

void flow_check(struct sd_adapter *a)
{
	uint32_t slot = 0;
	struct world_qp *q;
	bool waits = false;

	if (likely(!a->flow.check_ns || a->now_ns < a->flow.check_ns))
		return;
	while ((q = idtable_next(&a->qps, &slot))) {
		if (!q->destination)
			continue;
		if (q->charged && a->now_ns - q->charged_ns >= FLOW_OLD_NS) {
			q->destination->charged -= q->charged;
			q->charged = 0;
		}
		waits |= q->flow_waits;
	}
	slot = 0;
	while (waits && (q = idtable_next(&a->qps, &slot))) {
		if (q->flow_waits)
			flow_let_run(a, q->destination);
	}
	a->flow.check_ns = waits ? a->now_ns + FLOW_OLD_NS : 0;
}
