// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The commands that change a connection id. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/front/cm/manager.h"
#include "device/link/cm_link.h"

/* A peer that has not answered a request by then never will. */
#define ACT_ANSWER_NS (60 * NS_PER_S)

/* How long, and how often, a request is sent that nobody takes. */
#define ACT_UNHEARD_NS (500 * NS_PER_MS)
#define ACT_AGAIN_NS   (10 * NS_PER_MS)

enum {
	ACT_BACKLOG_MAX = 1024,
	/* Ports for those who do not mind which. */
	ACT_PORT_FIRST = 32768,
	ACT_PORTS = 28000,
	ACT_PORT_TRIES = 64,
	ACT_RETRY_MAX = 7,
};

static bool act_is_own(const struct cm_address *a)
{
	return !memcmp(a->ip, manager_gid(), sizeof(a->ip));
}

static uint16_t act_some_port(void)
{
	return (uint16_t)(ACT_PORT_FIRST + manager_random() % ACT_PORTS);
}

static int act_reserve(struct cm_id *id, const struct cm_address *a)
{
	char name[CM_NAME_BYTES];
	size_t len = cm_address_name(a, id->port_space, name);

	return cm_link_reserve(name, len, &id->fd);
}

static int act_bind(struct cm_id *id, const struct cm_address *address)
{
	struct cm_address a = *address;
	enum cm_state next;
	int err;

	if (!cm_state_step(id->state, CM_ACT_BIND, &next))
		return -EINVAL;
	if (id->port_space != RDMA_PS_TCP && id->port_space != RDMA_PS_UDP)
		return -EADDRNOTAVAIL;
	err = manager_start();
	if (err)
		return err;
	if (!cm_address_is_any(&a) && !act_is_own(&a) &&
	    !cm_link_is_local(a.ip))
		return -EADDRNOTAVAIL;
	if (a.port) {
		err = act_reserve(id, &a);
	} else {
		err = -EADDRINUSE;
		for (int i = 0; err == -EADDRINUSE && i < ACT_PORT_TRIES; i++) {
			a.port = act_some_port();
			err = act_reserve(id, &a);
		}
	}
	if (err && !(err == -EADDRINUSE && id->reuse))
		return err;
	id->local = a;
	id->has_device = !cm_address_is_any(&a);
	id->state = next;
	return 0;
}

static int act_bind_ip(struct cm_id *id, const struct cm_command *c)
{
	struct cm_address a;
	int err = cm_address_get(&c->body.bind_ip.addr,
				 sizeof(c->body.bind_ip.addr), &a);

	return err ? err : act_bind(id, &a);
}

static int act_bind_any(struct cm_id *id, const struct cm_command *c)
{
	const struct rdma_ucm_bind *b = &c->body.bind;
	struct cm_address a;
	int err;

	if (b->addr_size > sizeof(b->addr))
		return -EINVAL;
	err = cm_address_get(&b->addr, b->addr_size, &a);
	return err ? err : act_bind(id, &a);
}

/* The source of what goes to @id->peer, unless it is bound to one. */
static void act_choose_source(struct cm_id *id)
{
	if (id->has_device)
		return;
	memcpy(id->local.ip, manager_gid(), sizeof(id->local.ip));
	id->local.family = id->peer.family;
	if (!id->local.port)
		id->local.port = act_some_port();
	id->has_device = true;
}

static int act_resolve_ip(struct cm_id *id, const struct cm_command *c)
{
	const struct rdma_ucm_resolve_ip *r = &c->body.resolve_ip;
	struct cm_address source, peer;
	enum cm_state next;
	int err;

	err = cm_address_get(&r->dst_addr, sizeof(r->dst_addr), &peer);
	if (err)
		return err;
	if (!cm_state_step(id->state, CM_ACT_RESOLVE_ADDRESS, &next))
		return -EINVAL;
	if (id->state == CM_STATE_IDLE && r->src_addr.sin6_family) {
		err = cm_address_get(&r->src_addr, sizeof(r->src_addr),
				     &source);
		if (!err)
			err = act_bind(id, &source);
	} else {
		err = manager_start();
	}
	if (err)
		return err;
	if (cm_address_is_any(&peer))
		peer = cm_address_loopback(&peer);
	if (!cm_link_is_local(peer.ip)) {
		/* Nobody there could hear us. */
		cm_event_tell(id, CM_EVENT_ADDR_ERROR, -EHOSTUNREACH);
		return 0;
	}
	id->peer = peer;
	id->state = next;
	act_choose_source(id);
	cm_event_tell(id, CM_EVENT_ADDR_RESOLVED, 0);
	return 0;
}

static int act_resolve_route(struct cm_id *id, const struct cm_command *c)
{
	(void)c;
	if (!cm_state_step(id->state, CM_ACT_RESOLVE_ROUTE, &id->state))
		return -EINVAL;
	cm_event_tell(id, CM_EVENT_ROUTE_RESOLVED, 0);
	return 0;
}

