// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The worker's loop over the cases, and what the front does in its place when
 * it has died: the case that was running gets its verdict, and the reports are
 * made again from the events.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "suite/runner/area.h"
#include "suite/runner/exit.h"
#include "suite/runner/process.h"
#include "suite/runner/registry.h"
#include "suite/runner/run.h"

/* For the peer's half of a case to end by itself; times --patience. */
enum { WORK_HALF_MS = 2000 };

static void work_result(struct result *result, enum vb_verdict verdict,
			const char *reason)
{
	memset(result, 0, sizeof(*result));
	result->verdict = verdict;
	result->finding = VB_FIND_OTHER;
	snprintf(result->reason, sizeof(result->reason), "%s", reason);
}

/* The run cannot go on without its peer: there is no second try, which would
 * hide what it died of. */
static void work_peer_lost(struct process_host *host, char *error)
{
	static char why[256];

	snprintf(why, sizeof(why), "the peer is lost: %.200s", error);
	free(error);
	if (!host->interrupt)
		host->interrupt = why;
}

static bool work_peer_begin(struct run *r, struct process_host *host,
			    struct result *result)
{
	char *error = NULL;

	host->peer = r->peer ? &r->peer->inside : NULL;
	if (!r->peer || !r->peer->begin(r->peer, &error))
		return false;
	work_peer_lost(host, error);
	work_result(result, VB_BROKEN, host->interrupt);
	return true;
}

/* What the other half of the case came to is a part of its verdict. */
static void work_half(struct result *result, const struct run_half *half)
{
	char text[256];

	if (half->signal && half->signal != SIGKILL) {
		snprintf(text, sizeof(text),
			 "the peer's process of the case died by SIG%s: %s; "
			 "here: %.120s",
			 sigabbrev_np(half->signal), sigdescr_np(half->signal),
			 result->reason);
		work_result(result, VB_FAIL, text);
		result->finding = VB_FIND_CRASH;
	} else if (result->verdict == VB_PASS &&
		   (half->killed || half->stuck)) {
		work_result(result, VB_FAIL,
			    half->stuck ? "it passed, but the peer's process "
					  "of the case cannot be killed"
					: "it passed, but the peer's process "
					  "of the case had to be killed");
		result->finding = VB_FIND_HANG;
	} else if (result->verdict == VB_PASS && half->status) {
		work_result(result, VB_BROKEN,
			    "it passed, but the peer's process of the case "
			    "left with an error");
	}
}

static void work_peer_end(struct run *r, struct process_host *host,
			  const struct vb_case *record, struct result *result)
{
	double patience = r->options->patience;
	struct run_half half = { 0 };
	char *error = NULL;

	if (r->peer->end(r->peer, (uint64_t)(WORK_HALF_MS * patience), &half,
			 &error)) {
		work_peer_lost(host, error);
		if (result->verdict == VB_PASS)
			work_result(result, VB_BROKEN, host->interrupt);
		return;
	}
	work_half(result, &half);
	stream_emit(&r->stream, run_event_clock(r, record, &half));
}

static void work_case(struct run *r, struct process_host *host, size_t number)
{
	const struct vb_case *record = r->cases.cases[number];
	const char *lack = target_lack(r->target, record);
	struct judge_facts facts;
	struct result result;
	char *last_line;
	int err;

	area_begin(r->area, (int)number);
	stream_emit(&r->stream, run_event_case_start(r, number));
	if (lack) {
		work_result(&result, VB_SKIP, lack);
		run_end_case(r, record, &result);
		return;
	}
	if (work_peer_begin(r, host, &result)) {
		run_end_case(r, record, &result);
		return;
	}
	err = process_run(host, record, r->options,
			  run_case_seed(r->options->seed, record->id), &facts);
	if (err) {
		struct strbuf text = STRBUF_INIT;

		strbuf_addf(&text, "no process for it: %s", strerror(-err));
		work_result(&result, VB_BROKEN, strbuf_text(&text));
		strbuf_free(&text);
	} else {
		last_line = area_last_line(r->area);
		facts.last_line = last_line;
		judge_case(&facts, &result);
		free(last_line);
	}
	if (r->peer)
		work_peer_end(r, host, record, &result);
	run_end_case(r, record, &result);
}

static const char *work_stdout_lost(const struct stream *s)
{
	return s->stdout_error == EPIPE ? "nobody reads stdout any more"
					: "stdout takes no more";
}

int run_work(struct run *r, int front)
{
	struct process_host host;
	char *error = NULL;
	int err = run_open_stream(r, false, &error);

	if (err) {
		log_error("%s", error);
		free(error);
		return EXIT_ABSENT;
	}
	err = process_host_open(&host, r->area, front);
	if (err) {
		log_error("the run cannot be set up: %s", strerror(-err));
		return EXIT_ABSENT;
	}
	stream_emit(&r->stream, run_event_start(r));
	for (size_t i = 0; i < r->cases.count; i++) {
		if (process_host_interrupted(&host))
			break;
		if (r->stream.stdout_error) {
			host.interrupt = work_stdout_lost(&r->stream);
			break;
		}
		work_case(r, &host, i);
	}
	run_end(r, host.interrupt);
	process_host_close(&host);
	return host.interrupt ? EXIT_FAILED : run_exit_status(r);
}

/* The verdict of a case whose worker is dead. */
static void recover_case(struct run *r, const char *id, const char *how)
{
	const struct vb_case *record = registry_find(id);
	const struct judge_facts facts = {
		.outcome = &r->area->outcome,
		.stop = JUDGE_STOP_INTERRUPT,
		.interrupt = how,
	};
	struct result result;

	/* The area still holds what that very case has said and done. */
	if (!record || atomic_load(&r->area->current) == AREA_NO_CASE)
		return;
	judge_case(&facts, &result);
	run_end_case(r, record, &result);
}

/* Nobody shall see twice what the worker has already said on stdout. */
static int recover_replay(struct run *r, char *open, size_t size)
{
	struct reporter *shown =
		r->stream.reporters[r->stream.reporter_count - 1];
	struct strbuf path = STRBUF_INIT;
	FILE *null = fopen("/dev/null", "we");
	unsigned line;
	uint64_t kept;
	int err;

	if (!null)
		return -errno;
	shown->out = null;
	strbuf_addf(&path, "%s/events.jsonl", r->dir);
	err = stream_replay(&r->stream, strbuf_text(&path), open, size, &line,
			    &kept);
	if (!err && truncate(strbuf_text(&path), (off_t)kept))
		err = -errno;
	shown->out = stdout;
	strbuf_free(&path);
	fclose(null);
	return err;
}

int run_recover(struct run *r, int status)
{
	char open[256] = "", how[PROCESS_DEATH_MAX + 16];
	char text[PROCESS_DEATH_MAX], *error = NULL;
	int err;

	process_sweep(NULL, 0);
	snprintf(how, sizeof(how), "the runner %s",
		 process_death(status, text));
	err = run_open_stream(r, true, &error);
	if (err) {
		log_error("%s; %s", how, error);
		free(error);
		return EXIT_FAILED;
	}
	err = recover_replay(r, open, sizeof(open));
	if (err)
		log_error("events in %s: %s", r->dir, strerror(-err));
	if (open[0])
		recover_case(r, open, how);
	run_end(r, how);
	return EXIT_FAILED;
}
