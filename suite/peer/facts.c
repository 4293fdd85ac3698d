// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The facts as JSON: made here, judged when they come from there. */
#include "suite/peer/facts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/verbs_names.h"
#include "suite/check/facts.h"
#include "suite/peer/greeting.h"

static void facts_text(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

static void facts_number(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

static const char *facts_link_layer(uint8_t layer)
{
	switch (layer) {
	case IBV_LINK_LAYER_INFINIBAND:
		return "InfiniBand";
	case IBV_LINK_LAYER_ETHERNET:
		return "Ethernet";
	default:
		return "unspecified";
	}
}

static json_t *facts_lacks(const struct target *t)
{
	json_t *lacks = json_array();

	for (unsigned bit = 0; bit < VB_NEEDS; bit++) {
		json_t *one;

		if (!(t->lacks & (1u << bit)))
			continue;
		one = json_object();
		facts_number(one, "need", bit);
		facts_text(one, "reason", t->lack_reason[bit]);
		json_array_append_new(lacks, one);
	}
	return lacks;
}

static const struct ibv_port_attr *facts_port(const struct target *t)
{
	for (unsigned i = 0; i < t->device.port_count; i++)
		if (t->device.ports[i].number == t->port)
			return &t->device.ports[i].attr;
	return &t->device.ports[0].attr;
}

json_t *peer_facts_make(const struct target *t)
{
	const struct ibv_port_attr *port = facts_port(t);
	struct check_facts *host = calloc(1, sizeof(*host));
	char gid[INET6_ADDRSTRLEN] = "", name[256] = "?";
	json_t *o = json_object();

	if (!host || !o)
		abort();
	check_gather_host(host);
	(void)!gethostname(name, sizeof(name) - 1);
	inet_ntop(AF_INET6, t->gid.raw, gid, sizeof(gid));
	facts_text(o, "host", name);
	facts_text(o, "kernel", host->kernel);
	facts_text(o, "rdma_core", host->rdma_core);
	if (host->cpu[0])
		facts_text(o, "cpu", host->cpu);
	facts_number(o, "cpus", host->cpus);
	facts_text(o, "device", t->device.name);
	facts_text(o, "kind", t->device.kind);
	facts_text(o, "firmware", t->device.attr.fw_ver);
	facts_text(o, "link_layer", facts_link_layer(port->link_layer));
	facts_number(o, "port", t->port);
	facts_number(o, "active_mtu", verbs_mtu_bytes(port->active_mtu));
	facts_number(o, "mtu", t->mtu);
	facts_number(o, "gid_index", t->gid_index);
	facts_text(o, "gid", gid);
	facts_text(o, "gid_type", target_gid_type_name(t->gid_type));
	json_object_set_new(o, "lacks", facts_lacks(t));
	free(host);
	return o;
}

static uint64_t facts_of(const json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n < 0 ? 0 : (uint64_t)n;
}

void peer_facts_lacks(const json_t *facts, struct target *here)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(facts, "lacks"), i, one)
	{
		uint64_t bit = facts_of(one, "need");

		if (bit >= VB_NEEDS || (here->lacks & (1u << bit)))
			continue;
		here->lacks |= 1u << bit;
		snprintf(here->lack_reason[bit], sizeof(here->lack_reason[bit]),
			 "the peer's %.110s", greeting_text(one, "reason"));
	}
}

uint32_t peer_facts_mtu(const json_t *there, const struct target *here)
{
	uint32_t other = (uint32_t)facts_of(there, "mtu");

	return other && other < here->mtu ? other : here->mtu;
}

/* A difference that no connection can bridge. */
static int facts_must_match(const json_t *here, const json_t *there,
			    const char *key, const char *what,
			    const char *advice, struct strbuf *error)
{
	const char *a = greeting_text(here, key);
	const char *b = greeting_text(there, key);

	if (strcmp(a, b) == 0)
		return 0;
	strbuf_addf(error, "%s: %.32s here, %.32s at the peer; %s", what, a, b,
		    advice);
	return -EINVAL;
}

static void facts_warn(const json_t *here, const json_t *there, const char *key,
		       const char *what, struct strbuf *out)
{
	const char *a = greeting_text(here, key);
	const char *b = greeting_text(there, key);

	if (strcmp(a, b) != 0)
		strbuf_addf(out, "%s: %.64s here, %.64s at the peer\n", what, a,
			    b);
}

int peer_facts_compare(const json_t *here, const json_t *there,
		       struct strbuf *warnings, struct strbuf *error)
{
	uint64_t a = facts_of(here, "active_mtu");
	uint64_t b = facts_of(there, "active_mtu");
	int err = facts_must_match(here, there, "link_layer", "link layer",
				   "they cannot be connected", error);

	if (!err)
		err = facts_must_match(here, there, "gid_type", "GID type",
				       "choose entries of one RoCE version "
				       "with --gid-index on both",
				       error);
	if (err)
		return err;
	if (a != b)
		strbuf_addf(warnings,
			    "MTU: %u here, %u at the peer; connections get "
			    "the smaller\n",
			    (unsigned)a, (unsigned)b);
	facts_warn(here, there, "kind", "kind of device", warnings);
	facts_warn(here, there, "firmware", "firmware", warnings);
	facts_warn(here, there, "rdma_core", "rdma-core", warnings);
	return 0;
}
