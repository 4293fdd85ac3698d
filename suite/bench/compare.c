// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two runs of a bench, judged. */
#include "suite/bench/compare.h"

#include <math.h>
#include <string.h>

#include "suite/oracle/statistics.h"

enum {
	/* Of so few repeats nothing is concluded. */
	COMPARE_REPEATS_LEAST = 3,
	/* More figures unclear than one in so many, and so is the whole. */
	COMPARE_UNCLEAR_PART = 2,
};

static void compare_setting(const char *key, const json_t *a, const json_t *b,
			    struct strbuf *out)
{
	char *left = a ? json_dumps(a, JSON_ENCODE_ANY) : NULL;
	char *right = b ? json_dumps(b, JSON_ENCODE_ANY) : NULL;

	strbuf_addf(out, "%s: %s and %s\n", key, left ? left : "none",
		    right ? right : "none");
	free(left);
	free(right);
}

uint32_t compare_settings(const struct figures *a, const struct figures *b,
			  struct strbuf *out)
{
	uint32_t differ = 0;
	const char *key;
	json_t *value;

	json_object_foreach(a->settings, key, value)
	{
		json_t *other = json_object_get(b->settings, key);

		if (other && json_equal(value, other))
			continue;
		compare_setting(key, value, other, out);
		differ++;
	}
	json_object_foreach(b->settings, key, value)
	{
		if (json_object_get(a->settings, key))
			continue;
		compare_setting(key, NULL, value, out);
		differ++;
	}
	return differ;
}

/* The largest of millions says more of the host than of the device. */
static bool compare_extreme(const struct figure *f)
{
	size_t len = strlen(f->name);

	return len > 4 && strcmp(f->name + len - 4, "/max") == 0;
}

static enum compare_verdict compare_judge(const struct compare_figure *c,
					  const struct compare_limits *limits,
					  uint32_t figures)
{
	double threshold = c->a->tail ? limits->tail_threshold
				      : limits->threshold;
	/* Many figures are looked at; but with few repeats no chance is rarer
	 * than that of two samples wholly apart. */
	double rare = limits->alpha / figures;
	double least = statistics_rank_test_least(c->a->count, c->b->count);
	bool chance = c->p > (rare > least ? rare : least) + 1e-12;
	bool more = c->change > 0;

	if (fabs(c->change) <= threshold)
		return COMPARE_SAME;
	if (chance ||
	    (more ? c->change_low <= threshold : c->change_high >= -threshold))
		return COMPARE_UNCLEAR;
	return more == c->a->more_is_better ? COMPARE_BETTER : COMPARE_WORSE;
}

static void compare_one(struct compare_figure *c)
{
	double from = figure_median(c->a), to = figure_median(c->b);

	c->p = statistics_rank_test(c->a->values, c->a->count, c->b->values,
				    c->b->count);
	statistics_ratio_bounds(c->a->values, c->a->count, c->b->values,
				c->b->count, 0.99, &c->change_low,
				&c->change_high);
	c->change = from != 0 ? to / from - 1 : to == 0 ? 0 : HUGE_VAL;
	c->change_low -= 1;
	c->change_high -= 1;
}

static void compare_conclude(struct compare_result *r)
{
	bool tail_only = true;
	uint32_t judged = r->count - r->counts[COMPARE_UNJUDGED];

	if (r->counts[COMPARE_WORSE])
		r->verdict = COMPARE_WORSE;
	else if (r->counts[COMPARE_BETTER])
		r->verdict = COMPARE_BETTER;
	else if (r->counts[COMPARE_UNCLEAR] * COMPARE_UNCLEAR_PART > judged ||
		 judged == 0)
		r->verdict = COMPARE_UNCLEAR;
	else
		r->verdict = COMPARE_SAME;
	for (uint32_t i = 0; i < r->count; i++)
		if (r->list[i].verdict == r->verdict && !r->list[i].a->tail)
			tail_only = false;
	r->tail_only = tail_only && (r->verdict == COMPARE_WORSE ||
				     r->verdict == COMPARE_BETTER);
}

static bool compare_disturbed(const struct figures *f)
{
	return 2 * (uint64_t)f->disturbed > f->measured;
}

void compare_figures(const struct figures *a, const struct figures *b,
		     const struct compare_limits *limits,
		     struct compare_result *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < a->count; i++) {
		struct compare_figure *c = &out->list[out->count];

		c->a = &a->list[i];
		c->b = figures_find(b, c->a->name);
		if (!c->b)
			continue;
		compare_one(c);
		out->count++;
	}
	for (uint32_t i = 0; i < out->count; i++) {
		struct compare_figure *c = &out->list[i];

		if (compare_extreme(c->a) ||
		    c->a->count < COMPARE_REPEATS_LEAST ||
		    c->b->count < COMPARE_REPEATS_LEAST)
			c->verdict = COMPARE_UNJUDGED;
		else
			c->verdict = compare_judge(c, limits, out->count);
		out->counts[c->verdict]++;
	}
	compare_conclude(out);
	if ((compare_disturbed(a) || compare_disturbed(b)) &&
	    (out->verdict == COMPARE_WORSE || out->verdict == COMPARE_BETTER)) {
		out->verdict = COMPARE_UNCLEAR;
		out->tail_only = false;
		out->disturbed = true;
	}
}

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[] = { "same", "better", "worse",
					     "unclear", "-" };

	return verdict < ARRAY_SIZE(names) ? names[verdict] : "?";
}

const char *compare_result_text(const struct compare_result *r)
{
	if (!r->tail_only)
		return compare_verdict_name(r->verdict);
	return r->verdict == COMPARE_WORSE ? "worse in the tail"
					   : "better in the tail";
}
