// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Commands of the connection manager's device, taken apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "device/cm/command.h"

struct written {
	struct rdma_ucm_cmd_hdr header;
	union cm_command_body body;
};

static struct written destroy(void)
{
	struct written w = {
		.header = { .cmd = RDMA_USER_CM_CMD_DESTROY_ID,
			    .in = sizeof(struct rdma_ucm_destroy_id),
			    .out = sizeof(struct rdma_ucm_destroy_id_resp) },
		.body.destroy_id = { .response = 0x1234, .id = 77 },
	};

	return w;
}

static int parse(const struct written *w, struct cm_command *c)
{
	return cm_command_parse(w, sizeof(w->header) + w->header.in, c);
}

static void a_whole_command_is_taken(void **state)
{
	struct written w = destroy();
	struct cm_command c;

	(void)state;
	assert_int_equal(parse(&w, &c), 0);
	assert_int_equal(c.code, RDMA_USER_CM_CMD_DESTROY_ID);
	assert_int_equal(c.response, 0x1234);
	assert_int_equal(c.room_bytes, sizeof(struct rdma_ucm_destroy_id_resp));
	assert_int_equal(c.body.destroy_id.id, 77);
}

static void what_is_cut_short_is_refused(void **state)
{
	struct written w = destroy();
	struct cm_command c;

	(void)state;
	for (size_t len = 0; len < sizeof(w.header) + w.header.in; len++)
		assert_int_equal(cm_command_parse(&w, len, &c), -EINVAL);
	w.header.in--;
	assert_int_equal(parse(&w, &c), -EINVAL);
}

static void an_answer_needs_room(void **state)
{
	struct written w = destroy();
	struct cm_command c;

	(void)state;
	w.header.out--;
	assert_int_equal(parse(&w, &c), -ENOSPC);
}

static void what_is_behind_a_command_says_nothing(void **state)
{
	struct written w = destroy();
	struct cm_command c;
	union cm_command_body only = { .destroy_id = w.body.destroy_id };

	(void)state;
	memset((uint8_t *)&w.body + w.header.in, 0xff, 64);
	w.header.in += 64;
	assert_int_equal(parse(&w, &c), 0);
	assert_memory_equal(&c.body, &only, sizeof(only));
}

static void unknown_and_refused_commands_are_told_apart(void **state)
{
	struct written w = destroy();
	struct cm_command c;

	(void)state;
	w.header.cmd = RDMA_USER_CM_CMD_JOIN_MCAST;
	assert_int_equal(parse(&w, &c), -EOPNOTSUPP);
	w.header.cmd = RDMA_USER_CM_CMD_QUERY;
	assert_int_equal(parse(&w, &c), -ENOSYS);
	w.header.cmd = RDMA_USER_CM_CMD_JOIN_MCAST + 1;
	assert_int_equal(parse(&w, &c), -EINVAL);
	w.header.cmd = UINT32_MAX;
	assert_int_equal(parse(&w, &c), -EINVAL);
	assert_null(cm_command_name(UINT32_MAX));
	assert_string_equal(cm_command_name(RDMA_USER_CM_CMD_BIND_IP),
			    "BIND_IP");
}

/* Every command of the interface has a row. */
static void no_command_is_missing(void **state)
{
	(void)state;
	for (uint32_t i = 0; i <= RDMA_USER_CM_CMD_JOIN_MCAST; i++)
		assert_non_null(cm_command_name(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_command_is_taken),
		cmocka_unit_test(what_is_cut_short_is_refused),
		cmocka_unit_test(an_answer_needs_room),
		cmocka_unit_test(what_is_behind_a_command_says_nothing),
		cmocka_unit_test(unknown_and_refused_commands_are_told_apart),
		cmocka_unit_test(no_command_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
