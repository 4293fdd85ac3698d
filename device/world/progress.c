// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loop: packets in, timers, answers, requesters, packets out. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/engine/answer.h"
#include "device/engine/requester.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter_private.h"
#include "device/world/held.h"
#include "device/world/sending.h"

static bool adapter_speaks(const struct sd_qp *qp, enum wire_opcode op)
{
	switch (wire_opcode_transport(op)) {
	case WIRE_RC:
		return qp->type == IBV_QPT_RC;
	case WIRE_UC:
		return qp->type == IBV_QPT_UC;
	case WIRE_UD:
		return qp->type == IBV_QPT_UD;
	default:
		return false;
	}
}

/* Silence is the only answer to a packet that is not for this queue pair
 * (wire.md, section 13). */
static struct world_qp *adapter_find(struct sd_adapter *a,
				     const struct link_packet *p,
				     const struct wire_packet *packet)
{
	struct world_qp *q = idtable_find(&a->qps, packet->dest_qpn);

	if (!q || !adapter_speaks(&q->qp, packet->opcode))
		return NULL;
	if (q->qp.state < IBV_QPS_RTR ||
	    (q->qp.state == IBV_QPS_ERR && !MUTANT_ON(D65)))
		return NULL;
	if (q->qp.type != IBV_QPT_UD &&
	    memcmp(&p->from, &q->peer, sizeof(q->peer)) &&
	    !MUTANT_ACTS(M20, q->recycled))
		return NULL;
	if ((packet->pkey ^ WIRE_PKEY_DEFAULT) & 0x7fff)
		return NULL;
	return q;
}

static void adapter_give(struct sd_adapter *a, struct world_qp *q,
			 const struct link_packet *p,
			 const struct wire_packet *packet, uint64_t now_ns)
{
	uint8_t header[LINK_HEADER_BYTES];

	if (q->qp.type == IBV_QPT_UD)
		link_put_header(p, header);
	qp_receive(&q->qp, packet, header, now_ns);
	flow_settle(a, q);
	if (answer_waits(&q->qp))
		adapter_set_answering(a, q);
}

static void adapter_deliver(struct sd_adapter *a, const struct link_packet *p,
			    uint64_t now_ns)
{
	struct sd_counters *c = &a->host.counters;
	struct wire_packet packet;
	struct world_qp *q;

	if (unlikely(a->port_down))
		return;
	c->rcvd_pkts++;
	c->rcvd_bytes += p->len;
	if (wire_packet_decode(p->bytes, p->len, &packet) != WIRE_DECODE_OK) {
		c->malformed_pkts++;
		return;
	}
	q = adapter_find(a, p, &packet);
	if (!q)
		c->dropped_pkts++;
	else if (wire_opcode_is_request(packet.opcode) && qp_busy(&q->qp))
		held_keep(q, p);
	else
		adapter_give(a, q, p, &packet, now_ns);
}

/* Deliver what the fault rules leave of a packet.  A turned bit is one that
 * the ICRC finds, so it is dropped for that. */
static void adapter_receive(struct sd_adapter *a, const struct link_packet *p,
			    uint64_t now_ns)
{
	struct link_packet judged = *p;
	uint32_t qpn;

	if (likely(!faults_active(a->faults))) {
		adapter_deliver(a, p, now_ns);
		return;
	}
	qpn = (uint32_t)p->bytes[5] << 16 | p->bytes[6] << 8 | p->bytes[7];
	if (faults_judge(a->faults, FAULTS_RX, qpn, &judged, now_ns) ==
	    FAULTS_PASSES) {
		if (judged.turn)
			a->damaged++;
		else
			adapter_deliver(a, p, now_ns);
	}
}

/* Packets that the fault rules have held back on either way. */
static void adapter_run_faults(struct sd_adapter *a, uint64_t now_ns)
{
	struct link_packet *late;

	while ((late = faults_take(a->faults, FAULTS_RX, now_ns)))
		adapter_deliver(a, late, now_ns);
	sending_run_faults(a);
}

/* What was kept back while a READ was being answered. */
static void adapter_release_held(struct sd_adapter *a, struct world_qp *q,
				 uint64_t now_ns)
{
	struct wire_packet packet;
	struct held_packet *held;

	while (!qp_busy(&q->qp) && (held = held_take(q))) {
		if (wire_packet_decode(held->packet.bytes, held->packet.len,
				       &packet) == WIRE_DECODE_OK &&
		    adapter_find(a, &held->packet, &packet) == q)
			adapter_give(a, q, &held->packet, &packet, now_ns);
		free(held);
	}
}

static bool adapter_receive_socket(struct sd_adapter *a, uint64_t now_ns)
{
	struct link_packet packets[ADAPTER_RECEIVE_CHUNK];
	unsigned got = 0, n;

	do {
		n = a->link->ops->receive(a->link, packets,
					  ADAPTER_RECEIVE_CHUNK);
		adapter_capture(a, packets, n);
		for (unsigned i = 0; i < n; i++)
			adapter_receive(a, &packets[i], now_ns);
		got += n;
	} while (n == ADAPTER_RECEIVE_CHUNK && got < ADAPTER_RECEIVE_BURST);
	/* A full chunk may hide more, which the descriptor does not show. */
	a->more_outside = n == ADAPTER_RECEIVE_CHUNK;
	a->socket_idle = got ? 0 : a->socket_idle + 1;
	a->turn_packets += got;
	return got > 0;
}

