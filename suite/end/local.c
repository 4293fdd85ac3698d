// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: its table of objects, its commands, opening. */
#include "suite/end/local.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

const struct end_ops end_local_ops = {
#define END_COMMAND(name, argument, answer) .name = local_##name,
#include "suite/end/commands.def"
#undef END_COMMAND
};

struct end_host *end_local_make(struct recorder *recorder, uint8_t end,
				uint64_t seed)
{
	struct end_host *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->at = (struct verbs_at){ .recorder = recorder, .end = end };
	h->seed = seed;
	h->fd = -1;
	return h;
}

void end_local_free(struct end_host *h)
{
	uint32_t id;

	for (id = 1; id <= h->count; id++) {
		struct local_object *o = h->objects[id];

		if (o->kind == END_MR && o->mr.memory)
			munmap(o->mr.memory, o->mr.len);
		free(o);
	}
	free(h);
}

struct local_object *local_find(struct end_host *h, uint32_t id,
				enum end_kind kind)
{
	struct local_object *o;

	if (id == 0 || id > h->count)
		return NULL;
	o = h->objects[id];
	return o->kind == kind && !o->gone ? o : NULL;
}

struct local_object *local_add(struct end_host *h, enum end_kind kind,
			       uint32_t *id)
{
	struct local_object *o;

	if (h->count == END_OBJECTS_MAX)
		return NULL;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->kind = kind;
	*id = h->count + 1;
	h->objects[*id] = o;
	h->count = *id; /* it can be found from here on */
	return o;
}

void local_drop(struct end_host *h)
{
	free(h->objects[h->count]);
	h->objects[h->count--] = NULL;
}

int local_watch(struct end_host *h, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(h->fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

bool local_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static bool local_gid_empty(const union ibv_gid *gid)
{
	static const union ibv_gid none;

	return memcmp(gid, &none, sizeof(none)) == 0;
}

static bool local_gid_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid->raw, mapped, sizeof(mapped)) == 0;
}

/*
 * The entry that the option names; for "auto" the first RoCEv2 one of an IPv4
 * address, else the first RoCEv2 one, else the first of any kind.
 */
static int local_gid_choose(struct end_host *h, const struct end_open *in,
			    struct end_opened *out)
{
	struct ibv_gid_entry entry;
	int best = 0, rank;
	uint32_t i;

	if (strcmp(in->gid_index, "auto") != 0) {
		uint32_t index = (uint32_t)strtoul(in->gid_index, NULL, 10);
		int err = verbs_gid_query(&h->at, h->context, in->port, index,
					  &entry);

		if (err)
			snprintf(out->error, sizeof(out->error),
				 "device \"%s\": GID index %u: %s; see "
				 "\"verbatim devices -v\"",
				 in->device, index, strerror(-err));
		out->gid = entry.gid;
		out->gid_index = index;
		return err;
	}
	for (i = 0; i < (uint32_t)out->port.gid_tbl_len; i++) {
		if (verbs_gid_query(&h->at, h->context, in->port, i, &entry) ||
		    local_gid_empty(&entry.gid))
			continue;
		rank = entry.gid_type != IBV_GID_TYPE_ROCE_V2 ? 1
		       : local_gid_ipv4(&entry.gid)	      ? 3
							      : 2;
		if (rank <= best)
			continue;
		best = rank;
		out->gid = entry.gid;
		out->gid_index = i;
	}
	if (best)
		return 0;
	snprintf(out->error, sizeof(out->error),
		 "device \"%s\" port %u: no GID; give its network interface an "
		 "address",
		 in->device, in->port);
	return -ENODATA;
}

static int local_open_context(struct end_host *h, const struct end_open *in,
			      struct end_opened *out)
{
	int err = verbs_device_open(&h->at, in->device, &h->context);

	if (err) {
		snprintf(out->error, sizeof(out->error),
			 "device \"%s\" cannot be opened: %s", in->device,
			 strerror(-err));
		return err;
	}
	err = verbs_device_query(&h->at, h->context, &out->device);
	if (!err)
		err = verbs_port_query(&h->at, h->context, in->port,
				       &out->port);
	if (err) {
		snprintf(out->error, sizeof(out->error),
			 "device \"%s\" port %u cannot be queried: %s",
			 in->device, in->port, strerror(-err));
		return err;
	}
	return local_gid_choose(h, in, out);
}

int local_open(struct end_host *h, const struct end_open *in,
	       struct end_opened *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	h->port = in->port;
	err = local_open_context(h, in, out);
	if (err)
		goto err_close;
	h->fd = epoll_create1(EPOLL_CLOEXEC);
	err = h->fd < 0 ? -errno : 0;
	if (!err)
		err = verbs_async_prepare(h->context);
	if (!err)
		err = local_watch(h, h->context->async_fd);
	if (err) {
		snprintf(out->error, sizeof(out->error),
			 "event descriptors: %s", strerror(-err));
		goto err_close;
	}
	out->transport = h->context->device->transport_type;
	out->fd = h->fd;
	h->gid = out->gid;
	return 0;

err_close:
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	if (h->context)
		verbs_device_close(&h->at, h->context);
	h->context = NULL;
	return err;
}

int local_close(struct end_host *h, const struct end_nothing *in,
		struct end_nothing *out)
{
	int err;

	local_cm_close(h);
	err = verbs_device_close(&h->at, h->context);
	h->context = NULL;
	close(h->fd);
	h->fd = -1;
	return err;
}

int local_snapshot(struct end_host *h, const struct end_nothing *in,
		   struct end_census *out)
{
	uint32_t id;

	memset(out, 0, sizeof(*out));
	for (id = 1; id <= h->count; id++)
		if (!h->objects[id]->gone)
			out->count[h->objects[id]->kind]++;
	return 0;
}
