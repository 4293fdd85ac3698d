/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a case has said so far, in memory shared with its runner, so that it
 * outlives the case's process whatever ends that.  The first verdict stands;
 * later ones, of other threads or processes of the case, are ignored.
 */
#ifndef SUITE_RUNNER_OUTCOME_H
#define SUITE_RUNNER_OUTCOME_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/verdict.h"

enum {
	OUTCOME_REASON_MAX = 1024,
	OUTCOME_NOTES_MAX = 64,
	OUTCOME_NOTE_MAX = 256,
	OUTCOME_DIAGNOSIS_MAX = 1024,
};

struct outcome {
	atomic_bool taken;   /* somebody is writing, or has written, it */
	atomic_bool stopped; /* it left by itself because it was told to */
	/* Told to stop, it began to look at its ends then; 0: it did not. */
	_Atomic uint64_t looked_ns;
	atomic_bool ended; /* the three fields below are complete */
	enum vb_verdict verdict;
	enum vb_finding finding; /* of VB_FAIL */
	char reason[OUTCOME_REASON_MAX];
	/* The likely cause and what to do next; empty: none is known. */
	char diagnosis[OUTCOME_DIAGNOSIS_MAX];
	_Atomic uint64_t checks; /* made and held */
	/* Notes made; those beyond OUTCOME_NOTES_MAX are only counted. */
	_Atomic uint32_t notes;
	char note[OUTCOME_NOTES_MAX][OUTCOME_NOTE_MAX];
};

void outcome_reset(struct outcome *o);
/* The case leaves without a verdict of its own.  False: somebody has come to
 * one, or leaves already. */
bool outcome_claim(struct outcome *o);
/* False: a verdict stands already, and this one is dropped. */
bool outcome_settle(struct outcome *o, enum vb_verdict verdict,
		    enum vb_finding finding, const char *format, ...)
	PRINTF_LIKE(4, 5);
bool outcome_vsettle(struct outcome *o, enum vb_verdict verdict,
		     enum vb_finding finding, const char *format, va_list args);
void outcome_vnote(struct outcome *o, const char *format, va_list args);
/* How many notes have a text. */
uint32_t outcome_notes_kept(const struct outcome *o);

#endif
