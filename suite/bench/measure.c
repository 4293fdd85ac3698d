// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Running the measurements of a bench and taking figures from results. */
#include "suite/bench/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "suite/bench/session.h"

enum { MEASURE_ECHO_DEPTH = 64 };

/* Who polls takes all of a processor; with less, others have disturbed it. */
#define MEASURE_UNDISTURBED 0.9

/* One program to be run, with the prefix of its figures' names. */
struct measure_step {
	char name[48];
	bool echo;
	struct traffic_program program;
};

struct measure_run {
	const struct measure *m;
	struct figures *figures;
	struct traffic_result *results[SESSION_ENDS];
	uint32_t done, all;
	uint32_t again_left; /* so many may be measured again */
};

static const struct {
	const char *name;
	double percent;
	bool tail;
} measure_percentiles[] = {
	{ "p50", 50, false },	 { "p90", 90, false },	  { "p99", 99, true },
	{ "p99.5", 99.5, true }, { "p99.9", 99.9, true }, { "max", 100, true },
};

static void measure_add(struct measure_run *r, const char *kind,
			const char *name, const char *part, const char *unit,
			bool more, bool tail, double value)
{
	char whole[64];

	snprintf(whole, sizeof(whole), "%s/%s%s%s", kind, name,
		 part[0] ? "/" : "", part);
	figure_add(figures_get(r->figures, whole, unit, more, tail), value);
}

static void measure_latency(struct measure_run *r, const char *kind,
			    const char *name, const struct histogram *h)
{
	if (h->count == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(measure_percentiles); i++)
		measure_add(r, kind, name, measure_percentiles[i].name, "us",
			    false, measure_percentiles[i].tail,
			    (double)histogram_percentile(
				    h, measure_percentiles[i].percent) /
				    NS_PER_US);
}

/* From both ends: what arrived, and what that took of both processors. */
static void measure_throughput(struct measure_run *r,
			       const struct measure_step *s)
{
	const struct traffic_result *a = r->results[0], *b = r->results[1];
	double bytes = 0, messages = 0, cpu_ns = 0;

	for (int end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *x = r->results[end];
		bool reads = s->program.mix[TRAFFIC_READ] > 0;
		/* Of a READ only the reader can tell when it came. */
		double part = reads ? (double)x->sent : (double)x->received;

		if (x->wall_ns == 0)
			continue;
		messages += part * NS_PER_S / (double)x->wall_ns;
		bytes += (reads ? (double)x->sent_bytes
				: (double)x->received_bytes) *
			 NS_PER_S / (double)x->wall_ns;
		cpu_ns += (double)x->cpu_ns * NS_PER_S / (double)x->wall_ns;
	}
	measure_add(r, "throughput", s->name, "", "MB/s", true, false,
		    bytes / 1e6);
	measure_add(r, "rate", s->name, "", "msg/s", true, false, messages);
	if (messages > 0)
		measure_add(r, "cpu", s->name, "", "ns/msg", false, false,
			    cpu_ns / messages);
	if (a->polls + b->polls > 0)
		measure_add(r, "batch", s->name, "", "wc/poll", true, false,
			    (double)(a->completions + b->completions) /
				    (double)(a->polls + b->polls));
	measure_latency(r, "loaded", s->name,
			a->latency.count ? &a->latency : &b->latency);
}

static bool measure_disturbed(const struct measure_run *r,
			      const struct measure_step *s)
{
	for (int end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *x = r->results[end];

		if ((double)x->cpu_ns <
		    MEASURE_UNDISTURBED * (double)x->wall_ns)
			return !s->program.events;
	}
	return false;
}

/* The first of what the ends found: a bench of wrong messages is none. */
static int measure_judge(struct measure_run *r, const struct measure_step *s,
			 struct strbuf *error)
{
	for (int end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *x = r->results[end];

		if (x->findings_count == 0)
			continue;
		strbuf_addf(error, "%s: %s: %s (%" PRIu64 " findings in all)",
			    s->name, x->findings[0].kind, x->findings[0].text,
			    x->findings_total);
		return -EIO;
	}
	return 0;
}

static int measure_try(struct measure_run *r, const struct measure_step *s,
		       struct strbuf *error)
{
	struct strbuf why = STRBUF_INIT;
	int err;

