// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids are found exactly, refused when stale, and come back late. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/idtable.h"
#include "base/prng.h"

enum { CAPACITY = 5, ID_BITS = 6 };

struct fixture {
	struct idtable table;
	struct idtable_slot slots[CAPACITY];
	int objects[CAPACITY];
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ 0 };
	idtable_init(&f.table, f.slots, CAPACITY, ID_BITS);
	*state = &f;
	return 0;
}

static void finds_what_was_added_and_nothing_else(void **state)
{
	struct fixture *f = *state;
	uint32_t id;

	assert_int_equal(idtable_add(&f->table, &f->objects[0], &id), 0);
	for (uint32_t other = 0; other < 4096; other++) {
		void *expected = other == id ? &f->objects[0] : NULL;

		assert_ptr_equal(idtable_find(&f->table, other), expected);
	}
	assert_null(idtable_find(&f->table, id | UINT32_C(1) << ID_BITS));
	assert_null(idtable_find(&f->table, UINT32_MAX));
}

static void refuses_beyond_its_capacity(void **state)
{
	struct fixture *f = *state;
	uint32_t id = 0;
	uint32_t last;

	for (int i = 0; i < CAPACITY; i++)
		assert_int_equal(idtable_add(&f->table, &f->objects[i], &id),
				 0);
	last = id;
	assert_int_equal(idtable_add(&f->table, &f->objects[0], &id), -ENOSPC);
	assert_int_equal(id, last);
	assert_int_equal(f->table.used, CAPACITY);
	/* One goes, one may come, in the same slot and under another id. */
	assert_ptr_equal(idtable_remove(&f->table, last), &f->objects[4]);
	assert_int_equal(idtable_add(&f->table, &f->objects[1], &id), 0);
	assert_int_not_equal(id, last);
	assert_null(idtable_find(&f->table, last));
	assert_int_equal(idtable_add(&f->table, &f->objects[2], &id), -ENOSPC);
}

static void removes_only_once(void **state)
{
	struct fixture *f = *state;
	uint32_t id;

	assert_int_equal(idtable_add(&f->table, &f->objects[0], &id), 0);
	assert_ptr_equal(idtable_remove(&f->table, id), &f->objects[0]);
	assert_null(idtable_remove(&f->table, id));
	assert_null(idtable_find(&f->table, id));
	assert_int_equal(f->table.used, 0);
}

/* One object comes and goes: every slot has its turn before the first one's,
 * and an id returns only when all generations (1..6 of 3 bits) are through. */
static void uses_ids_again_as_late_as_it_can(void **state)
{
	enum { GENERATIONS = 6, CYCLE = GENERATIONS * CAPACITY };
	struct fixture *f = *state;
	uint32_t seen[CYCLE];

	for (int i = 0; i < CYCLE; i++) {
		assert_int_equal(idtable_add(&f->table, f, &seen[i]), 0);
		assert_in_range(seen[i], CAPACITY, (1 << ID_BITS) - 2);
		for (int j = 0; j < i; j++)
			assert_int_not_equal(seen[i], seen[j]);
		assert_ptr_equal(idtable_remove(&f->table, seen[i]), f);
	}
	for (int i = 0; i < CYCLE; i++) {
		uint32_t id;

		assert_int_equal(idtable_add(&f->table, f, &id), 0);
		assert_int_equal(id, seen[i]);
		assert_ptr_equal(idtable_remove(&f->table, id), f);
	}
}

static void walks_all_objects(void **state)
{
	struct fixture *f = *state;
	uint32_t slot = 0;
	uint32_t id, middle;

	assert_null(idtable_next(&f->table, &slot));
	assert_int_equal(idtable_add(&f->table, &f->objects[0], &id), 0);
	assert_int_equal(idtable_add(&f->table, &f->objects[1], &middle), 0);
	assert_int_equal(idtable_add(&f->table, &f->objects[2], &id), 0);
	assert_non_null(idtable_remove(&f->table, middle));
	slot = 0;
	assert_ptr_equal(idtable_next(&f->table, &slot), &f->objects[0]);
	assert_ptr_equal(idtable_next(&f->table, &slot), &f->objects[2]);
	assert_null(idtable_next(&f->table, &slot));
}

/* Against a model that remembers every id: random comings and goings. */
static void agrees_with_a_plain_model(void **state)
{
	struct fixture *f = *state;
	uint32_t ids[CAPACITY] = { 0 }; /* 0: object not in the table */
	struct prng prng;

	prng_seed(&prng, 7);
	for (int step = 0; step < 20000; step++) {
		unsigned int i = (unsigned int)prng_below(&prng, CAPACITY);

		if (ids[i]) {
			assert_ptr_equal(idtable_remove(&f->table, ids[i]),
					 &f->objects[i]);
			ids[i] = 0;
		} else {
			assert_int_equal(idtable_add(&f->table, &f->objects[i],
						     &ids[i]),
					 0);
		}
		for (int j = 0; j < CAPACITY; j++) {
			if (ids[j])
				assert_ptr_equal(idtable_find(&f->table,
							      ids[j]),
						 &f->objects[j]);
		}
	}
}

static void works_with_a_single_slot(void **state)
{
	struct idtable t;
	struct idtable_slot slot;
	uint32_t first, second;

	idtable_init(&t, &slot, 1, 32);
	assert_int_equal(idtable_add(&t, &t, &first), 0);
	assert_int_equal(idtable_add(&t, &t, &second), -ENOSPC);
	assert_ptr_equal(idtable_remove(&t, first), &t);
	assert_int_equal(idtable_add(&t, &t, &second), 0);
	assert_int_not_equal(first, second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(finds_what_was_added_and_nothing_else,
				       setup),
		cmocka_unit_test_setup(refuses_beyond_its_capacity, setup),
		cmocka_unit_test_setup(removes_only_once, setup),
		cmocka_unit_test_setup(uses_ids_again_as_late_as_it_can, setup),
		cmocka_unit_test_setup(walks_all_objects, setup),
		cmocka_unit_test_setup(agrees_with_a_plain_model, setup),
		cmocka_unit_test(works_with_a_single_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
