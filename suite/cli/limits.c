// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of limits: one row a field. */
#include "suite/cli/limits.h"

#include <infiniband/verbs.h>
#include <string.h>

#include "base/compiler.h"

#define DEVICE(field)                                                \
	{                                                            \
#field, offsetof(struct ibv_device_attr, field),     \
			sizeof(((struct ibv_device_attr *)0)->field) \
	}
#define PORT(field)                                                \
	{                                                          \
#field, offsetof(struct ibv_port_attr, field),     \
			sizeof(((struct ibv_port_attr *)0)->field) \
	}

const struct limit limits_device[] = {
	DEVICE(vendor_id),
	DEVICE(vendor_part_id),
	DEVICE(hw_ver),
	DEVICE(max_mr_size),
	DEVICE(page_size_cap),
	DEVICE(max_qp),
	DEVICE(max_qp_wr),
	DEVICE(device_cap_flags),
	DEVICE(max_sge),
	DEVICE(max_sge_rd),
	DEVICE(max_cq),
	DEVICE(max_cqe),
	DEVICE(max_mr),
	DEVICE(max_pd),
	DEVICE(max_qp_rd_atom),
	DEVICE(max_res_rd_atom),
	DEVICE(max_qp_init_rd_atom),
	DEVICE(atomic_cap),
	DEVICE(max_mw),
	DEVICE(max_mcast_grp),
	DEVICE(max_ah),
	DEVICE(max_srq),
	DEVICE(max_srq_wr),
	DEVICE(max_srq_sge),
	DEVICE(max_pkeys),
	DEVICE(local_ca_ack_delay),
	DEVICE(phys_port_cnt),
};
const size_t limits_device_count = ARRAY_SIZE(limits_device);

const struct limit limits_port[] = {
	PORT(state),	      PORT(max_mtu),
	PORT(active_mtu),     PORT(gid_tbl_len),
	PORT(port_cap_flags), PORT(max_msg_sz),
	PORT(pkey_tbl_len),   PORT(lid),
	PORT(sm_lid),	      PORT(lmc),
	PORT(active_width),   PORT(active_speed),
	PORT(phys_state),     PORT(link_layer),
};
const size_t limits_port_count = ARRAY_SIZE(limits_port);

uint64_t limits_value(const struct limit *l, const void *attr)
{
	const char *field = (const char *)attr + l->offset;
	uint8_t small;
	uint16_t half;
	uint32_t word;
	uint64_t wide;

	switch (l->size) {
	case sizeof(small):
		memcpy(&small, field, sizeof(small));
		return small;
	case sizeof(half):
		memcpy(&half, field, sizeof(half));
		return half;
	case sizeof(word):
		memcpy(&word, field, sizeof(word));
		return word;
	default:
		memcpy(&wide, field, sizeof(wide));
		return wide;
	}
}
