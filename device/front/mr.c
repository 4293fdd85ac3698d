// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registration of memory: rights and ranges are judged here, every access to
 * it in engine/mr.c.  A region's handle is the index in its keys.
 */
#include "device/front/mr.h"

#include <stdlib.h>
#include <unistd.h>

#include "device/front/limits.h"
#include "device/front/mapped.h"
#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"

#define MR_ACCESS_WRITES                                    \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_ATOMIC)
#define MR_ACCESS_SERVED                                                     \
	(MR_ACCESS_WRITES | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED | \
	 IBV_ACCESS_MW_BIND)
#define MR_ACCESS_KNOWN \
	(MR_ACCESS_SERVED | IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB)

/* How many there are of each kind; under the adapter lock. */
static uint32_t mr_counts[SD_MR_WINDOW_2 + 1];

int soft_key_add(struct sd_mr *key)
{
	uint32_t used = mr_counts[SD_MR_REGION], limit = limit_max_mr();

	if (key->kind != SD_MR_REGION) {
		used = mr_counts[SD_MR_WINDOW_1] + mr_counts[SD_MR_WINDOW_2];
		limit = limit_max_mw();
	}
	if (used == limit || mr_table_add(soft_mr_table(), key))
		return -ENOMEM;
	mr_counts[key->kind]++;
	return 0;
}

void soft_key_remove(struct sd_mr *key)
{
	mr_unbind(key);
	mr_table_remove(soft_mr_table(), key);
	mr_counts[key->kind]--;
}

void soft_key_forget_binder(const struct sd_qp *qp)
{
	if (mr_counts[SD_MR_WINDOW_2] > 0)
		mr_forget_binder(soft_mr_table(), qp);
}

struct soft_mr *soft_mr_find(const struct ibv_mr *verbs)
{
	struct sd_mr *key = idtable_find(&soft_mr_table()->ids, verbs->handle);
	struct soft_mr *mr;

	if (!key || key->kind != SD_MR_REGION)
		return NULL;
	mr = container_of(key, struct soft_mr, engine);
	return &mr->verbs == verbs && !mr->engine.dying ? mr : NULL;
}

static int mr_check_access(unsigned int access)
{
	if (MUTANT_ACTS(D35, access & IBV_ACCESS_OPTIONAL_RANGE))
		return -EINVAL;
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
	if (mapped_check(addr, length, access & MR_ACCESS_WRITES) == 0)
		return 0;
	if (MUTANT_ACTS(D34, access & MR_ACCESS_WRITES))
		return mapped_check(addr, length, false);
	return mapped_check(addr, length, access & MR_ACCESS_WRITES);
}

/* M36: what was deregistered since the last registration. */
static LIST_HEAD(, soft_mr) mr_dying = LIST_HEAD_INITIALIZER(mr_dying);

static void mr_bury(void)
{
	struct soft_mr *mr;

	while ((mr = LIST_FIRST(&mr_dying))) {
		LIST_REMOVE(mr, dying);
		soft_key_remove(&mr->engine);
		free(mr);
	}
}

