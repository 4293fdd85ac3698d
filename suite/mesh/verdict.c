// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From what both ends of a pair found to a verdict on it. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/process.h"
#include "suite/mesh/judge.h"

static void verdict_end(const struct mesh_matrix *m,
			const struct mesh_cell *cell, uint32_t end,
			struct strbuf *out)
{
	strbuf_addf(out, "end %c, ", 'a' + (int)end);
	mesh_rank_text(m, end ? cell->pair.b : cell->pair.a, out);
	strbuf_add(out, ": ");
}

static bool verdict_finding(const struct mesh_matrix *m,
			    const struct mesh_found *f, uint32_t end,
			    const struct mesh_cell *cell, struct strbuf *why)
{
	const struct traffic_result *r = f->result[end];

	if (!r->findings_count)
		return false;
	verdict_end(m, cell, end, why);
	strbuf_addf(why, "%s: %s", r->findings[0].kind, r->findings[0].text);
	if (r->findings_total > 1)
		strbuf_addf(why, " (%" PRIu64 " findings)", r->findings_total);
	return true;
}

static bool verdict_death(const struct mesh_matrix *m,
			  const struct mesh_found *f, uint32_t end,
			  const struct mesh_cell *cell, struct strbuf *why)
{
	char text[PROCESS_DEATH_MAX];

	if (!WIFSIGNALED(f->status[end]))
		return false;
	/* That was the judge's doing, and is no reason. */
	if (f->ended && WTERMSIG(f->status[end]) == SIGKILL)
		return false;
	verdict_end(m, cell, end, why);
	strbuf_addf(why, "its process %s", process_death(f->status[end], text));
	return true;
}

static bool verdict_error(const struct mesh_matrix *m,
			  const struct mesh_found *f, uint32_t end,
			  const struct mesh_cell *cell, struct strbuf *why)
{
	const struct traffic_result *r = f->result[end];

	if (!r->err && !f->status[end])
		return false;
	verdict_end(m, cell, end, why);
	strbuf_add(why, r->err && r->error[0] ? r->error
			: r->err	      ? strerror(-r->err)
					      : "its process failed");
	return true;
}

/* The one who knows most is believed first: who found something, who died, for
 * which reason the judge ended it, who failed. */
static enum vb_verdict verdict_fault(const struct mesh_matrix *m,
				     const struct mesh_found *f,
				     const struct mesh_cell *cell,
				     struct strbuf *why)
{
	for (uint32_t end = 0; end < 2; end++)
		if (verdict_death(m, f, end, cell, why))
			return VB_FAIL;
	for (uint32_t end = 0; end < 2; end++)
		if (verdict_finding(m, f, end, cell, why))
			return VB_FAIL;
	if (f->ended) {
		strbuf_add(why, f->ended);
		return VB_FAIL;
	}
	/* What could not begin says nothing about the wire. */
	for (uint32_t end = 0; end < 2; end++)
		if (!f->ready[end] && verdict_error(m, f, end, cell, why))
			return VB_BROKEN;
	for (uint32_t end = 0; end < 2; end++)
		if (verdict_error(m, f, end, cell, why))
			return VB_FAIL;
	return traffic_reconcile(f->result[0], f->result[1], why) ? VB_FAIL
								  : VB_PASS;
}

static void verdict_figures(const struct mesh_found *f, enum mesh_leg leg,
			    struct mesh_cell *cell)
{
	const struct histogram *h = &f->result[0]->latency;

	for (int end = 0; end < 2; end++)
		for (uint32_t i = 0; i < f->result[end]->qps; i++)
			cell->messages += f->result[end]->rx[i].messages;
	if (leg == MESH_LATENCY) {
		cell->trips = h->count;
		cell->p50_ns = histogram_percentile(h, 50);
		cell->p99_ns = histogram_percentile(h, 99);
		cell->max_ns = h->max;
		return;
	}
	for (int way = 0; way < 2; way++) {
		const struct traffic_result *to = f->result[!way];
		const struct traffic_result *from = f->result[way];
		bool reads = from->tx[0].ops[TRAFFIC_READ] > 0;
		/* Of a READ only the reader can tell when it came. */
		const struct traffic_result *r = reads ? from : to;
		double seconds = (double)r->wall_ns / (double)NS_PER_S;

		if (seconds <= 0)
			continue;
		cell->bytes_s[way] =
			(double)(reads ? r->sent_bytes : r->received_bytes) /
			seconds;
		cell->messages_s[way] =
			(double)(reads ? r->sent : r->received) / seconds;
	}
}

void mesh_verdict(const struct mesh_matrix *m, const struct mesh_found *f,
		  enum mesh_leg leg, struct mesh_cell *cell)
{
	static const char *const legs[] = { "throughput", "latency" };
	struct strbuf why = STRBUF_INIT;

	cell->verdict = verdict_fault(m, f, cell, &why);
	if (cell->verdict == VB_PASS) {
		verdict_figures(f, leg, cell);
		/* Verified traffic that moved nothing proves nothing. */
		if (!cell->messages) {
			cell->verdict = VB_BROKEN;
			strbuf_add(&why, "no message was exchanged");
		}
	}
	if (cell->verdict != VB_PASS)
		snprintf(cell->reason, sizeof(cell->reason), "%s: %s",
			 legs[leg], strbuf_text(&why));
	strbuf_free(&why);
}
