// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* soak: long traffic, watched; its end is a verdict. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "suite/bench/soak.h"
#include "suite/bench/soak_metrics.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/program.h"
#include "suite/peer/facts.h"
#include "suite/report/rundir.h"

enum {
	/* Without a terminal: so many lines, over the whole run. */
	SOAK_LINES = 60,
	SOAK_SETTLE_MAX_S = 60,
};

static void soak_limits(const struct vb_options *o,
			const struct traffic_program *p, struct drift_limits *l)
{
	double duration_s = (double)p->duration_ns / NS_PER_S;

	drift_limits_default(l);
	l->memory_bytes_per_h = o->limit_memory * 1024;
	l->rate_fall = o->limit_rate / 100;
	l->stall_s = o->limit_stall * o->patience;
	l->backlog_full = (double)p->qps * p->inflight *
			  (p->direction == TRAFFIC_BOTH ? 2 : 1);
	if (l->backlog_full > TRAFFIC_BATCH_MAX)
		l->backlog_full = TRAFFIC_BATCH_MAX;
	l->settle_s = duration_s / 10;
	if (l->settle_s < 2)
		l->settle_s = 2;
	if (l->settle_s > SOAK_SETTLE_MAX_S)
		l->settle_s = SOAK_SETTLE_MAX_S;
}

/* Until both ends are gone.  An interrupt asks them to end, a second one does
 * so at once. */
static void soak_watch(struct soak *s, const struct vb_options *o,
		       struct metrics *out, struct soak_metrics *metrics)
{
	double duration_s = (double)s->program->duration_ns / NS_PER_S;
	double every_s = duration_s / SOAK_LINES, next_s = 0;
	bool screen = !o->quiet && isatty(STDERR_FILENO);
	unsigned signals = 0;

	while (!soak_step(s)) {
		if (session_signals() > signals) {
			signals = session_signals();
			session_stop(&s->session);
		}
		if (out)
			metrics_publish(out, soak_metrics_fill, metrics);
		if (screen)
			soak_show_screen(s, stderr);
		else if (!o->quiet && s->at_s >= next_s) {
			soak_show_line(s, stderr);
			next_s += every_s > 1 ? every_s : 1;
		}
	}
}

static void soak_print_findings(const struct soak *s,
				const struct soak_outcome *r)
{
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		const struct traffic_result *x = s->session.results[end];

		for (uint32_t i = 0; i < x->findings_count; i++)
			printf("  %s: %s\n", x->findings[i].kind,
			       x->findings[i].text);
		if (x->findings_total > x->findings_count)
			printf("  ... and %lu more of end %c\n",
			       (unsigned long)(x->findings_total -
					       x->findings_count),
			       'a' + (int)end);
		for (size_t i = 0; i < r->drift_count[end]; i++)
			printf("  drift, end %c, %s: %s\n", 'a' + (int)end,
			       drift_kind_name(r->drifts[end][i].kind),
			       r->drifts[end][i].text);
	}
}

static void soak_print(const struct soak *s, const struct soak_outcome *r,
		       const char *error, const char *dir)
{
	printf("%s: %lu messages, %.1f MB, in %.1f s%s, every one %s\n",
	       r->failed ? "fail" : "pass", (unsigned long)r->messages,
	       (double)r->bytes / 1e6, r->wall_s,
	       r->cut_short ? " (cut short)" : "",
	       s->program->verify ? "verified" : "counted");
	printf("  %lu RNR NAKs, %lu retries, %lu reconnects, %lu findings, "
	       "seed %lu\n",
	       (unsigned long)r->rnr, (unsigned long)r->retries,
	       (unsigned long)r->reconnects, (unsigned long)r->findings,
	       (unsigned long)s->program->seed);
	soak_print_findings(s, r);
	if (r->starved)
		printf("  a busy host: in %zu of %zu seconds an end waited for "
		       "a processor, for up to %.2f s; of\n  backlog and rate "
		       "these were not judged\n",
		       r->starved, r->samples, r->starved_worst_s);
	if (error[0])
		printf("  %s\n", error);
	printf("  %s/soak.jsonl\n", dir);
}

/* From the first message to the verdict: the exit status. */
static int soak_go(struct soak *s, const struct vb_options *o,
		   struct metrics *out, const char *kind, const char *dir)
{
	struct soak_metrics metrics = {
		.soak = s,
		.kind = kind,
		.started_s = (uint64_t)time(NULL),
	};
	struct strbuf error = STRBUF_INIT;
	struct soak_outcome outcome;
	struct drift_limits limits;

	soak_watch(s, o, out, &metrics);
	soak_limits(o, s->program, &limits);
	soak_end(s, &limits, &outcome, &error);
	soak_print(s, &outcome, strbuf_text(&error), dir);
	metrics.outcome = &outcome;
	if (out)
		metrics_publish(out, soak_metrics_fill, &metrics);
	strbuf_free(&error);
	return outcome.failed ? EXIT_FAILED : EXIT_FINE;
}

static int soak_run(const struct traffic_program *p, struct target *target,
		    const struct vb_options *o, struct metrics *out,
		    const char *dir)
{
	json_t *settings = program_settings(p, target);
	json_t *here = peer_facts_make(target);
	FILE *file = rundir_open(dir, "soak.jsonl");
	struct strbuf error = STRBUF_INIT;
	int status = EXIT_ABSENT;
	struct soak s;

	if (!file) {
		log_error("'%s/soak.jsonl': %s", dir, strerror(errno));
		json_decref(settings);
		json_decref(here);
		return EXIT_ABSENT;
	}
	session_catch_signals();
	if (soak_start(&s, p, file, settings, here, &error)) {
		log_error("%s", strbuf_text(&error));
	} else {
		status = soak_go(&s, o, out, target->device.kind, dir);
		soak_free(&s);
	}
	json_decref(settings);
	json_decref(here);
	fclose(file);
	strbuf_free(&error);
	return status;
}

int command_soak(struct command_call *call)
{
	const struct vb_options *o = &call->options;
	struct target *target = calloc(1, sizeof(*target));
	struct metrics *out = NULL;
	char *dir = NULL, *error = NULL;
	struct traffic_program p;
	int status, fd;

	if (!target)
		abort();
	status = program_make(call, "1m", TRAFFIC_BOTH, &p, target);
	if (!status && rundir_make(o->out, &dir, &fd, &error))
		status = answer_error(error, EXIT_ABSENT);
	if (!status) {
		status = answer_metrics(o, &out);
		if (!status)
			status = answer_metrics_end(
				o, out, soak_run(&p, target, o, out, dir));
		close(fd);
		free(dir);
	}
	program_end();
	free(target);
	return status;
}
