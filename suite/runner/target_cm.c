// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the device known to the host's connection manager, and where? */
#include "suite/runner/target_cm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/verbs_names.h"
#include "suite/runner/target.h"
#include "suite/verbs/cm.h"

/* Nothing of this belongs to a case: nothing is recorded. */
static const struct verbs_at target_cm_at;

static void target_cm_where(struct rdma_cm_id *id, struct target *t)
{
	struct sockaddr_in6 at;
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&at;

	verbs_cm_address(id, &at);
	if (at.sin6_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, t->cm_address,
			  sizeof(t->cm_address));
	else
		inet_ntop(AF_INET6, &at.sin6_addr, t->cm_address,
			  sizeof(t->cm_address));
}

static int target_cm_reach(struct target *t, char *error, size_t size)
{
	const struct verbs_cm_place place = { .device = t->device.name,
					      .port = t->port,
					      .gid = t->gid };
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	int err;

	err = verbs_cm_load(error, size);
	if (err)
		return err;
	err = verbs_cm_open(&target_cm_at, &channel);
	if (err) {
		snprintf(error, size,
			 "--connect cm: /dev/infiniband/rdma_cm: %s; is the "
			 "module rdma_ucm loaded",
			 strerror(-err));
		return err;
	}
	err = verbs_cm_bind(&target_cm_at, channel, &place, &id);
	if (err)
		snprintf(error, size,
			 "--connect cm: no address of this host is that of "
			 "device '%s' port %u; give its network interface one",
			 t->device.name, t->port);
	else
		target_cm_where(id, t);
	/* The process that asks is about to end; so do the ids. */
	return err;
}

int target_cm_ask(struct ibv_context *context, const struct vb_options *o,
		  struct target *t, char *error, size_t size)
{
	bool iwarp = context->device->transport_type == IBV_TRANSPORT_IWARP;
	struct ibv_port_attr attr;
	uint32_t active;
	int err;

	t->by_cm = !strcmp(o->connect, "cm") ||
		   (iwarp && !strcmp(o->connect, "auto"));
	t->by_cm_alone = t->by_cm && strcmp(o->connect, "cm");
	if (!t->by_cm)
		return 0;
	err = verbs_port_query(&target_cm_at, context, t->port, &attr);
	if (err)
		return err;
	active = verbs_mtu_bytes(attr.active_mtu);
	if (o->mtu && o->mtu != active) {
		snprintf(error, size,
			 "--mtu %llu: with --connect cm the CM chooses; the "
			 "active MTU of device '%s' is %u",
			 (unsigned long long)o->mtu, t->device.name, active);
		return -EINVAL;
	}
	return target_cm_reach(t, error, size);
}
