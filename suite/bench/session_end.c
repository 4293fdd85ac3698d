// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end of a session: by itself or by force, and what it comes to. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/process.h"
#include "suite/bench/session_inner.h"
#include "suite/runner/starved.h"

/* How far an end had come: the scene of a session that failed. */
static void session_scene(const struct session *s, uint32_t end,
			  struct strbuf *out)
{
	const struct traffic_live *live = s->live[end];

	if (!live->started_ns)
		strbuf_addf(out, "; %c had not begun", 'a' + (int)end);
	else
		strbuf_addf(out,
			    "; %c: %" PRIu64 " sent, of which %" PRIu64
			    " outstanding, %" PRIu64 " received, %" PRIu64
			    " receives posted, connection %" PRIu64,
			    'a' + (int)end, live->sent, live->outstanding,
			    live->received, live->receives_posted,
			    live->generation);
}

/* Why this end is not at its end; false: it is. */
static bool session_fault(const struct session *s, uint32_t end,
			  struct strbuf *error)
{
	const struct session_shared *shared = s->inner;
	const struct traffic_result *r = s->results[end];
	char text[PROCESS_DEATH_MAX];
	int status = shared->status[shared->program.threads ? 0 : end];

	if (WIFSIGNALED(status))
		strbuf_addf(error, "end %c %s", 'a' + (int)end,
			    process_death(status, text));
	else if (r->err)
		strbuf_addf(error, "end %c: %s", 'a' + (int)end,
			    r->error[0] ? r->error : strerror(-r->err));
	else
		return false;
	return true;
}

/* Until all are gone; when the time is over, by force. */
static void session_finish(struct session *s, int limit_ms)
{
	uint64_t until_ns = clock_now_ns() + (uint64_t)limit_ms * NS_PER_MS;

	while (!session_wait(s, 100)) {
		if (clock_now_ns() < until_ns)
			continue;
		for (uint32_t end = 0; end < SESSION_ENDS; end++)
			if (s->pids[end])
				kill(s->pids[end], SIGKILL);
	}
}

int session_end(struct session *s, int limit_ms, struct strbuf *error)
{
	const struct session_shared *shared = s->inner;
	struct strbuf there = STRBUF_INIT;
	bool bad = false;
	int err;

	session_finish(s, limit_ms);
	err = s->far ? s->far->end(s->far, &there) : 0;
	/* The one with findings knows more than the one who waited for it. */
	for (uint32_t end = 0; end < SESSION_ENDS && !bad; end++)
		if (s->results[end]->findings_count)
			bad = session_fault(s, end, error);
	/* The other one ended because this one had. */
	if (!bad)
		bad = session_fault(s, shared->first, error);
	if (!bad)
		bad = session_fault(s, !shared->first, error);
	if (err)
		strbuf_addf(error, "%s%s", bad ? "; " : "",
			    strbuf_text(&there));
	strbuf_free(&there);
	for (uint32_t end = 0; end < SESSION_ENDS && bad; end++)
		session_scene(s, end, error);
	if (bad || err)
		return -EIO;
	return traffic_reconcile(&shared->results[0], &shared->results[1],
				 error);
}

void session_end_half(struct session *s, int limit_ms)
{
	struct session_shared *shared = s->inner;
	char text[PROCESS_DEATH_MAX];

	session_finish(s, limit_ms);
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		struct traffic_result *r = &shared->results[end];
		int status = shared->status[end];

		if (!WIFSIGNALED(status))
			continue;
		r->err = -ECHILD;
		snprintf(r->error, sizeof(r->error), "its process %s",
			 process_death(status, text));
	}
}

void session_usage(const struct session *s, uint32_t end,
		   uint64_t *memory_bytes, uint64_t *descriptors)
{
	const struct session_shared *shared = s->inner;
	pid_t pid = s->pids[shared->program.threads ? 0 : end];

	if (s->far && s->far->side == end) {
		*memory_bytes = s->live[end]->memory_bytes;
		*descriptors = s->live[end]->descriptors;
		return;
	}
	if (process_resident(pid, memory_bytes))
		*memory_bytes = 0;
	*descriptors = process_descriptors(pid);
}

uint64_t session_starved(const struct session *s, uint32_t end)
{
	if (s->far && s->far->side == end)
		return s->live[end]->starved_ns;
	return s->pids[end] ? starved_ns(s->pids[end]) : 0;
}
