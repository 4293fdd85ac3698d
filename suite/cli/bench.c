// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bench: the figures of a device; bench payload: those of our own bytes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "suite/bench/measure.h"
#include "suite/bench/payload.h"
#include "suite/bench/session.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/options.h"
#include "suite/cli/program.h"
#include "suite/cli/times.h"
#include "suite/oracle/pattern_unit.h"

enum { BENCH_SLICE_MS = 20, BENCH_PAYLOAD_MAX = 64 << 20 };

/* --- bench payload ------------------------------------------------------- */

static json_t *bench_payload_json(const struct payload_speed *s)
{
	return json_pack("{s:s, s:i, s:f, s:f, s:f}", "unit", s->unit, "bytes",
			 (int)s->bytes, "memcpy_gb_s", s->memcpy_speed,
			 "generate_gb_s", s->fill_speed, "check_gb_s",
			 s->check_speed);
}

static void bench_payload_print(const struct payload_speed *s)
{
	printf("%-7s %8u %9.2f %9.2f  x%4.2f %9.2f  x%4.2f\n", s->unit,
	       s->bytes, s->memcpy_speed, s->fill_speed,
	       s->fill_speed / s->memcpy_speed, s->check_speed,
	       s->check_speed / s->memcpy_speed);
}

static int bench_payload_one(const struct vb_options *o, const char *unit,
			     uint32_t bytes, json_t *list)
{
	uint64_t slice_ns = BENCH_SLICE_MS * NS_PER_MS;
	struct payload_speed s;
	int err = payload_measure(unit, bytes, (uint32_t)o->repeats, slice_ns,
				  &s);

	if (err == -EBADMSG) {
		log_error("unit %s: %u bytes made were not found right", unit,
			  bytes);
		return EXIT_FAILED;
	}
	if (err)
		return EXIT_FINE;
	if (o->json)
		json_array_append_new(list, bench_payload_json(&s));
	else
		bench_payload_print(&s);
	return EXIT_FINE;
}

static int bench_payload(const struct vb_options *o)
{
	struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 8,
		.bytes = { 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20 },
	};
	json_t *list = json_array();
	int status = EXIT_FINE;

	if (o->size.kind == VB_SIZES_LIST)
		sizes = o->size;
	if (!o->json)
		printf("GB/s of one core, by CPU time; best of %u\n"
		       "unit       bytes    memcpy  generate        "
		       "check\n",
		       (unsigned)o->repeats);
	for (size_t u = 0; u < pattern_unit_count && !status; u++)
		for (uint32_t i = 0; i < sizes.count && !status; i++)
			if (sizes.bytes[i] &&
			    sizes.bytes[i] <= BENCH_PAYLOAD_MAX)
				status = bench_payload_one(
					o, pattern_units[u].name,
					sizes.bytes[i], list);
	if (o->json)
		answer_json(list);
	else
		json_decref(list);
	return status;
}

/* --- bench --------------------------------------------------------------- */

static void bench_progress(void *arg, uint32_t done, uint32_t all,
			   const char *what)
{
	fprintf(stderr, "\r\033[K%u of %u: %s", done + 1, all, what);
	fflush(stderr);
}

static void bench_header(struct figures *f, const struct vb_options *o)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(f->when, sizeof(f->when), "%Y-%m-%d %H:%M:%S", &tm);
	if (gethostname(f->host, sizeof(f->host) - 1))
		f->host[0] = '\0';
	snprintf(f->version, sizeof(f->version), "%s", VB_VERSION);
	if (o->save)
		snprintf(f->name, sizeof(f->name), "%s", o->save);
}

