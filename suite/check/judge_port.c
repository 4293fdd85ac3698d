// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Findings about the port: link, MTU, addresses. */
#include "base/verbs_names.h"
#include "suite/check/judge.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* Of a RoCEv2 packet over IPv6 with the longest extension headers, as Linux
 * counts when it derives the active MTU from the interface's. */
enum { ROCE_OVERHEAD = 96, PKEY_FULL = 0x8000, PKEY_DEFAULT = 0x7fff };

static bool judge_ethernet(const struct check_facts *f)
{
	return f->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
}

void judge_port_state(const struct check_facts *f, struct check_finding *out)
{
	const char *step = "bring the link up: cable, switch port, "
			   "'ip link set dev ... up'";
	const char *name = ibv_port_state_str(f->attr.state);

	if (f->attr.state == IBV_PORT_ACTIVE)
		check_say(out, CHECK_OK, NULL, "%s", name);
	else if (!judge_ethernet(f) && (f->attr.state == IBV_PORT_INIT ||
					f->attr.state == IBV_PORT_ARMED))
		check_say(out, CHECK_BAD,
			  "start a subnet manager (opensm) in this fabric",
			  "%s: the link is there, no subnet manager has "
			  "configured it",
			  name);
	else
		check_say(out, CHECK_BAD, step, "%s", name);
}

void judge_phys_state(const struct check_facts *f, struct check_finding *out)
{
	/* As InfiniBand numbers them; 0 is what drivers leave that do not
	 * know. */
	static const char *const names[] = {
		"not told", "Sleep",  "Polling",	   "Disabled",
		"Training", "LinkUp", "LinkErrorRecovery", "PhyTest",
	};
	enum { UNTOLD = 0, POLLING = 2, DISABLED = 3, LINK_UP = 5 };
	unsigned state = f->attr.phys_state;
	const char *name = state < ARRAY_SIZE(names) ? names[state] : "unknown";

	if (state == LINK_UP || state == UNTOLD)
		check_say(out, CHECK_OK, NULL, "%s", name);
	else if (state == DISABLED)
		check_say(out, CHECK_BAD,
			  "enable the port: 'ip link set dev ... up', or the "
			  "switch's administration",
			  "%s", name);
	else if (state == POLLING)
		check_say(out, CHECK_BAD,
			  "look at cable and transceiver: nobody answers at "
			  "the other end",
			  "%s", name);
	else
		check_say(out, CHECK_BAD,
			  "wait for the link to settle; if it does not, "
			  "replace cable or transceiver",
			  "%s (%u)", name, state);
}

void judge_interface(const struct check_facts *f, struct check_finding *out)
{
	if (!f->interface[0])
		check_say(out, CHECK_OK, NULL,
			  judge_ethernet(f) ? "none named by the GID"
					    : "none needed");
	else if (strcmp(f->interface_state, "down") == 0)
		check_say(out, CHECK_BAD, "'ip link set dev ... up'",
			  "%s is down", f->interface);
	else
		check_say(out, CHECK_OK, NULL, "%s, MTU %u", f->interface,
			  f->interface_mtu);
}

static unsigned judge_lanes(unsigned width)
{
	switch (width) {
	case 1:
		return 1;
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	}
	return 0;
}

/* Of one lane, in tenths of Gb/s. */
static unsigned judge_lane_rate(unsigned speed)
{
	switch (speed) {
	case 1:
		return 25;
	case 2:
		return 50;
	case 4:
	case 8:
		return 100;
	case 16:
		return 140;
	case 32:
		return 250;
	case 64:
		return 500;
	case 128:
		return 1000;
	}
	return 0;
}

