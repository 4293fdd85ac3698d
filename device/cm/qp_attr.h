/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a connection says about its queue pair, as INIT_QP_ATTR answers it. */
#ifndef DEVICE_CM_QP_ATTR_H
#define DEVICE_CM_QP_ATTR_H

#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* The Q_Key of datagram queue pairs with a port of RDMA_PS_UDP. */
#define CM_UDP_QKEY UINT32_C(0x01234567)

struct cm_path {
	bool datagram;
	bool known; /* the peer told the rest of it */
	uint8_t peer_gid[16];
	uint32_t peer_qpn;
	uint32_t peer_psn;
	uint32_t own_psn;
	uint32_t mtu; /* in bytes: the smaller one of both ends */
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t traffic_class;
	uint8_t timeout; /* 4.096 us << timeout */
};

/* The attributes for the step to @state.  -EINVAL: there are none (yet). */
int cm_path_attr(const struct cm_path *path, uint32_t state,
		 struct ib_uverbs_qp_attr *attr) MUST_USE;
/* The address vector to the peer. */
void cm_path_ah(const struct cm_path *path, struct ib_uverbs_ah_attr *ah);
enum ibv_mtu cm_path_mtu(uint32_t bytes);

#endif
