// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* sweep: curves over queue depth and messages in flight. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "suite/bench/session.h"
#include "suite/bench/sweep.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/program.h"
#include "suite/report/rundir.h"

struct sweep {
	const struct vb_options *o;
	struct sweep_axes axes;
	struct traffic_program program;
	struct target *target;
	struct sweep_cell *cells;
	uint64_t count, done;
};

static int sweep_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* A list of at least one, ascending, each within the limits of a program. */
static int sweep_axis(const char *name, const struct vb_sizes *given,
		      uint32_t least, uint32_t most, struct vb_sizes *out)
{
	*out = *given;
	if (given->kind != VB_SIZES_LIST) {
		log_error("%s: must be N or N,N,...", name);
		return EXIT_USAGE;
	}
	qsort(out->bytes, out->count, sizeof(out->bytes[0]), sweep_order);
	if (out->bytes[0] < least || out->bytes[out->count - 1] > most) {
		log_error("%s: each must be from %u to %u", name, least, most);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

static int sweep_axes_make(struct sweep *s)
{
	const struct vb_options *o = s->o;
	struct vb_sizes sizes = { .kind = VB_SIZES_LIST,
				  .count = 1,
				  .bytes = { 4096 } };
	int status;

	if (o->size.kind != VB_SIZES_RANDOM)
		sizes = o->size;
	status = sweep_axis("--size", &sizes, 0, TRAFFIC_MEMORY_MAX,
			    &s->axes.sizes);
	if (!status)
		status = sweep_axis("--rq-depths", &o->rq_depths, 1,
				    TRAFFIC_DEPTH_MAX, &s->axes.rq_depths);
	if (!status)
		status = sweep_axis("--inflights", &o->inflights, 1,
				    TRAFFIC_DEPTH_MAX, &s->axes.inflights);
	if (!status)
		status = sweep_axis("--qps-list", &o->qps_list, 1,
				    TRAFFIC_QPS_MAX, &s->axes.qps);
	if (!status)
		status = sweep_axis("--batches", &o->batches, 1,
				    TRAFFIC_BATCH_MAX, &s->axes.batches);
	s->count = status ? 0 : sweep_count(&s->axes);
	if (s->count > SWEEP_CELLS_MAX) {
		log_error("%lu combinations: at most %u; shorten a list",
			  (unsigned long)s->count, SWEEP_CELLS_MAX);
		return EXIT_USAGE;
	}
	return status;
}

static void sweep_print_row(const struct sweep_cell *c)
{
	printf("%8u %5u %6u %6u %9u %11.1f %12.0f %9lu %8lu %10.1f %10.1f\n",
	       c->size, c->qps, c->batch, c->rq_depth, c->inflight,
	       c->bytes_per_s / 1e6, c->messages_per_s, (unsigned long)c->rnr,
	       (unsigned long)c->retries, c->p50_us, c->p99_us);
	fflush(stdout);
}

static int sweep_measure_all(struct sweep *s)
{
	struct strbuf error = STRBUF_INIT;
	int err = 0;

	if (!s->o->json)
		printf("%8s %5s %6s %6s %9s %11s %12s %9s %8s %10s %10s\n",
		       "size", "qps", "batch", "rq", "inflight", "MB/s",
		       "msg/s", "RNR", "retries", "p50 us", "p99 us");
	for (; s->done < s->count && !err; s->done++) {
		struct sweep_cell *c = &s->cells[s->done];

		sweep_cell_at(&s->axes, s->done, c);
		err = sweep_measure(&s->program, c, &error);
		if (session_signals())
			break;
		if (!err && !s->o->json)
			sweep_print_row(c);
	}
	if (err)
		log_error("%s", strbuf_text(&error));
	else if (s->done < s->count)
		log_error("interrupted: %lu of %lu combinations were measured",
			  (unsigned long)s->done, (unsigned long)s->count);
	strbuf_free(&error);
	return s->done < s->count || err ? EXIT_FAILED : EXIT_FINE;
}

/* Groups that differ in inflight alone; those measured in full. */
static json_t *sweep_knees(const struct sweep *s, FILE *out)
{
	uint32_t each = s->axes.inflights.count;
	json_t *list = json_array();

	for (uint64_t at = 0; at + each <= s->done; at += each) {
		struct strbuf words = STRBUF_INIT;

		sweep_words(&s->cells[at], each, &words);
		if (out)
			fprintf(out, "%s\n", strbuf_text(&words));
		json_array_append_new(list, json_string(strbuf_text(&words)));
		strbuf_free(&words);
	}
	return list;
}

static json_t *sweep_json(const struct sweep *s, json_t *knees)
{
	json_t *cells = json_array();

	for (uint64_t i = 0; i < s->done; i++) {
		const struct sweep_cell *c = &s->cells[i];

		json_array_append_new(
			cells,
			json_pack("{s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:I, "
				  "s:I, s:I, s:f, s:f}",
				  "size", (int)c->size, "qps", (int)c->qps,
				  "batch", (int)c->batch, "rq_depth",
				  (int)c->rq_depth, "inflight",
				  (int)c->inflight, "bytes_per_s",
				  c->bytes_per_s, "messages_per_s",
				  c->messages_per_s, "messages",
				  (json_int_t)c->messages, "rnr",
				  (json_int_t)c->rnr, "retries",
				  (json_int_t)c->retries, "p50_us", c->p50_us,
				  "p99_us", c->p99_us));
	}
	return json_pack("{s:i, s:o, s:o, s:O}", "verbatim_sweep", 1,
			 "settings", program_settings(&s->program, s->target),
			 "cells", cells, "knees", knees);
}

static int sweep_write(const struct sweep *s, const char *dir, json_t *json)
{
	FILE *csv = rundir_open(dir, "sweep.csv");
	FILE *file = rundir_open(dir, "sweep.json");
	int bad = !csv || !file;

	for (uint64_t i = 0; csv && i < s->done; i++) {
		struct strbuf row = STRBUF_INIT;

		if (i == 0)
			fprintf(csv, "%s\n", sweep_csv_head());
		sweep_csv_row(&s->cells[i], &row);
		fprintf(csv, "%s\n", strbuf_text(&row));
		strbuf_free(&row);
	}
	if (file)
		bad |= json_dumpf(json, file, JSON_INDENT(1));
	if (csv)
		bad |= fclose(csv);
	if (file)
		bad |= fclose(file);
	if (!bad)
		return EXIT_FINE;
	log_error("'%s': sweep.csv or sweep.json cannot be written", dir);
	return EXIT_ABSENT;
}

static int sweep_run(struct sweep *s, const char *dir)
{
	int status, wrote;
	json_t *knees, *json;

	session_catch_signals();
	status = sweep_measure_all(s);
	knees = sweep_knees(s, s->o->json ? NULL : stdout);
	json = sweep_json(s, knees);
	json_decref(knees);
	wrote = sweep_write(s, dir, json);
	if (s->o->json)
		answer_json(json_incref(json));
	else
		printf("%s/sweep.csv, sweep.json\n", dir);
	json_decref(json);
	return status ? status : wrote;
}

int command_sweep(struct command_call *call)
{
	struct vb_options *o = &call->options;
	struct sweep s = { .o = o };
	char *dir = NULL, *error = NULL;
	int status, fd;

	status = sweep_axes_make(&s);
	if (status)
		return status;
	/* What one combination needs is checked when its turn comes. */
	o->size = s.axes.sizes;
	o->inflight = s.axes.inflights.bytes[0];
	o->qps = s.axes.qps.bytes[0];
	s.target = calloc(1, sizeof(*s.target));
	s.cells = calloc(s.count, sizeof(*s.cells));
	if (!s.target || !s.cells)
		abort();
	status = program_make(call, "200ms", TRAFFIC_A_TO_B, &s.program,
			      s.target);
	if (!status && rundir_make(o->out, &dir, &fd, &error))
		status = answer_error(error, EXIT_ABSENT);
	if (!status) {
		status = sweep_run(&s, dir);
		close(fd);
		free(dir);
	}
	program_end();
	free(s.cells);
	free(s.target);
	return status;
}
