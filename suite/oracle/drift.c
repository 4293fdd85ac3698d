// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples thinned out to series, and each series judged. */
#include "suite/oracle/drift.h"

#include <stdio.h>
#include <string.h>

#include "suite/oracle/statistics.h"

enum {
	/* A trend of fewer samples proves nothing. */
	DRIFT_POINTS_LEAST = 8,
	DRIFT_POINTS_MAX = 200,
};

/* Standard deviations of chance: once in a million series. */
#define DRIFT_CERTAIN 3.5
/* With few samples even a straight line has less than that. */
#define DRIFT_CERTAIN_SHORT 3.0

/* A tenth of the time without a processor: how fast it went is the host's
 * doing. */
#define DRIFT_STARVED 0.1
/* So much of what can wait in a CQ: its consumer is what is waited for. */
#define DRIFT_BACKLOG_PART 0.25

struct drift_series {
	double times[DRIFT_POINTS_MAX];
	double values[DRIFT_POINTS_MAX];
	size_t count;
	double trend;	    /* standard deviations */
	double first, last; /* medians of the first and last quarter */
};

void drift_limits_default(struct drift_limits *l)
{
	*l = (struct drift_limits){
		.memory_bytes_per_h = 1 << 20,
		.memory_bytes_least = 256 << 10,
		.rate_fall = 0.2,
		.stall_s = 3,
		.settle_s = 2,
	};
}

static double drift_value(const struct drift_sample *s, enum drift_kind kind)
{
	switch (kind) {
	case DRIFT_BACKLOG:
		return s->backlog;
	case DRIFT_MEMORY:
		return s->memory_bytes;
	case DRIFT_DESCRIPTORS:
		return s->descriptors;
	default:
		return s->elapsed_s > 0 ? s->messages / s->elapsed_s : 0;
	}
}

static bool drift_is_starved(const struct drift_sample *s)
{
	return s->starved_s > DRIFT_STARVED * s->elapsed_s;
}

size_t drift_starved(const struct drift_sample *samples, size_t count)
{
	size_t starved = 0;

	for (size_t i = 0; i < count; i++)
		starved += drift_is_starved(&samples[i]);
	return starved;
}

/* Medians of groups of neighbours, so that a long run is no longer series. */
static void drift_series_make(const struct drift_sample *samples, size_t count,
			      const struct drift_limits *limits,
			      enum drift_kind kind, struct drift_series *s)
{
	double group[STATISTICS_SERIES_MAX];
	size_t each = count / DRIFT_POINTS_MAX + 1, in_group = 0;

	if (each > STATISTICS_SERIES_MAX)
		each = STATISTICS_SERIES_MAX;
	s->count = 0;
	s->trend = 0;
	for (size_t i = 0; i < count && s->count < DRIFT_POINTS_MAX; i++) {
		/* Where nothing could be expected, nothing is judged. */
		if (samples[i].at_s < limits->settle_s || samples[i].idle)
			continue;
		if ((kind == DRIFT_RATE || kind == DRIFT_BACKLOG) &&
		    drift_is_starved(&samples[i]))
			continue;
		group[in_group++] = drift_value(&samples[i], kind);
		if (in_group < each)
			continue;
		s->times[s->count] = samples[i].at_s;
		s->values[s->count++] = statistics_median(group, in_group);
		in_group = 0;
	}
	if (s->count < DRIFT_POINTS_LEAST)
		return;
	s->trend = statistics_trend(s->values, s->count);
	s->first = statistics_median(s->values, s->count / 4);
	s->last = statistics_median(s->values + s->count - s->count / 4,
				    s->count / 4);
}

/* Is the series sure to rise (@sign 1) or to fall (-1)? */
static bool drift_certain(const struct drift_series *s, int sign)
{
	double certain = s->count < 12 ? DRIFT_CERTAIN_SHORT : DRIFT_CERTAIN;

	return s->count >= DRIFT_POINTS_LEAST && s->trend * sign >= certain;
}

static void drift_period(const struct drift_series *s,
			 struct drift_complaint *c)
{
	c->from_s = s->times[0];
	c->to_s = s->times[s->count - 1];
}

static bool drift_backlog(const struct drift_series *s,
			  const struct drift_limits *limits,
			  struct drift_complaint *c)
{
	/* Some more than before, and not two instead of one. */
	if (!drift_certain(s, 1) || s->last < 1.5 * s->first ||
	    s->last < s->first + 8)
		return false;
	drift_period(s, c);
	snprintf(c->text, sizeof(c->text),
		 "completions waiting in the CQ only become more: %.0f at the "
		 "beginning, %.0f at the end; it is polled too slowly",
		 s->first, s->last);
	return true;
}

static bool drift_memory(const struct drift_series *s,
			 const struct drift_limits *limits,
			 struct drift_complaint *c)
{
	double per_h, grown = s->last - s->first;

