// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A process that is forked while its parent has the device open. */
#include "forking.h"
#include "front_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static union ibv_gid gid_of(struct ibv_context *context)
{
	union ibv_gid gid = { .raw = { 0 } };

	(void)ibv_query_gid(context, 1, 0, &gid);
	return gid;
}

/* What is wrong in the forked process; 0: nothing. */
static int opens_one_of_its_own(struct ibv_context *parents, __be64 guid)
{
	const union ibv_gid theirs = gid_of(parents);
	struct ibv_context *own = front_open();
	union ibv_gid gid;

	if (!own)
		return 1;
	gid = gid_of(own);
	if (!memcmp(&gid, &theirs, sizeof(gid)))
		return 2;
	/* librdmacm finds a device by it that it has seen before. */
	if (ibv_get_device_guid(own->device) != guid)
		return 3;
	if (ibv_close_device(parents))
		return 4;
	return ibv_close_device(own) ? 5 : 0;
}

static void it_opens_an_adapter_of_its_own(void **state)
{
	struct ibv_context *context = *state;
	__be64 guid = ibv_get_device_guid(context->device);
	union ibv_gid gid = gid_of(context), after;
	int status;
	pid_t pid;

	if (!forking_is_possible())
		skip();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(10);
		_exit(opens_one_of_its_own(context, guid));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	after = gid_of(context);
	assert_memory_equal(&gid, &after, sizeof(gid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_opens_an_adapter_of_its_own,
						front_setup, front_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
