// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The dashboard's figures; its table is dashboard_print.c. */
#include "suite/oracle/dashboard.h"

#include <assert.h>
#include <string.h>

#include "base/verbs_names.h"

#define DASHBOARD_MAGIC UINT64_C(0x7662646173683031)

/* One writer, readers elsewhere: a whole value or the one before. */
#define dashboard_add(field, n)                                             \
	__atomic_store_n(&(field),                                          \
			 __atomic_load_n(&(field), __ATOMIC_RELAXED) + (n), \
			 __ATOMIC_RELAXED)
#define dashboard_set(field, value) \
	__atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
#define dashboard_get(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

struct dashboard *dashboard_init(void *area, size_t bytes)
{
	struct dashboard *d = area;

	assert((uintptr_t)area % 8 == 0);
	if (bytes < sizeof(*d))
		return NULL;
	memset(d, 0, sizeof(*d));
	d->magic = DASHBOARD_MAGIC;
	return d;
}

const struct dashboard *dashboard_attach(const void *area, size_t bytes)
{
	const struct dashboard *d = area;

	if ((uintptr_t)area % 8 != 0 || bytes < sizeof(*d) ||
	    d->magic != DASHBOARD_MAGIC)
		return NULL;
	return d;
}

struct dashboard_qp *dashboard_qp_open(struct dashboard *d, uint32_t end,
				       uint32_t qp_index, uint32_t qp_num,
				       uint32_t generation)
{
	struct dashboard_end *at;

	if (!d)
		return NULL;
	assert(end < DASHBOARD_ENDS);
	at = &d->ends[end];
	for (size_t i = 0; i < DASHBOARD_QPS_MAX; i++) {
		struct dashboard_qp *q = &at->qps[i];

		if (q->used)
			continue;
		*q = (struct dashboard_qp){
			.qp_num = qp_num,
			.qp_index = qp_index,
			.generation = generation,
			.believed = DASHBOARD_STATE_NONE,
			.queried = DASHBOARD_STATE_NONE,
		};
		__atomic_store_n(&q->used, 1, __ATOMIC_RELEASE);
		return q;
	}
	dashboard_add(at->qps_unseen, 1);
	return NULL;
}

void dashboard_qp_close(struct dashboard_qp *q)
{
	if (q)
		dashboard_set(q->used, 0);
}

struct dashboard_cq *dashboard_cq_open(struct dashboard *d, uint32_t end,
				       uint32_t id, uint32_t capacity)
{
	struct dashboard_end *at;

	if (!d)
		return NULL;
	assert(end < DASHBOARD_ENDS);
	at = &d->ends[end];
	for (size_t i = 0; i < DASHBOARD_CQS_MAX; i++) {
		struct dashboard_cq *c = &at->cqs[i];

		if (c->used)
			continue;
		*c = (struct dashboard_cq){ .id = id, .capacity = capacity };
		__atomic_store_n(&c->used, 1, __ATOMIC_RELEASE);
		return c;
	}
	dashboard_add(at->cqs_unseen, 1);
	return NULL;
}

void dashboard_cq_close(struct dashboard_cq *c)
{
	if (c)
		dashboard_set(c->used, 0);
}

void dashboard_qp_depths(struct dashboard_qp *q, uint32_t sq, uint32_t rq)
{
	if (!q)
		return;
	dashboard_set(q->sq_depth, sq);
	dashboard_set(q->rq_depth, rq);
}

void dashboard_qp_believed(struct dashboard_qp *q, enum ibv_qp_state state)
{
	if (q)
		dashboard_set(q->believed, (uint32_t)state);
}

void dashboard_qp_queried(struct dashboard_qp *q, enum ibv_qp_state state)
{
	if (q)
		dashboard_set(q->queried, (uint32_t)state);
}

void dashboard_sends_posted(struct dashboard_qp *q, uint64_t count)
{
	if (q)
		dashboard_add(q->sends_posted, count);
}

void dashboard_recvs_posted(struct dashboard_qp *q, uint64_t count)
{
	if (q)
		dashboard_add(q->recvs_posted, count);
}

static void dashboard_completion(struct dashboard_qp *q,
				 enum ibv_wc_status status)
{
	dashboard_add(q->completions, 1);
	if (status == IBV_WC_WR_FLUSH_ERR)
		dashboard_add(q->flushes, 1);
	else if (status != IBV_WC_SUCCESS)
		dashboard_add(q->errors, 1);
}

void dashboard_send_done(struct dashboard_qp *q, enum ibv_wc_status status,
			 uint64_t settled)
{
	if (!q)
		return;
	dashboard_completion(q, status);
	dashboard_add(q->sends_settled, settled);
}

void dashboard_recv_done(struct dashboard_qp *q, enum ibv_wc_status status)
{
	if (!q)
		return;
	dashboard_completion(q, status);
	dashboard_add(q->recvs_settled, 1);
}

void dashboard_stale(struct dashboard_qp *q)
{
	if (q)
		dashboard_add(q->stale, 1);
}

uint32_t dashboard_batch_bin(uint32_t got)
{
	if (got < 2)
		return got;
	/* 2 is bin 2, 3-4 bin 3, 5-8 bin 4, and so on. */
	for (uint32_t bin = 2; bin < DASHBOARD_BATCH_BINS - 1; bin++)
		if (got <= 2u << (bin - 2))
			return bin;
	return DASHBOARD_BATCH_BINS - 1;
}

const char *dashboard_batch_name(uint32_t bin)
{
	static const char *const names[DASHBOARD_BATCH_BINS] = {
		"0", "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-",
	};

	return bin < DASHBOARD_BATCH_BINS ? names[bin] : "?";
}

void dashboard_polled(struct dashboard_cq *c, uint32_t got)
{
	if (!c)
		return;
	dashboard_add(c->polls, 1);
	dashboard_add(c->completions, got);
	dashboard_add(c->batches[dashboard_batch_bin(got)], 1);
	if (got > c->batch_max)
		dashboard_set(c->batch_max, got);
}

void dashboard_cq_event(struct dashboard_cq *c)
{
	if (c)
		dashboard_add(c->events, 1);
}

void dashboard_async_event(struct dashboard *d, uint32_t end)
{
	if (d && end < DASHBOARD_ENDS)
		dashboard_add(d->ends[end].async_events, 1);
}

/* A reader may see the later of two counts first: never below zero. */
static uint64_t dashboard_left(uint64_t posted, uint64_t settled)
{
	return posted > settled ? posted - settled : 0;
}

uint64_t dashboard_rq_left(const struct dashboard_qp *q)
{
	return dashboard_left(dashboard_get(q->recvs_posted),
			      dashboard_get(q->recvs_settled));
}

uint64_t dashboard_sq_outstanding(const struct dashboard_qp *q)
{
	return dashboard_left(dashboard_get(q->sends_posted),
			      dashboard_get(q->sends_settled));
}

const char *dashboard_state_name(uint32_t state)
{
	if (state == DASHBOARD_STATE_NONE)
		return "-";
	return verbs_qp_state_name((enum ibv_qp_state)state);
}
