// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection domains and memory regions. */
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_pd_alloc(const struct verbs_at *at, struct ibv_context *context,
		   struct ibv_pd **pd)
{
	struct recorder_record r = { .call = RECORDER_ALLOC_PD };
	int err;

	errno = 0;
	*pd = ibv_alloc_pd(context);
	err = *pd ? 0 : verbs_errno();
	if (*pd)
		r.object = (*pd)->handle;
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

int verbs_pd_dealloc(const struct verbs_at *at, struct ibv_pd *pd)
{
	struct recorder_record r = { .call = RECORDER_DEALLOC_PD,
				     .object = pd->handle };
	int ret, err;

	errno = 0;
	ret = ibv_dealloc_pd(pd);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

/* The end of a registration whose first byte is @first to peers; @mr is NULL
 * when it failed. */
static int verbs_mr_made(const struct verbs_at *at, const struct ibv_pd *pd,
			 const struct ibv_mr *mr, uint64_t first, size_t len,
			 unsigned access)
{
	struct recorder_record r = {
		.call = RECORDER_REG_MR,
		.args = { first, len, access, 0, 0, pd->handle },
	};
	int err = mr ? 0 : verbs_errno();

	if (mr) {
		r.object = mr->handle;
		r.args[3] = mr->lkey;
		r.args[4] = mr->rkey;
	}
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

int verbs_mr_reg(const struct verbs_at *at, struct ibv_pd *pd, void *addr,
		 size_t len, unsigned access, struct ibv_mr **mr)
{
	errno = 0;
	/* The verb is a macro that chooses by whether the access flags are a
	 * constant; they are not. */
	*mr = ibv_reg_mr(pd, addr, len, (int)access);
	return verbs_mr_made(at, pd, *mr, (uintptr_t)addr, len, access);
}

int verbs_mr_reg_iova(const struct verbs_at *at, struct ibv_pd *pd, void *addr,
		      size_t len, uint64_t iova, unsigned access,
		      struct ibv_mr **mr)
{
	errno = 0;
	*mr = ibv_reg_mr_iova(pd, addr, len, iova, (int)access);
	return verbs_mr_made(at, pd, *mr, iova, len, access);
}

int verbs_mr_rereg(const struct verbs_at *at, struct ibv_mr *mr, unsigned flags,
		   struct ibv_pd *pd, void *addr, size_t len, unsigned access,
		   int *answer)
{
	struct recorder_record r = { .call = RECORDER_REREG_MR,
				     .object = mr->handle };
	int err;

	errno = 0;
	*answer = ibv_rereg_mr(mr, (int)flags, pd, addr, len, (int)access);
	/* Its failures are codes of its own, the reason is in errno. */
	err = *answer ? verbs_errno() : 0;
	r.args[0] = flags;
	r.args[1] = (uintptr_t)addr;
	r.args[2] = len;
	r.args[3] = access;
	r.args[4] = mr->lkey;
	r.args[5] = mr->rkey;
	verbs_record(at, &r, *answer, err);
	return err;
}

int verbs_mr_dereg(const struct verbs_at *at, struct ibv_mr *mr)
{
	struct recorder_record r = { .call = RECORDER_DEREG_MR,
				     .object = mr->handle,
				     .args = { mr->lkey, mr->rkey } };
	int ret, err;

	errno = 0;
	ret = ibv_dereg_mr(mr);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}
