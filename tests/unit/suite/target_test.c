// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kinds of devices, what is skipped and why, the shared area of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verbs_names.h"
#include "suite/oracle/recorder.h"
#include "suite/runner/area.h"
#include "suite/runner/run.h"
#include "suite/runner/target.h"

static void test_kind(void **state)
{
	static const struct {
		const char *name;
		uint32_t vendor_id;
		const char *kind;
	} rows[] = {
		{ "soft0", 0x15b3, "soft" },  { "mlx5_12", 0, "mlx5" },
		{ "mlx4_0", 0x02c9, "mlx4" }, { "rocep1s0", 0x02c9, "mlx5" },
		{ "any", 0xffffff, "rxe" },   { "any", 0x626d74, "siw" },
		{ "irdma0", 0, "irdma" },     { "rxe_eth0", 0, "rxe_eth" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ibv_device_attr attr = { .vendor_id =
							rows[i].vendor_id };
		char kind[32];

		target_kind(rows[i].name, &attr, kind, sizeof(kind));
		assert_string_equal(kind, rows[i].kind);
	}
}

static void test_lack(void **state)
{
	struct target t = { .lacks = VB_NEED_SRQ | VB_NEED_ATOMIC };
	struct vb_case record = { .needs = VB_NEED_RC };

	snprintf(t.lack_reason[3], sizeof(t.lack_reason[3]), "no srq");
	snprintf(t.lack_reason[4], sizeof(t.lack_reason[4]), "no atomics");
	assert_null(target_lack(&t, &record));
	record.needs = VB_NEED_RC | VB_NEED_ATOMIC;
	assert_string_equal(target_lack(&t, &record), "no atomics");
	record.needs = VB_NEED_RC | VB_NEED_SRQ;
	assert_string_equal(target_lack(&t, &record), "no srq");
	record.needs |= VB_NEED_NOTHING;
	assert_null(target_lack(&t, &record));
}

static void test_mtu(void **state)
{
	assert_int_equal(verbs_mtu_bytes(IBV_MTU_256), 256);
	assert_int_equal(verbs_mtu_bytes(IBV_MTU_4096), 4096);
	assert_int_equal(verbs_mtu_bytes((enum ibv_mtu)0), 0);
	assert_int_equal(verbs_mtu_bytes((enum ibv_mtu)99), 0);
}

static void test_seeds(void **state)
{
	/* Its own for each case and run, the same each time, 53 bits. */
	assert_int_equal(run_case_seed(7, "a/b"), run_case_seed(7, "a/b"));
	assert_int_not_equal(run_case_seed(7, "a/b"), run_case_seed(7, "a/c"));
	assert_int_not_equal(run_case_seed(7, "a/b"), run_case_seed(8, "a/b"));
	for (uint64_t seed = 1; seed < 1000; seed++)
		assert_true(run_case_seed(seed, "a/b") < (1ull << 53));
}

static void test_capture(void **state)
{
	static char block[AREA_CAPTURE_MAX - 1];
	struct area *a;
	char *text;

	assert_int_equal(area_map(&a), 0);
	area_begin(a, 3);
	assert_int_equal(atomic_load(&a->current), 3);
	text = area_capture_text(a);
	assert_string_equal(text, "");
	free(text);
	memset(block, 'x', sizeof(block));
	area_add_capture(a, "begin", 5);
	area_add_capture(a, block, sizeof(block));
	area_add_capture(a, "end", 3);
	text = area_capture_text(a);
	assert_int_equal(strlen(text), AREA_CAPTURE_MAX);
	assert_memory_equal(text, "xx", 2);
	assert_string_equal(text + AREA_CAPTURE_MAX - 4, "xend");
	free(text);
	area_begin(a, 4);
	text = area_capture_text(a);
	assert_string_equal(text, "");
	free(text);
	area_unmap(a);
}

static void test_last_line(void **state)
{
	struct recorder_record record = { .call = 0, .text = "first" };
	struct area *a;
	char *line;

	assert_int_equal(area_map(&a), 0);
	area_begin(a, 0);
	assert_null(area_last_line(a));
	recorder_write(a->recorder, &record);
	snprintf(record.text, sizeof(record.text), "second");
	recorder_write(a->recorder, &record);
	line = area_last_line(a);
	assert_non_null(strstr(line, "second"));
	assert_null(strchr(line, '\n'));
	free(line);
	/* The next case begins with an empty one. */
	area_begin(a, 1);
	assert_null(area_last_line(a));
	area_unmap(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_lack),
		cmocka_unit_test(test_mtu),
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_last_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