/* Shared memory is read where it lies. */
static bool adapter_receive_shared(struct sd_adapter *a, uint64_t now_ns)
{
	struct link_packet packets[ADAPTER_RECEIVE_CHUNK];
	unsigned got = 0, n;

	do {
		n = a->shm->ops->receive(a->shm, packets,
					 ADAPTER_RECEIVE_CHUNK);
		for (unsigned i = 0; a->capture && i < n; i++)
			link_put_icrc(&packets[i]);
		adapter_capture(a, packets, n);
		for (unsigned i = 0; i < n; i++)
			adapter_receive(a, &packets[i], now_ns);
		got += n;
	} while (n == ADAPTER_RECEIVE_CHUNK && got < ADAPTER_SHARED_BURST);
	if (got > 0)
		link_shm_release(a->shm);
	a->turn_packets += got;
	return got > 0;
}

/*
 * A look at the socket is a system call, and most of a poll's time: where
 * nothing has come for long, because all peers are reached otherwise, only
 * some polls pay it.  No timer runs out unlooked (see adapter_progress()).
 */
static bool adapter_socket_turn(struct sd_adapter *a)
{
	unsigned every = a->socket_idle < ADAPTER_SOCKET_QUIET
				 ? ADAPTER_SOCKET_EVERY
				 : ADAPTER_SOCKET_SELDOM;

	if (!a->shm || a->socket_idle < ADAPTER_SOCKET_IDLE ||
	    a->socket_idle % every == 0)
		return true;
	a->socket_idle++;
	return false;
}

bool adapter_local_waiting(const struct sd_adapter *a)
{
	return a->local[a->local_filling].count > 0;
}

/* Packets to ourselves: deliver those that wait now, not those that they
 * bring forth. */
static bool adapter_receive_local(struct sd_adapter *a, uint64_t now_ns)
{
	struct outbox *box = &a->local[a->local_filling];
	unsigned n = box->count;

	if (n == 0)
		return false;
	a->local_filling ^= 1;
	for (unsigned i = 0; a->capture && i < n; i++)
		link_put_icrc(&box->packets[i]);
	adapter_capture(a, box->packets, n);
	for (unsigned i = 0; i < n; i++) {
		if (unlikely(box->packets[i].turn))
			a->damaged++;
		else
			adapter_receive(a, &box->packets[i], now_ns);
	}
	outbox_clear(box);
	return true;
}

static bool adapter_timer_due(const struct sd_adapter *a, uint64_t now_ns)
{
	uint64_t next_ns = timers_next_ns(&a->timers);

	return next_ns && next_ns <= now_ns;
}

/* What a link still holds may be the very answers that a timer misses: it is
 * read first, but not for ever. */
static bool adapter_links_first(const struct sd_adapter *a, uint64_t now_ns)
{
	return a->turn_packets > 0 &&
	       now_ns < timers_next_ns(&a->timers) + ADAPTER_TIMERS_WAIT_NS &&
	       (a->more_outside || (a->shm && link_shm_ready(a->shm)));
}

/* The same of whatever was there when the host had not run us for a while, and
 * of what it brings forth. */
static bool adapter_stalled_first(const struct sd_adapter *a)
{
	return a->stall_turns > 0 &&
	       (adapter_local_waiting(a) || !TAILQ_EMPTY(&a->answering) ||
		a->more_outside || (a->shm && link_shm_ready(a->shm)));
}

/* Where every turn comes late, timers have one in so many all the same. */
static void adapter_note_stall(struct sd_adapter *a, uint64_t now_ns)
{
	bool late = now_ns > a->now_ns + ADAPTER_STALL_NS;

	if (a->stall_turns > 0)
		a->stall_turns--;
	else if (late)
		a->stall_turns = ADAPTER_STALL_TURNS;
}

static bool adapter_timers_wait(const struct sd_adapter *a, uint64_t now_ns)
{
	return adapter_timer_due(a, now_ns) &&
	       (adapter_links_first(a, now_ns) || adapter_stalled_first(a));
}

static void adapter_run_timers(struct sd_adapter *a, uint64_t now_ns)
{
	struct world_qp *q;

	if (adapter_timers_wait(a, now_ns))
		return;
	while ((q = timers_expired(&a->timers, now_ns)))
		qp_timer(&q->qp, now_ns);
}

/* One turn for each queue pair that has an answer to send now: where one finds
 * no room, another's way may be free. */
static void adapter_run_answers(struct sd_adapter *a, uint64_t now_ns)
{
	struct world_qp *last = TAILQ_LAST(&a->answering, world_qp_list);
	struct world_qp *q = NULL;

	while (q != last && (q = TAILQ_FIRST(&a->answering))) {
		TAILQ_REMOVE(&a->answering, q, answering_link);
		q->answering = false;
		if (answer_send(&q->qp))
			adapter_release_held(a, q, now_ns);
		else
			adapter_set_answering(a, q);
	}
}

