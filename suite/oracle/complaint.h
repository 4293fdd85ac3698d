/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a part of the judge says when a promise was broken: the kind, and a
 * sentence for people that names object, value and what was owed.  No
 * allocation: it is a value of the caller.
 */
#ifndef SUITE_ORACLE_COMPLAINT_H
#define SUITE_ORACLE_COMPLAINT_H

#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/verdict.h"

struct complaint {
	enum vb_finding finding;
	/* The work request it is about; 0 when there is none. */
	uint64_t wr_id;
	char text[320];
};

/* Fill @c (the text is cut at its room) and return -EBADMSG. */
int complaint_set(struct complaint *c, enum vb_finding finding, uint64_t wr_id,
		  const char *format, ...) PRINTF_LIKE(4, 5);

#endif
