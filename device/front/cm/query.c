// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The commands that make, move and end connection ids, and ask about them. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "device/front/cm/manager.h"
#include "device/front/cm/user.h"
#include "device/front/facts.h"

enum {
	QUERY_PORT = 1,
	QUERY_PKEY = 0xffff,
	QUERY_HOP_LIMIT = 64,
	QUERY_RATE_40_GBPS = 7,
	QUERY_EXACTLY = 2, /* a selector */
	QUERY_LIFE_TIME = 14,
	QUERY_DEVICE_INDEX_NONE = -1,
	QUERY_ACK_TIMEOUT_MAX = 31,
};

int cm_answer(const struct cm_command *c, const void *bytes, size_t len)
{
	if (len > c->room_bytes)
		len = c->room_bytes;
	return user_write(c->response, bytes, len);
}

static int query_create(struct cm_file *file, const struct cm_command *c)
{
	const struct rdma_ucm_create_id *create = &c->body.create_id;
	struct rdma_ucm_create_id_resp resp;
	struct cm_id *id;
	int err;

	if (create->ps != RDMA_PS_TCP && create->ps != RDMA_PS_UDP &&
	    create->ps != RDMA_PS_IB)
		return -EPROTONOSUPPORT;
	err = cm_id_new(file, &id);
	if (err)
		return err;
	id->uid = create->uid;
	id->port_space = create->ps;
	id->qp_type = create->qp_type;
	id->path.datagram = create->ps == RDMA_PS_UDP;
	resp.id = id->number;
	err = cm_answer(c, &resp, sizeof(resp));
	if (err)
		cm_id_free(id);
	return err;
}

static int query_destroy(struct cm_file *file, const struct cm_command *c)
{
	struct rdma_ucm_destroy_id_resp resp;
	struct cm_id *id;
	int err = cm_id_find(file, c->body.destroy_id.id, &id);

	if (err)
		return err;
	resp.events_reported = id->events_reported;
	cm_id_free(id);
	return cm_answer(c, &resp, sizeof(resp));
}

static void query_move_events(struct cm_id *id, struct cm_file *file)
{
	struct cm_event_list *from = &id->file->events;
	struct cm_event *e, *next;
	struct cm_file *before = id->file;

	cm_id_move(id, file);
	for (e = TAILQ_FIRST(from); e; e = next) {
		next = TAILQ_NEXT(e, link);
		if (e->id != id)
			continue;
		TAILQ_REMOVE(from, e, link);
		cm_event_post(e);
	}
	if (TAILQ_EMPTY(from))
		notifier_clear(&before->notifier);
}

static int query_migrate(struct cm_file *file, const struct cm_command *c)
{
	struct rdma_ucm_migrate_resp resp;
	struct cm_file *from;
	struct cm_id *id;
	int err;

	from = cm_file_get((int)c->body.migrate_id.fd);
	if (!from)
		return -EINVAL;
	err = cm_id_find(from, c->body.migrate_id.id, &id);
	/* The table has it as well: this is not the last use. */
	from->users--;
	if (err)
		return err;
	if (from != file)
		query_move_events(id, file);
	resp.events_reported = id->events_reported;
	return cm_answer(c, &resp, sizeof(resp));
}

static void query_path(const struct cm_id *id, struct ib_user_path_rec *p)
{
	memcpy(p->sgid, manager_gid(), sizeof(p->sgid));
	/* Until the peer has told its own, its address stands for it. */
	memcpy(p->dgid, id->path.known ? id->path.peer_gid : id->peer.ip,
	       sizeof(p->dgid));
	p->pkey = htobe16(QUERY_PKEY);
	p->hop_limit = QUERY_HOP_LIMIT;
	p->traffic_class = id->path.traffic_class;
	p->reversible = 1;
	p->numb_path = 1;
	p->mtu_selector = QUERY_EXACTLY;
	p->mtu = cm_path_mtu(id->path.known ? id->path.mtu : manager_mtu());
	p->rate_selector = QUERY_EXACTLY;
	p->rate = QUERY_RATE_40_GBPS;
	p->packet_life_time_selector = QUERY_EXACTLY;
	p->packet_life_time = QUERY_LIFE_TIME;
}

