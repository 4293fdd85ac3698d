// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the device and its port report.  Callers compiled with other headers
 * have other sizes of the structures: each gets as much as it has room for.
 */
#include <string.h>

#include "base/clock.h"
#include "device/front/facts.h"
#include "device/front/limits.h"
#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"

enum {
	QUERY_WIDTH_4X = 2,
	QUERY_SPEED_QDR = 4, /* 10 Gb/s a lane: 40 in all, our link's order */
	QUERY_PHYS_POLLING = 2,
	QUERY_PHYS_LINK_UP = 5,
	QUERY_ACK_DELAY = 15,
	QUERY_PAGES_FROM = 4096,
	QUERY_CLOCK_KHZ = 1000 * 1000, /* it counts nanoseconds */
};

static void query_copy(void *to, size_t to_bytes, const void *from,
		       size_t from_bytes)
{
	memset(to, 0, to_bytes);
	memcpy(to, from, to_bytes < from_bytes ? to_bytes : from_bytes);
}

int soft_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	*attr = (struct ibv_device_attr){
		.fw_ver = SOFT_FW_VERSION,
		.node_guid = soft_node_guid(),
		.sys_image_guid = soft_node_guid(),
		.max_mr_size = UINT64_MAX,
		.page_size_cap = ~(uint64_t)(QUERY_PAGES_FROM - 1),
		.vendor_id = SOFT_VENDOR_ID,
		.vendor_part_id = SOFT_PART_ID,
		.hw_ver = SOFT_HW_VERSION,
		.max_qp = limit_max_qp(),
		.max_qp_wr = limit_max_qp_wr(),
		.device_cap_flags =
			IBV_DEVICE_CURR_QP_STATE_MOD |
			IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN |
			IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_MGT_EXTENSIONS |
			IBV_DEVICE_MEM_WINDOW_TYPE_2B,
		.max_sge = limit_max_sge(),
		.max_sge_rd = limit_max_sge(),
		.max_cq = limit_max_cq(),
		.max_cqe = limit_max_cqe(),
		.max_mr = MUTANT_ACTS(D46, true) ? 0 : limit_max_mr(),
		.max_pd = limit_max_pd(),
		.max_qp_rd_atom = limit_max_rd_atom(),
		.max_res_rd_atom = limit_max_rd_atom() * limit_max_qp(),
		.max_qp_init_rd_atom = limit_max_rd_atom(),
		.atomic_cap = IBV_ATOMIC_HCA,
		.max_mw = limit_max_mw(),
		.max_ah = limit_max_ah(),
		.max_srq = limit_max_srq(),
		.max_srq_wr = limit_max_srq_wr(),
		.max_srq_sge = limit_max_srq_sge(),
		.max_pkeys = LIMIT_pkey_entries,
		.local_ca_ack_delay = QUERY_ACK_DELAY,
		.phys_port_cnt = 1,
	};
	return 0;
}

int soft_query_device_ex(struct ibv_context *context,
			 const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t attr_bytes)
{
	struct ibv_device_attr_ex full = {
		.completion_timestamp_mask = UINT64_MAX,
		.hca_core_clock = QUERY_CLOCK_KHZ,
		.phys_port_cnt_ex = 1,
	};
	int err;

	if (input && input->comp_mask)
		return -EINVAL;
	/* Older callers than the first version of this call do not exist. */
	if (attr_bytes < sizeof(full.orig_attr))
		return -EINVAL;
	err = soft_query_device(context, &full.orig_attr);
	if (err)
		return err;
	full.device_cap_flags_ex = full.orig_attr.device_cap_flags;
	query_copy(attr, attr_bytes, &full, sizeof(full));
	return 0;
}

/* The clock of completions is the system's monotonic one. */
int soft_query_rt_values(struct ibv_context *context,
			 struct ibv_values_ex *values)
{
	uint64_t now_ns = clock_now_ns();

	(void)context;
	if (values->comp_mask & ~(unsigned)IBV_VALUES_MASK_RAW_CLOCK)
		return -EINVAL;
	if (values->comp_mask)
		values->raw_clock = (struct timespec){
			.tv_sec = (time_t)(now_ns / NS_PER_S),
			.tv_nsec = (long)(now_ns % NS_PER_S),
		};
	return 0;
}

static enum ibv_mtu query_mtu(uint32_t bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && UINT32_C(128) << mtu < bytes)
		mtu++;
	return mtu;
}

int soft_query_port_ex(struct ibv_context *context, uint8_t port,
		       struct ibv_port_attr *attr, size_t attr_bytes)
{
	struct soft_context *c = soft_context_cast(context);
	struct ibv_port_attr full;
	bool up = sd_adapter_port_up(c->adapter) || MUTANT_ACTS(D44, true);

	if (port != 1)
		return -EINVAL;
	full = (struct ibv_port_attr){
		.state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN,
		.max_mtu = MUTANT_ACTS(D27, true) ? IBV_MTU_256 : IBV_MTU_4096,
		.active_mtu = query_mtu(sd_adapter_mtu_bytes(c->adapter)),
		.gid_tbl_len = LIMIT_gid_entries,
		.port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS,
		.max_msg_sz = limit_max_msg_bytes(),
		.pkey_tbl_len = LIMIT_pkey_entries,
		.max_vl_num = 1,
		.active_width = QUERY_WIDTH_4X,
		.active_speed = QUERY_SPEED_QDR,
		.phys_state = up ? QUERY_PHYS_LINK_UP : QUERY_PHYS_POLLING,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.flags = IBV_QPF_GRH_REQUIRED,
	};
	query_copy(attr, attr_bytes, &full, sizeof(full));
	return 0;
}

/* The caller's structure ends where the first version of it did. */
int soft_query_port(struct ibv_context *context, uint8_t port,
		    struct _compat_ibv_port_attr *attr)
{
	return soft_query_port_ex(context, port, (struct ibv_port_attr *)attr,
				  offsetof(struct ibv_port_attr,
					   port_cap_flags2));
}
