/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables that commands print: rules, excuses, what a status means. */
#ifndef SUITE_CLI_RULES_H
#define SUITE_CLI_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "verbatim/case.h"

/* A row of rules.tsv, cell by cell. */
struct rule {
	const char *id, *text, *category, *applies, *observe, *severity,
		*differs, *source;
};

extern const struct rule rules[];
extern const size_t rule_count;

const struct rule *rules_find(const char *id);
bool rules_checked_by(const struct rule *rule, const struct vb_case *record);

/* A row of uncovered.tsv: why no case checks a rule. */
struct excuse {
	const char *rule, *reason;
};

extern const struct excuse excuses[];
extern const size_t excuse_count;

/* NULL: it has none. */
const char *rules_excuse(const struct rule *rule);

/* A completion status: what it says, and what mostly is behind it. */
struct status_text {
	enum ibv_wc_status status;
	const char *name; /* "RNR_RETRY_EXC_ERR" */
	const char *meaning;
	const char *causes;
};

extern const struct status_text status_texts[];
extern const size_t status_text_count;

/* By its number, or any of its names: with IBV_WC_, without _ERR, in small
 * letters.  NULL: there is none. */
const struct status_text *status_find(const char *name);

#endif
