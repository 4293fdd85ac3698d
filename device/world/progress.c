// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loop: packets in, timers, answers, requesters, packets out. */
#include "base/clock.h"
#include "device/engine/requester.h"
#include "device/engine/responder.h"
#include "device/wire/icrc.h"
#include "device/world/adapter_private.h"
#include "device/world/memory.h"

static struct outbox *adapter_box(struct sd_adapter *a,
				  const struct world_qp *q)
{
	return q->remote ? &a->remote : &a->local[a->local_filling];
}

static uint8_t *adapter_packet_begin(struct sd_host *h, struct sd_qp *qp,
				     size_t len_max)
{
	struct sd_adapter *a = adapter_of(h);
	struct outbox *box = adapter_box(a, world_qp_of(qp));
	uint8_t *at = outbox_begin(box, len_max);

	if (!at && box == &a->remote) {
		adapter_flush(a);
		at = outbox_begin(box, len_max);
	}
	return at;
}

static void adapter_packet_end(struct sd_host *h, struct sd_qp *qp, size_t len)
{
	struct sd_adapter *a = adapter_of(h);
	struct world_qp *q = world_qp_of(qp);
	struct link_packet *p = outbox_end(adapter_box(a, q), len);

	p->from = a->address;
	p->to = q->peer;
	p->sport = WIRE_UDP_PORT;
	p->traffic_class = qp->attr.ah_attr.grh.traffic_class;
	p->hop_limit = qp->attr.ah_attr.grh.hop_limit;
	h->counters.sent_pkts++;
	h->counters.sent_bytes += len;
}

static enum ibv_wc_status adapter_gather(struct sd_host *h, struct sd_qp *qp,
					 const struct ibv_sge *sge, int num_sge,
					 uint64_t offset, void *to, size_t len)
{
	return memory_move(adapter_of(h)->keys, qp->pd, sge, num_sge, offset,
			   to, len, 0);
}

static enum ibv_wc_status adapter_scatter(struct sd_host *h, struct sd_qp *qp,
					  const struct ibv_sge *sge,
					  int num_sge, uint64_t offset,
					  const void *from, size_t len)
{
	return memory_move(adapter_of(h)->keys, qp->pd, sge, num_sge, offset,
			   (void *)from, len, IBV_ACCESS_LOCAL_WRITE);
}

static void adapter_complete(struct sd_host *h, struct sd_cq *cq,
			     const struct sd_cqe *cqe)
{
	(void)h;
	front_complete(cq, cqe);
}

static void adapter_event(struct sd_host *h, struct sd_qp *qp,
			  enum ibv_event_type type)
{
	(void)h;
	front_event(world_qp_of(qp), type);
}

static void adapter_timer(struct sd_host *h, struct sd_qp *qp,
			  uint64_t deadline_ns)
{
	struct sd_adapter *a = adapter_of(h);
	struct world_qp *q = world_qp_of(qp);

	q->deadline_ns = deadline_ns;
	timers_set(&a->timers, q);
}

static void adapter_wake(struct sd_host *h, struct sd_qp *qp)
{
	adapter_set_runnable(adapter_of(h), world_qp_of(qp));
}

const struct sd_host_ops adapter_host_ops = {
	.packet_begin = adapter_packet_begin,
	.packet_end = adapter_packet_end,
	.gather = adapter_gather,
	.scatter = adapter_scatter,
	.complete = adapter_complete,
	.event = adapter_event,
	.timer = adapter_timer,
	.wake = adapter_wake,
};

static void adapter_capture(struct sd_adapter *a,
			    const struct link_packet *packets, unsigned n)
{
	uint64_t now_ns;

	if (!a->capture || n == 0)
		return;
	now_ns = clock_wall_ns();
	for (unsigned i = 0; i < n; i++)
		capture_packet(a->capture, &packets[i], now_ns);
}

void adapter_flush(struct sd_adapter *a)
{
	struct outbox *box = &a->remote;
	unsigned n;

	if (box->taken == box->count)
		return;
	n = a->link->ops->send(a->link, box->packets + box->taken,
			       box->count - box->taken);
	adapter_capture(a, box->packets + box->taken, n);
	box->taken += n;
	if (box->taken == box->count)
		outbox_clear(box);
}

/* Silence is the only answer to a packet that is not for this queue pair
 * (wire.md, section 13). */
