// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a case calls to say what it found: the inside of verdict.h. */
#include "verbatim/verdict.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "suite/runner/area.h"
#include "suite/runner/inside.h"
#include "suite/runner/starved.h"

const char *vb_verdict_name(enum vb_verdict v)
{
	static const char *const names[] = {
		[VB_NONE] = "none",	[VB_PASS] = "pass",
		[VB_FAIL] = "fail",	[VB_SKIP] = "skip",
		[VB_BROKEN] = "broken", [VB_DEVIATION] = "deviation",
	};

	assert((size_t)v < ARRAY_SIZE(names));
	return names[v];
}

const char *vb_finding_word(enum vb_finding f)
{
	static const char *const words[] = {
#define VB_FINDING(name, word, text) [VB_FIND_##name] = word,
#include "verbatim/findings.def"
#undef VB_FINDING
	};

	assert((size_t)f < ARRAY_SIZE(words));
	return words[f];
}

/* The verdict stands by now: whatever happens in here, it is not lost. */
static void verdict_diagnose(struct vb_test *t, enum vb_finding finding)
{
	struct inside *inside = t->runner;
	struct outcome *o = &inside->area->outcome;
	struct strbuf text = STRBUF_INIT;

	if (vb_ends_look)
		vb_ends_look(t);
	if (!vb_ends_diagnose)
		return;
	vb_ends_diagnose(t, finding, &text);
	snprintf(o->diagnosis, sizeof(o->diagnosis), "%s", strbuf_text(&text));
	strbuf_free(&text);
}

/* Told to stop: what is on both ends now is what it hangs at.  (Looking may
 * lead here again.) */
static void verdict_stopped(struct vb_test *t) NO_RETURN;

static void verdict_stopped(struct vb_test *t)
{
	struct inside *inside = t->runner;
	struct outcome *o = &inside->area->outcome;

	atomic_store(&o->stopped, true);
	if (outcome_claim(o)) {
		atomic_store(&o->looked_ns, clock_now_ns());
		inside->looking = true;
		verdict_diagnose(t, VB_FIND_HANG);
	}
	inside_leave();
}

/* Without a runner (unit tests of the ends) the verdict goes to stderr. */
static void verdict_end(struct vb_test *t, enum vb_verdict verdict,
			enum vb_finding finding, const char *format,
			va_list args) NO_RETURN;

static void verdict_end(struct vb_test *t, enum vb_verdict verdict,
			enum vb_finding finding, const char *format,
			va_list args)
{
	struct inside *inside = t->runner;

	if (!inside) {
		fprintf(stderr, "%s: ", vb_verdict_name(verdict));
		if (verdict == VB_FAIL)
			fprintf(stderr, "%s: ", vb_finding_word(finding));
		vfprintf(stderr, format, args);
		fputc('\n', stderr);
		_exit(1);
	}
	/* Told to stop, waits are cut short: what follows from that is no
	 * verdict, but still worth reading. */
	if (inside_told_to_stop()) {
		outcome_vnote(&inside->area->outcome, format, args);
		verdict_stopped(t);
	}
	if (outcome_vsettle(&inside->area->outcome, verdict, finding, format,
			    args) &&
	    verdict == VB_FAIL)
		verdict_diagnose(t, finding);
	inside_leave();
}

void vb_checked(struct vb_test *t)
{
	struct inside *inside = t->runner;

	if (inside)
		atomic_fetch_add(&inside->area->outcome.checks, 1);
}

void vb_fail(struct vb_test *t, enum vb_finding finding, const char *format,
	     ...)
{
	va_list args;

	va_start(args, format);
	verdict_end(t, VB_FAIL, finding, format, args);
}

void vb_skip(struct vb_test *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	verdict_end(t, VB_SKIP, VB_FIND_OTHER, format, args);
}

void vb_broken(struct vb_test *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	verdict_end(t, VB_BROKEN, VB_FIND_OTHER, format, args);
}

void vb_note(struct vb_test *t, const char *format, ...)
{
	struct inside *inside = t->runner;
	va_list args;

	if (!inside)
		return;
	va_start(args, format);
	outcome_vnote(&inside->area->outcome, format, args);
	va_end(args);
}

uint64_t vb_deadline(const struct vb_test *t, unsigned ms)
{
	struct inside *inside = t->runner;
	double patience = t->options ? t->options->patience : 1.0;
	uint64_t wait_ns = (uint64_t)(ms * patience * (double)NS_PER_MS);
	uint64_t deadline_ns = clock_now_ns() + wait_ns;
	uint64_t end_ns;

	if (!inside)
		return deadline_ns;
	inside->starved_ns = starved_ns(getpid());
	end_ns = inside->end_ns + inside->starved_ns;
	return end_ns < deadline_ns ? end_ns : deadline_ns;
}

/* Since the last deadline was set. */
static uint64_t verdict_starved_ns(const struct inside *inside)
{
	uint64_t sum_ns = starved_ns(getpid());

	return sum_ns > inside->starved_ns ? sum_ns - inside->starved_ns : 0;
}

bool vb_waiting(struct vb_test *t, uint64_t deadline_ns)
{
	struct inside *inside = t->runner;

	if (inside && inside_told_to_stop() && !inside->looking)
		verdict_stopped(t);
	/* Another process of the case came to a verdict. */
	if (inside && atomic_load(&inside->area->outcome.ended))
		inside_leave();
	if (clock_now_ns() < deadline_ns)
		return true;
	/* What the host has kept us from running is no time that we waited. */
	return inside &&
	       clock_now_ns() < deadline_ns + verdict_starved_ns(inside);
}
