// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs.  Each modify is followed by a query of everything, so that the
 * record holds what was asked beside what the device says it did.
 */
#include <errno.h>
#include <string.h>

#include "suite/oracle/model.h"
#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

/* All that a query can be asked for. */
#define VERBS_QP_MASK_ALL                                                   \
	(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS |            \
	 IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV |        \
	 IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |              \
	 IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC |       \
	 IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | \
	 IBV_QP_PATH_MIG_STATE | IBV_QP_CAP | IBV_QP_DEST_QPN)

/* The end of a creation, by either verb; @qp is NULL when it failed. */
static int verbs_qp_created(const struct verbs_at *at, const struct ibv_qp *qp,
			    enum ibv_qp_type type, const struct ibv_qp_cap *cap)
{
	struct recorder_record r = {
		.call = RECORDER_CREATE_QP,
		.args = { type, cap->max_send_wr, cap->max_recv_wr,
			  cap->max_send_sge, cap->max_recv_sge,
			  cap->max_inline_data },
	};
	int err = qp ? 0 : verbs_errno();

	if (qp)
		r.object = qp->qp_num;
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

int verbs_qp_create(const struct verbs_at *at, struct ibv_pd *pd,
		    struct ibv_qp_init_attr *init, struct ibv_qp **qp)
{
	errno = 0;
	*qp = ibv_create_qp(pd, init);
	return verbs_qp_created(at, *qp, init->qp_type, &init->cap);
}

int verbs_qp_create_ex(const struct verbs_at *at, struct ibv_context *context,
		       struct ibv_qp_init_attr_ex *init, struct ibv_qp **qp)
{
	errno = 0;
	*qp = ibv_create_qp_ex(context, init);
	return verbs_qp_created(at, *qp, init->qp_type, &init->cap);
}

int verbs_qp_destroy(const struct verbs_at *at, struct ibv_qp *qp)
{
	struct recorder_record r = { .call = RECORDER_DESTROY_QP,
				     .object = qp->qp_num };
	int ret, err;

	errno = 0;
	ret = ibv_destroy_qp(qp);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

static void verbs_qp_args(struct recorder_record *r,
			  const struct ibv_qp_attr *attr, unsigned mask)
{
	r->args[0] = mask;
	r->args[1] = attr->qp_state;
	r->args[2] = attr->dest_qp_num;
	r->args[3] = attr->rq_psn;
	r->args[4] = attr->sq_psn;
	r->args[5] = attr->path_mtu;
}

int verbs_qp_query(const struct verbs_at *at, struct ibv_qp *qp, unsigned mask,
		   struct ibv_qp_attr *attr, struct ibv_qp_init_attr *init)
{
	struct recorder_record r = { .call = RECORDER_QUERY_QP,
				     .object = qp->qp_num };
	int ret, err;

	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	errno = 0;
	ret = ibv_query_qp(qp, attr, (int)mask, init);
	err = verbs_result(ret);
	verbs_qp_args(&r, attr, mask);
	verbs_record(at, &r, ret, err);
	return err;
}

void verbs_qp_modify(const struct verbs_at *at, struct ibv_qp *qp,
		     struct ibv_qp_attr *attr, unsigned mask,
		     struct verbs_modified *out)
{
	const unsigned retries = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				 IBV_QP_RNR_RETRY | IBV_QP_MIN_RNR_TIMER |
				 IBV_QP_MAX_QP_RD_ATOMIC |
				 IBV_QP_MAX_DEST_RD_ATOMIC;
	struct recorder_record r = { .call = RECORDER_MODIFY_QP,
				     .object = qp->qp_num };
	struct ibv_qp_init_attr init;
	int ret;

	errno = 0;
	ret = ibv_modify_qp(qp, attr, (int)mask);
	out->err = verbs_result(ret);
	out->negative = verbs_was_negative();
	verbs_qp_args(&r, attr, mask);
	verbs_record(at, &r, ret, out->err);
	if (mask & retries) {
		struct recorder_record more = {
			.call = RECORDER_MODIFY_QP_RETRY,
			.object = qp->qp_num,
			.args = { attr->timeout, attr->retry_cnt,
				  attr->rnr_retry, attr->min_rnr_timer,
				  attr->max_rd_atomic,
				  attr->max_dest_rd_atomic },
		};

		verbs_record(at, &more, ret, out->err);
	}
	out->query_err =
		verbs_qp_query(at, qp, VERBS_QP_MASK_ALL, &out->now, &init);
}

uint64_t verbs_attr_value(const struct ibv_qp_attr *attr, unsigned bit)
{
	switch (bit) {
	case IBV_QP_STATE:
		return attr->qp_state;
	case IBV_QP_ACCESS_FLAGS:
		return attr->qp_access_flags;
	case IBV_QP_PKEY_INDEX:
		return attr->pkey_index;
	case IBV_QP_PORT:
		return attr->port_num;
	case IBV_QP_QKEY:
		return attr->qkey;
	case IBV_QP_PATH_MTU:
		return attr->path_mtu;
	case IBV_QP_TIMEOUT:
		return attr->timeout;
	case IBV_QP_RETRY_CNT:
		return attr->retry_cnt;
	case IBV_QP_RNR_RETRY:
		return attr->rnr_retry;
	case IBV_QP_RQ_PSN:
		return attr->rq_psn;
	case IBV_QP_MAX_QP_RD_ATOMIC:
		return attr->max_rd_atomic;
	case IBV_QP_MIN_RNR_TIMER:
		return attr->min_rnr_timer;
	case IBV_QP_SQ_PSN:
		return attr->sq_psn;
	case IBV_QP_MAX_DEST_RD_ATOMIC:
		return attr->max_dest_rd_atomic;
	case IBV_QP_DEST_QPN:
		return attr->dest_qp_num;
	case IBV_QP_AV:
		return attr->ah_attr.grh.sgid_index;
	default:
		return 0;
	}
}

static bool verbs_av_differ(const struct ibv_ah_attr *asked,
			    const struct ibv_ah_attr *now)
{
	if (asked->port_num != now->port_num ||
	    asked->is_global != now->is_global)
		return true;
	if (!asked->is_global)
		return asked->dlid != now->dlid;
	return asked->grh.sgid_index != now->grh.sgid_index ||
	       asked->grh.hop_limit != now->grh.hop_limit ||
	       asked->grh.traffic_class != now->grh.traffic_class ||
	       asked->grh.flow_label != now->grh.flow_label ||
	       memcmp(&asked->grh.dgid, &now->grh.dgid, 16) != 0;
}

unsigned verbs_attr_differ(const struct ibv_qp_attr *asked, unsigned mask,
			   const struct ibv_qp_attr *now, bool psn_exact)
{
	const unsigned rounded = IBV_QP_MAX_QP_RD_ATOMIC |
				 IBV_QP_MAX_DEST_RD_ATOMIC;
	const unsigned psns = IBV_QP_RQ_PSN | IBV_QP_SQ_PSN;
	/* A command rather than an attribute, or without a value of ours. */
	const unsigned unread = IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY |
				IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE |
				IBV_QP_CAP | IBV_QP_RATE_LIMIT;
	unsigned differ = 0, bit;

	mask &= model_mask_all() & ~unread;
	if (!psn_exact)
		mask &= ~psns;
	for (bit = 1; bit && bit <= mask; bit <<= 1) {
		uint64_t want, is;

		if (!(mask & bit))
			continue;
		want = verbs_attr_value(asked, bit);
		is = verbs_attr_value(now, bit);
		if (bit == IBV_QP_AV) {
			if (verbs_av_differ(&asked->ah_attr, &now->ah_attr))
				differ |= bit;
		} else if (bit & rounded ? is < want : is != want) {
			differ |= bit;
		}
	}
	return differ;
}