static int query_route(struct cm_file *file, const struct cm_command *c)
{
	struct rdma_ucm_query_route_resp resp = { 0 };
	struct cm_id *id;
	int err = cm_id_find(file, c->body.query.id, &id);

	if (err)
		return err;
	cm_address_put(&id->local, &resp.src_addr);
	cm_address_put(&id->peer, &resp.dst_addr);
	resp.ibdev_index = (uint32_t)QUERY_DEVICE_INDEX_NONE;
	if (id->has_device) {
		resp.node_guid = soft_node_guid();
		resp.port_num = QUERY_PORT;
		query_path(id, &resp.ib_route[0]);
		resp.num_paths = id->state >= CM_STATE_ROUTED;
	}
	return cm_answer(c, &resp, sizeof(resp));
}

static int query_qp_attr(struct cm_file *file, const struct cm_command *c)
{
	struct ib_uverbs_qp_attr attr;
	struct cm_id *id;
	int err = cm_id_find(file, c->body.init_qp_attr.id, &id);

	if (err)
		return err;
	if (!id->has_device)
		return -EINVAL;
	err = cm_path_attr(&id->path, c->body.init_qp_attr.qp_state, &attr);
	return err ? err : cm_answer(c, &attr, sizeof(attr));
}

/* The value of an option: exactly @len bytes of the program's memory. */
static int query_option(const struct rdma_ucm_set_option *o, void *value,
			size_t len)
{
	if (o->optlen != len)
		return -EINVAL;
	return user_read(value, o->optval, len);
}

static int query_set_id_option(struct cm_id *id,
			       const struct rdma_ucm_set_option *o)
{
	uint8_t byte;
	int number, err;

	switch (o->optname) {
	case RDMA_OPTION_ID_TOS:
		err = query_option(o, &byte, sizeof(byte));
		if (!err)
			id->path.traffic_class = byte;
		return err;
	case RDMA_OPTION_ID_REUSEADDR:
		err = query_option(o, &number, sizeof(number));
		if (!err)
			id->reuse = number;
		return err;
	case RDMA_OPTION_ID_AFONLY:
		/* Names of IPv4 and IPv6 are never the same but for "any". */
		return query_option(o, &number, sizeof(number));
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		err = query_option(o, &byte, sizeof(byte));
		if (err || byte > QUERY_ACK_TIMEOUT_MAX)
			return err ? err : -EINVAL;
		id->path.timeout = byte;
		return 0;
	default:
		return -ENOSYS;
	}
}

static int query_set_option(struct cm_file *file, const struct cm_command *c)
{
	const struct rdma_ucm_set_option *o = &c->body.set_option;
	struct cm_id *id;
	int err = cm_id_find(file, o->id, &id);

	if (err)
		return err;
	/* Paths cannot be set: there is one. */
	if (o->level != RDMA_OPTION_ID)
		return -ENOSYS;
	return query_set_id_option(id, o);
}

int cm_query(struct cm_file *file, const struct cm_command *c)
{
	switch (c->code) {
	case RDMA_USER_CM_CMD_CREATE_ID:
		return query_create(file, c);
	case RDMA_USER_CM_CMD_DESTROY_ID:
		return query_destroy(file, c);
	case RDMA_USER_CM_CMD_MIGRATE_ID:
		return query_migrate(file, c);
	case RDMA_USER_CM_CMD_QUERY_ROUTE:
		return query_route(file, c);
	case RDMA_USER_CM_CMD_INIT_QP_ATTR:
		return query_qp_attr(file, c);
	case RDMA_USER_CM_CMD_SET_OPTION:
		return query_set_option(file, c);
	case RDMA_USER_CM_CMD_GET_EVENT:
		return cm_file_deliver(file, c);
	default:
		return cm_act(file, c);
	}
}
