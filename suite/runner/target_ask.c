// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is asked of devices: attributes, ports, GIDs. */
#include "suite/runner/target_ask.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/verbs_names.h"
#include "suite/runner/target.h"
#include "suite/runner/target_cm.h"
#include "suite/runner/target_lacks.h"
#include "suite/verbs/verbs.h"

/* Nothing of this belongs to a case: nothing is recorded. */
static const struct verbs_at ask_at;

static void ask_describe(struct ibv_device *device, struct target_device *out)
{
	const char *name = ibv_get_device_name(device);
	struct ibv_context *context;
	int err = verbs_device_open(&ask_at, name, &context);

	snprintf(out->name, sizeof(out->name), "%s", name);
	target_kind(out->name, NULL, out->kind, sizeof(out->kind));
	if (err) {
		out->open_errno = -err;
		return;
	}
	err = verbs_device_query(&ask_at, context, &out->attr);
	out->open_errno = -err;
	if (!err)
		target_kind(out->name, &out->attr, out->kind,
			    sizeof(out->kind));
	for (unsigned n = 1;
	     !err && n <= out->attr.phys_port_cnt && n <= TARGET_PORTS_MAX;
	     n++) {
		struct target_port *port = &out->ports[out->port_count];

		port->number = (uint8_t)n;
		if (verbs_port_query(&ask_at, context, port->number,
				     &port->attr))
			continue;
		out->port_count++;
		if (port->attr.state == IBV_PORT_ACTIVE)
			out->active = true;
	}
	verbs_device_close(&ask_at, context);
}

int target_ask_list(const void *arg, void *shared, char *error, size_t size)
{
	struct target_list *out = shared;
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	/* No kernel support at all: as good as no device. */
	if (!list)
		return 0;
	for (int i = 0; i < count && out->count < TARGET_DEVICES_MAX; i++)
		ask_describe(list[i], &out->devices[out->count++]);
	ibv_free_device_list(list);
	return 0;
}

static void ask_not_found(const char *name, struct ibv_device **list, int count,
			  char *error, size_t size)
{
	struct strbuf names = STRBUF_INIT;
	bool soft = false;

	for (int i = 0; i < count; i++) {
		const char *other = ibv_get_device_name(list[i]);

		strbuf_addf(&names, "%s%s", i ? ", " : "", other);
		if (strcmp(other, "soft0") == 0)
			soft = true;
	}
	/* It is there for everybody, started on demand. */
	if (!soft)
		strbuf_addf(&names, "%ssoft0", count ? ", " : "");
	snprintf(error, size, "device '%s' not found; there are: %s", name,
		 strbuf_text(&names));
	strbuf_free(&names);
}

int target_ask_device(const char *name, struct target_device *out, char *error,
		      size_t size)
{
	int count = 0, err = -ENODEV;
	struct ibv_device **list = ibv_get_device_list(&count);

	for (int i = 0; i < count && err == -ENODEV; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) != 0)
			continue;
		ask_describe(list[i], out);
		err = -out->open_errno;
	}
	if (err == -ENODEV)
		ask_not_found(name, list, count, error, size);
	else if (err)
		snprintf(error, size, "device '%s' cannot be opened: %s%s",
			 name, strerror(-err),
			 err == -EACCES || err == -EPERM
				 ? "; may this user read and write "
				   "/dev/infiniband/uverbs*"
				 : "");
	if (list)
		ibv_free_device_list(list);
	return err;
}

static bool ask_is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid->raw);
}

/* 2: RoCEv2 over IPv4, 1: RoCEv2, 0: anything else. */
static int ask_gid_rank(const struct ibv_gid_entry *entry)
{
	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2)
		return 0;
	return ask_is_ipv4(&entry->gid) ? 2 : 1;
}

static int ask_gid_auto(struct ibv_context *context, uint8_t port,
			uint32_t count, struct ibv_gid_entry *out)
{
	int best = -1;

	for (uint32_t i = 0; i < count; i++) {
		struct ibv_gid_entry entry;

		if (verbs_gid_query(&ask_at, context, port, i, &entry))
			continue;
		if (ask_gid_rank(&entry) > best) {
			best = ask_gid_rank(&entry);
			*out = entry;
		}
	}
	return best < 0 ? -ENODATA : 0;
}