/* One queue pair's turn. */
static void adapter_run_requester(struct sd_adapter *a, struct world_qp *q,
				  uint64_t now_ns)
{
	enum req_step step;

	flow_open(&a->flow, q);
	step = requester_run(&q->qp, ADAPTER_QP_BURST, now_ns);
	if (step == REQ_SENT || step == REQ_LINK)
		adapter_set_runnable(a, q);
	flow_settle(a, q);
	if (step == REQ_WINDOW)
		flow_wait(a, q);
}

/* One turn for each queue pair that is runnable now. */
static bool adapter_run_requesters(struct sd_adapter *a, uint64_t now_ns)
{
	struct world_qp *last = TAILQ_LAST(&a->runnable, world_qp_list);
	struct world_qp *q = NULL;
	bool work = last;

	while (q != last && (q = TAILQ_FIRST(&a->runnable))) {
		TAILQ_REMOVE(&a->runnable, q, runnable_link);
		q->runnable = false;
		adapter_run_requester(a, q, now_ns);
	}
	return work;
}

/* A CQ that overflowed takes its queue pairs with it. */
static void adapter_fail_cqs(struct sd_adapter *a)
{
	uint32_t slot = 0;
	struct world_qp *q;

	while (a->cq_failed) {
		a->cq_failed = false;
		slot = 0;
		while ((q = idtable_next(&a->qps, &slot))) {
			if (q->qp.state == IBV_QPS_RESET ||
			    q->qp.state == IBV_QPS_ERR)
				continue;
			if (front_cq_failed(q->qp.send_cq) ||
			    front_cq_failed(q->qp.recv_cq))
				qp_enter_error(&q->qp);
		}
	}
}

bool adapter_work(struct sd_adapter *a, bool shared, bool socket,
		  uint64_t now_ns)
{
	bool work = false;

	adapter_note_stall(a, now_ns);
	a->now_ns = now_ns;
	a->link_full = false;
	a->turn_packets = 0;
	if (shared && a->shm)
		work |= adapter_receive_shared(a, now_ns);
	if (socket)
		work |= adapter_receive_socket(a, now_ns);
	work |= adapter_receive_local(a, now_ns);
	if (unlikely(faults_active(a->faults)))
		adapter_run_faults(a, now_ns);
	adapter_run_timers(a, now_ns);
	flow_check(a);
	adapter_run_answers(a, now_ns);
	work |= adapter_run_requesters(a, now_ns);
	sending_flush(a);
	adapter_fail_cqs(a);
	return work;
}

/* Nothing to do as far as memory tells: no system call, no clock. */
static bool adapter_quiet(const struct sd_adapter *a)
{
	return TAILQ_EMPTY(&a->runnable) && TAILQ_EMPTY(&a->answering) &&
	       !adapter_local_waiting(a) && !faults_active(a->faults) &&
	       !(a->shm && link_shm_ready(a->shm));
}

/* A long turn stands for the polls that it left no time for. */
static void adapter_count_turn(struct sd_adapter *a, uint64_t sent_before)
{
	a->polls +=
		(a->turn_packets + a->host.counters.sent_pkts - sent_before) /
		ADAPTER_PACKETS_A_POLL;
}

bool adapter_progress(struct sd_adapter *a)
{
	bool outside = a->remote_qps > 0;
	bool socket = outside && adapter_socket_turn(a);
	uint64_t sent = a->host.counters.sent_pkts;
	uint64_t now_ns;
	bool work;

	if (MUTANT_ON(M23))
		mutant_window_step(MUTANT_M23);
	/* Most polls of a program that waits find nothing: they shall be
	 * cheap, and leave timers to one in a few. */
	a->polls++;
	if (!socket && a->polls % ADAPTER_POLLS_QUIET && adapter_quiet(a))
		return false;
	now_ns = clock_now_ns();
	a->polled_last_ns = now_ns;
	socket |= outside && adapter_timer_due(a, now_ns);
	work = adapter_work(a, outside, socket, now_ns);
	adapter_count_turn(a, sent);
	adapter_thread_tell(a);
	return work;
}

void adapter_catch_up(struct sd_adapter *a)
{
	if (a->shm)
		link_shm_attend(a->shm);
	for (unsigned i = 0; i < ADAPTER_CATCH_UP_TURNS; i++) {
		adapter_work(a, true, true, clock_now_ns());
		if (a->turn_packets == 0 && !adapter_local_waiting(a))
			break;
	}
	adapter_thread_tell(a);
}

void adapter_post(struct sd_adapter *a, struct world_qp *q)
{
	uint64_t sent = a->host.counters.sent_pkts;
	uint64_t now_ns = clock_now_ns();

	a->now_ns = now_ns;
	a->polled_last_ns = now_ns;
	adapter_run_requester(a, q, now_ns);
	sending_flush(a);
	adapter_fail_cqs(a);
	a->turn_packets = 0;
	adapter_count_turn(a, sent);
	adapter_thread_tell(a);
}

void adapter_cq_failed(struct sd_adapter *a)
{
	a->cq_failed = true;
}
