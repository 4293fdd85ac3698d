// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When a process has no descriptor left, and may have more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"

/* What is wrong in a process whose limits end here; 0: nothing. */
static int runs_out(void)
{
	struct rlimit limit;
	int next = dup(0);

	if (next < 0 || close(next) || getrlimit(RLIMIT_NOFILE, &limit))
		return 1;
	limit.rlim_cur = (rlim_t)next;
	limit.rlim_max = (rlim_t)next + 2;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 2;
	if (dup(0) >= 0 || errno != EMFILE)
		return 3;
	if (descriptors_more(ENFILE) || descriptors_more(0))
		return 4;
	if (!descriptors_more(EMFILE))
		return 5;
	if (dup(0) != next || dup(0) != next + 1 || dup(0) >= 0)
		return 6;
	return descriptors_more(EMFILE) ? 7 : 0;
}

static void there_are_more_up_to_the_hard_limit(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(runs_out());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_more_up_to_the_hard_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
