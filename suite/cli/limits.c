// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of limits: one row a field. */
#include "suite/cli/limits.h"

#include <infiniband/verbs.h>
#include <string.h>

#include "base/compiler.h"
#include "suite/cli/words.h"

#define DEVICE(field, ...)                                            \
	{                                                             \
#field, offsetof(struct ibv_device_attr, field),      \
			sizeof(((struct ibv_device_attr *)0)->field), \
			__VA_ARGS__                                   \
	}
#define PORT(field, ...)                                            \
	{                                                           \
#field, offsetof(struct ibv_port_attr, field),      \
			sizeof(((struct ibv_port_attr *)0)->field), \
			__VA_ARGS__                                 \
	}

const struct limit limits_device[] = {
	DEVICE(vendor_id, NULL),
	DEVICE(vendor_part_id, NULL),
	DEVICE(hw_ver, NULL),
	DEVICE(max_mr_size, NULL),
	DEVICE(page_size_cap, NULL),
	DEVICE(max_qp, NULL),
	DEVICE(max_qp_wr, NULL),
	DEVICE(device_cap_flags, NULL),
	DEVICE(max_sge, NULL),
	DEVICE(max_sge_rd, NULL),
	DEVICE(max_cq, NULL),
	DEVICE(max_cqe, NULL),
	DEVICE(max_mr, NULL),
	DEVICE(max_pd, NULL),
	DEVICE(max_qp_rd_atom, NULL),
	DEVICE(max_res_rd_atom, NULL),
	DEVICE(max_qp_init_rd_atom, NULL),
	DEVICE(atomic_cap, words_atomic_cap),
	DEVICE(max_mw, NULL),
	DEVICE(max_mcast_grp, NULL),
	DEVICE(max_ah, NULL),
	DEVICE(max_srq, NULL),
	DEVICE(max_srq_wr, NULL),
	DEVICE(max_srq_sge, NULL),
	DEVICE(max_pkeys, NULL),
	DEVICE(local_ca_ack_delay, NULL),
	DEVICE(phys_port_cnt, NULL),
};
const size_t limits_device_count = ARRAY_SIZE(limits_device);

const struct limit limits_port[] = {
	PORT(state, words_port_state),
	PORT(max_mtu, words_mtu),
	PORT(active_mtu, words_mtu),
	PORT(gid_tbl_len, NULL),
	PORT(port_cap_flags, NULL),
	PORT(max_msg_sz, NULL),
	PORT(pkey_tbl_len, NULL),
	PORT(lid, NULL),
	PORT(sm_lid, NULL),
	PORT(lmc, NULL),
	PORT(active_width, words_width),
	PORT(active_speed, words_speed),
	PORT(phys_state, words_phys_state),
	PORT(link_layer, words_link_layer),
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
