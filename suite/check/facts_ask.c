// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the device tells, asked in a process of its own as a run does. */
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/check/facts.h"
#include "suite/check/ping.h"
#include "suite/runner/target_ask.h"
#include "suite/runner/target_call.h"
#include "suite/runner/target_lacks.h"
#include "suite/verbs/verbs.h"

static const struct verbs_at facts_at;

static void facts_gids(struct ibv_context *context, struct check_facts *f)
{
	for (int i = 0; i < f->attr.gid_tbl_len; i++) {
		struct check_gid *gid = &f->gids[f->gid_count];
		struct ibv_gid_entry entry;

		if (f->gid_count == CHECK_GIDS_MAX)
			break;
		if (verbs_gid_query(&facts_at, context, f->port, (uint32_t)i,
				    &entry))
			continue;
		gid->index = (uint32_t)i;
		gid->gid = entry.gid;
		gid->type = entry.gid_type;
		if (entry.ndev_ifindex) {
			char name[IF_NAMESIZE] = "";

			if_indextoname(entry.ndev_ifindex, name);
			memcpy(gid->interface, name, sizeof(name));
		}
		f->gid_count++;
	}
}

static void facts_pkeys(struct ibv_context *context, struct check_facts *f)
{
	for (uint32_t i = 0; i < f->attr.pkey_tbl_len; i++) {
		uint16_t value;

		if (f->pkey_count == CHECK_PKEYS_MAX)
			break;
		if (ibv_query_pkey(context, f->port, (int)i, &value) || !value)
			continue;
		f->pkeys[f->pkey_count++] =
			(struct check_pkey){ i, be16toh(value) };
	}
}

static void facts_provider(struct ibv_context *context, struct check_facts *f)
{
	Dl_info info;
	void *code;

	/* Through the table of the context: what a call of this device runs. */
	memcpy(&code, &context->ops.poll_cq, sizeof(code));
	if (!code || !dladdr(code, &info) || !info.dli_fname)
		return;
	snprintf(f->provider, sizeof(f->provider), "%s",
		 strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1
					      : info.dli_fname);
}

static int facts_port(const struct vb_options *o, struct ibv_context *context,
		      struct check_facts *f, char *error, size_t size)
{
	int err;

	if (o->port > f->device.attr.phys_port_cnt) {
		snprintf(error, size, "--port %u: device '%s' has %u",
			 (unsigned)o->port, f->device.name,
			 f->device.attr.phys_port_cnt);
		return -EINVAL;
	}
	f->port = (uint8_t)o->port;
	err = verbs_port_query(&facts_at, context, f->port, &f->attr);
	if (err)
		snprintf(error, size, "device '%s' port %u: query: %s",
			 f->device.name, f->port, strerror(-err));
	return err;
}

static void facts_lacks(struct ibv_context *context, struct check_facts *f)
{
	struct target *t = calloc(1, sizeof(*t));
	int chosen = check_gid_chosen(f);

	if (!t)
		abort();
	t->device = f->device;
	t->port = f->port;
	if (chosen >= 0) {
		t->gid = f->gids[chosen].gid;
		t->gid_index = f->gids[chosen].index;
	}
	target_lacks_find(context, t);
	f->lacks = t->lacks;
	memcpy(f->lack_reason, t->lack_reason, sizeof(f->lack_reason));
	free(t);
}

static void facts_device(struct ibv_context *context, struct check_facts *f)
{
	static const char *const software[] = { "soft", "rxe", "siw" };

	for (size_t i = 0; i < ARRAY_SIZE(software); i++)
		f->software |= strcmp(f->device.kind, software[i]) == 0;
	f->node = context->device->node_type;
	f->transport = context->device->transport_type;
	f->vectors = context->num_comp_vectors > 0
			     ? (uint32_t)context->num_comp_vectors
			     : 0;
	facts_provider(context, f);
	facts_gids(context, f);
	facts_pkeys(context, f);
	/* It connects a queue pair to itself, which takes a GID. */
	facts_lacks(context, f);
	if (!(f->lacks & VB_NEED_UD) && f->attr.state == IBV_PORT_ACTIVE)
		check_ping(context, f);
}

static int check_ask(const void *options, void *facts, char *error, size_t size)
{
	const struct vb_options *o = options;
	struct check_facts *f = facts;
	struct ibv_context *context;
	int err = target_ask_device(o->device, &f->device, error, size);

	if (err)
		return err;
	f->mtu = (uint32_t)o->mtu;
	f->gid_auto = strcmp(o->gid_index, "auto") == 0;
	f->gid_index = (uint32_t)strtoul(o->gid_index, NULL, 10);
	err = verbs_device_open(&facts_at, o->device, &context);
	if (err) {
		snprintf(error, size, "device '%s' cannot be opened: %s",
			 o->device, strerror(-err));
		return err;
	}
	err = facts_port(o, context, f, error, size);
	if (!err)
		facts_device(context, f);
	verbs_device_close(&facts_at, context);
	if (err)
		return err;
	check_gather_host(f);
	check_gather_files(f);
	return 0;
}

int check_gather(const struct vb_options *options, struct check_facts *out,
		 char **error)
{
	const struct target_call call = {
		.ask = check_ask,
		.arg = options,
		.bytes = sizeof(*out),
		.patience = options->patience,
	};

	return target_call(&call, out, error);
}