void judge_rate(const struct check_facts *f, struct check_finding *out)
{
	enum { SLOW = 100 };
	unsigned lanes = judge_lanes(f->attr.active_width);
	unsigned lane = judge_lane_rate(f->attr.active_speed);
	unsigned rate = lanes * lane;

	if (!rate)
		check_say(out, f->software ? CHECK_OK : CHECK_WARN,
			  f->software ? NULL
				      : "note the rate yourself ('ibstat', "
					"'ethtool')",
			  "unknown (width code %u, speed code %u)",
			  f->attr.active_width, f->attr.active_speed);
	else if (f->software)
		check_say(out, CHECK_OK, NULL,
			  "%ux, %u.%u Gb/s: nominal, a software device is as "
			  "fast as its processor",
			  lanes, rate / 10, rate % 10);
	else if (rate < SLOW)
		check_say(out, CHECK_WARN,
			  "compare with what cable and switch can do: the link "
			  "may have fallen back",
			  "%ux, %u.%u Gb/s", lanes, rate / 10, rate % 10);
	else
		check_say(out, CHECK_OK, NULL, "%ux, %u.%u Gb/s", lanes,
			  rate / 10, rate % 10);
}

void judge_lid(const struct check_facts *f, struct check_finding *out)
{
	if (f->attr.link_layer != IBV_LINK_LAYER_INFINIBAND)
		check_say(out, CHECK_OK, NULL, "%u, not used on %s",
			  f->attr.lid,
			  judge_ethernet(f) ? "Ethernet" : "this link");
	else if (f->attr.lid)
		check_say(out, CHECK_OK, NULL, "%u, subnet manager at %u",
			  f->attr.lid, f->attr.sm_lid);
	else
		check_say(out, CHECK_BAD,
			  "start a subnet manager (opensm) in this fabric",
			  "0: not assigned");
}

/* The largest path MTU that fits into the interface's. */
static uint32_t judge_mtu_fits(uint32_t interface_mtu)
{
	for (enum ibv_mtu m = IBV_MTU_4096; m > IBV_MTU_256; m--)
		if (verbs_mtu_bytes(m) + ROCE_OVERHEAD <= interface_mtu)
			return verbs_mtu_bytes(m);
	return verbs_mtu_bytes(IBV_MTU_256);
}

void judge_mtu(const struct check_facts *f, struct check_finding *out)
{
	uint32_t active = verbs_mtu_bytes(f->attr.active_mtu);
	uint32_t max = verbs_mtu_bytes(f->attr.max_mtu);
	uint32_t fits = judge_mtu_fits(f->interface_mtu);

	if (!active || active > max)
		check_say(out, CHECK_BAD,
			  "report it to the driver's authors: no path MTU can "
			  "be derived",
			  "active code %u, largest code %u", f->attr.active_mtu,
			  f->attr.max_mtu);
	else if (f->mtu > active)
		check_say(out, CHECK_BAD,
			  "ask for less, or raise the interface's MTU",
			  "--mtu %u is above the active %u", f->mtu, active);
	else if (judge_ethernet(f) && f->interface_mtu && fits > active &&
		 active < max)
		check_say(out, CHECK_WARN,
			  "set the interface's MTU again; the device has not "
			  "followed it",
			  "active %u, though %s has %u", active, f->interface,
			  f->interface_mtu);
	else if (judge_ethernet(f) && active < 1024)
		check_say(out, CHECK_WARN,
			  "raise the interface's MTU to 1500 or more at both "
			  "ends",
			  "active %u, largest %u", active, max);
	else if (active < max)
		check_say(out, CHECK_OK,
			  "for the largest raise the interface's MTU to 4200 "
			  "or more, at both ends and between them",
			  "active %u, largest %u", active, max);
	else
		check_say(out, CHECK_OK, NULL, "%u, the largest", active);
}

static bool judge_gid_is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid->raw);
}

/* As --gid-index auto ranks them. */
static int judge_gid_rank(const struct check_gid *gid)
{
	if (gid->type != IBV_GID_TYPE_ROCE_V2)
		return 0;
	return judge_gid_is_ipv4(&gid->gid) ? 2 : 1;
}

int check_gid_chosen(const struct check_facts *f)
{
	int best = -1;

	for (uint32_t i = 0; i < f->gid_count; i++) {
		if (!f->gid_auto && f->gids[i].index == f->gid_index)
			return (int)i;
		if (f->gid_auto &&
		    (best < 0 || judge_gid_rank(&f->gids[i]) >
					 judge_gid_rank(&f->gids[best])))
			best = (int)i;
	}
	return best;
}

