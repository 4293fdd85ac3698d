/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The preflight's judgement: from facts to findings, nothing asked and nothing
 * printed.  The findings are the rows of findings.def.
 */
#ifndef SUITE_CHECK_JUDGE_H
#define SUITE_CHECK_JUDGE_H

#include "suite/check/facts.h"

enum check_level { CHECK_OK, CHECK_WARN, CHECK_BAD };

/* As numbers, for those who look one up. */
enum check_id {
#define CHECK_FINDING(name, word, why) CHECK_##name,
#include "suite/check/findings.def"
#undef CHECK_FINDING
	CHECK_FINDINGS,
};

struct check_finding {
	const char *name;
	const char *why;
	enum check_level level;
	char value[256]; /* what was found */
	char step[256];	 /* what to do; empty when there is nothing to do */
};

/* All of them, in the order of findings.def. */
void check_judge(const struct check_facts *facts,
		 struct check_finding out[CHECK_FINDINGS]);
enum check_level
check_worst(const struct check_finding findings[CHECK_FINDINGS]);
const char *check_level_name(enum check_level level);

/* --- For the judges ----------------------------------------------------- */

/* Level, value and step at once; @step may be NULL. */
void check_say(struct check_finding *out, enum check_level level,
	       const char *step, const char *format, ...) PRINTF_LIKE(4, 5);

#define CHECK_FINDING(name, word, why)                 \
	void judge_##name(const struct check_facts *f, \
			  struct check_finding *out);
#include "suite/check/findings.def"
#undef CHECK_FINDING

#endif
