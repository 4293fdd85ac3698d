// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: connections through librdmacm. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "suite/end/local.h"
#include "suite/verbs/cm.h"

_Static_assert(sizeof(struct sockaddr_in6) == END_CM_ADDRESS, "fits both");

static int local_cm_open(struct end_host *h, char *why, size_t size)
{
	int err;

	if (h->cm)
		return 0;
	err = verbs_cm_load(why, size);
	if (err)
		return err;
	err = verbs_cm_open(&h->at, &h->cm);
	if (err)
		snprintf(why, size, "the connection manager's device: %s",
			 strerror(-err));
	return err;
}

static int local_cm_add(struct end_host *h, struct rdma_cm_id *cm, uint32_t *id)
{
	struct local_object *o = local_add(h, END_CM, id);

	if (!o) {
		(void)verbs_cm_destroy(&h->at, cm);
		return -ENOMEM;
	}
	o->cm = cm;
	cm->context = (void *)(uintptr_t)*id;
	return 0;
}

/* Listen, or set out for the peer. */
static int local_cm_start(struct end_host *h, struct rdma_cm_id *id,
			  const struct end_cm_begin *in,
			  struct end_cm_begun *out)
{
	struct sockaddr_in6 peer;
	int err;

	if (in->listen) {
		err = verbs_cm_act(&h->at, id, VERBS_CM_LISTEN, NULL);
		if (err)
			snprintf(out->error, sizeof(out->error),
				 "listening: %s", strerror(-err));
		return err;
	}
	err = in->timeout ? verbs_cm_timeout(&h->at, id, in->timeout) : 0;
	/* Older kernels have no such option: then the CM chooses. */
	if (err && err != -ENOSYS && err != -EOPNOTSUPP && err != -EINVAL)
		return err;
	memcpy(&peer, in->peer.bytes, sizeof(peer));
	err = verbs_cm_resolve(&h->at, id, &peer, (int)in->ms);
	if (err)
		snprintf(out->error, sizeof(out->error),
			 "resolving the peer's address: %s", strerror(-err));
	return err;
}

int local_cm_begin(struct end_host *h, const struct end_cm_begin *in,
		   struct end_cm_begun *out)
{
	struct verbs_cm_place place = {
		.device = ibv_get_device_name(h->context->device),
		.port = h->port,
		.gid = h->gid,
	};
	struct sockaddr_in6 own;
	struct rdma_cm_id *id;
	int err;

	memset(out, 0, sizeof(*out));
	err = local_cm_open(h, out->error, sizeof(out->error));
	if (err)
		return err;
	err = verbs_cm_bind(&h->at, h->cm, &place, &id);
	if (err) {
		snprintf(out->error, sizeof(out->error),
			 "no address of this host is the device's: %s",
			 strerror(-err));
		return err;
	}
	err = local_cm_start(h, id, in, out);
	if (err) {
		(void)verbs_cm_destroy(&h->at, id);
		return err;
	}
	out->own.len = (uint32_t)verbs_cm_address(id, &own);
	memcpy(out->own.bytes, &own, sizeof(own));
	return local_cm_add(h, id, &out->id);
}

int local_cm_act(struct end_host *h, const struct end_cm_act *in,
		 struct end_result *out)
{
	static const enum verbs_cm_act acts[] = {
		[END_CM_ROUTE] = VERBS_CM_ROUTE,
		[END_CM_CONNECT] = VERBS_CM_CONNECT,
		[END_CM_ACCEPT] = VERBS_CM_ACCEPT,
		[END_CM_ESTABLISH] = VERBS_CM_ESTABLISH,
		[END_CM_DISCONNECT] = VERBS_CM_DISCONNECT,
	};
	struct rdma_conn_param param = {
		.responder_resources = in->responder_resources,
		.initiator_depth = in->initiator_depth,
		.flow_control = 1,
		.retry_count = in->retry,
		.rnr_retry_count = in->rnr_retry,
		.srq = in->srq,
		.qp_num = in->qpn,
	};
	struct local_object *o = local_find(h, in->id, END_CM);
	bool with = in->what == END_CM_CONNECT || in->what == END_CM_ACCEPT;

	if (!o || (size_t)in->what >= ARRAY_SIZE(acts))
		return -EINVAL;
	out->err = verbs_cm_act(&h->at, o->cm, acts[in->what],
				with ? &param : NULL);
	return 0;
}

int local_cm_attr(struct end_host *h, const struct end_cm_ask *in,
		  struct end_cm_attr *out)
{
	struct local_object *o = local_find(h, in->id, END_CM);

	if (!o)
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	out->attr.qp_state = in->state;
	out->err = verbs_cm_attr(&h->at, o->cm, &out->attr, &out->mask);
	return 0;
}

int local_cm_event(struct end_host *h, const struct end_nothing *in,
		   struct end_cm_event *out)
{
	struct verbs_cm_event e;
	int err;

	if (!h->cm)
		return -EAGAIN;
	err = verbs_cm_take(&h->at, h->cm, &e);
	if (err)
		return err;
	*out = (struct end_cm_event){ .type = (uint32_t)e.type,
				      .status = e.status,
				      .qpn = e.qpn };
	if (e.type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return local_cm_add(h, e.id, &out->id);
	out->id = (uint32_t)(uintptr_t)e.id->context;
	return 0;
}

int local_cm_destroy(struct end_host *h, struct rdma_cm_id *id)
{
	return verbs_cm_destroy(&h->at, id);
}

void local_cm_close(struct end_host *h)
{
	if (h->cm)
		verbs_cm_close(&h->at, h->cm);
	h->cm = NULL;
}
