// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory windows: a key without memory, until it is bound (engine/mr.c). */
#include "device/front/mw.h"

#include <stdlib.h>

#include "device/front/mr.h"
#include "device/front/qp.h"
#include "device/front/verbs.h"
#include "device/world/adapter.h"

/* LOCAL_WRITE is tolerated, and means nothing: a window has no lkey. */
#define MW_ACCESS_KNOWN                                      \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_ZERO_BASED)

int soft_alloc_mw(struct ibv_pd *verbs_pd, enum ibv_mw_type type,
		  struct ibv_mw **out)
{
	struct soft_pd *pd;
	struct soft_mw *mw;
	int err;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return -EINVAL;
	err = soft_pd_get(verbs_pd, &pd);
	if (err)
		return err;
	mw = calloc(1, sizeof(*mw));
	if (!mw) {
		err = -ENOMEM;
		goto err_pd;
	}
	mw->pd = pd;
	mw->engine.pd = pd;
	mw->engine.kind = type == IBV_MW_TYPE_1 ? SD_MR_WINDOW_1
						: SD_MR_WINDOW_2;
	sd_adapter_lock(pd->context->adapter);
	err = soft_key_add(&mw->engine);
	sd_adapter_unlock(pd->context->adapter);
	if (err)
		goto err_free;
	mw->verbs = (struct ibv_mw){
		.context = verbs_pd->context,
		.pd = verbs_pd,
		.rkey = mw->engine.rkey,
		.handle = mw->engine.rkey >> SD_MR_TAG_BITS,
		.type = type,
	};
	*out = &mw->verbs;
	return 0;

err_free:
	free(mw);
err_pd:
	soft_pd_put(pd);
	return err;
}

static struct soft_mw *mw_find(const struct ibv_mw *verbs)
{
	struct sd_mr *key = idtable_find(&soft_mr_table()->ids, verbs->handle);
	struct soft_mw *mw;

	if (!key || key->kind == SD_MR_REGION)
		return NULL;
	mw = container_of(key, struct soft_mw, engine);
	return &mw->verbs == verbs ? mw : NULL;
}

int soft_dealloc_mw(struct ibv_mw *verbs)
{
	struct soft_context *c;
	struct soft_mw *mw;
	int err;

	err = soft_context_get(verbs->context, &c);
	if (err)
		return err;
	sd_adapter_lock(c->adapter);
	mw = mw_find(verbs);
	if (mw)
		soft_key_remove(&mw->engine);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	if (!mw)
		return -EINVAL;
	soft_pd_put(mw->pd);
	free(mw);
	return 0;
}

int mw_judge_bind(const struct ibv_send_wr *wr, enum sd_mr_kind kind,
		  struct sd_bind *bind)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
	const struct soft_mw *mw = wr->bind_mw.mw ? mw_find(wr->bind_mw.mw)
						  : NULL;
	const struct soft_mr *mr = NULL;

	if (!mw || mw->engine.kind != kind)
		return -EINVAL;
	if ((wr->bind_mw.rkey ^ mw->engine.rkey) >> SD_MR_TAG_BITS)
		return -EINVAL;
	if (info->mw_access_flags & ~(unsigned)MW_ACCESS_KNOWN)
		return -EINVAL;
	/* Type 1 counts as its region does (IBA vol. 1, 10.6.7.2). */
	if (kind == SD_MR_WINDOW_1 &&
	    (info->mw_access_flags & IBV_ACCESS_ZERO_BASED))
		return -EINVAL;
	if (info->length > 0) {
		mr = info->mr ? soft_mr_find(info->mr) : NULL;
		if (!mr)
			return -EINVAL;
	}
	*bind = (struct sd_bind){
		.rkey = wr->bind_mw.rkey,
		.lkey = mr ? mr->engine.lkey : 0,
		.va = info->addr,
		.length = info->length,
		.access = (int)info->mw_access_flags,
	};
	return 0;
}
