// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a soak shows while it runs: one screen on a terminal, else lines. */
#include "suite/bench/soak.h"

#include "base/clock.h"
#include "suite/oracle/statistics.h"

enum { VIEW_LINES = 19, VIEW_SLOPE_POINTS = 120 };

static void view_time(double seconds, FILE *out)
{
	unsigned s = (unsigned)seconds;

	fprintf(out, "%02u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}

static void view_row(FILE *out, const char *name, const char *format, double a,
		     double b)
{
	char left[24], right[24];

	snprintf(left, sizeof(left), format, a);
	snprintf(right, sizeof(right), format, b);
	fprintf(out, "  %-26s %14s %14s\033[K\n", name, left, right);
}

/* Of the last two minutes, in MiB an hour. */
static double view_slope(const struct soak_end *e)
{
	double times[VIEW_SLOPE_POINTS], values[VIEW_SLOPE_POINTS];
	size_t n = e->count < VIEW_SLOPE_POINTS ? e->count : VIEW_SLOPE_POINTS;

	for (size_t i = 0; i < n; i++) {
		times[i] = e->series[e->count - n + i].at_s;
		values[i] = e->series[e->count - n + i].memory_bytes;
	}
	return statistics_slope(times, values, n) * 3600 / (1 << 20);
}

/* What part of the last second the host kept it from running. */
static double view_starved(const struct soak_end *e)
{
	const struct drift_sample *d = &e->now.drift;

	return d->elapsed_s > 0 ? 100 * e->starved_s / d->elapsed_s : 0;
}

static void view_head(const struct soak *s, FILE *out)
{
	const struct traffic_program *p = s->program;

	fprintf(out, "soak of %s, %u qps x %u in flight, seed %lu, ", p->device,
		p->qps, p->inflight, (unsigned long)p->seed);
	view_time(s->at_s, out);
	fputs(" of ", out);
	view_time((double)p->duration_ns / NS_PER_S, out);
	fprintf(out, "\033[K\n  %-26s %14s %14s\033[K\n", "", "end a", "end b");
}

static void view_findings(const struct soak *s, FILE *out)
{
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *r = s->session.results[end];

		if (r->findings_count == 0)
			continue;
		fprintf(out, "  finding: %s: %.100s\033[K\n",
			r->findings[0].kind, r->findings[0].text);
		return;
	}
	fputs("  no finding; Ctrl-C ends with a full result\033[K\n", out);
}

void soak_show_screen(const struct soak *s, FILE *out)
{
	const struct soak_end *a = &s->ends[0], *b = &s->ends[1];
	double full = (double)s->program->qps;

	/* From the second time on over the one before. */
	if (s->at_s >= 1.9)
		fprintf(out, "\033[%dA", VIEW_LINES);
	view_head(s, out);
#define ROW(name, format, field) \
	view_row(out, name, format, (double)a->now.field, (double)b->now.field)
	ROW("sent, msg/s", "%.0f", sent_rate);
	view_row(out, "sent, MB/s", "%.1f", a->now.sent_bytes_rate / 1e6,
		 b->now.sent_bytes_rate / 1e6);
	ROW("received, msg/s", "%.0f", received_rate);
	ROW("outstanding requests", "%.0f", outstanding);
	view_row(out, "  of each queue pair", "%.1f",
		 (double)a->now.outstanding / full,
		 (double)b->now.outstanding / full);
	ROW("receives posted", "%.0f", receives_posted);
	ROW("waiting in the CQ", "%.0f", backlog);
	ROW("completions a poll", "%.1f", batch);
	ROW("RNR NAKs received", "%.0f", rnr);
	ROW("retries", "%.0f", retries);
	ROW("latency p50, us", "%.1f", p50_us);
	ROW("latency p99, us", "%.1f", p99_us);
	ROW("latency p99.9, us", "%.1f", p999_us);
	view_row(out, "memory, MiB", "%.1f",
		 a->now.drift.memory_bytes / (1 << 20),
		 b->now.drift.memory_bytes / (1 << 20));
	view_row(out, "  growing, MiB/h", "%+.2f", view_slope(a),
		 view_slope(b));
	view_row(out, "waiting for a CPU, %", "%.0f", view_starved(a),
		 view_starved(b));
#undef ROW
	view_findings(s, out);
	fflush(out);
}

void soak_show_line(const struct soak *s, FILE *out)
{
	const struct soak_sample *a = &s->ends[0].now, *b = &s->ends[1].now;

	view_time(s->at_s, out);
	fprintf(out,
		"  sent %.0f+%.0f msg/s, %.1f MB/s; waiting %lu+%lu, "
		"outstanding %lu+%lu; rnr %lu, retries %lu; p99 %.0f us; "
		"memory %.1f+%.1f MiB; findings %lu\n",
		a->sent_rate, b->sent_rate,
		(a->sent_bytes_rate + b->sent_bytes_rate) / 1e6,
		(unsigned long)a->backlog, (unsigned long)b->backlog,
		(unsigned long)a->outstanding, (unsigned long)b->outstanding,
		(unsigned long)(a->rnr + b->rnr),
		(unsigned long)(a->retries + b->retries),
		a->p99_us > b->p99_us ? a->p99_us : b->p99_us,
		a->drift.memory_bytes / (1 << 20),
		b->drift.memory_bytes / (1 << 20),
		(unsigned long)(a->findings + b->findings));
	fflush(out);
}
