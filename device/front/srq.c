// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues: one ring of receives, drawn from by the responders of
 * any number of queue pairs (engine/responder.c). */
#include "device/front/srq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idtable.h"
#include "device/front/event.h"
#include "device/front/limits.h"
#include "device/front/post.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"

enum { SRQ_HANDLE_BITS = 24 };

/* Under the adapter lock. */
static struct idtable_slot srq_slots[LIMIT_max_srq];
static struct idtable srq_table;

static struct idtable *srq_handles(void)
{
	if (!srq_table.slots)
		idtable_init(&srq_table, srq_slots, LIMIT_max_srq,
			     SRQ_HANDLE_BITS);
	return &srq_table;
}

static struct soft_srq *srq_cast(struct ibv_srq *verbs)
{
	return container_of(verbs, struct soft_srq, verbs);
}

static struct soft_srq *srq_find(const struct ibv_srq *verbs)
{
	struct soft_srq *srq = idtable_find(srq_handles(), verbs->handle);

	return srq && &srq->verbs == verbs ? srq : NULL;
}

int soft_srq_get(struct soft_context *context, struct ibv_srq *verbs,
		 struct soft_srq **out)
{
	struct soft_srq *srq;

	sd_adapter_lock(context->adapter);
	srq = srq_find(verbs);
	if (srq && srq->context != context)
		srq = NULL;
	if (srq)
		srq->users++;
	sd_adapter_unlock(context->adapter);
	if (!srq)
		return -EINVAL;
	*out = srq;
	return 0;
}

void soft_srq_put(struct soft_srq *srq)
{
	sd_adapter_lock(srq->context->adapter);
	srq->users--;
	sd_adapter_unlock(srq->context->adapter);
}

static int srq_judge(const struct ibv_srq_attr *attr)
{
	/* The limit is no matter of creation (ibv_create_srq(3)). */
	if (attr->max_wr < 1 || attr->max_wr > limit_max_srq_wr() ||
	    attr->max_sge > limit_max_srq_sge())
		return -EINVAL;
	return 0;
}

static void srq_free(struct soft_srq *srq)
{
	free(srq->wqes);
	free(srq->sges);
	free(srq);
}

static struct soft_srq *srq_alloc(const struct ibv_srq_attr *attr)
{
	struct soft_srq *srq = calloc(1, sizeof(*srq));

	if (!srq)
		return NULL;
	srq->wqes = calloc(attr->max_wr, sizeof(*srq->wqes));
	srq->sges = calloc((size_t)attr->max_wr * attr->max_sge + 1,
			   sizeof(*srq->sges));
	if (!srq->wqes || !srq->sges) {
		srq_free(srq);
		return NULL;
	}
	for (uint32_t i = 0; i < attr->max_wr; i++)
		srq->wqes[i].sge = srq->sges + (size_t)i * attr->max_sge;
	srq->max_sge = attr->max_sge;
	srq->engine.ring = ring_make(attr->max_wr);
	srq->engine.wqe = srq->wqes;
	return srq;
}

static int srq_publish(struct soft_srq *srq)
{
	int err;

	sd_adapter_lock(srq->context->adapter);
	err = srq_handles()->used < limit_max_srq()
		      ? idtable_add(srq_handles(), srq, &srq->verbs.handle)
		      : -ENOSPC;
	sd_adapter_unlock(srq->context->adapter);
	return err ? -ENOMEM : 0;
}

int soft_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr,
		    struct ibv_srq **out)
{
	struct soft_srq *srq;
	int err = attr ? srq_judge(&attr->attr) : -EINVAL;

	if (err)
		return err;
	srq = srq_alloc(&attr->attr);
	if (!srq)
		return -ENOMEM;
	if ((err = soft_pd_get(pd, &srq->pd)))
		goto err_free;
	srq->context = srq->pd->context;
	srq->engine.pd = srq->pd;
	srq->verbs.context = pd->context;
	srq->verbs.srq_context = attr->srq_context;
	srq->verbs.pd = pd;
	if ((err = srq_publish(srq)))
		goto err_put_pd;
	pthread_mutex_init(&srq->verbs.mutex, NULL);
	pthread_cond_init(&srq->verbs.cond, NULL);
	*out = &srq->verbs;
	return 0;

err_put_pd:
	soft_pd_put(srq->pd);
err_free:
	srq_free(srq);
	return err;
}

int soft_create_srq_ex(struct ibv_context *context,
		       struct ibv_srq_init_attr_ex *attr, struct ibv_srq **out)
{
	const unsigned known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			       IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ |
			       IBV_SRQ_INIT_ATTR_TM;
	struct ibv_srq_init_attr plain = { .srq_context = attr->srq_context,
					   .attr = attr->attr };
	int err;

	if (attr->comp_mask & ~known)
		return -EINVAL;
	if ((attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) &&
	    attr->srq_type != IBV_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd ||
	    attr->pd->context != context)
		return -EINVAL;
	err = soft_create_srq(attr->pd, &plain, out);
	if (!err)
		attr->attr = plain.attr;
	return err;
}

