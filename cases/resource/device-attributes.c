// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What device and port say of themselves makes sense: there is something of
 * each kind, the active MTU is none above the largest, the tables have
 * entries.  Ports and entries that there are not cannot be asked about.
 */
#include <limits.h>
#include <verbatim/case.h>

enum { GIDS = 64 };

static bool same_gid(const struct ibv_gid_entry *one,
		     const struct ibv_gid_entry *other)
{
	return one->gid_type == other->gid_type &&
	       one->ndev_ifindex == other->ndev_ifindex &&
	       one->gid.global.interface_id == other->gid.global.interface_id &&
	       one->gid.global.subnet_prefix ==
		       other->gid.global.subnet_prefix &&
	       one->gid.global.interface_id != 0;
}

static void device(struct vb_test *t)
{
	const struct ibv_device_attr *a = vb_device_attr(vb_a(t));
	const struct {
		const char *name;
		long long value;
	} limits[] = {
		{ "max_qp", a->max_qp },
		{ "max_qp_wr", a->max_qp_wr },
		{ "max_sge", a->max_sge },
		{ "max_cq", a->max_cq },
		{ "max_cqe", a->max_cqe },
		{ "max_mr", a->max_mr },
		{ "max_pd", a->max_pd },
		{ "phys_port_cnt", a->phys_port_cnt },
	};

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		vb_check(t, VB_FIND_WRONG_ATTRIBUTE, limits[i].value > 0,
			 "the device says %s %lld", limits[i].name,
			 limits[i].value);
}

static void port(struct vb_test *t, unsigned number)
{
	/* iWARP has no P_Keys; what it says of them means nothing. */
	int pkeys = vb_transport(vb_a(t)) == IBV_TRANSPORT_IWARP ? 0 : 1;
	struct ibv_port_attr a;
	int err = vb_query_port(vb_a(t), number, &a);

	vb_check(t, VB_FIND_WRONG_RETURN, !err, "port %u cannot be queried",
		 number);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 a.active_mtu >= IBV_MTU_256 && a.active_mtu <= a.max_mtu &&
			 a.max_mtu <= IBV_MTU_4096,
		 "port %u: active MTU code %d, largest %d", number,
		 a.active_mtu, a.max_mtu);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 a.gid_tbl_len >= 1 && a.pkey_tbl_len >= pkeys &&
			 a.max_msg_sz >= 1,
		 "port %u: %d GIDs, %u P_Keys, messages of %u bytes", number,
		 a.gid_tbl_len, a.pkey_tbl_len, a.max_msg_sz);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 a.link_layer == IBV_LINK_LAYER_ETHERNET ||
			 a.link_layer == IBV_LINK_LAYER_INFINIBAND,
		 "port %u: link layer %u", number, a.link_layer);
}

static void absent(struct vb_test *t, unsigned ports)
{
	const struct ibv_port_attr *a = vb_port_attr(vb_a(t));
	const unsigned numbers[] = { 0, ports + 1, UINT8_MAX };
	unsigned own = (unsigned)t->options->port;
	uint32_t gids = (uint32_t)a->gid_tbl_len, pkeys = a->pkey_tbl_len;
	struct ibv_gid_entry gid;
	struct ibv_port_attr attr;
	uint16_t pkey;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		vb_check(t, VB_FIND_WRONG_RETURN,
			 vb_query_port(vb_a(t), numbers[i], &attr),
			 "port %u of %u was queried", numbers[i], ports);
	vb_check(t, VB_FIND_WRONG_RETURN,
		 vb_query_gid(vb_a(t), own, gids, &gid) &&
			 vb_query_gid(vb_a(t), own, INT_MAX, &gid),
		 "a GID beyond the %u of the table was queried", gids);
	vb_check(t, VB_FIND_WRONG_RETURN,
		 vb_query_pkey(vb_a(t), own, pkeys, &pkey) &&
			 vb_query_pkey(vb_a(t), own, UINT16_MAX, &pkey),
		 "a P_Key beyond the %u of the table was queried", pkeys);
	if (pkeys)
		vb_check(t, VB_FIND_WRONG_RETURN,
			 !vb_query_pkey(vb_a(t), own, 0, &pkey),
			 "the first P_Key cannot be queried");
}

/* An entry that is empty is no other one again. */
static void gids(struct vb_test *t)
{
	struct ibv_gid_entry entries[GIDS];
	unsigned own = (unsigned)t->options->port, found = 0;
	int len = vb_port_attr(vb_a(t))->gid_tbl_len;

	for (int i = 0; i < len && i < GIDS; i++) {
		struct ibv_gid_entry *e = &entries[found];

		if (vb_query_gid(vb_a(t), own, (uint32_t)i, e))
			continue;
		for (unsigned n = 0; n < found; n++)
			vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
				 !same_gid(&entries[n], e),
				 "the GIDs %u and %d of the table are the same",
				 entries[n].gid_index, i);
		found++;
	}
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, found > 0,
		 "the GID table has %d entries, and none can be queried", len);
}

static void run(struct vb_test *t)
{
	unsigned ports = vb_device_attr(vb_a(t))->phys_port_cnt;

	device(t);
	for (unsigned i = 1; i <= ports; i++)
		port(t, i);
	absent(t, ports);
	gids(t);
}

VB_CASE(resource_device_attributes, .id = "resource/device-attributes",
	.title = "what a device says of itself makes sense",
	.spec = "ibv_query_device(3), ibv_query_port(3), ibv_query_gid(3)",
	.limit_ms = 10000,
	.rules = VB_LIST("RES-01", "RES-02", "RES-03", "RES-22", "RES-23"),
	.defects = VB_LIST("MTU-03", "CQ-08"), .kills = VB_LIST("M48"),
	.run = run);
