// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Address handles: made and destroyed; refused for a port that there is not,
 * for a GID index beyond the table and, on Ethernet, without a GID.
 */
#include <verbatim/case.h>

enum { MANY = 64 };

static void run(struct vb_test *t)
{
	const struct ibv_port_attr *port = vb_port_attr(vb_a(t));
	unsigned ports = vb_device_attr(vb_a(t))->phys_port_cnt;
	struct vb_object *pd = vb_create_pd(vb_a(t)), *ahs[MANY];

	vb_create_ah_refused(pd, .port = VB_SET(0));
	vb_create_ah_refused(pd, .port = VB_SET(ports + 1));
	vb_create_ah_refused(pd, .port = VB_SET(UINT8_MAX));
	vb_create_ah_refused(pd, .gid_index = VB_SET(port->gid_tbl_len));
	if (port->link_layer == IBV_LINK_LAYER_ETHERNET)
		vb_create_ah_refused(pd, .is_global = VB_SET(0));
	for (unsigned i = 0; i < MANY; i++)
		ahs[i] = vb_create_ah(pd, .port = VB_SET(t->options->port));
	for (unsigned i = 0; i < MANY; i++)
		vb_destroy(ahs[i]);
	/* The refusals have left nothing. */
	vb_destroy(pd);
}

VB_CASE(resource_address_handles, .id = "resource/address-handles",
	.title = "address handles are refused for what there is not",
	.spec = "ibv_create_ah(3)", .needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("RES-21", "RES-17", "DST-08"),
	.defects = VB_LIST("ADDR-04"), .run = run);
