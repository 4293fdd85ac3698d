/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the command line to a traffic program: bench, soak and sweep. */
#ifndef SUITE_CLI_PROGRAM_H
#define SUITE_CLI_PROGRAM_H

#include <jansson.h>

#include "base/compiler.h"
#include "suite/bench/traffic.h"
#include "suite/cli/command.h"
#include "suite/runner/target.h"

/*
 * Choose the device (this may start the program again) and fill @p from the
 * options; @duration is the default of --duration, @mode what auto means.
 * With --peer, one end of every session is the peer's from here on.
 * EXIT_FINE, or the exit status of a command that has said why not; in any
 * case program_end() is due at the end.
 */
int program_make(struct command_call *call, const char *duration,
		 enum traffic_direction mode, struct traffic_program *p,
		 struct target *target) MUST_USE;
void program_end(void);
/* One of the sizes alone. */
void program_take_size(struct traffic_program *p, uint32_t bytes);
/* What a run is compared by: everything that makes a difference to figures. */
json_t *program_settings(const struct traffic_program *p,
			 const struct target *target) MUST_USE;

#endif
