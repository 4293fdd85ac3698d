// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A question to a device, asked by a process of its own. */
#include "suite/runner/target_call.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/strbuf.h"
#include "suite/runner/process.h"

/* For an answer of a device; times --patience. */
enum { CALL_LIMIT_MS = 10000 };

struct call_answer {
	int result;
	char error[512];
	_Alignas(16) char shared[];
};

static void call_child(const struct target_call *call,
		       struct call_answer *answer, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	answer->result = call->ask(call->arg, answer->shared, answer->error,
				   sizeof(answer->error));
	_exit(0);
}

static int call_await(const struct target_call *call, pid_t pid,
		      struct call_answer *answer)
{
	uint64_t limit_ns =
		(uint64_t)(CALL_LIMIT_MS * call->patience * (double)NS_PER_MS);
	char text[PROCESS_DEATH_MAX];
	int status = 0, stuck;
	int err = process_wait(pid, clock_now_ns() + limit_ns, &status);

	if (err == -ETIMEDOUT) {
		kill(pid, SIGKILL);
		stuck = process_wait(
			pid, clock_now_ns() + PROCESS_DEATH_MS * NS_PER_MS,
			&status);
		snprintf(answer->error, sizeof(answer->error),
			 "the device does not answer: no end of its queries "
			 "within %llu ms%s",
			 (unsigned long long)(limit_ns / NS_PER_MS),
			 stuck ? ", and the process that asks cannot be killed"
			       : "");
	} else if (!err && WIFSIGNALED(status)) {
		err = -EIO;
		snprintf(answer->error, sizeof(answer->error),
			 "what asked the device %s: its provider is at fault",
			 process_death(status, text));
	} else if (!err) {
		err = answer->result;
	}
	return err;
}

int target_call(const struct target_call *call, void *out, char **error)
{
	size_t bytes = sizeof(struct call_answer) + call->bytes;
	struct call_answer *answer = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct strbuf text = STRBUF_INIT;
	pid_t parent = getpid(), pid;
	int err;

	if (answer == MAP_FAILED) {
		*error = strdup("no memory for the answer of a device");
		return -ENOMEM;
	}
	answer->result = -EIO;
	fflush(NULL);
	pid = fork();
	if (!pid)
		call_child(call, answer, parent);
	err = pid < 0 ? -errno : call_await(call, pid, answer);
	if (err) {
		strbuf_add(&text, answer->error);
		if (!text.len)
			strbuf_addf(&text, "asking the device: %s",
				    strerror(-err));
		*error = strbuf_detach(&text);
	} else {
		memcpy(out, answer->shared, call->bytes);
	}
	munmap(answer, bytes);
	return err;
}
