// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory windows. */
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_mw_alloc(const struct verbs_at *at, struct ibv_pd *pd,
		   enum ibv_mw_type type, struct ibv_mw **mw)
{
	struct recorder_record r = { .call = RECORDER_ALLOC_MW,
				     .args = { type } };
	int err;

	errno = 0;
	*mw = ibv_alloc_mw(pd, type);
	err = *mw ? 0 : verbs_errno();
	if (*mw) {
		r.object = (*mw)->handle;
		r.args[1] = (*mw)->rkey;
	}
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

int verbs_mw_dealloc(const struct verbs_at *at, struct ibv_mw *mw)
{
	struct recorder_record r = { .call = RECORDER_DEALLOC_MW,
				     .object = mw->handle };
	int ret, err;

	errno = 0;
	ret = ibv_dealloc_mw(mw);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_mw_bind(const struct verbs_at *at, struct ibv_qp *qp,
		  struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	const struct ibv_mw_bind_info *info = &bind->bind_info;
	struct recorder_record r = {
		.call = RECORDER_BIND_MW,
		.object = mw->handle,
		.args = { bind->wr_id, info->addr, info->length,
			  info->mw_access_flags, 0, qp->qp_num },
	};
	int ret, err;

	errno = 0;
	ret = ibv_bind_mw(qp, mw, bind);
	err = verbs_result(ret);
	r.args[4] = mw->rkey;
	verbs_record(at, &r, ret, err);
	return err;
}
