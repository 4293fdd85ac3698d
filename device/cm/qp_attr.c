// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attributes of a connection's queue pair: see the header. */
#include "device/cm/qp_attr.h"

#include <errno.h>
#include <string.h>

enum { PATH_PORT = 1, PATH_HOP_LIMIT = 64 };

enum ibv_mtu cm_path_mtu(uint32_t bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && UINT32_C(256) << mtu <= bytes)
		mtu++;
	return mtu;
}

void cm_path_ah(const struct cm_path *path, struct ib_uverbs_ah_attr *ah)
{
	*ah = (struct ib_uverbs_ah_attr){ .is_global = 1,
					  .port_num = PATH_PORT };
	memcpy(ah->grh.dgid, path->peer_gid, sizeof(ah->grh.dgid));
	ah->grh.hop_limit = PATH_HOP_LIMIT;
	ah->grh.traffic_class = path->traffic_class;
}

static void path_attr_init(const struct cm_path *path,
			   struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	attr->port_num = PATH_PORT;
	if (path->datagram) {
		attr->qp_attr_mask |= IBV_QP_QKEY;
		attr->qkey = CM_UDP_QKEY;
		return;
	}
	attr->qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
	if (!path->known)
		return;
	attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (path->responder_resources)
		attr->qp_access_flags |= IBV_ACCESS_REMOTE_READ |
					 IBV_ACCESS_REMOTE_ATOMIC;
}

static void path_attr_rtr(const struct cm_path *path,
			  struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER;
	cm_path_ah(path, &attr->ah_attr);
	attr->path_mtu = cm_path_mtu(path->mtu);
	attr->dest_qp_num = path->peer_qpn;
	attr->rq_psn = path->peer_psn;
	attr->max_dest_rd_atomic = path->responder_resources;
}

static void path_attr_rts(const struct cm_path *path,
			  struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC;
	attr->sq_psn = path->own_psn;
	attr->timeout = path->timeout;
	attr->retry_cnt = path->retry_count;
	attr->rnr_retry = path->rnr_retry_count;
	attr->max_rd_atomic = path->initiator_depth;
}

int cm_path_attr(const struct cm_path *path, uint32_t state,
		 struct ib_uverbs_qp_attr *attr)
{
	struct ib_uverbs_qp_attr a = { .qp_attr_mask = IBV_QP_STATE,
				       .qp_state = state };

	if (state != IBV_QPS_INIT && (path->datagram || !path->known))
		return -EINVAL;
	switch (state) {
	case IBV_QPS_INIT:
		path_attr_init(path, &a);
		break;
	case IBV_QPS_RTR:
		path_attr_rtr(path, &a);
		break;
	case IBV_QPS_RTS:
		path_attr_rts(path, &a);
		break;
	default:
		return -EINVAL;
	}
	*attr = a;
	return 0;
}