static void bench_print(const struct figures *f, const struct measure *m)
{
	const struct traffic_program *p = &m->program;
	struct strbuf duration = STRBUF_INIT;
	char window[64] = "";

	times_text(p->duration_ns, &duration);
	if (m->window_bytes)
		snprintf(window, sizeof(window), " (of long ones %lu KiB)",
			 (unsigned long)(m->window_bytes >> 10));
	printf("device %s, mtu %u, %u qps x %u in flight%s, %u receives each, "
	       "%s, %s; %s a measurement\n",
	       p->device, p->mtu, p->qps, p->inflight, window, p->rq_depth,
	       p->events ? "events" : "polling",
	       p->verify ? "every byte verified" : "nothing verified",
	       strbuf_text(&duration));
	printf("%-32s %12s %-8s %9s %7s\n", "figure", "median", "", "spread",
	       "repeats");
	for (uint32_t i = 0; i < f->count; i++) {
		const struct figure *figure = &f->list[i];

		printf("%-32s %12.2f %-8s  +-%5.1f%% %7u\n", figure->name,
		       figure_median(figure), figure->unit,
		       figure_spread(figure), figure->count);
	}
	if (f->disturbed)
		printf("%u of %u measurements were disturbed by others on the "
		       "host: an end had less than nine\ntenths of a "
		       "processor, also when it was measured again\n",
		       f->disturbed, f->measured);
	strbuf_free(&duration);
}

static int bench_save(const struct figures *f, const struct vb_options *o)
{
	struct strbuf error = STRBUF_INIT;
	char *path = NULL;
	int err = figures_save(f, o->store, &path, &error);

	if (err) {
		log_error("%s", strbuf_text(&error));
		strbuf_free(&error);
		return err == -EINVAL ? EXIT_USAGE : EXIT_ABSENT;
	}
	fprintf(stderr, "kept as %s\n", path);
	free(path);
	return EXIT_FINE;
}

static int bench_measure(struct measure *m, const struct vb_options *o,
			 const struct target *target)
{
	struct strbuf error = STRBUF_INIT;
	struct figures *f = figures_new();
	bool live = isatty(STDERR_FILENO);
	int err, status = EXIT_FINE;

	bench_header(f, o);
	json_decref(f->settings);
	m->program.sizes = m->sizes;
	f->settings = program_settings(&m->program, target);
	json_object_set_new(f->settings, "window_bytes",
			    json_integer((json_int_t)m->window_bytes));
	m->progress = live ? bench_progress : NULL;
	session_catch_signals();
	err = measure_all(m, f, &error);
	if (live)
		fputs("\r\033[K", stderr);
	if (o->json)
		answer_json(figures_json(f));
	else
		bench_print(f, m);
	if (err == -EINTR) {
		log_error("interrupted: the figures are of what was measured "
			  "until then, and not kept");
		status = EXIT_FAILED;
	} else if (err) {
		log_error("%s", strbuf_text(&error));
		status = EXIT_FAILED;
	} else if (o->save) {
		status = bench_save(f, o);
	}
	strbuf_free(&error);
	figures_free(f);
	return status;
}

int command_bench(struct command_call *call)
{
	struct vb_options *o = &call->options;
	struct target *target;
	struct measure m = {
		.sizes = { .kind = VB_SIZES_LIST,
			   .count = 3,
			   .bytes = { 64, 4096, 65536 } },
		.rates = o->rates,
		.repeats = (uint32_t)o->repeats,
		.window_bytes = o->window << 10,
	};
	int status;

	if (call->count == 1) {
		if (strcmp(call->operands[0], "payload") == 0)
			return bench_payload(o);
		log_error("'%s': 'verbatim bench' takes the word payload, or "
			  "nothing",
			  call->operands[0]);
		return EXIT_USAGE;
	}
	if (o->size.kind == VB_SIZES_LIST)
		m.sizes = o->size;
	else if (o->size.kind == VB_SIZES_RANGE) {
		log_error("--size: a bench measures sizes one by one: N or "
			  "N,N,...");
		return EXIT_USAGE;
	}
	if (o->rates.kind != VB_SIZES_LIST) {
		log_error("--rates: must be N or N,N,...");
		return EXIT_USAGE;
	}
	/* The buffers of the largest are what has to fit. */
	o->size = m.sizes;
	target = calloc(1, sizeof(*target));
	if (!target)
		abort();
	status = program_make(call, "1s", TRAFFIC_A_TO_B, &m.program, target);
	if (!status)
		status = bench_measure(&m, o, target);
	program_end();
	free(target);
	return status;
}
