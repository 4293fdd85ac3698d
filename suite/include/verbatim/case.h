/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A case: one file in cases/<topic>/, a paragraph, a function and a record.
 *
 * The function runs in a process of its own with a time limit.  It must reach
 * at least one check: a case that says nothing is broken, not passed.  The
 * calls marked "does not return" end the case where they stand; what it had
 * open goes with its process.  Contexts of the device are closed by the
 * runner's leave, and what is still open then is reported as a leak.
 */
#ifndef VERBATIM_CASE_H
#define VERBATIM_CASE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/device.h"
#include "verbatim/end.h"
#include "verbatim/expect.h"
#include "verbatim/model.h"
#include "verbatim/options.h"
#include "verbatim/verdict.h"

/* What a case cannot do without; the runner skips with the reason. */
enum vb_need {
	VB_NEED_RC = 1u << 0,
	VB_NEED_UC = 1u << 1,
	VB_NEED_UD = 1u << 2,
	VB_NEED_SRQ = 1u << 3,
	VB_NEED_ATOMIC = 1u << 4,
	VB_NEED_MW = 1u << 5,
	/* A completion channel that works. */
	VB_NEED_EVENT = 1u << 6,
	/* No device at all: cases about the runner itself (tests/meta). */
	VB_NEED_NOTHING = 1u << 7,
	/* WRITE and READ are taken. */
	VB_NEED_RDMA = 1u << 8,
	/* Windows of type 2 (VB_NEED_MW: of type 1). */
	VB_NEED_MW2 = 1u << 9,
	/* Retries by the device: ACK timeouts, RNR; of iWARP they are TCP's. */
	VB_NEED_RETRY = 1u << 10,
	/* A wire that can be spoilt: vb_wire_spoil(). */
	VB_NEED_FAULTS = 1u << 11,
	/* Immediate data, which iWARP has not. */
	VB_NEED_IMM = 1u << 12,
	VB_NEEDS = 13, /* how many there are */
};

enum vb_dimension { VB_NORMAL, VB_FAULT, VB_SOAK, VB_META };

struct vb_test {
	const struct vb_case *record;
	const struct vb_options *options;
	uint64_t seed; /* this case's own */
	void *runner;  /* the runner's */
	void *ends;    /* the ends': suite/end */
};

struct vb_case {
	const char *id;	   /* topic/behaviour */
	const char *title; /* one sentence */
	const char *spec;  /* where the promise stands, in words; or NULL */
	enum vb_dimension dimension;
	unsigned needs;		/* enum vb_need bits */
	unsigned limit_ms;	/* of the whole case; times --patience */
	unsigned limit_us_step; /* and for each step of each walk */
	/* VB_PATH_* bits that --path does not change: the case is about them,
	 * or holds on the plain way alone. */
	unsigned fixed;
	const char *const *rules;   /* ids of rules/rules.tsv */
	const char *const *defects; /* real defects behind it; or NULL */
	const char *const *kills; /* mutants it is expected to kill; or NULL */
	void (*run)(struct vb_test *t);
	const char *file; /* filled in by VB_CASE */
};

/* Its time limit in a run with @options. */
static inline uint64_t vb_case_limit_ms(const struct vb_case *c,
					const struct vb_options *options)
{
	uint64_t steps = options->walks * options->steps;
	uint64_t ms = c->limit_ms + c->limit_us_step * steps / 1000;

	return (uint64_t)((double)ms * options->patience);
}

#define VB_LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

/*
 * VB_CASE(name, .id = "topic/behaviour", .title = ..., .run = run);
 * Puts a pointer to the record into the section that the registry walks.
 */
#define VB_CASE(name, ...)                                               \
	static const struct vb_case vb_case_##name = { .file = __FILE__, \
						       __VA_ARGS__ };    \
	static const struct vb_case *const vb_case_at_##name             \
		__attribute__((used, section("vb_cases"))) = &vb_case_##name

#endif