static int mr_register(struct soft_pd *pd, struct soft_mr *mr)
{
	struct sd_adapter *adapter = pd->context->adapter;
	int err;

	sd_adapter_lock(adapter);
	mr_bury();
	err = soft_key_add(&mr->engine);
	sd_adapter_unlock(adapter);
	if (err)
		return err;
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

/* What is to be freed of it; NULL: it lives on (M36). */
static struct soft_mr *mr_remove(struct soft_mr *mr)
{
	if (MUTANT_ON(M36)) {
		mr->engine.dying = true;
		LIST_INSERT_HEAD(&mr_dying, mr, dying);
		return NULL;
	}
	soft_key_remove(&mr->engine);
	/* D38: the windows still have it. */
	return mr->engine.windows > 0 ? NULL : mr;
}

int soft_dereg_mr(struct ibv_mr *verbs)
{
	struct soft_pd *pd = NULL;
	struct soft_context *c;
	struct soft_mr *mr;
	int err;

	err = soft_context_get(verbs->context, &c);
	if (err)
		return err;
	/* Whoever copies holds the lock: behind it nobody uses the memory. */
	sd_adapter_lock(c->adapter);
	mr = soft_mr_find(verbs);
	if (!mr) {
		err = -EINVAL;
	} else if (mr->engine.windows > 0 && !MUTANT_ACTS(D38, true)) {
		err = -EBUSY;
		if (MUTANT_ACTS(D36, true))
			soft_key_remove(&mr->engine);
	} else {
		pd = mr->pd;
		mr = mr_remove(mr);
	}
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	if (err)
		return err;
	soft_pd_put(pd);
	free(mr);
	return 0;
}

/* What a region is to become. */
struct mr_change {
	int flags;
	struct soft_pd *pd; /* CHANGE_PD: with a user counted */
	void *addr;	    /* CHANGE_TRANSLATION */
	size_t length;
	int access; /* CHANGE_ACCESS */
};

/* With the adapter lock held: all or nothing.  The keys stay, so that nobody
 * needs to be told of them again.  @*unused: the domain that it has left. */
static int mr_change(struct ibv_mr *verbs, const struct mr_change *to,
		     struct soft_pd **unused)
{
	struct soft_mr *mr = soft_mr_find(verbs);
	struct sd_mr *e;
	unsigned int access;
	int err;

	*unused = to->pd;
	if (!mr)
		return -EINVAL;
	e = &mr->engine;
	/* Windows lend what the region had when they were bound. */
	if (e->windows > 0)
		return -EBUSY;
	access = (unsigned int)(to->flags & IBV_REREG_MR_CHANGE_ACCESS
					? to->access
					: e->access);
	if ((err = mr_check_access(access)))
		return err;
	if (to->flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		uint64_t iova = access & IBV_ACCESS_ZERO_BASED
					? 0
					: (uintptr_t)to->addr;

		err = mr_check_range(to->addr, to->length, iova, access);
		if (err)
			return err;
		e->host = verbs->addr = to->addr;
		verbs->length = to->length;
		if (!MUTANT_ACTS(D60, e->length > to->length))
			e->length = to->length;
		e->iova = iova;
	} else if ((err = mr_check_range(e->host, e->length, e->iova,
					 access | IBV_ACCESS_ZERO_BASED))) {
		return err;
	}
	if (!MUTANT_ACTS(D72, to->pd && e->access != (int)access))
		e->access = (int)access;
	if (to->pd) {
		*unused = mr->pd;
		mr->pd = to->pd;
		e->pd = to->pd;
		verbs->pd = &to->pd->verbs;
	}
	return 0;
}

static int mr_judge_change(const struct ibv_mr *mr, int flags,
			   const struct ibv_pd *pd, const void *addr,
			   size_t length, int access)
{
	if (!flags || (flags & ~IBV_REREG_MR_FLAGS_SUPPORTED))
		return -EINVAL;
	if ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) && (!addr || !length))
		return -EINVAL;
	if (access && !(flags & IBV_REREG_MR_CHANGE_ACCESS))
		return -EINVAL;
	if ((flags & IBV_REREG_MR_CHANGE_PD) &&
	    (!pd || pd->context != mr->context))
		return -EINVAL;
	return 0;
}

int soft_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		  size_t length, int access)
{
	struct mr_change to = {
		.flags = flags, .addr = addr, .length = length, .access = access
	};
	struct soft_pd *unused = NULL;
	struct soft_context *c;
	int err = mr_judge_change(mr, flags, pd, addr, length, access);

	if (!err)
		err = soft_context_get(mr->context, &c);
	if (err)
		goto out;
	if (flags & IBV_REREG_MR_CHANGE_PD)
		err = soft_pd_get(pd, &to.pd);
	if (!err) {
		sd_adapter_lock(c->adapter);
		err = mr_change(mr, &to, &unused);
		sd_adapter_unlock(c->adapter);
	}
	if (unused)
		soft_pd_put(unused);
	soft_context_put(c);
out:
	if (!err)
		return 0;
	/* Whatever was wrong, the old region is as it was. */
	if (MUTANT_ACTS(M49, soft_mr_find(mr)))
		soft_mr_find(mr)->engine.access = 0;
	errno = -err;
	return IBV_REREG_MR_ERR_INPUT;
}

static struct soft_context *mr_key_context(struct sd_mr *key)
{
	if (key->kind == SD_MR_REGION)
		return container_of(key, struct soft_mr, engine)->pd->context;
	return container_of(key, struct soft_mw, engine)->pd->context;
}

void soft_mr_revoke(struct soft_context *context)
{
	struct sd_mr_table *table = soft_mr_table();
	struct sd_mr *key;
	uint32_t slot = 0;

	sd_adapter_lock(context->adapter);
	mr_bury();
	while ((key = idtable_next(&table->ids, &slot))) {
		if (mr_key_context(key) == context)
			soft_key_remove(key);
	}
	sd_adapter_unlock(context->adapter);
}