	if (!drift_certain(s, 1) || grown < limits->memory_bytes_least)
		return false;
	per_h = statistics_slope(s->times, s->values, s->count) * 3600;
	if (per_h <= limits->memory_bytes_per_h)
		return false;
	drift_period(s, c);
	snprintf(c->text, sizeof(c->text),
		 "memory grows by %.2f MiB an hour, at most %.2f are allowed: "
		 "%.2f MiB at the beginning, %.2f at the end",
		 per_h / (1 << 20), limits->memory_bytes_per_h / (1 << 20),
		 s->first / (1 << 20), s->last / (1 << 20));
	return true;
}

static bool drift_descriptors(const struct drift_series *s,
			      const struct drift_limits *limits,
			      struct drift_complaint *c)
{
	if (!drift_certain(s, 1) || s->last < s->first + 2)
		return false;
	drift_period(s, c);
	snprintf(c->text, sizeof(c->text),
		 "file descriptors only become more: %.0f at the beginning, "
		 "%.0f at the end",
		 s->first, s->last);
	return true;
}

static bool drift_rate(const struct drift_series *s,
		       const struct drift_limits *limits,
		       struct drift_complaint *c)
{
	if (!drift_certain(s, -1) ||
	    s->last > s->first * (1 - limits->rate_fall))
		return false;
	drift_period(s, c);
	snprintf(c->text, sizeof(c->text),
		 "the rate falls: %.0f messages a second at the beginning, "
		 "%.0f at the end (-%.0f%%), at most -%.0f%% is allowed",
		 s->first, s->last, 100 * (1 - s->last / s->first),
		 100 * limits->rate_fall);
	return true;
}

/* With a fixed number in flight the backlog of a slow consumer cannot grow for
 * long: it stands, and the rate falls. */
static void drift_rate_cause(const struct drift_series *backlog,
			     const struct drift_limits *limits,
			     struct drift_complaint *c)
{
	size_t len = strlen(c->text);

	if (limits->backlog_full <= 0 || backlog->count < DRIFT_POINTS_LEAST ||
	    backlog->last < DRIFT_BACKLOG_PART * limits->backlog_full)
		return;
	snprintf(c->text + len, sizeof(c->text) - len,
		 "; %.0f of at most %.0f completions wait in this end's CQ: it "
		 "is polled too slowly",
		 backlog->last, limits->backlog_full);
}

/* The longest time in which nothing moved; of it every sample counts. */
static bool drift_stall(const struct drift_sample *samples, size_t count,
			const struct drift_limits *limits,
			struct drift_complaint *c)
{
	double still = 0, longest = 0;

	for (size_t i = 0; i < count; i++) {
		if (samples[i].moving || samples[i].idle) {
			still = 0;
			continue;
		}
		still += samples[i].elapsed_s;
		if (still <= longest)
			continue;
		longest = still;
		c->to_s = samples[i].at_s;
		c->from_s = samples[i].at_s - still;
	}
	if (longest < limits->stall_s)
		return false;
	snprintf(c->text, sizeof(c->text),
		 "standstill for %.1f s, from %.1f s to %.1f s; at most %.1f s "
		 "are allowed",
		 longest, c->from_s, c->to_s, limits->stall_s);
	return true;
}

size_t drift_judge(const struct drift_sample *samples, size_t count,
		   const struct drift_limits *limits,
		   struct drift_complaint out[DRIFTS])
{
	static bool (*const judges[])(const struct drift_series *,
				      const struct drift_limits *,
				      struct drift_complaint *) = {
		[DRIFT_BACKLOG] = drift_backlog,
		[DRIFT_MEMORY] = drift_memory,
		[DRIFT_DESCRIPTORS] = drift_descriptors,
		[DRIFT_RATE] = drift_rate,
	};
	struct drift_series series[ARRAY_SIZE(judges)];
	size_t found = 0;

	for (size_t kind = 0; kind < ARRAY_SIZE(judges); kind++) {
		drift_series_make(samples, count, limits, (enum drift_kind)kind,
				  &series[kind]);
		if (!judges[kind](&series[kind], limits, &out[found]))
			continue;
		if (kind == DRIFT_RATE)
			drift_rate_cause(&series[DRIFT_BACKLOG], limits,
					 &out[found]);
		out[found++].kind = (enum drift_kind)kind;
	}
	if (drift_stall(samples, count, limits, &out[found]))
		out[found++].kind = DRIFT_STALL;
	return found;
}

const char *drift_kind_name(enum drift_kind kind)
{
	static const char *const names[] = {
		[DRIFT_BACKLOG] = "backlog", [DRIFT_MEMORY] = "memory",
		[DRIFT_DESCRIPTORS] = "fds", [DRIFT_RATE] = "rate",
		[DRIFT_STALL] = "stall",
	};

	return kind < ARRAY_SIZE(names) ? names[kind] : "?";
}
