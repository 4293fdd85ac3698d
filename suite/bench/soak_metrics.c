// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Families of a soak, from what the ends show and what became of them. */
#include "suite/bench/soak_metrics.h"

#include <stdio.h>

#include "base/clock.h"

enum {
	/* More queue pairs than that are not told one by one. */
	SOAK_METRICS_QPS_MAX = 64,
};

/* Bounds of the latency's buckets: a number has one spelling in all texts. */
static const struct {
	uint64_t ns;
	const char *seconds;
} soak_buckets[] = {
	{ 1000, "1e-06" },	 { 2000, "2e-06" },	{ 5000, "5e-06" },
	{ 10000, "1e-05" },	 { 20000, "2e-05" },	{ 50000, "5e-05" },
	{ 100000, "0.0001" },	 { 200000, "0.0002" },	{ 500000, "0.0005" },
	{ 1000000, "0.001" },	 { 2000000, "0.002" },	{ 5000000, "0.005" },
	{ 10000000, "0.01" },	 { 20000000, "0.02" },	{ 50000000, "0.05" },
	{ 100000000, "0.1" },	 { 200000000, "0.2" },	{ 500000000, "0.5" },
	{ 1000000000, "1.0" },	 { 2000000000, "2.0" }, { 5000000000, "5.0" },
	{ 10000000000, "10.0" },
};

static const char *const soak_end_names[SESSION_ENDS] = { "a", "b" };

static void soak_metrics_head(const struct soak_metrics *m,
			      struct metrics_text *t)
{
	const struct soak *s = m->soak;
	bool failed = m->outcome && m->outcome->failed;

	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		if (s->session.live[end]->findings)
			failed = true;
	metrics_family(t, METRICS_TARGET);
	metrics_sample(t, 1, "command", "soak", "device", s->program->device,
		       "kind", m->kind, "version", VB_VERSION, NULL);
	metrics_family(t, METRICS_START);
	metrics_sample(t, (double)m->started_s, NULL);
	metrics_family(t, METRICS_FINISHED);
	metrics_sample(t, m->outcome != NULL, NULL);
	metrics_family(t, METRICS_FAILED);
	metrics_sample(t, failed, NULL);
}

/* A number that the end shows, by its place in struct traffic_live. */
static double soak_metrics_shown(const struct soak *s, uint32_t end,
				 size_t offset)
{
	const char *live = (const char *)s->session.live[end];

	return (double)*(const uint64_t *)(live + offset);
}

/* What goes, and what comes. */
static void soak_metrics_ways(const struct soak *s, struct metrics_text *t,
			      enum metrics_name name, size_t out, size_t in)
{
	metrics_family(t, name);
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		metrics_sample(t, soak_metrics_shown(s, end, out), "end",
			       soak_end_names[end], "direction", "sent", NULL);
		metrics_sample(t, soak_metrics_shown(s, end, in), "end",
			       soak_end_names[end], "direction", "received",
			       NULL);
	}
}

static void soak_metrics_each(const struct soak *s, struct metrics_text *t,
			      enum metrics_name name, size_t offset)
{
	metrics_family(t, name);
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		metrics_sample(t, soak_metrics_shown(s, end, offset), "end",
			       soak_end_names[end], NULL);
}

static void soak_metrics_process(const struct soak *s, struct metrics_text *t)
{
	metrics_family(t, METRICS_MEMORY);
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		metrics_sample(t, s->ends[end].now.drift.memory_bytes, "end",
			       soak_end_names[end], NULL);
	metrics_family(t, METRICS_DESCRIPTORS);
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		metrics_sample(t, s->ends[end].now.drift.descriptors, "end",
			       soak_end_names[end], NULL);
}