static int act_listen(struct cm_id *id, const struct cm_command *c)
{
	uint32_t backlog = c->body.listen.backlog;
	struct cm_address any = { .family = CM_INET };
	enum cm_state next;
	int err = 0;

	if (!cm_state_step(id->state, CM_ACT_LISTEN, &next))
		return -EINVAL;
	if (id->state == CM_STATE_IDLE)
		err = act_bind(id, &any);
	else if (id->fd < 0)
		err = act_reserve(id, &id->local);
	if (!err)
		err = cm_link_listen(id->fd);
	if (!err)
		err = cm_link_watch(manager_link(), id->fd, id->number);
	if (err)
		return err;
	id->backlog = backlog && backlog < ACT_BACKLOG_MAX ? backlog
							   : ACT_BACKLOG_MAX;
	id->state = next;
	return 0;
}

/* The listener that the peer's address names: the exact one, or one that
 * listens on all addresses. */
static int act_reach(const struct cm_id *id, int *fd)
{
	struct cm_address any = { .port = id->peer.port };
	char name[CM_NAME_BYTES];
	size_t len = cm_address_name(&id->peer, id->port_space, name);
	int err = cm_link_connect(name, len, fd);

	if (err != -ECONNREFUSED)
		return err;
	len = cm_address_name(&any, id->port_space, name);
	return cm_link_connect(name, len, fd);
}

static void act_unreached(struct cm_id *id, int err)
{
	bool datagram = id->port_space == RDMA_PS_UDP;
	struct cm_event *e;

	id->state = CM_STATE_OVER;
	if (err != -ECONNREFUSED)
		e = cm_event_new(id, CM_MESSAGE_NONE, CM_EVENT_UNREACHABLE,
				 err);
	else if (datagram)
		e = cm_event_new(id, CM_SIDR_REP, CM_EVENT_UNREACHABLE,
				 CM_SIDR_NO_SERVICE);
	else
		e = cm_event_new(id, CM_REJ, CM_EVENT_REJECTED,
				 CM_REASON_NO_SERVICE);
	if (e)
		cm_event_post(e);
}

/* Parameters that go to the peer; -EINVAL when they do not fit. */
static int act_fill(struct cm_message *m,
		    const struct rdma_ucm_conn_param *param)
{
	if (param->private_data_len > cm_message_private_max(m->kind) ||
	    param->qp_num > 0xffffff)
		return -EINVAL;
	memcpy(m->private_data, param->private_data, param->private_data_len);
	m->qpn = param->qp_num;
	m->srq = param->srq;
	m->responder_resources = param->responder_resources;
	m->initiator_depth = param->initiator_depth;
	m->flow_control = param->flow_control;
	m->retry_count = param->retry_count & ACT_RETRY_MAX;
	m->rnr_retry_count = param->rnr_retry_count & ACT_RETRY_MAX;
	return 0;
}

/* Send the request, and wait for the answer. */
static int act_ask(struct cm_id *id, const struct cm_message *m)
{
	int err, fd;

	err = act_reach(id, &fd);
	if (err)
		return err;
	cm_id_hang_up(id); /* what held its address */
	id->fd = fd;
	err = cm_link_send(fd, m, sizeof(*m));
	if (!err)
		err = cm_link_watch(manager_link(), fd, id->number);
	if (!err) {
		id->deadline_ns = clock_now_ns() + ACT_ANSWER_NS;
		manager_alarm(id->deadline_ns);
	}
	return err;
}

/* What nobody takes is sent again for a while: programs tell their peers to
 * come a moment before they listen, and rely on the time that a network takes
 * (perftest does). */
static bool act_keep_asking(struct cm_id *id, const struct cm_message *m)
{
	uint64_t now_ns = clock_now_ns();

	if (!id->unheard) {
		id->unheard = malloc(sizeof(*m));
		if (!id->unheard)
			return false;
		*id->unheard = *m;
		id->unheard_until_ns = now_ns + ACT_UNHEARD_NS;
	}
	if (now_ns >= id->unheard_until_ns)
		return false;
	id->deadline_ns = now_ns + ACT_AGAIN_NS;
	manager_alarm(id->deadline_ns);
	return true;
}

static void act_ask_or_fail(struct cm_id *id, const struct cm_message *m)
{
	int err = act_ask(id, m);

	if (err == -ECONNREFUSED && act_keep_asking(id, m))
		return;
	if (err)
		act_unreached(id, err);
	free(id->unheard);
	id->unheard = NULL;
}

void cm_act_again(struct cm_id *id)
{
	act_ask_or_fail(id, id->unheard);
}

static int act_connect(struct cm_id *id, const struct cm_command *c)
{
	const struct rdma_ucm_conn_param *param = &c->body.connect.conn_param;
	struct cm_message m;
	enum cm_state next;
	int err;

	if (!cm_state_step(id->state, CM_ACT_CONNECT, &next))
		return -EINVAL;
	id->path.datagram = id->port_space == RDMA_PS_UDP;
	id->path.own_psn = manager_random() & 0xffffff;
	m = cm_peer_message(id, id->path.datagram ? CM_SIDR_REQ : CM_REQ);
	err = act_fill(&m, param);
	if (err)
		return err;
	id->own_qpn = m.qpn;
	id->path.retry_count = m.retry_count;
	id->state = next;
	act_ask_or_fail(id, &m);
	return 0;
}