static int ask_gid(struct ibv_context *context, const struct vb_options *o,
		   const struct ibv_port_attr *attr, struct target *out,
		   char *error, size_t size)
{
	uint32_t count = attr->gid_tbl_len > 0 ? (uint32_t)attr->gid_tbl_len
					       : 0;
	struct ibv_gid_entry entry = { 0 };
	unsigned long index = strtoul(o->gid_index, NULL, 10);
	int err;

	if (strcmp(o->gid_index, "auto") == 0) {
		err = ask_gid_auto(context, out->port, count, &entry);
		/* InfiniBand and iWARP do without. */
		if (err && attr->link_layer != IBV_LINK_LAYER_ETHERNET)
			err = 0;
		if (err)
			snprintf(error, size,
				 "device '%s' port %u has no GID; give its "
				 "network interface an address",
				 out->device.name, out->port);
	} else if (index >= count) {
		err = -EINVAL;
		snprintf(error, size,
			 "--gid-index %lu: the table of device '%s' port %u "
			 "has %u entries",
			 index, out->device.name, out->port, count);
	} else {
		err = verbs_gid_query(&ask_at, context, out->port,
				      (uint32_t)index, &entry);
		if (err)
			snprintf(error, size,
				 "--gid-index %lu: the entry of device '%s' "
				 "port %u is empty",
				 index, out->device.name, out->port);
	}
	out->gid = entry.gid;
	out->gid_index = entry.gid_index;
	out->gid_type = entry.gid_type;
	return err;
}

static int ask_mtu(const struct vb_options *o, const struct ibv_port_attr *attr,
		   struct target *out, char *error, size_t size)
{
	uint32_t active = verbs_mtu_bytes(attr->active_mtu);

	out->mtu = o->mtu ? (uint32_t)o->mtu : active;
	if (out->mtu <= active)
		return 0;
	snprintf(error, size,
		 "--mtu %u: device '%s' port %u has an active MTU of %u",
		 out->mtu, out->device.name, out->port, active);
	return -EINVAL;
}

static int ask_port(struct ibv_context *context, const struct vb_options *o,
		    struct target *out, char *error, size_t size)
{
	struct ibv_port_attr attr;
	int err;

	out->port = (uint8_t)o->port;
	if (o->port > out->device.attr.phys_port_cnt) {
		snprintf(error, size, "--port %u: device '%s' has %u",
			 out->port, out->device.name,
			 out->device.attr.phys_port_cnt);
		return -EINVAL;
	}
	err = verbs_port_query(&ask_at, context, out->port, &attr);
	if (err) {
		snprintf(error, size, "device '%s' port %u: query: %s",
			 out->device.name, out->port, strerror(-err));
		return err;
	}
	if (attr.state != IBV_PORT_ACTIVE) {
		snprintf(error, size,
			 "device '%s' port %u is %s, not ACTIVE; is its link "
			 "up",
			 out->device.name, out->port,
			 ibv_port_state_str(attr.state));
		return -ENETDOWN;
	}
	err = ask_gid(context, o, &attr, out, error, size);
	return err ? err : ask_mtu(o, &attr, out, error, size);
}

int target_ask_probe(const void *arg, void *shared, char *error, size_t size)
{
	const struct vb_options *o = arg;
	struct target *out = shared;
	struct ibv_context *context;
	int err = target_ask_device(o->device, &out->device, error, size);

	if (err)
		return err;
	err = verbs_device_open(&ask_at, o->device, &context);
	if (err) {
		snprintf(error, size, "device '%s' cannot be opened: %s",
			 o->device, strerror(-err));
		return err;
	}
	err = ask_port(context, o, out, error, size);
	if (!err)
		err = target_cm_ask(context, o, out, error, size);
	if (!err) {
		out->present = true;
		target_lacks_find(context, out);
	}
	verbs_device_close(&ask_at, context);
	return err;
}
