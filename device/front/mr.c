// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registration of memory: rights and ranges are judged here, every access to
 * it in engine/mr.c.  A region's handle is the index in its keys.
 */
#include "device/front/mr.h"

#include <stdlib.h>
#include <unistd.h>

#include "device/front/mapped.h"
#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/world/adapter.h"

#define MR_ACCESS_WRITES                                    \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_ATOMIC)
#define MR_ACCESS_SERVED \
	(MR_ACCESS_WRITES | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED)
#define MR_ACCESS_KNOWN                                                 \
	(MR_ACCESS_SERVED | IBV_ACCESS_MW_BIND | IBV_ACCESS_ON_DEMAND | \
	 IBV_ACCESS_HUGETLB)

static int mr_check_access(unsigned int access)
{
	/* These are hints by definition: ignored where they mean nothing. */
	access &= ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;
	if (access & ~(unsigned int)MR_ACCESS_KNOWN)
		return -EINVAL;
	if (access & ~(unsigned int)MR_ACCESS_SERVED)
		return -EOPNOTSUPP;
	/* What a peer may write, the device must be able to write. */
	if ((access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

static int mr_check_range(const void *addr, size_t length, uint64_t iova,
			  unsigned int access)
{
	uint64_t start = (uintptr_t)addr;
	uint64_t page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;

	if (length == 0)
		return 0;
	/* The last byte must have an address in both numberings. */
	if (start + (length - 1) < start || iova + (length - 1) < iova)
		return -EINVAL;
	/* Page tables translate whole pages: the offsets within must agree. */
	if (!(access & IBV_ACCESS_ZERO_BASED) && (iova ^ start) & page_mask)
		return -EINVAL;
	return mapped_check(addr, length, access & MR_ACCESS_WRITES);
}

static int mr_register(struct soft_pd *pd, struct soft_mr *mr)
{
	struct sd_adapter *adapter = pd->context->adapter;
	int err;

	sd_adapter_lock(adapter);
	err = mr_table_add(soft_mr_table(), &mr->engine);
	sd_adapter_unlock(adapter);
	if (err)
		return -ENOMEM;
	mr->verbs.lkey = mr->engine.lkey;
	mr->verbs.rkey = mr->engine.rkey;
	mr->verbs.handle = mr->engine.lkey >> SD_MR_TAG_BITS;
	return 0;
}

int soft_reg_mr_iova2(struct ibv_pd *verbs_pd, void *addr, size_t length,
		      uint64_t iova, unsigned int access, struct ibv_mr **out)
{
	struct soft_pd *pd;
	struct soft_mr *mr;
	int err;

	err = soft_pd_get(verbs_pd, &pd);
	if (err)
		return err;
	if (access & IBV_ACCESS_ZERO_BASED)
		iova = 0;
	err = mr_check_access(access);
	if (!err)
		err = mr_check_range(addr, length, iova, access);
	if (err)
		goto err_pd;
	mr = calloc(1, sizeof(*mr));
	if (!mr) {
		err = -ENOMEM;
		goto err_pd;
	}
	mr->pd = pd;
	mr->engine = (struct sd_mr){
		.pd = pd,
		.iova = iova,
		.host = addr,
		.length = length,
		.access = (int)access,
	};
	mr->verbs = (struct ibv_mr){
		.context = verbs_pd->context,
		.pd = verbs_pd,
		.addr = addr,
		.length = length,
	};
	err = mr_register(pd, mr);
	if (err)
		goto err_free;
	*out = &mr->verbs;
	return 0;

err_free:
	free(mr);
err_pd:
	soft_pd_put(pd);
	return err;
}

int soft_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t iova, int access, struct ibv_mr **out)
{
	return soft_reg_mr_iova2(pd, addr, length, iova, (unsigned int)access,
				 out);
}

int soft_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access,
		struct ibv_mr **out)
{
	return soft_reg_mr_iova2(pd, addr, length, (uintptr_t)addr,
				 (unsigned int)access, out);
}

int soft_dereg_mr(struct ibv_mr *verbs)
{
	struct sd_mr_table *table = soft_mr_table();
	struct soft_context *c;
	struct soft_mr *mr = NULL;
	struct sd_mr *found;
	int err;

	err = soft_context_get(verbs->context, &c);
	if (err)
		return err;
	/* Whoever copies holds the lock: behind it nobody uses the memory. */
	sd_adapter_lock(c->adapter);
	found = idtable_find(&table->ids, verbs->handle);
	if (found)
		mr = container_of(found, struct soft_mr, engine);
	if (mr && &mr->verbs == verbs)
		mr_table_remove(table, found);
	else
		err = -EINVAL;
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	if (err)
		return err;
	soft_pd_put(mr->pd);
	free(mr);
	return 0;
}

void soft_mr_revoke(struct soft_context *context)
{
	struct sd_mr_table *table = soft_mr_table();
	struct sd_mr *engine;
	uint32_t slot = 0;

	sd_adapter_lock(context->adapter);
	while ((engine = idtable_next(&table->ids, &slot))) {
		struct soft_mr *mr =
			container_of(engine, struct soft_mr, engine);

		if (mr->pd->context == context)
			mr_table_remove(table, engine);
	}
	sd_adapter_unlock(context->adapter);
}