/* With the adapter lock held. */
static int srq_set_limit(struct soft_srq *srq, uint32_t limit)
{
	if (limit > srq->engine.ring.size)
		return -EINVAL;
	srq->engine.limit = limit;
	if (MUTANT_ON(M10)) {
		srq->engine.limit_deaf = srq->engine.limit_told ||
					 srq->engine.ring.count < limit;
		if (MUTANT_ACTS(M10, limit && srq->engine.limit_deaf))
			return 0;
	}
	/* Below it already: nobody may take one for a long time, so it is told
	 * now, as adapters do. */
	if (limit && srq->engine.ring.count < limit) {
		srq->engine.limit = 0;
		front_srq_limit(&srq->engine);
	}
	return 0;
}

int soft_modify_srq(struct ibv_srq *verbs, struct ibv_srq_attr *attr, int mask)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	struct soft_srq *srq;
	int err = -EINVAL;

	if (!attr || (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT)))
		return -EINVAL;
	/* IBV_DEVICE_SRQ_RESIZE is not reported. */
	if (mask & IBV_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	sd_adapter_lock(adapter);
	srq = srq_find(verbs);
	if (srq)
		err = mask ? srq_set_limit(srq, attr->srq_limit) : 0;
	sd_adapter_unlock(adapter);
	return err;
}

int soft_query_srq(struct ibv_srq *verbs, struct ibv_srq_attr *attr)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	const struct soft_srq *srq;

	sd_adapter_lock(adapter);
	srq = srq_find(verbs);
	if (srq)
		*attr = (struct ibv_srq_attr){
			.max_wr = srq->engine.ring.size,
			.max_sge = srq->max_sge,
			.srq_limit = srq->engine.limit,
		};
	sd_adapter_unlock(adapter);
	return srq ? 0 : -EINVAL;
}

int soft_get_srq_num(struct ibv_srq *verbs, uint32_t *number)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	bool found;

	sd_adapter_lock(adapter);
	found = srq_find(verbs);
	sd_adapter_unlock(adapter);
	if (!found)
		return -EINVAL;
	*number = verbs->handle;
	return 0;
}

int soft_destroy_srq(struct ibv_srq *verbs)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	struct soft_srq *srq;
	int err = 0;

	sd_adapter_lock(adapter);
	srq = srq_find(verbs);
	if (!srq)
		err = -EINVAL;
	else if (srq->users > 0 && !MUTANT_ACTS(D12, true))
		err = -EBUSY;
	else
		idtable_remove(srq_handles(), verbs->handle);
	sd_adapter_unlock(adapter);
	if (err)
		return err;
	if (srq->users > 0) {
		soft_pd_put(srq->pd); /* D12: the rest is still in use */
		return 0;
	}
	event_settle(srq->context, srq, &srq->async);
	pthread_cond_destroy(&verbs->cond);
	pthread_mutex_destroy(&verbs->mutex);
	soft_pd_put(srq->pd);
	srq_free(srq);
	return 0;
}

static MUTANT_COLD void srq_spoil(struct soft_srq *srq, struct sd_recv_wqe *wqe)
{
	struct sd_qp *slow = srq->engine.slow;

	if (MUTANT_ACTS(M03, wqe->num_sge > 1 &&
				     (uint32_t)wqe->num_sge < srq->max_sge)) {
		wqe->num_sge = 1;
		wqe->length = wqe->sge[0].length;
	}
	if (!MUTANT_ACTS(M11, slow && srq->engine.slow_freed))
		return;
	srq->engine.slow_freed = false;
	slow->resp.recv.wr_id = wqe->wr_id;
	slow->resp.recv.length = wqe->length;
	slow->resp.recv.num_sge = wqe->num_sge;
	memcpy(slow->recv_sge, wqe->sge,
	       (size_t)wqe->num_sge * sizeof(*wqe->sge));
}

/* The data path trusts the pointer, as every provider does. */
int soft_post_srq_recv(struct ibv_srq *verbs, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr)
{
	struct soft_srq *srq = srq_cast(verbs);
	struct sd_adapter *adapter = srq->context->adapter;
	struct sd_recv_wqe *wqe;
	const struct ibv_recv_wr *head = wr;
	int err = 0;

	sd_adapter_lock(adapter);
	for (; wr; wr = wr->next) {
		uint64_t length;

		if (MUTANT_ACTS(M12, wr != head &&
					     ring_room(&srq->engine.ring) == 0))
			ring_pop(&srq->engine.ring);
		err = post_judge_recv(wr, srq->max_sge, &srq->engine.ring,
				      &length);
		if (MUTANT_ON(D91) && !err &&
		    ring_room(&srq->engine.ring) <= srq->engine.lost)
			err = ENOMEM;
		if (err) {
			*bad_wr = wr;
			break;
		}
		wqe = &srq->wqes[ring_push(&srq->engine.ring)];
		post_fill_recv(wqe, wr, length);
		if (MUTANT_ANY())
			srq_spoil(srq, wqe);
	}
	sd_adapter_unlock(adapter);
	return err;
}

void front_srq_limit(struct sd_srq *engine)
{
	struct soft_srq *srq = container_of(engine, struct soft_srq, engine);

	event_post(srq->context,
		   MUTANT_ACTS(D43, true) ? IBV_EVENT_SRQ_ERR
					  : IBV_EVENT_SRQ_LIMIT_REACHED,
		   srq);
}

void soft_srq_reap(struct soft_context *context)
{
	struct soft_srq *srq;
	uint32_t slot = 0;

	sd_adapter_lock(context->adapter);
	while ((srq = idtable_next(srq_handles(), &slot))) {
		if (srq->context == context)
			idtable_remove(srq_handles(), srq->verbs.handle);
	}
	sd_adapter_unlock(context->adapter);
}