	err = session_run(&s->program, r->results, &why);
	if (!err || r->results[0]->findings_count ||
	    r->results[1]->findings_count) {
		int found = measure_judge(r, s, error);

		err = found ? found : err;
	} else {
		strbuf_addf(error, "%s: %s", s->name, strbuf_text(&why));
	}
	strbuf_free(&why);
	return !err && session_signals() ? -EINTR : err;
}

/* What others on the host have disturbed is measured again, while there is
 * patience; after that it is taken as it is, and counted. */
static int measure_one(struct measure_run *r, const struct measure_step *s,
		       struct strbuf *error)
{
	int err;

	if (r->m->progress)
		r->m->progress(r->m->arg, r->done, r->all, s->name);
	r->done++;
	err = measure_try(r, s, error);
	while (!err && r->again_left && measure_disturbed(r, s)) {
		r->again_left--;
		err = measure_try(r, s, error);
	}
	if (err)
		return err;
	r->figures->measured++;
	if (measure_disturbed(r, s))
		r->figures->disturbed++;
	if (s->echo)
		measure_latency(r, "latency", s->name, &r->results[0]->latency);
	else
		measure_throughput(r, s);
	return 0;
}

/* One message at a time on one queue pair; or as many as are due. */
static struct measure_step measure_echo(const struct measure *m, uint32_t bytes,
					uint32_t rate)
{
	struct measure_step s = { .echo = true, .program = m->program };
	uint32_t depth = rate ? MEASURE_ECHO_DEPTH : 1;

	if (rate)
		snprintf(s.name, sizeof(s.name), "%u/%u-per-s", bytes, rate);
	else
		snprintf(s.name, sizeof(s.name), "%u/closed", bytes);
	s.program.direction = TRAFFIC_ECHO;
	s.program.qps = 1;
	s.program.inflight = depth;
	s.program.rq_depth = 2 * depth;
	s.program.signal_every = 1;
	s.program.rate = rate;
	s.program.sizes = (struct vb_sizes){ .kind = VB_SIZES_LIST,
					     .count = 1,
					     .bytes = { bytes } };
	memset(s.program.mix, 0, sizeof(s.program.mix));
	return s;
}

/* As many of that length as the window holds. */
static void measure_narrow(struct traffic_program *p, uint32_t bytes,
			   uint64_t window_bytes)
{
	uint64_t most = bytes ? window_bytes / bytes : UINT32_MAX;

	if (window_bytes == 0)
		return;
	if (most < 2)
		most = 2;
	if (p->inflight <= most)
		return;
	p->inflight = (uint32_t)most;
	if (p->rq_depth > 2 * p->inflight)
		p->rq_depth = 2 * p->inflight;
}

static int measure_size(struct measure_run *r, uint32_t bytes,
			struct strbuf *error)
{
	const struct measure *m = r->m;
	struct measure_step s = { .program = m->program };
	int err;

	snprintf(s.name, sizeof(s.name), "%u", bytes);
	s.program.sizes = (struct vb_sizes){ .kind = VB_SIZES_LIST,
					     .count = 1,
					     .bytes = { bytes } };
	measure_narrow(&s.program, bytes, m->window_bytes);
	err = measure_one(r, &s, error);
	if (err)
		return err;
	s = measure_echo(m, bytes, 0);
	err = measure_one(r, &s, error);
	for (uint32_t i = 0; i < m->rates.count && !err; i++) {
		if (m->rates.bytes[i] == 0)
			continue;
		s = measure_echo(m, bytes, m->rates.bytes[i]);
		err = measure_one(r, &s, error);
	}
	return err;
}

int measure_all(const struct measure *m, struct figures *out,
		struct strbuf *error)
{
	struct measure_run r = { .m = m, .figures = out };
	int err = 0;

	for (int end = 0; end < SESSION_ENDS; end++) {
		r.results[end] = calloc(1, sizeof(*r.results[end]));
		if (!r.results[end])
			abort();
	}
	r.all = m->repeats * m->sizes.count * (2 + m->rates.count);
	r.again_left = r.all / 2;
	for (uint32_t n = 0; n < m->repeats && !err; n++)
		for (uint32_t i = 0; i < m->sizes.count && !err; i++)
			err = measure_size(&r, m->sizes.bytes[i], error);
	for (int end = 0; end < SESSION_ENDS; end++)
		free(r.results[end]);
	return err;
}
