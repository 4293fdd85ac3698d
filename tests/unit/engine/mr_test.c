// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Keys name one region and one use; every access is judged to the byte. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/engine/mr.h"

enum { CAPACITY = 8, LENGTH = 100 };

#define ALL                                                 \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static const char home, abroad; /* two protection domains */

struct fixture {
	struct sd_mr_table table;
	struct idtable_slot slots[CAPACITY];
	struct sd_mr mr;
	uint8_t bytes[LENGTH];
	uint8_t *host;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ 0 };
	mr_table_init(&f.table, f.slots, CAPACITY);
	f.mr = (struct sd_mr){
		.pd = &home,
		.iova = 0x5000,
		.host = f.bytes,
		.length = LENGTH,
		.access = ALL,
	};
	if (mr_table_add(&f.table, &f.mr))
		return -1;
	*state = &f;
	return 0;
}

static int local(struct fixture *f, uint64_t va, uint64_t len)
{
	f->host = NULL;
	return mr_resolve_local(&f->table, &home, f->mr.lkey, va, len, 0,
				&f->host);
}

static void keys_differ_and_do_not_pass_for_each_other(void **state)
{
	struct fixture *f = *state;
	uint8_t *host = NULL;

	assert_int_not_equal(f->mr.lkey, f->mr.rkey);
	assert_ptr_equal(mr_find_lkey(&f->table, f->mr.lkey), &f->mr);
	assert_ptr_equal(mr_find_rkey(&f->table, f->mr.rkey), &f->mr);
	assert_null(mr_find_lkey(&f->table, f->mr.rkey));
	assert_null(mr_find_rkey(&f->table, f->mr.lkey));
	assert_int_equal(mr_resolve_remote(&f->table, &home, NULL, f->mr.lkey,
					   0x5000, 1, 0, &host),
			 -ENOENT);
	assert_null(host);
}

static void near_misses_of_a_key_name_nothing(void **state)
{
	struct fixture *f = *state;

	for (int bit = 0; bit < 32; bit++) {
		uint32_t flip = UINT32_C(1) << bit;

		assert_null(mr_find_lkey(&f->table, f->mr.lkey ^ flip));
		assert_null(mr_find_rkey(&f->table, f->mr.rkey ^ flip));
	}
	assert_null(mr_find_rkey(&f->table, f->mr.rkey + 0x100));
	assert_null(mr_find_rkey(&f->table, 0));
	assert_null(mr_find_rkey(&f->table, UINT32_MAX));
}

static void keys_of_a_removed_region_are_dead(void **state)
{
	struct fixture *f = *state;
	uint32_t lkey = f->mr.lkey;
	uint32_t rkey = f->mr.rkey;

	mr_table_remove(&f->table, &f->mr);
	/* Not reused soon: all other slots come first, then generations. */
	for (int i = 0; i < 100; i++) {
		assert_null(mr_find_lkey(&f->table, lkey));
		assert_null(mr_find_rkey(&f->table, rkey));
		assert_int_equal(mr_table_add(&f->table, &f->mr), 0);
		assert_int_not_equal(f->mr.lkey, lkey);
		assert_int_not_equal(f->mr.lkey, rkey);
		assert_int_not_equal(f->mr.rkey, rkey);
		assert_int_not_equal(f->mr.rkey, f->mr.lkey);
		mr_table_remove(&f->table, &f->mr);
	}
}

static void a_full_table_refuses(void **state)
{
	struct fixture *f = *state;
	struct sd_mr more[CAPACITY];

	for (int i = 1; i < CAPACITY; i++)
		assert_int_equal(mr_table_add(&f->table, &more[i]), 0);
	assert_int_equal(mr_table_add(&f->table, &more[0]), -ENOSPC);
}