static struct world_qp *adapter_find(struct sd_adapter *a,
				     const struct link_packet *p,
				     const struct wire_packet *packet)
{
	struct world_qp *q = idtable_find(&a->qps, packet->dest_qpn);

	if (!q || wire_opcode_transport(packet->opcode) != WIRE_RC)
		return NULL;
	if (q->qp.state < IBV_QPS_RTR || q->qp.state == IBV_QPS_ERR)
		return NULL;
	if (memcmp(&p->from, &q->peer, sizeof(q->peer)))
		return NULL;
	if ((packet->pkey ^ WIRE_PKEY_DEFAULT) & 0x7fff)
		return NULL;
	return q;
}

static void adapter_receive(struct sd_adapter *a, const struct link_packet *p,
			    uint64_t now_ns)
{
	struct sd_counters *c = &a->host.counters;
	struct wire_packet packet;
	struct world_qp *q;

	c->rcvd_pkts++;
	c->rcvd_bytes += p->len;
	if (wire_packet_decode(p->bytes, p->len, &packet) != WIRE_DECODE_OK) {
		c->malformed_pkts++;
		return;
	}
	q = adapter_find(a, p, &packet);
	if (!q) {
		c->dropped_pkts++;
		return;
	}
	qp_receive(&q->qp, &packet, now_ns);
	if (q->qp.resp.answer_due)
		adapter_set_answering(a, q);
}

static bool adapter_receive_remote(struct sd_adapter *a, uint64_t now_ns)
{
	struct link_packet packets[ADAPTER_RECEIVE_BURST];
	unsigned n =
		a->link->ops->receive(a->link, packets, ADAPTER_RECEIVE_BURST);

	/* A full burst may hide more, which the descriptor does not show. */
	a->more_outside = n == ADAPTER_RECEIVE_BURST;
	adapter_capture(a, packets, n);
	for (unsigned i = 0; i < n; i++)
		adapter_receive(a, &packets[i], now_ns);
	return n > 0;
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
	for (unsigned i = 0; i < n; i++)
		adapter_receive(a, &box->packets[i], now_ns);
	outbox_clear(box);
	return true;
}

static void adapter_run_timers(struct sd_adapter *a, uint64_t now_ns)
{
	struct world_qp *q;

	while ((q = timers_expired(&a->timers, now_ns)))
		qp_timer(&q->qp, now_ns);
}

static void adapter_run_answers(struct sd_adapter *a)
{
	struct world_qp *q;

	while ((q = TAILQ_FIRST(&a->answering))) {
		if (!responder_answer(&q->qp))
			return;
		TAILQ_REMOVE(&a->answering, q, answering_link);
		q->answering = false;
	}
}

/* One turn for each queue pair that is runnable now. */
static bool adapter_run_requesters(struct sd_adapter *a, uint64_t now_ns)
{
	struct world_qp *last = TAILQ_LAST(&a->runnable, world_qp_list);
	struct world_qp *q = NULL;
	bool work = last;

	while (q != last && (q = TAILQ_FIRST(&a->runnable))) {
		enum req_step step;

		TAILQ_REMOVE(&a->runnable, q, runnable_link);
		q->runnable = false;
		step = requester_run(&q->qp, ADAPTER_QP_BURST, now_ns);
		if (step == REQ_SENT || step == REQ_LINK)
			adapter_set_runnable(a, q);
		if (step == REQ_LINK)
			break;
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

bool adapter_work(struct sd_adapter *a, bool look_outside, uint64_t now_ns)
{
	bool work = false;

	if (look_outside)
		work |= adapter_receive_remote(a, now_ns);
	work |= adapter_receive_local(a, now_ns);
	adapter_run_timers(a, now_ns);
	adapter_run_answers(a);
	work |= adapter_run_requesters(a, now_ns);
	adapter_flush(a);
	adapter_fail_cqs(a);
	return work;
}

bool adapter_progress(struct sd_adapter *a)
{
	uint64_t now_ns = clock_now_ns();

	bool work;

	a->polled_last_ns = now_ns;
	work = adapter_work(a, a->remote_qps > 0, now_ns);
	adapter_thread_tell(a);
	return work;
}

void adapter_post(struct sd_adapter *a, struct world_qp *q)
{
	uint64_t now_ns = clock_now_ns();
	enum req_step step;

	a->polled_last_ns = now_ns;
	step = requester_run(&q->qp, ADAPTER_QP_BURST, now_ns);
	if (step == REQ_SENT || step == REQ_LINK)
		adapter_set_runnable(a, q);
	adapter_flush(a);
	adapter_fail_cqs(a);
	adapter_thread_tell(a);
}

void adapter_cq_failed(struct sd_adapter *a)
{
	a->cq_failed = true;
}
