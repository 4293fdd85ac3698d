// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The dashboard as one table for people. */
#include <inttypes.h>
#include <stdio.h>

#include "suite/oracle/dashboard.h"

static void dashboard_qp_print(char end, const struct dashboard_qp *q,
			       struct strbuf *out)
{
	char name[32], sq[32], rq[32];

	snprintf(name, sizeof(name), "%c qp%u", end, q->qp_index);
	snprintf(sq, sizeof(sq), "%" PRIu64 "/%u", dashboard_sq_outstanding(q),
		 q->sq_depth);
	snprintf(rq, sizeof(rq), "%" PRIu64 "/%u", dashboard_rq_left(q),
		 q->rq_depth);
	strbuf_addf(out,
		    "%-8s 0x%-8x %4u %-8s %-8s %10s %10s %11" PRIu64
		    " %7" PRIu64 " %8" PRIu64 " %6" PRIu64 "\n",
		    name, q->qp_num, q->generation,
		    dashboard_state_name(q->believed),
		    dashboard_state_name(q->queried), sq, rq, q->completions,
		    q->errors, q->flushes, q->stale);
}

static void dashboard_cq_print(char end, const struct dashboard_cq *c,
			       struct strbuf *out)
{
	strbuf_addf(out,
		    "%c cq%u: room for %u, %" PRIu64 " polled in %" PRIu64
		    " polls, %" PRIu64 " events; batches",
		    end, c->id, c->capacity, c->completions, c->polls,
		    c->events);
	for (uint32_t bin = 0; bin < DASHBOARD_BATCH_BINS; bin++)
		if (c->batches[bin])
			strbuf_addf(out, " %s:%" PRIu64,
				    dashboard_batch_name(bin), c->batches[bin]);
	strbuf_add(out, "\n");
}

static void dashboard_end_print(const struct dashboard_end *end, char name,
				uint32_t rows_max, struct strbuf *out)
{
	uint64_t more = end->qps_unseen;
	uint32_t rows = 0;

	for (size_t i = 0; i < DASHBOARD_QPS_MAX; i++) {
		if (!end->qps[i].used)
			continue;
		if (rows < rows_max)
			dashboard_qp_print(name, &end->qps[i], out);
		else
			more++;
		rows++;
	}
	if (more > 0)
		strbuf_addf(out, "%c and %" PRIu64 " more\n", name, more);
}

void dashboard_print(const struct dashboard *d, uint32_t rows_max,
		     struct strbuf *out)
{
	strbuf_addf(out,
		    "%-8s %-10s %4s %-8s %-8s %10s %10s %11s %7s %8s %6s\n",
		    "qp", "qp_num", "gen", "believed", "queried", "sq out",
		    "rq left", "completions", "errors", "flushes", "stale");
	for (uint32_t end = 0; end < DASHBOARD_ENDS; end++)
		dashboard_end_print(&d->ends[end], (char)('a' + (int)end),
				    rows_max, out);
	for (uint32_t end = 0; end < DASHBOARD_ENDS; end++) {
		const struct dashboard_end *at = &d->ends[end];

		for (size_t i = 0; i < DASHBOARD_CQS_MAX; i++)
			if (at->cqs[i].used)
				dashboard_cq_print((char)('a' + (int)end),
						   &at->cqs[i], out);
		if (at->async_events)
			strbuf_addf(out, "%c: %" PRIu64 " async events\n",
				    'a' + (int)end, at->async_events);
	}
}