static void bounds_are_exact(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(local(f, 0x5000, LENGTH), 0);
	assert_ptr_equal(f->host, f->bytes);
	assert_int_equal(local(f, 0x5000 + LENGTH - 1, 1), 0);
	assert_ptr_equal(f->host, f->bytes + LENGTH - 1);
	assert_int_equal(local(f, 0x4fff, 1), -ERANGE);
	assert_int_equal(local(f, 0x4fff, 2), -ERANGE);
	assert_int_equal(local(f, 0x5000, LENGTH + 1), -ERANGE);
	assert_int_equal(local(f, 0x5001, LENGTH), -ERANGE);
	assert_int_equal(local(f, 0x5000 + LENGTH, 1), -ERANGE);
	assert_null(f->host);
	/* Nothing, at the very end and one behind it. */
	assert_int_equal(local(f, 0x5000 + LENGTH, 0), 0);
	assert_int_equal(local(f, 0x5000 + LENGTH + 1, 0), -ERANGE);
}

static void sums_that_pass_2_to_the_64_are_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(local(f, 0x5000, UINT64_MAX), -ERANGE);
	/* va + len comes out at 0x5001, inside. */
	assert_int_equal(local(f, 0x5002, UINT64_MAX), -ERANGE);
	assert_int_equal(local(f, UINT64_MAX - 15, 0x5020), -ERANGE);
	assert_int_equal(local(f, UINT64_MAX, 1), -ERANGE);
	assert_int_equal(local(f, 0, 1), -ERANGE);
}

static void a_region_may_end_at_2_to_the_64(void **state)
{
	struct fixture *f = *state;

	f->mr.iova = UINT64_MAX - LENGTH + 1;
	assert_int_equal(local(f, f->mr.iova, LENGTH), 0);
	assert_int_equal(local(f, UINT64_MAX, 1), 0);
	assert_ptr_equal(f->host, f->bytes + LENGTH - 1);
	assert_int_equal(local(f, UINT64_MAX, 2), -ERANGE);
	assert_int_equal(local(f, 0, 1), -ERANGE);
}

static void another_domain_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mr_resolve_local(&f->table, &abroad, f->mr.lkey,
					  0x5000, 1, 0, &f->host),
			 -EXDEV);
	assert_int_equal(mr_resolve_remote(&f->table, &abroad, NULL, f->mr.rkey,
					   0x5000, 1, IBV_ACCESS_REMOTE_READ,
					   &f->host),
			 -EXDEV);
}

static void each_right_stands_alone(void **state)
{
	struct fixture *f = *state;

	for (int granted = 0; granted <= ALL; granted++) {
		f->mr.access = granted;
		for (int needed = 0; needed <= ALL; needed++) {
			int expected = (needed & granted) == needed ? 0
								    : -EACCES;

			assert_int_equal(mr_resolve_remote(&f->table, &home,
							   NULL, f->mr.rkey,
							   0x5000, LENGTH,
							   needed, &f->host),
					 expected);
		}
	}
}

/* A window over bytes 2 to 5 of the fixture's region. */
static struct sd_mr window(struct fixture *f, enum sd_mr_kind kind)
{
	struct sd_mr w = { .kind = kind, .pd = &home };

	f->mr.access = ALL | IBV_ACCESS_MW_BIND;
	return w;
}

static struct sd_bind binding(const struct fixture *f, const struct sd_mr *w)
{
	return (struct sd_bind){ .rkey = w->rkey,
				 .lkey = f->mr.lkey,
				 .va = 0x5002,
				 .length = 4,
				 .access = IBV_ACCESS_REMOTE_READ };
}

static int through(struct fixture *f, const void *qp, uint32_t rkey,
		   uint64_t va, uint64_t len)
{
	f->host = NULL;
	return mr_resolve_remote(&f->table, &home, qp, rkey, va, len,
				 IBV_ACCESS_REMOTE_READ, &f->host);
}