static void judge_gid_none(const struct check_facts *f,
			   struct check_finding *out)
{
	if (!f->gid_auto)
		check_say(out, CHECK_BAD, "choose one that is in use, or auto",
			  "--gid-index %u: the entry is empty", f->gid_index);
	else if (judge_ethernet(f) && f->transport != IBV_TRANSPORT_IWARP)
		check_say(out, CHECK_BAD,
			  "give the network interface an IP address",
			  "none of %d entries is in use", f->attr.gid_tbl_len);
	else
		check_say(out, CHECK_OK, NULL,
			  "none in use, and none needed on this link");
}

void judge_gid(const struct check_facts *f, struct check_finding *out)
{
	int chosen = check_gid_chosen(f);
	const struct check_gid *gid = chosen < 0 ? NULL : &f->gids[chosen];
	char address[INET6_ADDRSTRLEN];
	const char *why;

	if (!gid) {
		judge_gid_none(f, out);
		return;
	}
	inet_ntop(AF_INET6, gid->gid.raw, address, sizeof(address));
	why = !f->gid_auto		 ? "as asked for"
	      : judge_gid_rank(gid) == 2 ? "the first RoCEv2 entry with IPv4"
	      : judge_gid_rank(gid) == 1 ? "the first RoCEv2 entry, none has "
					   "IPv4"
					 : "the first entry, none is RoCEv2";
	if (gid->type == IBV_GID_TYPE_ROCE_V1)
		check_say(out, CHECK_WARN,
			  "choose a RoCEv2 entry at both ends: v1 crosses no "
			  "router, and meets no v2 peer",
			  "index %u: %s, RoCEv1; %s", gid->index, address, why);
	else if (judge_ethernet(f) &&
		 IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid->gid.raw))
		check_say(out, CHECK_WARN,
			  "give the network interface an IPv4 or a global "
			  "IPv6 address",
			  "index %u: %s, %s, which reaches this link only; %s",
			  gid->index, address, target_gid_type_name(gid->type),
			  why);
	else
		check_say(out, CHECK_OK, NULL, "index %u: %s, %s; %s",
			  gid->index, address, target_gid_type_name(gid->type),
			  why);
}

void judge_pkey(const struct check_facts *f, struct check_finding *out)
{
	const struct check_pkey *first = &f->pkeys[0];

	if (f->transport == IBV_TRANSPORT_IWARP)
		check_say(out, CHECK_OK, NULL, "not used by iWARP");
	else if (!f->pkey_count)
		check_say(out, CHECK_BAD,
			  "have the subnet manager put this port into a "
			  "partition",
			  "none of %u entries is in use", f->attr.pkey_tbl_len);
	else if (first->index != 0)
		check_say(out, CHECK_WARN,
			  "runs use index 0; have the partition moved there",
			  "index 0 is empty, the first in use is %u: 0x%04x",
			  first->index, first->value);
	else if (!(first->value & PKEY_FULL))
		check_say(out, CHECK_WARN,
			  "see that the peer is a full member: two limited "
			  "ones never hear each other",
			  "index 0: 0x%04x, a limited member", first->value);
	else
		check_say(out, CHECK_OK, NULL, "index 0: 0x%04x%s, %u in use",
			  first->value,
			  (first->value & PKEY_DEFAULT) == PKEY_DEFAULT
				  ? ", the default partition"
				  : "",
			  f->pkey_count);
}

void judge_ping(const struct check_facts *f, struct check_finding *out)
{
	if (f->lacks & VB_NEED_UD)
		check_say(out, CHECK_OK, NULL,
			  "not tried: the device has no UD queue pairs");
	else if (!f->ping_tried)
		check_say(out, CHECK_WARN, "bring the port up, and try again",
			  "not tried: the port is not ACTIVE");
	else if (f->ping_failed[0])
		check_say(out, CHECK_BAD,
			  "see GID index, interface and firewall (UDP port "
			  "4791): without datagrams nothing else will pass",
			  "%s", f->ping_failed);
	else
		check_say(out, CHECK_OK, NULL,
			  "one there and one back; that does not prove RC");
}
