/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The five verdicts, and how a case reaches one.  A verdict is never an int:
 * VB_NONE is what silence leaves behind, and it is reported as broken.
 */
#ifndef VERBATIM_VERDICT_H
#define VERBATIM_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

enum vb_verdict {
	VB_NONE,
	VB_PASS,
	VB_FAIL,      /* the device broke a promise */
	VB_SKIP,      /* it cannot be asked, and why */
	VB_BROKEN,    /* our own set-up failed, or the case said nothing */
	VB_DEVIATION, /* failed as listed for this device, with reason */
};

const char *vb_verdict_name(enum vb_verdict v);

/* What a failure is; each has a name in the event stream (findings.def). */
enum vb_finding {
#define VB_FINDING(name, word, text) VB_FIND_##name,
#include "verbatim/findings.def"
#undef VB_FINDING
};

const char *vb_finding_word(enum vb_finding f);

struct vb_test;

/* One more check made and held; the count stands in the report. */
void vb_checked(struct vb_test *t);

/* The end of the case; none of these returns. */
void vb_fail(struct vb_test *t, enum vb_finding finding, const char *format,
	     ...) PRINTF_LIKE(3, 4) NO_RETURN;
void vb_skip(struct vb_test *t, const char *format, ...)
	PRINTF_LIKE(2, 3) NO_RETURN;
void vb_broken(struct vb_test *t, const char *format, ...)
	PRINTF_LIKE(2, 3) NO_RETURN;

/* Something worth reading beside the verdict: figures, what was observed. */
void vb_note(struct vb_test *t, const char *format, ...) PRINTF_LIKE(2, 3);

/* Check @condition: counted when it holds, the end of the case when not. */
#define vb_check(t, finding, condition, ...)              \
	do {                                              \
		if (condition)                            \
			vb_checked(t);                    \
		else                                      \
			vb_fail(t, finding, __VA_ARGS__); \
	} while (0)

/*
 * A deadline @ms from now on the monotonic clock, times --patience, never
 * beyond the case's own limit; ns.
 */
uint64_t vb_deadline(const struct vb_test *t, unsigned ms);
/*
 * May a wait go on?  False once @deadline_ns has passed.  Ends the case by
 * itself when its process was told to stop (time limit, runner gone).  Call it
 * in every waiting loop.
 */
bool vb_waiting(struct vb_test *t, uint64_t deadline_ns);

#endif