static void a_window_shows_what_it_is_bound_to(void **state)
{
	struct fixture *f = *state;
	struct sd_mr w = window(f, SD_MR_WINDOW_1);
	struct sd_bind b;

	assert_int_equal(mr_table_add(&f->table, &w), 0);
	assert_int_equal(through(f, &home, w.rkey, 0x5002, 1), -ENOENT);
	b = binding(f, &w);
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), 0);
	assert_int_equal(f->mr.windows, 1);
	assert_int_equal(through(f, &abroad, w.rkey, 0x5002, 4), 0);
	assert_ptr_equal(f->host, f->bytes + 2);
	assert_int_equal(through(f, &home, w.rkey, 0x5002, 5), -ERANGE);
	assert_int_equal(through(f, &home, w.rkey, 0x5001, 1), -ERANGE);
	/* Never by an lkey: it has none. */
	assert_null(mr_find_lkey(&f->table, w.lkey));
	b.length = 0;
	b.rkey ^= 1;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), 0);
	assert_int_equal(w.rkey, b.rkey);
	assert_int_equal(f->mr.windows, 0);
	assert_int_equal(through(f, &home, w.rkey, 0x5002, 1), -ENOENT);
}

static void a_window_of_type_2_is_its_binders(void **state)
{
	struct fixture *f = *state;
	struct sd_mr w = window(f, SD_MR_WINDOW_2);
	struct sd_bind b;

	assert_int_equal(mr_table_add(&f->table, &w), 0);
	b = binding(f, &w);
	b.access |= IBV_ACCESS_ZERO_BASED;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), 0);
	assert_int_equal(through(f, &home, w.rkey, 1, 3), 0);
	assert_ptr_equal(f->host, f->bytes + 3);
	assert_int_equal(through(f, &abroad, w.rkey, 1, 3), -ENOENT);
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), -EINVAL);
	mr_forget_binder(&f->table, &abroad);
	assert_int_equal(through(f, &home, w.rkey, 1, 3), 0);
	mr_forget_binder(&f->table, &home);
	assert_int_equal(through(f, &home, w.rkey, 1, 3), -ENOENT);
	assert_int_equal(f->mr.windows, 0);
}

static void bindings_are_judged(void **state)
{
	struct fixture *f = *state;
	struct sd_mr w = window(f, SD_MR_WINDOW_2);
	struct sd_bind good, b;

	assert_int_equal(mr_table_add(&f->table, &w), 0);
	good = b = binding(f, &w);
	assert_int_equal(mr_bind(&f->table, &abroad, &home, &b), -EXDEV);
	b.length = LENGTH;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), -ERANGE);
	b.length = 0;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), -EINVAL);
	b = good;
	b.lkey = f->mr.rkey;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), -ENOENT);
	b = good;
	b.rkey = f->mr.rkey;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), -ENOENT);
	f->mr.pd = &abroad;
	assert_int_equal(mr_bind(&f->table, &home, &home, &good), -EXDEV);
	f->mr.pd = &home;
	f->mr.access = ALL;
	assert_int_equal(mr_bind(&f->table, &home, &home, &good), -EACCES);
	f->mr.access = IBV_ACCESS_MW_BIND;
	b = good;
	b.access = IBV_ACCESS_REMOTE_ATOMIC;
	assert_int_equal(mr_bind(&f->table, &home, &home, &b), -EACCES);
	/* Dead before its turn came. */
	mr_table_remove(&f->table, &w);
	assert_int_equal(mr_bind(&f->table, &home, &home, &good), -ENOENT);
	assert_int_equal(f->mr.windows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			keys_differ_and_do_not_pass_for_each_other, setup),
		cmocka_unit_test_setup(near_misses_of_a_key_name_nothing,
				       setup),
		cmocka_unit_test_setup(keys_of_a_removed_region_are_dead,
				       setup),
		cmocka_unit_test_setup(a_full_table_refuses, setup),
		cmocka_unit_test_setup(bounds_are_exact, setup),
		cmocka_unit_test_setup(sums_that_pass_2_to_the_64_are_refused,
				       setup),
		cmocka_unit_test_setup(a_region_may_end_at_2_to_the_64, setup),
		cmocka_unit_test_setup(another_domain_is_refused, setup),
		cmocka_unit_test_setup(each_right_stands_alone, setup),
		cmocka_unit_test_setup(a_window_shows_what_it_is_bound_to,
				       setup),
		cmocka_unit_test_setup(a_window_of_type_2_is_its_binders,
				       setup),
		cmocka_unit_test_setup(bindings_are_judged, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
