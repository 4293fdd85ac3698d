// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/world/sending.h"

#include <string.h>

#include "base/clock.h"
#include "device/world/recent.h"

void adapter_capture(struct sd_adapter *a, const struct link_packet *packets,
		     unsigned n)
{
	uint64_t now_ns;

	if ((!a->capture && !a->recent) || n == 0)
		return;
	now_ns = a->capture ? clock_wall_ns() : 0;
	for (unsigned i = 0; a->capture && i < n; i++)
		capture_packet(a->capture, &packets[i], now_ns);
	for (unsigned i = 0; a->recent && i < n; i++)
		recent_put(a->recent, &packets[i], clock_now_ns());
}

/* Choose the way to @a->aim.to. */
static void sending_choose(struct sd_adapter *a)
{
	const struct link_address *to = &a->aim.to;

	a->aim_channel = NULL;
	a->aim_lost = false;
	a->aim_box = &a->remote;
	if (a->self_direct && !memcmp(to, &a->address, sizeof(*to)))
		a->aim_box = &a->local[a->local_filling];
	else if (a->shm && (a->aim_channel = link_shm_channel(a->shm, to)))
		a->aim_box = NULL;
}

static void sending_aim(struct sd_adapter *a, const struct world_qp *q,
			const struct sd_datagram_path *path)
{
	const struct ibv_global_route *grh = &q->qp.attr.ah_attr.grh;

	a->aim = (struct link_packet){
		.from = a->address,
		.to = q->peer,
		.sport = WIRE_UDP_PORT,
		.traffic_class = grh->traffic_class,
		.hop_limit = grh->hop_limit,
	};
	if (path) {
		memcpy(a->aim.to.gid, path->gid, sizeof(a->aim.to.gid));
		a->aim.traffic_class = path->traffic_class;
		a->aim.hop_limit = path->hop_limit;
	}
	a->aim_qpn = q->qp.qpn;
	sending_choose(a);
}

static void sending_flush_socket(struct sd_adapter *a)
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
	else
		a->link_full = true;
}

/* Room on the way chosen. */
static uint8_t *sending_room(struct sd_adapter *a, size_t len_max)
{
	uint8_t *at;

	if (a->aim_channel) {
		at = link_shm_begin(a->aim_channel, len_max);
	} else {
		at = outbox_begin(a->aim_box, len_max);
		if (!at && a->aim_box == &a->remote) {
			sending_flush_socket(a);
			at = outbox_begin(a->aim_box, len_max);
		}
	}
	a->aim.bytes = at;
	return at;
}

/* The peer has taken nothing out of its full ring for long. */
static bool sending_stalled(const struct sd_adapter *a)
{
	return a->aim_channel &&
	       link_shm_stalled(a->aim_channel, clock_now_ns());
}

uint8_t *sending_begin(struct sd_adapter *a, struct world_qp *q,
		       const struct sd_datagram_path *path, size_t len_max)
{
	uint8_t *at;

	sending_aim(a, q, path);
	q->by_socket = a->aim_box == &a->remote;
	at = sending_room(a, len_max);
	if (!at && q->qp.type != IBV_QPT_RC && sending_stalled(a)) {
		/* Nobody retries for UC and UD: what a wire would lose is
		 * lost, and one peer that has stopped holds up no other. */
		a->aim_lost = true;
		at = a->aim.bytes = a->lost_bytes;
	}
	if (!at)
		a->link_full = true;
	return at;
}

/* The packet at hand goes. */
static void sending_put(struct sd_adapter *a)
{
	struct link_packet *p = &a->aim;
	struct outbox *box = a->aim_box;
	uint8_t *bytes = p->bytes;

	if (a->aim_lost)
		return;
	if (!a->aim_channel) {
		*outbox_end(box, p->len) = *p;
		return;
	}
	if (unlikely(a->capture || a->recent)) {
		if (a->capture)
			link_put_icrc(p);
		adapter_capture(a, p, 1);
	}
	p->bytes = bytes;
	link_shm_end(a->aim_channel, p);
}

void sending_run_faults(struct sd_adapter *a)
{
	struct link_packet *late;

	while ((late = faults_take(a->faults, FAULTS_TX, a->now_ns))) {
		a->aim = *late;
		sending_choose(a);
		/* No room: lost, as on any full wire. */
		if (!sending_room(a, late->len))
			continue;
		memcpy(a->aim.bytes, late->bytes, late->len);
		sending_put(a);
	}
}

void sending_end(struct sd_adapter *a, size_t len)
{
	if (unlikely(a->port_down))
		return;
	a->aim.len = (uint32_t)len;
	a->host.counters.sent_pkts++;
	a->host.counters.sent_bytes += len;
	if (likely(!faults_active(a->faults))) {
		sending_put(a);
		return;
	}
	if (faults_judge(a->faults, FAULTS_TX, a->aim_qpn, &a->aim,
			 a->now_ns) == FAULTS_PASSES)
		sending_put(a);
	sending_run_faults(a);
}

void sending_flush(struct sd_adapter *a)
{
	sending_flush_socket(a);
	if (a->shm)
		link_shm_flush(a->shm);
}
