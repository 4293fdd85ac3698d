// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* exec: become another program, with the software device in it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/soft.h"

/* As shells have it. */
enum { EXEC_NOT_RUNNABLE = 126, EXEC_NOT_FOUND = 127 };

int command_exec(struct command_call *call)
{
	char *error = NULL;

	if (soft_preload(&error))
		return answer_error(error, EXIT_ABSENT);
	execvp(call->operands[0], call->operands);
	log_error("program '%s': %s", call->operands[0], strerror(errno));
	return errno == ENOENT ? EXEC_NOT_FOUND : EXEC_NOT_RUNNABLE;
}
