// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The outcome of a case: written once, by whoever comes first. */
#include "suite/runner/outcome.h"

#include <stdio.h>
#include <string.h>

void outcome_reset(struct outcome *o)
{
	memset(o, 0, sizeof(*o));
}

bool outcome_claim(struct outcome *o)
{
	return !atomic_exchange(&o->taken, true);
}

bool outcome_vsettle(struct outcome *o, enum vb_verdict verdict,
		     enum vb_finding finding, const char *format, va_list args)
{
	if (!outcome_claim(o))
		return false;
	o->verdict = verdict;
	o->finding = finding;
	vsnprintf(o->reason, sizeof(o->reason), format, args);
	atomic_store(&o->ended, true);
	return true;
}

bool outcome_settle(struct outcome *o, enum vb_verdict verdict,
		    enum vb_finding finding, const char *format, ...)
{
	va_list args;
	bool first;

	va_start(args, format);
	first = outcome_vsettle(o, verdict, finding, format, args);
	va_end(args);
	return first;
}

void outcome_vnote(struct outcome *o, const char *format, va_list args)
{
	uint32_t n = atomic_fetch_add(&o->notes, 1);

	if (n < OUTCOME_NOTES_MAX)
		vsnprintf(o->note[n], OUTCOME_NOTE_MAX, format, args);
}

uint32_t outcome_notes_kept(const struct outcome *o)
{
	uint32_t n = atomic_load(&o->notes);

	return n < OUTCOME_NOTES_MAX ? n : OUTCOME_NOTES_MAX;
}
