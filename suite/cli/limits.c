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
	DEVICE(vendor_id, LIMIT_CODE),
	DEVICE(vendor_part_id, LIMIT_CODE),
	DEVICE(hw_ver, LIMIT_CODE),
	DEVICE(max_mr_size, LIMIT_NUMBER),
	DEVICE(page_size_cap, LIMIT_CODE),
	DEVICE(max_qp, LIMIT_NUMBER),
	DEVICE(max_qp_wr, LIMIT_NUMBER),
	DEVICE(device_cap_flags, LIMIT_FLAGS, words_device_flag),
	DEVICE(max_sge, LIMIT_NUMBER),
	DEVICE(max_sge_rd, LIMIT_NUMBER),
	DEVICE(max_cq, LIMIT_NUMBER),
	DEVICE(max_cqe, LIMIT_NUMBER),
	DEVICE(max_mr, LIMIT_NUMBER),
	DEVICE(max_pd, LIMIT_NUMBER),
	DEVICE(max_qp_rd_atom, LIMIT_NUMBER),
	DEVICE(max_res_rd_atom, LIMIT_NUMBER),
	DEVICE(max_qp_init_rd_atom, LIMIT_NUMBER),
	DEVICE(atomic_cap, LIMIT_WORD, words_atomic_cap),
	DEVICE(max_mw, LIMIT_NUMBER),
	DEVICE(max_mcast_grp, LIMIT_NUMBER),
	DEVICE(max_ah, LIMIT_NUMBER),
	DEVICE(max_srq, LIMIT_NUMBER),
	DEVICE(max_srq_wr, LIMIT_NUMBER),
	DEVICE(max_srq_sge, LIMIT_NUMBER),
	DEVICE(max_pkeys, LIMIT_NUMBER),
	DEVICE(local_ca_ack_delay, LIMIT_NUMBER),
	DEVICE(phys_port_cnt, LIMIT_NUMBER),
};
const size_t limits_device_count = ARRAY_SIZE(limits_device);

const struct limit limits_port[] = {
	PORT(state, LIMIT_WORD, words_port_state),
	PORT(max_mtu, LIMIT_WORD, words_mtu),
	PORT(active_mtu, LIMIT_WORD, words_mtu),
	PORT(gid_tbl_len, LIMIT_NUMBER),
	PORT(port_cap_flags, LIMIT_FLAGS, words_port_flag),
	PORT(max_msg_sz, LIMIT_NUMBER),
	PORT(pkey_tbl_len, LIMIT_NUMBER),
	PORT(lid, LIMIT_NUMBER),
	PORT(sm_lid, LIMIT_NUMBER),
	PORT(lmc, LIMIT_NUMBER),
	PORT(active_width, LIMIT_WORD, words_width),
	PORT(active_speed, LIMIT_WORD, words_speed),
	PORT(phys_state, LIMIT_WORD, words_phys_state),
	PORT(link_layer, LIMIT_WORD, words_link_layer),
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
