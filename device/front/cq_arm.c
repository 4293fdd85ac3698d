// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Arming a completion queue: one event on its channel, for the next entry that
 * is added, or at once for one that came while it was not armed, and was not
 * polled.  The latter is the device's choice (ibv_get_cq_event(3) has programs
 * poll again after they have armed); adapters in hardware make it, and there are
 * programs that never learnt to do without, UCX among them, which sleep for ever
 * otherwise.  But no entry is told of twice: perftest arms before it polls, and
 * takes each event for another completion.
 */
#include "device/front/channel.h"
#include "device/front/cq.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"

void cq_disarm(struct soft_cq *cq)
{
	if (cq->armed == SOFT_CQ_NOT_ARMED)
		return;
	cq->armed = SOFT_CQ_NOT_ARMED;
	adapter_armed(cq->context->adapter, -1);
}

void cq_notify(struct soft_cq *cq, bool solicited)
{
	if (cq->armed == SOFT_CQ_NOT_ARMED ||
	    (cq->armed == SOFT_CQ_ARMED_SOLICITED && !solicited))
		return;
	cq_disarm(cq);
	cq->untold = 0;
	if (!MUTANT_ACTS(M18, mutant_window_is_open(MUTANT_M18, cq)))
		channel_post(cq->channel, cq);
}

static void cq_notify_of_untold(struct soft_cq *cq)
{
	uint32_t count = cq->ring.count;
	uint32_t untold = cq->untold < count ? cq->untold : count;

	for (uint32_t i = count - untold;
	     i < count && cq->armed != SOFT_CQ_NOT_ARMED; i++)
		cq_notify(cq, cq->entries[ring_at(&cq->ring, i)].solicited);
}

int soft_req_notify_cq(struct ibv_cq *verbs, int solicited_only)
{
	struct soft_cq *cq = soft_cq_cast(verbs);
	struct sd_adapter *adapter = cq->context->adapter;

	/* Nobody could be told. */
	if (!cq->channel)
		return 0;
	sd_adapter_lock(adapter);
	if (MUTANT_ACTS(D17, cq->polled > cq->ring.size)) {
		cq->polled = 0;
		sd_adapter_unlock(adapter);
		return 0;
	}
	cq->polled = 0;
	if (cq->armed == SOFT_CQ_NOT_ARMED)
		adapter_armed(adapter, 1);
	/* "any" widens "solicited" and is not narrowed by it. */
	if (!solicited_only)
		cq->armed = SOFT_CQ_ARMED_ANY;
	else if (cq->armed == SOFT_CQ_NOT_ARMED)
		cq->armed = SOFT_CQ_ARMED_SOLICITED;
	cq_notify_of_untold(cq);
	if (MUTANT_ON(M18) && cq->armed != SOFT_CQ_NOT_ARMED)
		mutant_window_open(MUTANT_M18, cq);
	sd_adapter_unlock(adapter);
	return 0;
}
