// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The front and the worker, and what both do: streams and ends of cases. */
#include "suite/runner/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "suite/oracle/dashboard.h"
#include "suite/oracle/recorder.h"
#include "suite/report/metrics_out.h"
#include "suite/report/rundir.h"
#include "suite/report/scene.h"
#include "suite/report/text.h"
#include "suite/runner/area.h"
#include "suite/runner/exit.h"
#include "suite/runner/process.h"

uint64_t run_case_seed(uint64_t seed, const char *id)
{
	return hash_mix64(seed + hash_text(id)) >> 11;
}

static int run_open_file(struct run *r, const char *name, const char *mode,
			 FILE **out, char **error)
{
	struct strbuf path = STRBUF_INIT;
	int err = 0;

	strbuf_addf(&path, "%s/%s", r->dir, name);
	*out = fopen(strbuf_text(&path), mode);
	if (!*out) {
		err = -errno;
		strbuf_addf(&path, ": %s; name another folder with --out DIR",
			    strerror(errno));
		*error = strbuf_detach(&path);
	}
	strbuf_free(&path);
	return err;
}

int run_open_stream(struct run *r, bool again, char **error)
{
	FILE *file;
	int err = run_open_file(r, "events.jsonl", again ? "ae" : "we",
				&r->stream.file, error);

	for (size_t i = 0; !err && reporter_types[i]; i++) {
		const struct reporter_type *type = reporter_types[i];

		if (!type->file)
			continue;
		err = run_open_file(r, type->file, "we", &file, error);
		if (!err)
			stream_add_reporter(&r->stream,
					    reporter_open(type, file, true,
							  NULL));
	}
	if (!err)
		stream_add_reporter(&r->stream,
				    reporter_open(r->format, stdout, false,
						  &r->style));
	if (!err && r->metrics)
		stream_add_reporter(&r->stream, metrics_reporter(r->metrics));
	return err;
}

void run_close_stream(struct run *r)
{
	stream_close(&r->stream);
	if (r->stream.file && fclose(r->stream.file) && !r->stream.file_error)
		r->stream.file_error = errno;
	r->stream.file = NULL;
}

/* Verdicts that nobody can read are worth a line; a reader that has gone away
 * knows. */
static void run_tell_lost(const struct run *r)
{
	const struct stream *s = &r->stream;

	if (s->file_error)
		log_error("the run's files in '%s' are incomplete: %s", r->dir,
			  strerror(s->file_error));
	if (s->stdout_error && s->stdout_error != EPIPE)
		log_error("stdout: %s", strerror(s->stdout_error));
}

int run_exit_status(const struct run *r)
{
	int status = stream_exit_status(&r->stream.tally);

	return status == EXIT_FINE && r->stream.file_error ? EXIT_ABSENT
							   : status;
}

static void run_write_scene(struct run *r, const struct vb_case *record,
			    const json_t *end)
{
	const struct outcome *o = &r->area->outcome;
	const char *notes[OUTCOME_NOTES_MAX];
	char *captured = area_capture_text(r->area);
	const struct scene around = {
		.record = record,
		.end = end,
		.diagnosis = o->diagnosis,
		.notes = notes,
		.notes_kept = outcome_notes_kept(o),
		.notes_made = atomic_load(&o->notes),
		.captured = captured,
		.run_dir = r->dir,
		.recorder = recorder_attach(r->area->recorder_memory,
					    r->area->recorder_bytes),
		.dashboard = dashboard_attach(r->area->dashboard_memory,
					      sizeof(struct dashboard)),
	};
	struct scene scene = around;
	const struct recorder *both = NULL;
	int err;

	for (uint32_t i = 0; i < scene.notes_kept; i++)
		notes[i] = o->note[i];
	if (r->peer)
		both = r->peer->records(r->peer, scene.recorder);
	if (both)
		scene.recorder = both;
	run_tell_calls(r, record, scene.recorder);
	err = scene_write(&scene);
	if (both)
		r->peer->put_records(r->peer);
	if (err)
		log_error("scene of '%s' in %s: %s", record->id, r->dir,
			  strerror(-err));
	free(captured);
}

