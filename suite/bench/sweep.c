// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The combinations of a sweep, one measured, and the knee in words. */
#include "suite/bench/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "suite/bench/session.h"

/* So much of the best is as good as the best. */
#define SWEEP_ENOUGH 0.9
/* So much of the traffic refused is back-pressure and no accident. */
#define SWEEP_RNR_PART 0.05
/* So much less is a loss. */
#define SWEEP_LOSS 0.1

uint64_t sweep_count(const struct sweep_axes *axes)
{
	return (uint64_t)axes->sizes.count * axes->qps.count *
	       axes->batches.count * axes->rq_depths.count *
	       axes->inflights.count;
}

static uint32_t sweep_take(const struct vb_sizes *axis, uint64_t *number)
{
	uint32_t value = axis->bytes[*number % axis->count];

	*number /= axis->count;
	return value;
}

void sweep_cell_at(const struct sweep_axes *axes, uint64_t number,
		   struct sweep_cell *cell)
{
	*cell = (struct sweep_cell){ 0 };
	cell->inflight = sweep_take(&axes->inflights, &number);
	cell->rq_depth = sweep_take(&axes->rq_depths, &number);
	cell->batch = sweep_take(&axes->batches, &number);
	cell->qps = sweep_take(&axes->qps, &number);
	cell->size = sweep_take(&axes->sizes, &number);
}

static void sweep_fill(const struct traffic_program *p,
		       struct traffic_result *results[SESSION_ENDS],
		       struct sweep_cell *cell)
{
	struct histogram *latency = &results[0]->latency;

	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *r = results[end];
		bool reads = p->mix[TRAFFIC_READ] > 0;
		double wall_s = (double)r->wall_ns / NS_PER_S;

		if (r->wall_ns == 0)
			continue;
		cell->messages += reads ? r->sent : r->received;
		cell->messages_per_s +=
			(double)(reads ? r->sent : r->received) / wall_s;
		cell->bytes_per_s +=
			(double)(reads ? r->sent_bytes : r->received_bytes) /
			wall_s;
		/* A device tells the requester, or only the responder. */
		cell->rnr += r->rnr;
		cell->retries += r->retries;
	}
	if (cell->rnr == 0)
		cell->rnr = results[0]->rnr_sent + results[1]->rnr_sent;
	cell->p50_us = (double)histogram_percentile(latency, 50) / NS_PER_US;
	cell->p99_us = (double)histogram_percentile(latency, 99) / NS_PER_US;
}

int sweep_measure(const struct traffic_program *base, struct sweep_cell *cell,
		  struct strbuf *error)
{
	struct traffic_result *results[SESSION_ENDS];
	struct traffic_program p = *base;
	int err;

	p.qps = cell->qps;
	p.batch = cell->batch;
	p.rq_depth = cell->rq_depth;
	p.inflight = cell->inflight;
	p.sizes = (struct vb_sizes){ .kind = VB_SIZES_LIST,
				     .count = 1,
				     .bytes = { cell->size } };
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		results[end] = calloc(1, sizeof(*results[end]));
		if (!results[end])
			abort();
	}
	err = session_run(&p, results, error);
	sweep_fill(&p, results, cell);
	for (uint32_t end = 0; end < SESSION_ENDS && !err; end++) {
		if (results[end]->findings_count == 0)
			continue;
		strbuf_addf(error, "%s: %s", results[end]->findings[0].kind,
			    results[end]->findings[0].text);
		err = -EIO;
	}
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		free(results[end]);
	return err;
}

static bool sweep_pressed(const struct sweep_cell *c)
{
	return (double)c->rnr > SWEEP_RNR_PART * (double)c->messages &&
	       c->rnr > 2;
}

/* From where on more in flight brings no more. */
static void sweep_words_enough(const struct sweep_cell *cells, uint32_t count,
			       double best, struct strbuf *out)
{
	double last = cells[count - 1].messages_per_s;
	uint32_t i = 0;

	while (i + 1 < count && cells[i].messages_per_s < SWEEP_ENOUGH * best)
		i++;
	if (i + 1 == count)
		strbuf_addf(out,
			    "throughput still grows at %u in flight "
			    "(%.0f msg/s): no knee is in sight",
			    cells[i].inflight, cells[i].messages_per_s);
	else
		strbuf_addf(out,
			    "%u in flight reach %.0f msg/s, and more bring "
			    "%s (%.0f with %u)",
			    cells[i].inflight, cells[i].messages_per_s,
			    last < SWEEP_ENOUGH * best ? "less" : "little",
			    last, cells[count - 1].inflight);
}

static void sweep_words_pressure(const struct sweep_cell *cells, uint32_t count,
				 double best, struct strbuf *out)
{
	uint32_t from = 0;
	double least = best;

	while (from < count && !sweep_pressed(&cells[from]))
		from++;
	if (from == count) {
		strbuf_add(out, "; receivers are always ready");
		return;
	}
	for (uint32_t i = from; i < count; i++)
		if (cells[i].messages_per_s < least)
			least = cells[i].messages_per_s;
	strbuf_addf(out,
		    "; receivers are not ready from %u in flight on%s: %" PRIu64
		    " RNR NAKs for %" PRIu64 " messages",
		    cells[from].inflight,
		    cells[from].inflight > cells[from].rq_depth
			    ? ", which is more than the receive queue holds"
			    : "",
		    cells[from].rnr, cells[from].messages);
	if (least < best * (1 - SWEEP_LOSS))
		strbuf_addf(out, ", and throughput falls by up to %.0f%%",
			    100 * (1 - least / best));
}

void sweep_words(const struct sweep_cell *cells, uint32_t count,
		 struct strbuf *out)
{
	double best = 0;

	if (count == 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		if (cells[i].messages_per_s > best)
			best = cells[i].messages_per_s;
	strbuf_addf(out,
		    "%u bytes, %u qps, batch %u, RQ depth %u: ", cells[0].size,
		    cells[0].qps, cells[0].batch, cells[0].rq_depth);
	sweep_words_enough(cells, count, best, out);
	sweep_words_pressure(cells, count, best, out);
}

const char *sweep_csv_head(void)
{
	return "size,qps,batch,rq_depth,inflight,bytes_per_s,messages_per_s,"
	       "messages,rnr,retries,p50_us,p99_us";
}

void sweep_csv_row(const struct sweep_cell *c, struct strbuf *out)
{
	strbuf_addf(out,
		    "%u,%u,%u,%u,%u,%.0f,%.1f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
		    ",%.3f,%.3f",
		    c->size, c->qps, c->batch, c->rq_depth, c->inflight,
		    c->bytes_per_s, c->messages_per_s, c->messages, c->rnr,
		    c->retries, c->p50_us, c->p99_us);
}
