// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is said of a process follows what it does. */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void descriptors_are_counted(void **state)
{
	uint64_t before = process_descriptors(getpid());
	int a = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int b = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(before > 0);
	assert_int_equal(process_descriptors(getpid()), before + 2);
	close(a);
	assert_int_equal(process_descriptors(getpid()), before + 1);
	close(b);
	assert_int_equal(process_descriptors(getpid()), before);
}

static void *stand(void *arg)
{
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

static void threads_are_counted(void **state)
{
	uint64_t before = process_threads(getpid());
	pthread_barrier_t barrier;
	pthread_t thread;

	(void)state;
	assert_true(before > 0);
	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, stand, &barrier), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(process_threads(getpid()), before + 1);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
}

/* Another process is asked in the same way; one that is no more says nothing. */
static void another_process_is_asked(void **state)
{
	uint64_t bytes = 0, own = process_descriptors(getpid());
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(process_descriptors(pid), own);
	assert_int_equal(process_resident(pid, &bytes), 0);
	assert_true(bytes > 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(process_resident(pid, &bytes), -ENOENT);
	assert_int_equal(process_descriptors(pid), 0);
	assert_int_equal(process_threads(pid), 0);
}

static void an_end_is_told(void **state)
{
	char text[PROCESS_DEATH_MAX];

	(void)state;
	assert_string_equal(process_death(W_EXITCODE(3, 0), text),
			    "ended with status 3");
	assert_string_equal(process_death(W_EXITCODE(0, SIGKILL), text),
			    "died by SIGKILL (Killed)");
	/* Not one that has a name. */
	assert_string_equal(process_death(W_EXITCODE(0, 45), text),
			    "died by signal 45");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_are_counted),
		cmocka_unit_test(threads_are_counted),
		cmocka_unit_test(another_process_is_asked),
		cmocka_unit_test(an_end_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