static void soak_metrics_qps(const struct soak *s, struct metrics_text *t)
{
	if (s->program->qps > SOAK_METRICS_QPS_MAX)
		return;
	metrics_family(t, METRICS_QP_MESSAGES);
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *r = s->session.results[end];

		for (uint32_t i = 0; i < s->program->qps; i++) {
			char qp[12];

			snprintf(qp, sizeof(qp), "%u", i);
			metrics_sample(t, (double)r->tx[i].messages, "end",
				       soak_end_names[end], "qp", qp,
				       "direction", "sent", NULL);
			metrics_sample(t, (double)r->rx[i].messages, "end",
				       soak_end_names[end], "qp", qp,
				       "direction", "received", NULL);
		}
	}
}

/* It is written meanwhile: the sum of what is read is what is told. */
static void soak_metrics_latency(const struct soak *s, struct metrics_text *t)
{
	metrics_family(t, METRICS_LATENCY);
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct histogram *h = &s->session.live[end]->latency;
		uint64_t count = 0;
		uint32_t at = 0;

		for (size_t i = 0; i < ARRAY_SIZE(soak_buckets); i++) {
			for (; at < HISTOGRAM_BUCKETS &&
			       histogram_upper(at) <= soak_buckets[i].ns;
			     at++)
				count += h->buckets[at];
			metrics_part(t, "_bucket", (double)count, "end",
				     soak_end_names[end], "le",
				     soak_buckets[i].seconds, NULL);
		}
		for (; at < HISTOGRAM_BUCKETS; at++)
			count += h->buckets[at];
		metrics_part(t, "_bucket", (double)count, "end",
			     soak_end_names[end], "le", "+Inf", NULL);
		metrics_part(t, "_count", (double)count, "end",
			     soak_end_names[end], NULL);
		metrics_part(t, "_sum", (double)h->sum / NS_PER_S, "end",
			     soak_end_names[end], NULL);
	}
}

static void soak_metrics_drifts(const struct soak_metrics *m,
				struct metrics_text *t)
{
	metrics_family(t, METRICS_DRIFTS);
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		for (int kind = 0; kind < DRIFTS; kind++) {
			double found = 0;

			for (size_t i = 0;
			     m->outcome && i < m->outcome->drift_count[end];
			     i++)
				found += (int)m->outcome->drifts[end][i].kind ==
					 kind;
			metrics_sample(t, found, "end", soak_end_names[end],
				       "kind",
				       drift_kind_name((enum drift_kind)kind),
				       NULL);
		}
}

void soak_metrics_fill(void *arg, struct metrics_text *t)
{
#define AT(field) offsetof(struct traffic_live, field)
	static const struct {
		enum metrics_name name;
		size_t out, in;
	} ways[] = {
		{ METRICS_MESSAGES, AT(sent), AT(received) },
		{ METRICS_MESSAGE_BYTES, AT(sent_bytes), AT(received_bytes) },
		{ METRICS_RNR, AT(rnr_sent), AT(rnr) },
	};
	static const struct {
		enum metrics_name name;
		size_t offset;
	} each[] = {
		{ METRICS_COMPLETIONS, AT(completions) },
		{ METRICS_POLLS, AT(polls) },
		{ METRICS_RETRIES, AT(retries) },
		{ METRICS_FINDINGS, AT(findings) },
		{ METRICS_GENERATION, AT(generation) },
		{ METRICS_OUTSTANDING, AT(outstanding) },
		{ METRICS_RECEIVES, AT(receives_posted) },
		{ METRICS_WAITING, AT(backlog) },
	};
#undef AT
	const struct soak_metrics *m = arg;

	soak_metrics_head(m, t);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		soak_metrics_ways(m->soak, t, ways[i].name, ways[i].out,
				  ways[i].in);
	for (size_t i = 0; i < ARRAY_SIZE(each); i++)
		soak_metrics_each(m->soak, t, each[i].name, each[i].offset);
	soak_metrics_qps(m->soak, t);
	soak_metrics_process(m->soak, t);
	soak_metrics_latency(m->soak, t);
	soak_metrics_drifts(m, t);
}
