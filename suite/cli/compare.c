// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* compare: two runs of a bench, or the course of the last ones. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "suite/bench/compare.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/oracle/statistics.h"

/* A trend of so many standard deviations is none of chance. */
#define COMPARE_TREND_CERTAIN 2.0

static int compare_complain(struct strbuf *error, int err)
{
	log_error("%s", strbuf_text(error));
	strbuf_free(error);
	return err == -ENOENT || err == -EACCES ? EXIT_ABSENT : EXIT_USAGE;
}

/* --- Two runs ------------------------------------------------------------ */

static void compare_print_run(char letter, const struct figures *f)
{
	printf("%c: %s, %s on %s, verbatim %s", letter, f->name, f->when,
	       f->host, f->version);
	if (f->disturbed)
		printf("; %u of %u measurements were disturbed by others on "
		       "the host",
		       f->disturbed, f->measured);
	putchar('\n');
}

static void compare_print(const struct figures *a, const struct figures *b,
			  const struct compare_result *r)
{
	compare_print_run('A', a);
	compare_print_run('B', b);
	if (strcmp(a->host, b->host))
		puts("The hosts differ: so may everything.");
	printf("%-30s %11s %11s %-7s %8s %19s %6s  %s\n", "figure", "A", "B",
	       "", "change", "99% of changes", "p", "verdict");
	for (uint32_t i = 0; i < r->count; i++) {
		const struct compare_figure *c = &r->list[i];

		printf("%-30s %11.2f %11.2f %-7s %+7.1f%% %+8.1f%%..%+7.1f%% "
		       "%6.3f  %s%s\n",
		       c->a->name, figure_median(c->a), figure_median(c->b),
		       c->a->unit, 100 * c->change, 100 * c->change_low,
		       100 * c->change_high, c->p,
		       compare_verdict_name(c->verdict),
		       c->a->tail && c->verdict != COMPARE_UNJUDGED ? " (tail)"
								    : "");
	}
	printf("%u same, %u better, %u worse, %u unclear, %u not judged\n",
	       r->counts[COMPARE_SAME], r->counts[COMPARE_BETTER],
	       r->counts[COMPARE_WORSE], r->counts[COMPARE_UNCLEAR],
	       r->counts[COMPARE_UNJUDGED]);
	if (r->disturbed)
		puts("What is worse or better may be the host's doing: measure "
		     "again when it is quiet.");
	printf("B is %s\n", compare_result_text(r));
}

static json_t *compare_json(const struct compare_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->count; i++) {
		const struct compare_figure *c = &r->list[i];

		/* JSON has no infinity. */
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:s}",
				  "name", c->a->name, "unit", c->a->unit,
				  "tail", c->a->tail, "a", figure_median(c->a),
				  "b", figure_median(c->b), "change",
				  isfinite(c->change) ? c->change : 0.0, "p",
				  c->p, "verdict",
				  compare_verdict_name(c->verdict)));
	}
	return json_pack("{s:s, s:s, s:b, s:o}", "verdict",
			 compare_verdict_name(r->verdict), "text",
			 compare_result_text(r), "tail_only", r->tail_only,
			 "figures", list);
}

static int compare_two(const struct vb_options *o, const struct figures *a,
		       const struct figures *b)
{
	const struct compare_limits limits = {
		.threshold = o->threshold / 100,
		.tail_threshold = o->tail_threshold / 100,
		.alpha = o->alpha,
	};
	struct compare_result *r = malloc(sizeof(*r));
	struct strbuf settings = STRBUF_INIT;
	int status;

	if (!r)
		abort();
	if (compare_settings(a, b, &settings)) {
		log_error("the two runs were not made with the same "
			  "settings:\n%s",
			  strbuf_text(&settings));
		strbuf_free(&settings);
		free(r);
		return EXIT_USAGE;
	}
	strbuf_free(&settings);
	compare_figures(a, b, &limits, r);
	if (o->json)
		answer_json(compare_json(r));
	else
		compare_print(a, b, r);
	if (r->count == 0) {
		log_error("the two runs have no figure in common");
		status = EXIT_USAGE;
	} else {
		status = r->verdict == COMPARE_WORSE ? EXIT_FAILED : EXIT_FINE;
	}
	free(r);
	return status;
}

/* --- A course ------------------------------------------------------------ */

static const char *compare_course(const struct figure *first,
				  const double *medians, uint32_t count,
				  double threshold)
{
	double change = medians[0] ? medians[count - 1] / medians[0] - 1 : 0;
	double trend = statistics_trend(medians, count);

	if (fabs(trend) < COMPARE_TREND_CERTAIN || fabs(change) < threshold)
		return "steady";
	return (change > 0) == first->more_is_better ? "improving"
						     : "declining";
}

static void compare_trend_print(const struct vb_options *o,
				struct figures **runs, uint32_t count)
{
	const struct figures *last = runs[count - 1];
	double *medians = calloc(count, sizeof(*medians));

	if (!medians)
		abort();
	for (uint32_t i = 0; i < last->count; i++) {
		const struct figure *f = &last->list[i];
		uint32_t n = 0;

		for (uint32_t k = 0; k < count; k++) {
			const struct figure *one =
				figures_find(runs[k], f->name);

			if (one)
				medians[n++] = figure_median(one);
		}
		printf("%-30s %-7s", f->name, f->unit);
		for (uint32_t k = 0; k < n; k++)
			printf(" %10.2f", medians[k]);
		printf("  %s\n", compare_course(f, medians, n,
						(f->tail ? o->tail_threshold
							 : o->threshold) /
							100));
	}
	free(medians);
}

static int compare_trend(struct command_call *call)
{
	const struct vb_options *o = &call->options;
	struct strbuf error = STRBUF_INIT;
	struct figures **runs;
	uint32_t count, i;
	int err;

	if (call->count != 1) {
		log_error("--trend: it takes one operand, the name of the "
			  "runs");
		return EXIT_USAGE;
	}
	err = figures_load_last(o->store, call->operands[0], (uint32_t)o->trend,
				&runs, &count, &error);
	if (err)
		return compare_complain(&error, err);
	if (count == 0) {
		log_error("'%s': no run of that name in '%s'",
			  call->operands[0], o->store);
		free(runs);
		return EXIT_ABSENT;
	}
	printf("the last %u runs of %s, oldest first\n", count,
	       call->operands[0]);
	for (i = 1; i < count; i++)
		if (compare_settings(runs[0], runs[i], &error))
			printf("run %u has other settings than the first:\n%s",
			       i + 1, strbuf_text(&error));
	compare_trend_print(o, runs, count);
	for (i = 0; i < count; i++)
		figures_free(runs[i]);
	free(runs);
	strbuf_free(&error);
	return EXIT_FINE;
}

int command_compare(struct command_call *call)
{
	const struct vb_options *o = &call->options;
	struct strbuf error = STRBUF_INIT;
	struct figures *a = NULL, *b = NULL;
	int err, status;

	if (o->trend)
		return compare_trend(call);
	if (call->count != 2) {
		log_error("verbatim compare: it takes two runs, each a file or "
			  "a name kept by 'verbatim bench --save'");
		return EXIT_USAGE;
	}
	err = figures_load(o->store, call->operands[0], &a, &error);
	if (!err)
		err = figures_load(o->store, call->operands[1], &b, &error);
	status = err ? compare_complain(&error, err) : compare_two(o, a, b);
	figures_free(a);
	figures_free(b);
	return status;
}
