/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What every command does in the same way: choose, answer, complain. */
#ifndef SUITE_CLI_ANSWER_H
#define SUITE_CLI_ANSWER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "suite/cli/command.h"
#include "suite/report/metrics_out.h"
#include "suite/runner/target.h"

/* Says @error, which it frees, and returns @status. */
int answer_error(char *error, int status) MUST_USE;
/* @json to stdout, for reading too; taking it over. */
void answer_json(json_t *json);
/*
 * Make sure that the options name a device: the first real one with an active
 * port; or, if @down_too, any real one; else soft0.  If it is a software
 * device, it is in this process afterwards (this may start the program again).
 * EXIT_FINE, or the exit status of a command that has said why not.
 */
int answer_device(struct command_call *call, bool down_too) MUST_USE;
/* The same for a device that is to have an active port, and what it is. */
int answer_target(struct command_call *call, struct target *target) MUST_USE;
/* Where --metrics wants them; NULL in *@out: nowhere.  EXIT_FINE, or the exit
 * status of a command that has said why not. */
int answer_metrics(const struct vb_options *o, struct metrics **out) MUST_USE;
/* Their end: @status, or, of a command that went well, that of what could not
 * be written. */
int answer_metrics_end(const struct vb_options *o, struct metrics *m,
		       int status) MUST_USE;

#endif
