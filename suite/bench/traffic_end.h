/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One end of a traffic program: its objects, and the run.
 *
 *	traffic_end_open() .. traffic_end_run() .. traffic_end_close()
 *
 * How the two ends find each other is the caller's: the end asks for it by
 * struct traffic_control, at the beginning and after each "meet again".
 */
#ifndef SUITE_BENCH_TRAFFIC_END_H
#define SUITE_BENCH_TRAFFIC_END_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"
#include "suite/control/exchange.h"

struct traffic_end;

struct traffic_control {
	/* Tell the peer @own, one for each QP, and learn its. */
	int (*meet)(void *arg, const struct exchange_params *own,
		    struct exchange_params *peer, uint32_t count,
		    struct strbuf *error);
	/* Return when the peer has called this with the same @name too. */
	int (*barrier)(void *arg, const char *name, struct strbuf *error);
	void *arg;
	/* Set from outside, at any time.  Stop: end early, but in order (of the
	 * end that leads).  Abort: at once. */
	const bool *stop;
	const bool *abort;
};

/*
 * Open the device and make everything but connections.  @live is written while
 * it runs; @end 0: a, 1: b.  0, or a negative errno and @error.
 */
int traffic_end_open(const struct traffic_program *p, uint32_t end,
		     struct traffic_live *live, struct traffic_end **out,
		     struct strbuf *error) MUST_USE;
/*
 * Meet the peer and run the program to its end.  @result is complete in any
 * case; what went wrong stands in it.
 */
void traffic_end_run(struct traffic_end *e,
		     const struct traffic_control *control,
		     struct traffic_result *result);
/* Undo it all; the first error, of what would not go. */
int traffic_end_close(struct traffic_end *e) MUST_USE;
/* Run and close; the first error of both, which stands in @result. */
int traffic_end_finish(struct traffic_end *e,
		       const struct traffic_control *control,
		       struct traffic_result *result) MUST_USE;

#endif