/* Of the device there, if that is of another kind; else NULL. */
static const char *run_other_kind(const struct run *r)
{
	const char *other = r->peer ? r->peer->kind : NULL;

	return other && strcmp(other, r->target->device.kind) ? other : NULL;
}

static void run_note_stale(struct run *r, const struct vb_case *record,
			   const struct result *result)
{
	const struct deviation *d =
		deviations_stale(r->deviations, r->deviation_count,
				 r->target->device.kind, record->id, result);
	json_t *entry;

	/* Beside another kind a device may not have played the part in which
	 * it deviates. */
	if (!d || run_other_kind(r))
		return;
	entry = json_object();
	json_object_set_new(entry, "id", text_json(d->id));
	json_object_set_new(entry, "finding", text_json(d->finding));
	json_object_set_new(entry, "reason", text_json(d->reason));
	json_object_set_new(entry, "source", text_json(d->source));
	json_array_append_new(r->stale, entry);
}

void run_end_case(struct run *r, const struct vb_case *record,
		  struct result *result)
{
	const struct outcome *o = &r->area->outcome;
	char *scene = NULL;
	json_t *end;

	result->duration_ms =
		(clock_now_ns() - atomic_load(&r->area->started_ns)) /
		NS_PER_MS;
	deviations_apply(r->deviations, r->deviation_count,
			 r->target->device.kind, record->id, result);
	if (run_other_kind(r))
		deviations_apply(r->deviations, r->deviation_count,
				 run_other_kind(r), record->id, result);
	run_note_stale(r, record, result);
	for (uint32_t i = 0; i < outcome_notes_kept(o); i++) {
		json_t *note = json_object();

		json_object_set_new(note, "event", json_string("note"));
		json_object_set_new(note, "id", text_json(record->id));
		json_object_set_new(note, "text", text_json(o->note[i]));
		stream_emit(&r->stream, note);
	}
	if (result->verdict != VB_PASS)
		scene = scene_name(record->id);
	end = run_event_case_end(r, record, result, scene);
	if (scene)
		run_write_scene(r, record, end);
	free(scene);
	stream_emit(&r->stream, end);
	atomic_store(&r->area->current, AREA_NO_CASE);
}

void run_end(struct run *r, const char *interrupted)
{
	stream_emit(&r->stream, run_event_end(r, interrupted));
	run_close_stream(r);
	run_tell_lost(r);
}

/* Pass on what the user sends, until the worker has ended. */
static int run_wait_worker(pid_t worker)
{
	sigset_t set;
	int status, sig;

	process_signal_set(&set);
	while (waitpid(worker, &status, WNOHANG) != worker) {
		if (sigwait(&set, &sig))
			continue;
		if (sig != SIGCHLD)
			kill(worker, sig);
	}
	return status;
}

/* Blocked before the fork, so that none is lost on either side. */
static void run_block_signals(void)
{
	sigset_t set;

	process_signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader of stdout that goes away must not cost us the files. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/* Start the worker, wait for it, and do its work if it dies: the exit status. */
static int run_processes(struct run *r, const int front[2])
{
	pid_t worker;
	int status;

	run_block_signals();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(NULL);
	worker = fork();
	if (worker < 0) {
		log_error("no process for the run: %s", strerror(errno));
		close(front[0]);
		close(front[1]);
		return EXIT_ABSENT;
	}
	if (!worker) {
		close(front[1]);
		status = run_work(r, front[0]);
		fflush(NULL);
		_exit(status);
	}
	close(front[0]);
	status = run_wait_worker(worker);
	close(front[1]);
	if (WIFSIGNALED(status))
		return run_recover(r, status);
	return WEXITSTATUS(status);
}

int run_all(struct run *r)
{
	int front[2], err, status;

	err = area_map(&r->area);
	if (err)
		goto err_say;
	if (pipe2(front, O_CLOEXEC)) {
		err = -errno;
		goto err_unmap;
	}
	snprintf(r->area->folder, sizeof(r->area->folder), "%s", r->dir);
	r->stale = json_array();
	r->started_ns = clock_now_ns();
	status = run_processes(r, front);
	json_decref(r->stale);
	area_unmap(r->area);
	return status;

err_unmap:
	area_unmap(r->area);
err_say:
	log_error("the run cannot be set up: %s", strerror(-err));
	return EXIT_ABSENT;
}
