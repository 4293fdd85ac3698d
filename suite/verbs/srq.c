// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues. */
#include <errno.h>
#include <string.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_srq_create(const struct verbs_at *at, struct ibv_pd *pd,
		     struct ibv_srq_init_attr *init, struct ibv_srq **srq)
{
	struct recorder_record r = { .call = RECORDER_CREATE_SRQ };
	int err;

	errno = 0;
	*srq = ibv_create_srq(pd, init);
	err = *srq ? 0 : verbs_errno();
	if (*srq)
		r.object = (*srq)->handle;
	r.args[0] = init->attr.max_wr;
	r.args[1] = init->attr.max_sge;
	r.args[2] = init->attr.srq_limit;
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

int verbs_srq_destroy(const struct verbs_at *at, struct ibv_srq *srq)
{
	struct recorder_record r = { .call = RECORDER_DESTROY_SRQ,
				     .object = srq->handle };
	int ret, err;

	errno = 0;
	ret = ibv_destroy_srq(srq);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_srq_modify(const struct verbs_at *at, struct ibv_srq *srq,
		     struct ibv_srq_attr *attr, unsigned mask)
{
	struct recorder_record r = {
		.call = RECORDER_MODIFY_SRQ,
		.object = srq->handle,
		.args = { mask, attr->max_wr, attr->srq_limit },
	};
	int ret, err;

	errno = 0;
	ret = ibv_modify_srq(srq, attr, (int)mask);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_srq_query(const struct verbs_at *at, struct ibv_srq *srq,
		    struct ibv_srq_attr *attr)
{
	struct recorder_record r = { .call = RECORDER_QUERY_SRQ,
				     .object = srq->handle };
	int ret, err;

	memset(attr, 0, sizeof(*attr));
	errno = 0;
	ret = ibv_query_srq(srq, attr);
	err = verbs_result(ret);
	r.args[0] = attr->max_wr;
	r.args[1] = attr->max_sge;
	r.args[2] = attr->srq_limit;
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_srq_post(const struct verbs_at *at, struct ibv_srq *srq,
		   struct ibv_recv_wr *list, struct ibv_recv_wr **bad)
{
	int ret, err;

	*bad = NULL;
	errno = 0;
	ret = ibv_post_srq_recv(srq, list, bad);
	err = verbs_result(ret);
	verbs_recv_record(at, RECORDER_POST_SRQ_RECV, srq->handle, list, *bad,
			  ret, err);
	return err;
}
