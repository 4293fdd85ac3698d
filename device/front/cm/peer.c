// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What peers do: connect, tell, and go.  Their messages change the state of an
 * id and become events.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "device/front/cm/manager.h"
#include "device/front/limits.h"
#include "device/link/cm_link.h"

/* How long a queue pair's packets may still be under way. */
#define PEER_TIMEWAIT_NS (1 * NS_PER_S)
/* When to look again for a free descriptor. */
#define PEER_DEAF_NS (100 * NS_PER_MS)
/* How long a program may take to see what came before its peer went, and how
 * often we look whether it has. */
#define PEER_PARTING_NS	     (500 * NS_PER_MS)
#define PEER_PARTING_LOOK_NS (1 * NS_PER_MS)

static uint8_t peer_min(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

struct cm_message cm_peer_message(const struct cm_id *id,
				  enum cm_message_kind kind)
{
	struct cm_message m = cm_message_make(kind);

	memcpy(m.gid, manager_gid(), sizeof(m.gid));
	m.mtu = manager_mtu();
	m.qpn = id->own_qpn;
	m.psn = id->path.own_psn;
	m.qkey = CM_UDP_QKEY;
	m.from = id->local;
	m.to = id->peer;
	return m;
}

/* What the peer said about its end of the path. */
static void peer_learn(struct cm_id *id, const struct cm_message *m)
{
	struct cm_path *p = &id->path;
	uint32_t own_mtu = manager_mtu();

	memcpy(p->peer_gid, m->gid, sizeof(p->peer_gid));
	p->peer_qpn = m->qpn;
	p->peer_psn = m->psn;
	p->mtu = m->mtu < own_mtu ? m->mtu : own_mtu;
	/* What one end may start, the other one must be able to answer. */
	p->responder_resources =
		peer_min(m->initiator_depth, limit_max_rd_atom());
	p->initiator_depth =
		peer_min(m->responder_resources, limit_max_rd_atom());
	p->rnr_retry_count = m->rnr_retry_count;
	p->known = true;
}

/* An event that carries what @m says. */
static struct cm_event *peer_event(struct cm_id *id, const struct cm_message *m,
				   uint32_t event, int status)
{
	struct cm_event *e = cm_event_new(id, m->kind, event, status);
	struct rdma_ucm_conn_param *conn;
	struct rdma_ucm_ud_param *ud;

	if (!e)
		return NULL;
	conn = &e->resp.param.conn;
	ud = &e->resp.param.ud;
	if (id->port_space == RDMA_PS_UDP) {
		memcpy(ud->private_data, m->private_data, ud->private_data_len);
		ud->qp_num = m->qpn;
		ud->qkey = m->qkey;
		cm_path_ah(&id->path, &ud->ah_attr);
		return e;
	}
	memcpy(conn->private_data, m->private_data, conn->private_data_len);
	conn->qp_num = m->qpn;
	conn->srq = m->srq;
	conn->responder_resources = m->initiator_depth;
	conn->initiator_depth = m->responder_resources;
	conn->flow_control = m->flow_control;
	conn->retry_count = m->retry_count;
	conn->rnr_retry_count = m->rnr_retry_count;
	return e;
}

static void peer_tell(struct cm_id *id, const struct cm_message *m,
		      uint32_t event, int status)
{
	struct cm_event *e = peer_event(id, m, event, status);

	if (e)
		cm_event_post(e);
}

static void peer_over(struct cm_id *id)
{
	id->state = CM_STATE_OVER;
	id->deadline_ns = 0;
	cm_id_hang_up(id);
}

static void peer_disconnected(struct cm_id *id)
{
	peer_over(id);
	cm_event_tell(id, CM_EVENT_DISCONNECTED, 0);
	id->deadline_ns = clock_now_ns() + PEER_TIMEWAIT_NS;
	manager_alarm(id->deadline_ns);
}

/* While a completion waits to be polled, the program is not told, for a while:
 * see below. */
static void peer_part(struct cm_id *id)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns < id->parting_until_ns && manager_unread(id->own_qpn)) {
		id->deadline_ns = now_ns + PEER_PARTING_LOOK_NS;
		manager_alarm(id->deadline_ns);
		return;
	}
	id->parting_until_ns = 0;
	peer_disconnected(id);
}

/*
 * The peer says so, or goes, behind the last of its packets.  Programs destroy
 * their queue pair when they hear of it, and with it the completions that they
 * have not polled; and the way of the news is much shorter here than that of a
 * message through the kernels of two hosts.  So what was sent before it comes
 * out first, and is given time to be seen.
 */
static void peer_left(struct cm_id *id)
{
	peer_over(id);
	manager_catch_up();
	id->parting_until_ns = clock_now_ns() + PEER_PARTING_NS;
	peer_part(id);
}

/* The first word of a new peer. */
static void peer_request(struct cm_id *id, const struct cm_message *m)
{
	struct cm_id *listener = id->listener;
	bool datagram = id->port_space == RDMA_PS_UDP;
	struct cm_event *e;

	if (m->kind != (datagram ? CM_SIDR_REQ : CM_REQ))
		goto refuse;
	if (listener->backlog == 0) {
		struct cm_message no =
			cm_peer_message(id, datagram ? CM_SIDR_REP : CM_REJ);

		no.reason = datagram ? CM_SIDR_REJECT : CM_REASON_CONSUMER;
		(void)!cm_link_send(id->fd, &no, sizeof(no));
		goto refuse;
	}
	peer_learn(id, m);
	id->path.retry_count = m->retry_count;
	id->path.own_psn = manager_random() & 0xffffff;
	id->path.datagram = datagram;
	id->local = m->to;
	id->peer = m->from;
	id->has_device = true;
	id->state = CM_STATE_ASKED;
	e = peer_event(id, m, CM_EVENT_CONNECT_REQUEST, 0);
	if (!e)
		goto refuse;
	id->nascent = false;
	listener->backlog--;
	e->id = listener;
	e->child = id;
	cm_event_post(e);
	return;

refuse:
	cm_id_free(id);
}

