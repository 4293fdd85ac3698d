// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The order of the questions: did the process die of a signal; was it stopped
 * by us; did it say something; did it leave something behind.  A death after
 * a failure was stated keeps the failure: it was first.
 */
#include "suite/runner/judge.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/process.h"

static void judge_say(struct result *r, enum vb_verdict verdict,
		      enum vb_finding finding, const char *format, ...)
	PRINTF_LIKE(4, 5);

static void judge_say(struct result *r, enum vb_verdict verdict,
		      enum vb_finding finding, const char *format, ...)
{
	va_list args;

	r->verdict = verdict;
	r->finding = finding;
	va_start(args, format);
	vsnprintf(r->reason, sizeof(r->reason), format, args);
	va_end(args);
}

static void judge_add_last_line(const struct judge_facts *f, struct result *r)
{
	size_t len = strlen(r->reason);

	if (f->last_line)
		snprintf(r->reason + len, sizeof(r->reason) - len,
			 "; last recorded: %.300s", f->last_line);
}

/* Signals that other people send; a fault of the device raises others. */
static bool judge_from_outside(int sig)
{
	return sig == SIGKILL || sig == SIGTERM || sig == SIGINT ||
	       sig == SIGHUP || sig == SIGQUIT;
}

static void judge_signal(const struct judge_facts *f, struct result *r)
{
	char text[PROCESS_DEATH_MAX];

	process_death(f->wait_status, text);
	if (judge_from_outside(WTERMSIG(f->wait_status))) {
		judge_say(r, VB_BROKEN, VB_FIND_OTHER,
			  "its process %s: a signal from outside", text);
		return;
	}
	judge_say(r, VB_FAIL, VB_FIND_CRASH, "its process %s", text);
	judge_add_last_line(f, r);
}

static const char *judge_how_ended(const struct judge_facts *f)
{
	if (f->stuck)
		return ", and it cannot be killed: a call into the kernel "
		       "does not return";
	return f->outcome->stopped ? "" : ", and it had to be killed";
}

static void judge_silence(const struct judge_facts *f, struct result *r)
{
	int status = f->wait_status;

	switch (f->stop) {
	case JUDGE_STOP_INTERRUPT:
		judge_say(r, VB_BROKEN, VB_FIND_OTHER, "%s", f->interrupt);
		return;
	case JUDGE_STOP_LIMIT:
		judge_say(r, VB_FAIL, VB_FIND_HANG,
			  "no end within its limit of %llu ms%s",
			  (unsigned long long)f->limit_ms, judge_how_ended(f));
		judge_add_last_line(f, r);
		return;
	case JUDGE_STOP_NONE:
		break;
	}
	if (WIFSIGNALED(status))
		judge_signal(f, r);
	else
		judge_say(r, VB_BROKEN, VB_FIND_OTHER,
			  "its process ended by itself with exit status %d, "
			  "without a verdict",
			  WEXITSTATUS(status));
}

void judge_case(const struct judge_facts *f, struct result *out)
{
	const struct outcome *o = f->outcome;

	memset(out, 0, sizeof(*out));
	out->checks = atomic_load(&o->checks);
	if (!atomic_load(&o->ended)) {
		judge_silence(f, out);
		return;
	}
	judge_say(out, o->verdict, o->finding, "%s", o->reason);
	if (o->verdict != VB_PASS)
		return;
	if (f->stuck)
		judge_say(out, VB_FAIL, VB_FIND_HANG,
			  "it passed, but its process does not end%s",
			  judge_how_ended(f));
	else if (WIFSIGNALED(f->wait_status) && f->stop == JUDGE_STOP_NONE)
		judge_signal(f, out);
	else if (!out->checks)
		judge_say(out, VB_BROKEN, VB_FIND_OTHER,
			  "it passed without having checked anything");
	else if (f->left_count)
		judge_say(out, VB_FAIL, VB_FIND_LEAK,
			  "%u process%s left running; the first: %s",
			  f->left_count, f->left_count > 1 ? "es" : "",
			  f->left ? f->left : "unknown");
}
