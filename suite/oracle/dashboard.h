/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The dashboard: what each end can tell at any moment, in memory that the
 * caller gives (a shared mapping: the runner shows it live and reads it after
 * a crash).  One writer an end; readers take a copy, exact only at rest.
 * Figures are as the suite saw them: a completion counts when it was polled.
 */
#ifndef SUITE_ORACLE_DASHBOARD_H
#define SUITE_ORACLE_DASHBOARD_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

#define DASHBOARD_ENDS	  2
#define DASHBOARD_QPS_MAX 64 /* an end; more are counted, not shown */
#define DASHBOARD_CQS_MAX 16 /* an end */
/* Poll batches of 0, 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64, 65-... */
#define DASHBOARD_BATCH_BINS 9
#define DASHBOARD_STATE_NONE UINT32_MAX /* not known, not asked yet */

struct dashboard_qp {
	uint32_t used;
	uint32_t qp_num;
	uint32_t qp_index;
	uint32_t generation;
	uint32_t sq_depth, rq_depth;	      /* as created */
	uint32_t believed, queried;	      /* enum ibv_qp_state */
	uint64_t sends_posted, sends_settled; /* silent ones included */
	uint64_t recvs_posted, recvs_settled;
	uint64_t completions; /* polled, both queues */
	uint64_t errors;      /* of them, status not SUCCESS nor WR_FLUSH_ERR */
	uint64_t flushes;
	uint64_t stale;
};

struct dashboard_cq {
	uint32_t used;
	uint32_t id;
	uint32_t capacity;
	uint32_t batch_max; /* largest batch polled */
	uint64_t polls;
	uint64_t completions;
	uint64_t batches[DASHBOARD_BATCH_BINS];
	uint64_t events; /* taken from the channel */
};

struct dashboard_end {
	struct dashboard_qp qps[DASHBOARD_QPS_MAX];
	struct dashboard_cq cqs[DASHBOARD_CQS_MAX];
	uint64_t qps_unseen; /* QPs beyond the table */
	uint64_t cqs_unseen;
	uint64_t async_events;
};

struct dashboard {
	uint64_t magic;
	struct dashboard_end ends[DASHBOARD_ENDS];
};

/* Lay an empty one into @area, aligned to 8; NULL: @bytes are too few. */
struct dashboard *dashboard_init(void *area, size_t bytes) MUST_USE;
/* One that another process wrote; NULL: there is none. */
const struct dashboard *dashboard_attach(const void *area,
					 size_t bytes) MUST_USE;

/* A row for a QP or CQ; NULL when the table is full (counted), and NULL is
 * taken by every function below as "not shown". */
struct dashboard_qp *dashboard_qp_open(struct dashboard *d, uint32_t end,
				       uint32_t qp_index, uint32_t qp_num,
				       uint32_t generation);
void dashboard_qp_close(struct dashboard_qp *q);
struct dashboard_cq *dashboard_cq_open(struct dashboard *d, uint32_t end,
				       uint32_t id, uint32_t capacity);
void dashboard_cq_close(struct dashboard_cq *c);

void dashboard_qp_depths(struct dashboard_qp *q, uint32_t sq, uint32_t rq);
void dashboard_qp_believed(struct dashboard_qp *q, enum ibv_qp_state state);
void dashboard_qp_queried(struct dashboard_qp *q, enum ibv_qp_state state);
void dashboard_sends_posted(struct dashboard_qp *q, uint64_t count);
void dashboard_recvs_posted(struct dashboard_qp *q, uint64_t count);
/* @settled: work requests that the completion settled, 1 and the silent. */
void dashboard_send_done(struct dashboard_qp *q, enum ibv_wc_status status,
			 uint64_t settled);
void dashboard_recv_done(struct dashboard_qp *q, enum ibv_wc_status status);
void dashboard_stale(struct dashboard_qp *q);
/* One ibv_poll_cq() that gave @got completions. */
void dashboard_polled(struct dashboard_cq *c, uint32_t got);
void dashboard_cq_event(struct dashboard_cq *c);
void dashboard_async_event(struct dashboard *d, uint32_t end);

/* Receives left for the peer's messages, sends outstanding. */
uint64_t dashboard_rq_left(const struct dashboard_qp *q);
uint64_t dashboard_sq_outstanding(const struct dashboard_qp *q);
/* Bin of a batch: 0..DASHBOARD_BATCH_BINS-1, and its name: "3-4". */
uint32_t dashboard_batch_bin(uint32_t got);
const char *dashboard_batch_name(uint32_t bin);
/* "RTS", "-" for DASHBOARD_STATE_NONE. */
const char *dashboard_state_name(uint32_t state);

/* One table for people; at most @rows_max QPs an end, then "and n more". */
void dashboard_print(const struct dashboard *d, uint32_t rows_max,
		     struct strbuf *out);

#endif
