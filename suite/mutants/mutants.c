// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The jobs: made, taken over from an earlier run, done some at a time. */
#include "suite/mutants/mutants.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "suite/mutants/hunt.h"
#include "suite/runner/registry.h"

enum { MUTANTS_PARALLEL_MAX = 64 };

static volatile sig_atomic_t mutants_interrupted;

static void mutants_interrupt(int sig)
{
	mutants_interrupted = 1;
}

static void mutants_catch_signals(void)
{
	struct sigaction action = { .sa_handler = mutants_interrupt };

	mutants_interrupted = 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* --- Making and taking over ------------------------------------------------ */

static void mutants_make_jobs(struct mutants *m, uint64_t control)
{
	m->job_count = control + m->rows.count;
	m->jobs = calloc(m->job_count + 1, sizeof(*m->jobs));
	m->tripped = calloc(registry_count() + 1, sizeof(*m->tripped));
	if (!m->jobs || !m->tripped)
		abort();
	for (size_t i = 0; i < m->job_count; i++) {
		struct mutants_job *job = &m->jobs[i];

		job->row = i < control ? NULL : m->rows.row[i - control];
		job->seed = m->seed + (i < control ? i : 0);
	}
}

static void mutants_take_trips(struct mutants *m, const json_t *result)
{
	const json_t *trip;
	size_t i;

	json_array_foreach(json_object_get(result, "tripped"), i, trip)
	{
		for (size_t n = 0; n < registry_count(); n++)
			if (!strcmp(registry_at(n)->id,
				    mutants_text(trip, "case")))
				m->tripped[n] = true;
	}
}

/* @line is the result of a job, if it is one that we have. */
static void mutants_take(struct mutants *m, json_t *line)
{
	const char *id = mutants_text(line, "mutant");
	json_int_t control =
		json_integer_value(json_object_get(line, "control"));

	for (size_t i = 0; i < m->job_count; i++) {
		struct mutants_job *job = &m->jobs[i];

		if (job->row ? strcmp(job->row->id, id) != 0
			     : (json_int_t)job->seed != control)
			continue;
		json_decref(job->result);
		job->result = json_incref(line);
		if (job->row)
			mutants_take_trips(m, line);
	}
}

/* The lines of an earlier run; the last may have been cut. */
static int mutants_take_file(struct mutants *m, uint64_t control, FILE *file)
{
	char *text = NULL;
	size_t room = 0;
	json_t *line;
	json_int_t seed;

	if (getline(&text, &room, file) < 0) {
		free(text);
		return -EBADMSG;
	}
	line = json_loads(text, 0, NULL);
	seed = json_integer_value(json_object_get(line, "seed"));
	json_decref(line);
	if (seed > 0) {
		m->seed = (uint64_t)seed;
		mutants_make_jobs(m, control);
		while (getline(&text, &room, file) > 0) {
			line = json_loads(text, 0, NULL);
			mutants_take(m, line);
			json_decref(line);
		}
	}
	free(text);
	return seed > 0 ? 0 : -EBADMSG;
}

static int mutants_begin_file(struct mutants *m)
{
	json_t *first = json_object();
	int err;

	json_object_set_new(first, "seed", json_integer((json_int_t)m->seed));
	json_object_set_new(first, "version", json_string(VB_VERSION));
	err = json_dumpf(first, m->file, JSON_COMPACT);
	fputc('\n', m->file);
	json_decref(first);
	return err || fflush(m->file) ? -EIO : 0;
}

int mutants_open(struct mutants *m, uint64_t control, bool again, char **error)
{
	struct strbuf path = STRBUF_INIT;
	int err = 0;

	strbuf_addf(&path, "%s/mutants.jsonl", m->dir);
	m->file = fopen(strbuf_text(&path), again ? "r+e" : "we");
	if (!m->file) {
		err = -errno;
	} else if (again) {
		err = mutants_take_file(m, control, m->file);
		/* Behind a line that was cut, the next one begins anew. */
		if (!err && (fseek(m->file, 0, SEEK_END) ||
			     fputc('\n', m->file) == EOF))
			err = -EIO;
	} else {
		mutants_make_jobs(m, control);
		err = mutants_begin_file(m);
	}
	if (err) {
		strbuf_addf(&path, ": %s",
			    err == -EBADMSG
				    ? "it does not begin with the seed of "
				      "an earlier 'verbatim mutants'"
				    : strerror(-err));
		*error = strbuf_detach(&path);
	}
	strbuf_free(&path);
	return err;
}

void mutants_close(struct mutants *m)
{
	for (size_t i = 0; i < m->job_count; i++)
		json_decref(m->jobs[i].result);
	free(m->jobs);
	free(m->tripped);
	if (m->file && fclose(m->file))
		log_error("'%s/mutants.jsonl': %s", m->dir, strerror(errno));
	rows_free(&m->rows);
}

/* --- Doing ------------------------------------------------------------------- */

struct mutants_work {
	struct mutants *m;
	struct hunt hunts[MUTANTS_PARALLEL_MAX];
	size_t next; /* job to look at */
	size_t done;
	void (*told)(const json_t *result);
};

static void mutants_live(const struct mutants_work *w)
{
	if (!w->m->live)
		return;
	fprintf(stderr, "\r\033[K%zu of %zu", w->done, w->m->job_count);
	for (unsigned i = 0; i < w->m->parallel; i++) {
		const struct hunt *h = &w->hunts[i];

		if (h->job)
			fprintf(stderr, "  %s %s",
				h->job->row ? h->job->row->id : "unmodified",
				h->current);
	}
	fflush(stderr);
}

static void mutants_keep(struct mutants_work *w, const json_t *result)
{
	struct mutants *m = w->m;

	json_dumpf(result, m->file, JSON_COMPACT);
	fputc('\n', m->file);
	fflush(m->file);
	if (m->live)
		fputs("\r\033[K", stderr);
	w->told(result);
	w->done++;
}

/* Give every hunt that is free its next job; false: there is none on. */
static bool mutants_fill(struct mutants_work *w)
{
	struct mutants *m = w->m;
	bool on = false;

	for (unsigned i = 0; i < m->parallel; i++) {
		struct hunt *h = &w->hunts[i];
		char *error = NULL;

		while (!h->job && w->next < m->job_count) {
			struct mutants_job *job = &m->jobs[w->next++];

			if (job->result || !hunt_begin(h, m, job, &error))
				continue;
			log_error("%s", error);
			free(error);
			mutants_interrupted = 1;
			return false;
		}
		on |= h->job != NULL;
	}
	return on;
}

/* Until one of the hunts has said something. */
static void mutants_wait(struct mutants_work *w)
{
	struct pollfd polled[MUTANTS_PARALLEL_MAX];
	struct hunt *whose[MUTANTS_PARALLEL_MAX];
	nfds_t count = 0;

	for (unsigned i = 0; i < w->m->parallel; i++) {
		if (!w->hunts[i].job)
			continue;
		polled[count].fd = w->hunts[i].child.events;
		polled[count].events = POLLIN;
		whose[count++] = &w->hunts[i];
	}
	if (poll(polled, count, -1) < 0)
		return;
	for (nfds_t i = 0; i < count; i++) {
		struct mutants_job *job = whose[i]->job;

		if (polled[i].revents && hunt_hear(whose[i]))
			mutants_keep(w, job->result);
	}
}

bool mutants_run(struct mutants *m, void (*told)(const json_t *result))
{
	struct mutants_work *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->m = m;
	w->told = told;
	if (m->parallel > MUTANTS_PARALLEL_MAX)
		m->parallel = MUTANTS_PARALLEL_MAX;
	for (size_t i = 0; i < m->job_count; i++)
		w->done += m->jobs[i].result != NULL;
	mutants_catch_signals();
	while (!mutants_interrupted && mutants_fill(w)) {
		mutants_live(w);
		mutants_wait(w);
	}
	for (unsigned i = 0; i < m->parallel; i++)
		if (w->hunts[i].job)
			hunt_break(&w->hunts[i]);
	if (m->live)
		fputs("\r\033[K", stderr);
	free(w);
	return !mutants_interrupted;
}
