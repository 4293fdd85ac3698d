// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looking at both ends each second, and the verdict at the end. */
#include "suite/bench/soak.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum {
	SOAK_LOOK_MS = 1000,
	/* Beyond its time: settling, and closing. */
	SOAK_GRACE_MS = 60000,
};

static void soak_latency(const struct traffic_live *now,
			 const struct traffic_live *before,
			 struct soak_sample *out)
{
	struct histogram *h = malloc(sizeof(*h));

	if (!h)
		abort();
	/* After the warm-up it begins anew. */
	if (now->latency.count < before->latency.count)
		*h = now->latency;
	else
		histogram_since(&now->latency, &before->latency, h);
	out->latency_count = h->count;
	out->p50_us = (double)histogram_percentile(h, 50) / NS_PER_US;
	out->p99_us = (double)histogram_percentile(h, 99) / NS_PER_US;
	out->p999_us = (double)histogram_percentile(h, 99.9) / NS_PER_US;
	out->max_us = (double)h->max / NS_PER_US;
	free(h);
}

static uint64_t soak_more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void soak_rates(const struct traffic_live *now,
		       const struct traffic_live *before, double elapsed_s,
		       struct soak_sample *out)
{
	uint64_t polls = soak_more(now->polls, before->polls);

	out->sent_rate = (double)soak_more(now->sent, before->sent) / elapsed_s;
	out->received_rate =
		(double)soak_more(now->received, before->received) / elapsed_s;
	out->sent_bytes_rate =
		(double)soak_more(now->sent_bytes, before->sent_bytes) /
		elapsed_s;
	out->received_bytes_rate =
		(double)soak_more(now->received_bytes, before->received_bytes) /
		elapsed_s;
	if (polls)
		out->batch = (double)soak_more(now->completions,
					       before->completions) /
			     (double)polls;
	out->rnr = soak_more(now->rnr, before->rnr);
	out->rnr_sent = soak_more(now->rnr_sent, before->rnr_sent);
	out->retries = soak_more(now->retries, before->retries);
}

static void soak_keep(struct soak_end *e, const struct drift_sample *sample)
{
	if (e->count == e->room) {
		e->room = e->room ? 2 * e->room : 1024;
		e->series = realloc(e->series, e->room * sizeof(*e->series));
		if (!e->series)
			abort();
	}
	e->series[e->count++] = *sample;
}

/* READs and WRITEs move without the other end's doing. */
static bool soak_moving(const struct traffic_program *p, uint32_t end,
			const struct soak_sample *x)
{
	bool passive = p->mix[TRAFFIC_READ] > 0;

	return (!traffic_sends(p, end) || x->sent_rate > 0) &&
	       (passive || !traffic_sends(p, !end) || x->received_rate > 0);
}

/* How long has the host kept each end from running since the look before?  Of
 * rates the worse counts for both, for each waits for the other. */
static double soak_starved(struct soak *s)
{
	double worst_s = 0;

	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		struct soak_end *e = &s->ends[end];
		uint64_t now_ns = session_starved(&s->session, end);

		e->starved_s =
			(double)soak_more(now_ns, e->starved_ns) / NS_PER_S;
		e->starved_ns = now_ns;
		if (e->starved_s > worst_s)
			worst_s = e->starved_s;
	}
	return worst_s;
}

static void soak_look(struct soak *s, uint32_t end, double starved_s,
		      bool ending)
{
	struct soak_end *e = &s->ends[end];
	struct traffic_live *now = malloc(sizeof(*now));
	struct soak_sample *x = &e->now;
	uint64_t now_ns = clock_now_ns();
	double elapsed_s = (double)(now_ns - e->last_ns) / NS_PER_S;
	uint64_t memory_bytes, descriptors;

	if (!now)
		abort();
	/* It is written meanwhile: each number is whole, and that will do. */
	memcpy(now, s->session.live[end], sizeof(*now));
	*x = (struct soak_sample){
		.batch_max = now->batch_max,
		.backlog = now->backlog,
		.outstanding = now->outstanding,
		.receives_posted = now->receives_posted,
		.generation = now->generation,
		.findings = now->findings,
	};
	soak_rates(now, e->last, elapsed_s, x);
	soak_latency(now, e->last, x);
	session_usage(&s->session, end, &memory_bytes, &descriptors);
	x->drift = (struct drift_sample){
		.at_s = s->at_s,
		.backlog = (double)now->backlog,
		.memory_bytes = (double)memory_bytes,
		.descriptors = (double)descriptors,
		.messages = (x->sent_rate + x->received_rate) * elapsed_s,
		.elapsed_s = elapsed_s,
		.starved_s = starved_s,
		.moving = soak_moving(s->program, end, x),
		.idle = now->started_ns == 0 || now->done || ending ||
			now->generation != e->last->generation,
	};
	if (!x->drift.idle)
		soak_keep(e, &x->drift);
	free(e->last);
	e->last = now;
	e->last_ns = now_ns;
}

static json_t *soak_sample_json(const struct soak_end *e)
{
	const struct soak_sample *x = &e->now;

	return json_pack(
		"{s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:f, s:f, s:f, s:{s:I, s:f, s:f, s:f, s:f}}",
		"sent_per_s", x->sent_rate, "received_per_s", x->received_rate,
		"sent_bytes_per_s", x->sent_bytes_rate, "received_bytes_per_s",
		x->received_bytes_rate, "poll_batch", x->batch,
		"poll_batch_max", (json_int_t)x->batch_max, "cq_occupancy",
		(json_int_t)x->backlog, "outstanding",
		(json_int_t)x->outstanding, "rq_depth",
		(json_int_t)x->receives_posted, "rnr_received",
		(json_int_t)x->rnr, "rnr_sent", (json_int_t)x->rnr_sent,
		"retries", (json_int_t)x->retries, "generation",
		(json_int_t)x->generation, "findings", (json_int_t)x->findings,
		"memory_bytes", x->drift.memory_bytes, "fds",
		x->drift.descriptors, "starved_s", e->starved_s, "latency_us",
		"count", (json_int_t)x->latency_count, "p50", x->p50_us, "p99",
		x->p99_us, "p99.9", x->p999_us, "max", x->max_us);
}

