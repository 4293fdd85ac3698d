// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* report: one HTML file of what runs, soaks, sweeps and benches left. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "suite/bench/compare.h"
#include "suite/cli/command.h"
#include "suite/report/html.h"
#include "suite/report/text.h"

#define REPORT_FILE "verbatim-report.html"

struct report {
	const struct vb_options *o;
	json_t *data;
	struct figures *benches[HTML_RUNS_MAX];
	size_t bench_count;
};

/* JSON has no infinity: null. */
static json_t *report_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *report_compare_figures(const struct compare_result *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->count; i++) {
		const struct compare_figure *c = &r->list[i];
		json_t *one = json_pack(
			"{s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:f, "
			"s:s}",
			"name", text_json(c->a->name), "unit",
			text_json(c->a->unit), "more_is_better",
			c->a->more_is_better, "tail", c->a->tail, "a",
			report_number(figure_median(c->a)), "b",
			report_number(figure_median(c->b)), "change",
			report_number(c->change), "low",
			report_number(c->change_low), "high",
			report_number(c->change_high), "p", c->p, "verdict",
			compare_verdict_name(c->verdict));

		if (!one || json_array_append_new(list, one))
			abort();
	}
	return list;
}

/* Two benches, by their numbers in the report. */
static json_t *report_compare(const struct report *p, size_t a, size_t b)
{
	const struct compare_limits limits = {
		.threshold = p->o->threshold / 100,
		.tail_threshold = p->o->tail_threshold / 100,
		.alpha = p->o->alpha,
	};
	struct compare_result *r = malloc(sizeof(*r));
	struct strbuf differ = STRBUF_INIT;
	json_t *one;

	if (!r)
		abort();
	if (compare_settings(p->benches[a], p->benches[b], &differ)) {
		one = json_pack("{s:o}", "refused",
				text_json(strbuf_text(&differ)));
	} else {
		compare_figures(p->benches[a], p->benches[b], &limits, r);
		one = json_pack("{s:s, s:s, s:o}", "verdict",
				compare_verdict_name(r->verdict), "text",
				compare_result_text(r), "figures",
				report_compare_figures(r));
	}
	json_object_set_new(one, "a", json_integer((json_int_t)a));
	json_object_set_new(one, "b", json_integer((json_int_t)b));
	strbuf_free(&differ);
	free(r);
	return one;
}

/* Is it of 'verbatim bench': a name in its store, or a file that no other
 * command writes? */
static bool report_is_bench(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *file = slash ? slash + 1 : name;
	struct stat st;

	if (stat(name, &st))
		/* A name in the store has no folder. */
		return !slash;
	return S_ISREG(st.st_mode) && strcmp(file, "events.jsonl") &&
	       strcmp(file, "soak.jsonl") && strcmp(file, "sweep.json");
}

static int report_add_bench(struct report *p, const char *name,
			    struct strbuf *error)
{
	struct figures *f = NULL;
	json_t *json;
	int err = figures_load(p->o->store, name, &f, error);

	if (err == -ENOENT && !strchr(name, '/')) {
		strbuf_reset(error);
		strbuf_addf(error,
			    "run '%s': no such folder or file, and no bench of "
			    "that name in '%s'",
			    name, p->o->store);
	}
	if (err)
		return err;
	p->benches[p->bench_count++] = f;
	json = figures_json(f);
	json_object_set_new(json, "label", text_json(name));
	json_array_append_new(json_object_get(p->data, "benches"), json);
	return 0;
}

static int report_gather(struct report *p, const struct command_call *call,
			 struct strbuf *error)
{
	int err = 0;

	for (int i = 0; i < call->count && !err; i++) {
		const char *name = call->operands[i];

		err = report_is_bench(name)
			      ? report_add_bench(p, name, error)
			      : html_data_add(p->data, name, error);
	}
	/* Each is held against the first. */
	for (size_t i = 1; i < p->bench_count && !err; i++)
		json_array_append_new(json_object_get(p->data, "compares"),
				      report_compare(p, 0, i));
	return err;
}

/* Beside it first: a report that is open in a browser is never half a one. */
static int report_write_file(const json_t *data, const char *path)
{
	struct strbuf fresh = STRBUF_INIT;
	FILE *out;
	int err = 0;

	strbuf_addf(&fresh, "%s.%d.new", path, (int)getpid());
	out = fopen(strbuf_text(&fresh), "we");
	if (!out) {
		err = errno;
	} else {
		errno = 0;
		html_write(data, out);
		if (ferror(out))
			err = errno ? errno : EIO;
		if (fclose(out) && !err)
			err = errno;
		if (!err && rename(strbuf_text(&fresh), path))
			err = errno;
		if (err)
			unlink(strbuf_text(&fresh));
	}
	strbuf_free(&fresh);
	if (!err) {
		printf("%s\n", path);
		return EXIT_FINE;
	}
	log_error("report '%s': %s; name another file with --output FILE", path,
		  strerror(err));
	return EXIT_ABSENT;
}

static int report_write(const struct report *p)
{
	const char *path = p->o->output ? p->o->output : REPORT_FILE;

	if (strcmp(path, "-"))
		return report_write_file(p->data, path);
	/* Whether it got out is seen where stdout is flushed. */
	html_write(p->data, stdout);
	return EXIT_FINE;
}

int command_report(struct command_call *call)
{
	struct report report = { .o = &call->options, .data = html_data_new() };
	struct strbuf error = STRBUF_INIT;
	int err, status;

	err = report_gather(&report, call, &error);
	if (err) {
		log_error("%s", strbuf_text(&error));
		status = err == -ENOENT || err == -EACCES ? EXIT_ABSENT
							  : EXIT_USAGE;
	} else {
		status = report_write(&report);
	}
	while (report.bench_count > 0)
		figures_free(report.benches[--report.bench_count]);
	json_decref(report.data);
	strbuf_free(&error);
	return status;
}