/* A peer that is gone already is found so by the thread. */
static void act_send(struct cm_id *id, const struct cm_message *m)
{
	(void)!cm_link_send(id->fd, m, sizeof(*m));
}

static int act_answer(struct cm_id *id, const struct cm_command *c)
{
	const struct rdma_ucm_accept *a = &c->body.accept;
	bool datagram = id->port_space == RDMA_PS_UDP;
	struct cm_message m;
	enum cm_state next;
	int err;

	if (!cm_state_step(id->state, CM_ACT_ACCEPT, &next))
		return -EINVAL;
	m = cm_peer_message(id, datagram ? CM_SIDR_REP : CM_REP);
	err = act_fill(&m, &a->conn_param);
	if (err)
		return err;
	id->uid = a->uid;
	id->own_qpn = m.qpn;
	if (datagram) {
		if (a->conn_param.qkey)
			m.qkey = a->conn_param.qkey;
		act_send(id, &m);
		cm_id_hang_up(id);
		id->state = CM_STATE_OVER;
		return 0;
	}
	id->path.responder_resources = m.responder_resources;
	id->path.initiator_depth = m.initiator_depth;
	act_send(id, &m);
	id->state = next;
	return 0;
}

static int act_accept(struct cm_id *id, const struct cm_command *c)
{
	struct cm_message m;

	if (c->body.accept.conn_param.valid)
		return act_answer(id, c);
	if (!cm_state_step(id->state, CM_ACT_CONFIRM, &id->state))
		return -EINVAL;
	m = cm_peer_message(id, CM_RTU);
	act_send(id, &m);
	return 0;
}

static int act_reject(struct cm_id *id, const struct cm_command *c)
{
	const struct rdma_ucm_reject *r = &c->body.reject;
	bool datagram = id->port_space == RDMA_PS_UDP;
	struct cm_message m;
	enum cm_state next;

	if (!cm_state_step(id->state, CM_ACT_REJECT, &next))
		return -EINVAL;
	m = cm_peer_message(id, datagram ? CM_SIDR_REP : CM_REJ);
	if (r->private_data_len > cm_message_private_max(m.kind))
		return -EINVAL;
	memcpy(m.private_data, r->private_data, r->private_data_len);
	m.reason = datagram    ? CM_SIDR_REJECT
		   : r->reason ? r->reason
			       : CM_REASON_CONSUMER;
	act_send(id, &m);
	cm_id_hang_up(id);
	id->state = next;
	return 0;
}

static int act_disconnect(struct cm_id *id, const struct cm_command *c)
{
	enum cm_state before = id->state;
	struct cm_message m;

	(void)c;
	if (!cm_state_step(before, CM_ACT_DISCONNECT, &id->state))
		return -EINVAL;
	if (before != CM_STATE_ESTABLISHED)
		return 0;
	m = cm_peer_message(id, CM_DREQ);
	act_send(id, &m);
	return 0;
}

/* The queue pair has heard from the peer before RTU came. */
static int act_notify(struct cm_id *id, const struct cm_command *c)
{
	if (c->body.notify.event != IBV_EVENT_COMM_EST)
		return -EINVAL;
	if (id->state == CM_STATE_ANSWERING) {
		id->state = CM_STATE_ESTABLISHED;
		cm_event_tell(id, CM_EVENT_ESTABLISHED, 0);
	}
	return 0;
}

int cm_act(struct cm_file *file, const struct cm_command *c)
{
	static const struct {
		size_t id_at; /* in the body */
		int (*act)(struct cm_id *id, const struct cm_command *c);
	} acts[] = {
#define ACT(name, act) { offsetof(struct rdma_ucm_##name, id), act }
		[RDMA_USER_CM_CMD_BIND_IP] = ACT(bind_ip, act_bind_ip),
		[RDMA_USER_CM_CMD_BIND] = ACT(bind, act_bind_any),
		[RDMA_USER_CM_CMD_RESOLVE_IP] = ACT(resolve_ip, act_resolve_ip),
		[RDMA_USER_CM_CMD_RESOLVE_ROUTE] =
			ACT(resolve_route, act_resolve_route),
		[RDMA_USER_CM_CMD_LISTEN] = ACT(listen, act_listen),
		[RDMA_USER_CM_CMD_CONNECT] = ACT(connect, act_connect),
		[RDMA_USER_CM_CMD_ACCEPT] = ACT(accept, act_accept),
		[RDMA_USER_CM_CMD_REJECT] = ACT(reject, act_reject),
		[RDMA_USER_CM_CMD_DISCONNECT] = ACT(disconnect, act_disconnect),
		[RDMA_USER_CM_CMD_NOTIFY] = ACT(notify, act_notify),
#undef ACT
	};
	struct cm_id *id;
	uint32_t number;
	int err;

	if (c->code >= ARRAY_SIZE(acts) || !acts[c->code].act)
		return -EINVAL;
	memcpy(&number, (const uint8_t *)&c->body + acts[c->code].id_at,
	       sizeof(number));
	err = cm_id_find(file, number, &id);
	return err ? err : acts[c->code].act(id, c);
}