static void soak_write(struct soak *s, json_t *line)
{
	json_dumpf(line, s->file, JSON_COMPACT);
	fputc('\n', s->file);
	/* What is known when it is cut off is on the disk. */
	fflush(s->file);
	json_decref(line);
}

int soak_start(struct soak *s, const struct traffic_program *p, FILE *file,
	       json_t *settings, json_t *here, struct strbuf *error)
{
	int err;

	*s = (struct soak){ .program = p, .file = file };
	err = session_start(p, &s->session, error);
	if (err)
		return err;
	s->started_ns = clock_now_ns();
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		s->ends[end].last = calloc(1, sizeof(struct traffic_live));
		if (!s->ends[end].last)
			abort();
		s->ends[end].last_ns = s->started_ns;
	}
	soak_write(s, json_pack("{s:s, s:I, s:O, s:O}", "event", "soak_start",
				"seed", (json_int_t)p->seed, "settings",
				settings, "here", here));
	return 0;
}

bool soak_step(struct soak *s)
{
	uint64_t duration_ns = s->program->warm_up_ns + s->program->duration_ns;
	double starved_s;
	bool ending;

	if (session_wait(&s->session, SOAK_LOOK_MS))
		return true;
	s->at_s = (double)(clock_now_ns() - s->started_ns) / NS_PER_S;
	ending = s->at_s * NS_PER_S > (double)duration_ns;
	starved_s = soak_starved(s);
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		soak_look(s, end, starved_s, ending);
	soak_write(s,
		   json_pack("{s:s, s:f, s:o, s:o}", "event", "sample", "at_s",
			     s->at_s, "a", soak_sample_json(&s->ends[0]), "b",
			     soak_sample_json(&s->ends[1])));
	return false;
}

static void soak_sum(const struct soak *s, struct soak_outcome *out)
{
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *r = s->session.results[end];
		const struct traffic_live *live = s->session.live[end];

		out->messages += live->received;
		out->bytes += live->received_bytes;
		out->findings += r->findings_total;
		out->rnr += r->rnr;
		out->retries += r->retries;
		out->reconnects = r->reconnects;
		out->cut_short |= r->cut_short;
		if (live->started_ns)
			out->wall_s = (double)r->wall_ns / NS_PER_S;
	}
}

/* Of the host: it is the same for both ends. */
static void soak_sum_starved(const struct soak *s, struct soak_outcome *out)
{
	const struct soak_end *e = &s->ends[0];

	out->samples = e->count;
	out->starved = drift_starved(e->series, e->count);
	for (size_t i = 0; i < e->count; i++)
		if (e->series[i].starved_s > out->starved_worst_s)
			out->starved_worst_s = e->series[i].starved_s;
}

static json_t *soak_outcome_json(const struct soak *s,
				 const struct soak_outcome *out,
				 const char *error)
{
	json_t *findings = json_array(), *drifts = json_array();

	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *r = s->session.results[end];

		for (uint32_t i = 0; i < r->findings_count; i++)
			json_array_append_new(
				findings, json_pack("{s:s, s:s}", "kind",
						    r->findings[i].kind, "text",
						    r->findings[i].text));
		for (size_t i = 0; i < out->drift_count[end]; i++)
			json_array_append_new(
				drifts,
				json_pack("{s:s, s:s, s:s}", "end",
					  end ? "b" : "a", "kind",
					  drift_kind_name(
						  out->drifts[end][i].kind),
					  "text", out->drifts[end][i].text));
	}
	return json_pack("{s:s, s:s, s:b, s:f, s:I, s:I, s:I, s:I, s:I, s:I, "
			 "s:o, s:o, s:I, s:I, s:f, s:s}",
			 "event", "soak_end", "verdict",
			 out->failed ? "fail" : "pass", "cut_short",
			 out->cut_short, "measured_s", out->wall_s, "messages",
			 (json_int_t)out->messages, "bytes",
			 (json_int_t)out->bytes, "findings_total",
			 (json_int_t)out->findings, "rnr", (json_int_t)out->rnr,
			 "retries", (json_int_t)out->retries, "reconnects",
			 (json_int_t)out->reconnects, "findings", findings,
			 "drifts", drifts, "samples", (json_int_t)out->samples,
			 "samples_starved", (json_int_t)out->starved,
			 "starved_worst_s", out->starved_worst_s, "error",
			 error);
}

void soak_end(struct soak *s, const struct drift_limits *limits,
	      struct soak_outcome *out, struct strbuf *error)
{
	*out = (struct soak_outcome){ 0 };
	out->failed = session_end(&s->session, SOAK_GRACE_MS, error) != 0;
	soak_sum(s, out);
	soak_sum_starved(s, out);
	if (out->findings)
		out->failed = true;
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		out->drift_count[end] = drift_judge(s->ends[end].series,
						    s->ends[end].count, limits,
						    out->drifts[end]);
		if (out->drift_count[end])
			out->failed = true;
	}
	soak_write(s, soak_outcome_json(s, out, strbuf_text(error)));
}

void soak_free(struct soak *s)
{
	session_free(&s->session);
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		free(s->ends[end].last);
		free(s->ends[end].series);
	}
}
