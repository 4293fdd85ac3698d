// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lies about queue pairs' states and attributes, and what a device says. */
#include "liar.h"

/* The PSN that cases of wrong ones say, and how near one is mended. */
enum { PSN = 0x400000, NEAR = 2000 };

/* --- States and attributes ---------------------------------------------- */

/* What each queue pair was told, for a query that says so. */
static struct {
	struct ibv_qp *qp;
	struct ibv_qp_attr attr;
	int mask;
} told[OBJECTS_MAX];

static unsigned told_find(struct ibv_qp *qp)
{
	unsigned i = 0;

	while (i < OBJECTS_MAX - 1 && told[i].qp && told[i].qp != qp)
		i++;
	told[i].qp = qp;
	return i;
}

/* Another value to the device than was asked; it reads back as asked. */
static void modify_bend(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	unsigned i = told_find(qp);

	if (lie(LIE_PSN) && mask & IBV_QP_SQ_PSN &&
	    attr->sq_psn - (PSN - NEAR) < 2 * NEAR) {
		told[i].attr.sq_psn = attr->sq_psn;
		told[i].mask |= IBV_QP_SQ_PSN;
		attr->sq_psn = PSN;
	}
	if (lie(LIE_PSN_WRAP) && mask & IBV_QP_SQ_PSN &&
	    attr->sq_psn == 0xffffff) {
		told[i].attr.sq_psn = attr->sq_psn;
		told[i].mask |= IBV_QP_SQ_PSN;
		attr->sq_psn = 0;
	}
	if (lie(LIE_TWO_PORTS) && mask & IBV_QP_AV)
		attr->ah_attr.port_num = 1;
	if (lie(LIE_TWO_KINDS) && mask & IBV_QP_AV &&
	    attr->ah_attr.grh.sgid_index) {
		told[i].attr.ah_attr = attr->ah_attr;
		told[i].mask |= IBV_QP_AV;
		attr->ah_attr.grh.sgid_index = 0;
	}
	if (lie(LIE_TIMEOUT) && mask & IBV_QP_TIMEOUT) {
		told[i].attr.timeout = attr->timeout;
		told[i].mask |= IBV_QP_TIMEOUT;
		attr->timeout = 4;
	}
}

static bool modify_refused(const struct ibv_qp_attr *attr, int mask)
{
	if (lie(LIE_OPTIONAL) && mask & IBV_QP_MIN_RNR_TIMER &&
	    attr->qp_state == IBV_QPS_RTS)
		return true;
	return lie(LIE_ERR_AGAIN) && attr->qp_state == IBV_QPS_ERR;
}

LIAR_EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			      int mask)
{
	struct ibv_qp_attr bent = *attr;
	static int errs;
	int ret;

	if (modify_refused(attr, mask) && (lie(LIE_OPTIONAL) || errs++ > 0))
		return EINVAL;
	if (lie(LIE_RESET) && mask & IBV_QP_STATE &&
	    attr->qp_state == IBV_QPS_RESET)
		return 0;
	if (lie(LIE_SQD) && mask & IBV_QP_STATE) {
		unsigned i = told_find(qp);

		told[i].mask &= ~IBV_QP_STATE;
		if (attr->qp_state == IBV_QPS_SQD) {
			told[i].attr.qp_state = IBV_QPS_SQD;
			told[i].mask |= IBV_QP_STATE;
			return 0;
		}
	}
	modify_bend(qp, &bent, mask);
	ret = REAL(ibv_modify_qp)(qp, &bent, mask);
	if (!ret && mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RTS)
		late_post(qp);
	if (ret && lie(LIE_NEGATIVE))
		return -EINVAL;
	return ret && lie(LIE_MODIFY_ANY) ? 0 : ret;
}

static void query_told(struct ibv_qp *qp, struct ibv_qp_attr *attr)
{
	unsigned i = told_find(qp);

	if (told[i].mask & IBV_QP_SQ_PSN)
		attr->sq_psn = told[i].attr.sq_psn;
	if (told[i].mask & IBV_QP_TIMEOUT)
		attr->timeout = told[i].attr.timeout;
	if (told[i].mask & IBV_QP_AV)
		attr->ah_attr = told[i].attr.ah_attr;
	if (told[i].mask & IBV_QP_STATE)
		attr->qp_state = told[i].attr.qp_state;
}

LIAR_EXPORT int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			     int mask, struct ibv_qp_init_attr *init)
{
	int ret = REAL(ibv_query_qp)(qp, attr, mask, init);

	query_told(qp, attr);
	if (lie(LIE_QUERY_STATE) && attr->qp_state == IBV_QPS_RTR)
		attr->qp_state = IBV_QPS_RTS;
	if (lie(LIE_QUERY_ERR) && attr->qp_state >= IBV_QPS_SQE)
		attr->qp_state = IBV_QPS_RTS;
	if (lie(LIE_QUERY_RNR))
		attr->rnr_retry ^= 1;
	if (lie(LIE_QUERY_DEPTH))
		init->cap.max_send_wr = 1;
	if (lie(LIE_QUERY_SIGNALS))
		init->sq_sig_all = !init->sq_sig_all;
	if (lie(LIE_QUERY_CQS))
		init->send_cq = init->recv_cq;
	return ret && lie(LIE_STALE) ? 0 : ret;
}

LIAR_EXPORT int ibv_query_device(struct ibv_context *context,
				 struct ibv_device_attr *attr)
{
	int ret = REAL(ibv_query_device)(context, attr);

	if (lie(LIE_NO_QPS))
		attr->max_qp = 0;
	if (lie(LIE_TWO_PORTS))
		attr->phys_port_cnt = 2;
	return ret;
}

LIAR_EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port,
				  uint32_t index, struct ibv_gid_entry *entry,
				  uint32_t flags, size_t size)
{
	bool second = lie(LIE_TWO_KINDS) && index == 1;
	int ret = REAL(_ibv_query_gid_ex)(context, port, second ? 0 : index,
					  entry, flags, size);

	if (second && !ret)
		entry->gid_type = IBV_GID_TYPE_ROCE_V1;
	return ret;
}
