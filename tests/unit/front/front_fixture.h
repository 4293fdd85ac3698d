/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Our device, opened; what every test of front needs.  Includes cmocka. */
#ifndef TESTS_UNIT_FRONT_FRONT_FIXTURE_H
#define TESTS_UNIT_FRONT_FRONT_FIXTURE_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline struct ibv_context *front_open(void)
{
	struct ibv_context *context = NULL;
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	for (int i = 0; list && i < count; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), "soft0"))
			context = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	return context;
}

static inline int front_setup(void **state)
{
	*state = front_open();
	return *state ? 0 : -1;
}

/* Refused when the test has left an object alive. */
static inline int front_teardown(void **state)
{
	return ibv_close_device(*state);
}

/* The call fails and says @code in both ways that verbs have. */
#define assert_refused(call, code)             \
	do {                                   \
		errno = 0;                     \
		assert_int_equal(call, code);  \
		assert_int_equal(errno, code); \
	} while (0)

#define assert_no_object(call, code)           \
	do {                                   \
		errno = 0;                     \
		assert_null(call);             \
		assert_int_equal(errno, code); \
	} while (0)

#endif