/* The answer to our SIDR_REQ: the only message of its kind. */
static void peer_sidr_answer(struct cm_id *id, const struct cm_message *m)
{
	peer_over(id);
	memcpy(id->path.peer_gid, m->gid, sizeof(m->gid));
	if (m->reason == CM_SIDR_OK)
		peer_tell(id, m, CM_EVENT_ESTABLISHED, 0);
	else
		peer_tell(id, m, CM_EVENT_UNREACHABLE, (int)m->reason);
}

static void peer_message(struct cm_id *id, const struct cm_message *m)
{
	static const enum cm_act acts[] = {
		[CM_REP] = CM_ACT_REP,	 [CM_RTU] = CM_ACT_RTU,
		[CM_REJ] = CM_ACT_REJ,	 [CM_DREQ] = CM_ACT_DREQ,
		[CM_DREP] = CM_ACT_DREP, [CM_SIDR_REP] = CM_ACT_REP,
	};
	bool datagram = id->port_space == RDMA_PS_UDP;
	bool leaving = id->state == CM_STATE_LEAVING;
	struct cm_message drep;

	if (m->kind == CM_REQ || m->kind == CM_SIDR_REQ ||
	    datagram != (m->kind == CM_SIDR_REP) ||
	    !cm_state_step(id->state, acts[m->kind], &id->state)) {
		log_info("cm: message %u to an id in state %u, ignored",
			 m->kind, id->state);
		return;
	}
	switch (m->kind) {
	case CM_SIDR_REP:
		peer_sidr_answer(id, m);
		break;
	case CM_REP:
		id->deadline_ns = 0;
		peer_learn(id, m);
		peer_tell(id, m, CM_EVENT_CONNECT_RESPONSE, 0);
		break;
	case CM_RTU:
		cm_event_tell(id, CM_EVENT_ESTABLISHED, 0);
		break;
	case CM_REJ:
		peer_over(id);
		peer_tell(id, m, CM_EVENT_REJECTED, (int)m->reason);
		break;
	case CM_DREQ:
		drep = cm_peer_message(id, CM_DREP);
		(void)!cm_link_send(id->fd, &drep, sizeof(drep));
		if (leaving)
			peer_disconnected(id);
		else
			peer_left(id);
		break;
	case CM_DREP:
		peer_disconnected(id);
		break;
	}
}

/* The other side's socket has closed: its program ended, or destroyed its id. */
static void peer_gone(struct cm_id *id)
{
	struct cm_message m = cm_message_make(CM_REJ);
	enum cm_state before = id->state;

	if (id->nascent) {
		cm_id_free(id);
		return;
	}
	if (!cm_state_step(before, CM_ACT_GONE, &id->state)) {
		cm_id_hang_up(id);
		return;
	}
	if (before == CM_STATE_LEAVING) {
		peer_disconnected(id);
		return;
	}
	if (before == CM_STATE_ESTABLISHED) {
		peer_left(id);
		return;
	}
	peer_over(id);
	if (id->port_space == RDMA_PS_UDP)
		m.kind = CM_SIDR_REP;
	peer_tell(id, &m,
		  id->port_space == RDMA_PS_UDP ? CM_EVENT_UNREACHABLE
						: CM_EVENT_REJECTED,
		  CM_REASON_TIMEOUT);
}

static void peer_arrives(struct cm_id *listener)
{
	struct cm_id *id;
	int fd, err;

	err = cm_link_accept(listener->fd, &fd);
	if (err == -EMFILE || err == -ENFILE || err == -ENOMEM) {
		cm_link_ignore(manager_link(), listener->fd);
		listener->deaf = true;
		listener->deadline_ns = clock_now_ns() + PEER_DEAF_NS;
		manager_alarm(listener->deadline_ns);
	}
	if (err)
		return;
	if (cm_id_new(listener->file, &id)) {
		cm_link_close(fd);
		return;
	}
	id->fd = fd;
	id->nascent = true;
	id->listener = listener;
	id->port_space = listener->port_space;
	id->qp_type = listener->qp_type;
	if (cm_link_watch(manager_link(), fd, id->number))
		cm_id_free(id);
}

void cm_peer_ready(struct cm_id *id)
{
	/* One byte more than any of them has, to see what is too long. */
	uint8_t bytes[sizeof(struct cm_message) + 1];
	struct cm_message m;
	int n;

	if (id->fd < 0)
		return;
	if (id->state == CM_STATE_LISTENING) {
		peer_arrives(id);
		return;
	}
	n = cm_link_receive(id->fd, bytes, sizeof(bytes));
	if (n == -EAGAIN)
		return;
	if (n <= 0 || !cm_message_get(bytes, (size_t)n, &m))
		peer_gone(id);
	else if (id->nascent)
		peer_request(id, &m);
	else
		peer_message(id, &m);
}

void cm_peer_due(struct cm_id *id)
{
	if (id->state == CM_STATE_LISTENING) {
		id->deaf = cm_link_watch(manager_link(), id->fd, id->number);
	} else if (id->state == CM_STATE_ASKING && id->unheard) {
		cm_act_again(id);
	} else if (id->state == CM_STATE_ASKING) {
		peer_over(id);
		cm_event_tell(id, CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	} else if (id->parting_until_ns) {
		peer_part(id);
	} else if (id->state == CM_STATE_OVER) {
		cm_event_tell(id, CM_EVENT_TIMEWAIT_EXIT, 0);
	}
}
