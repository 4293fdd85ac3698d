/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command of the program: a row in commands.c and a file of its own.  Each
 * returns the exit status.
 */
#ifndef SUITE_CLI_COMMAND_H
#define SUITE_CLI_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "suite/runner/exit.h"
#include "verbatim/options.h"

struct command_call {
	struct vb_options options;
	int count; /* operands */
	char **operands;
	char **argv; /* of the whole program, for starting it again */
};

struct command {
	const char *name;
	unsigned bit;	      /* enum vb_command */
	const char *operands; /* "[SELECTOR...]" */
	const char *summary;
	const char *text; /* of -h, with examples */
	int (*run)(struct command_call *call);
	/* How many operands it takes. */
	int operands_min, operands_max;
};

extern const struct command commands[];
extern const size_t command_count;

int command_devices(struct command_call *call);
int command_check(struct command_call *call);
int command_list(struct command_call *call);
int command_explain(struct command_call *call);
int command_run(struct command_call *call);
int command_replay(struct command_call *call);
int command_serve(struct command_call *call);
int command_bench(struct command_call *call);
int command_compare(struct command_call *call);
int command_soak(struct command_call *call);
int command_sweep(struct command_call *call);
int command_mesh(struct command_call *call);
int command_mutants(struct command_call *call);
int command_report(struct command_call *call);
int command_completion(struct command_call *call);
int command_exec(struct command_call *call);

/* A seed from the clock, short enough to be typed again. */
uint64_t command_clock_seed(void);
/* What run and replay have in common, once options and cases are known. */
int command_run_cases(struct command_call *call, const char *const *selectors,
		      int count);

#endif
