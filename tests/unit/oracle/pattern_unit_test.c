// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The inner loops of the payload: every vector unit makes the same bytes and
 * sums as the definition, sees every difference, and words do not look like
 * their neighbours. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/pattern.h"
#include "suite/oracle/pattern_inner.h"
#include "suite/oracle/pattern_unit.h"

enum { BLOCKS = 9, BYTES = BLOCKS * PATTERN_BLOCK, MESSAGE = 70000 };

/* The definition: the last of the table, word by word. */
static const struct pattern_unit *definition(void)
{
	return &pattern_units[pattern_unit_count - 1];
}

static void same_as_definition(const struct pattern_unit *u, uint64_t at,
			       unsigned skew)
{
	static unsigned char must[BYTES], room[BYTES + 64];
	struct pattern_sum want = { 0 }, sum = { 0 };
	unsigned char *is = room + skew;

	definition()->fill_sum(at, must, BLOCKS, &want);
	u->fill_sum(at, is, BLOCKS, &sum);
	assert_memory_equal(is, must, BYTES);
	assert_memory_equal(&sum, &want, sizeof(sum));
	memset(is, 0, BYTES);
	u->fill(at, is, BYTES / PATTERN_LINE);
	assert_memory_equal(is, must, BYTES);
	memset(&sum, 0, sizeof(sum));
	assert_int_equal(u->differ_sum(at, is, BLOCKS, &sum), 0);
	assert_memory_equal(&sum, &want, sizeof(sum));
	memset(&sum, 0, sizeof(sum));
	u->sum(is, BLOCKS, &sum);
	assert_memory_equal(&sum, &want, sizeof(sum));
	for (unsigned bit = 0; bit < BYTES * 8; bit += 61) {
		is[bit / 8] ^= (unsigned char)(1u << bit % 8);
		memset(&sum, 0, sizeof(sum));
		assert_int_not_equal(u->differ_sum(at, is, BLOCKS, &sum), 0);
		assert_memory_not_equal(&sum, &want, sizeof(sum));
		assert_int_not_equal(u->differ(at, is, BYTES / PATTERN_LINE),
				     0);
		is[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
}

static void test_units_agree(void **state)
{
	struct prng p;
	unsigned there = 0;

	prng_seed(&p, 1);
	for (size_t i = 0; i < pattern_unit_count; i++) {
		if (!pattern_units[i].there())
			continue;
		there++;
		for (unsigned skew = 0; skew < 24; skew += 5)
			same_as_definition(&pattern_units[i], prng_next(&p),
					   skew);
	}
	assert_in_range(there, 1, pattern_unit_count);
}

/* Whole messages, each unit forced: what one fills every other one accepts,
 * and they complain in the same words. */
static void test_units_forced(void **state)
{
	static unsigned char first[MESSAGE], buf[MESSAGE];
	char text[320], other[320] = "";
	struct pattern_message m = {
		.key = 77, .sequence = 5, .len = MESSAGE, .qp_num = 9
	};
	struct iovec iov[2] = { { buf, 333 }, { buf + 333, MESSAGE - 333 } };
	struct pattern_complaint c;

	pattern_fill(&m, 0, first, MESSAGE);
	for (size_t i = 0; i < pattern_unit_count; i++) {
		if (!pattern_units[i].there())
			continue;
		assert_int_equal(pattern_unit_choose(pattern_units[i].name), 0);
		assert_ptr_equal(pattern_unit(), &pattern_units[i]);
		pattern_fill_iov(&m, iov, 2);
		assert_memory_equal(buf, first, MESSAGE);
		assert_int_equal(pattern_check(&m, iov, 2, NULL, &c), 0);
		memmove(buf + 4096, buf + 4104, 1000);
		assert_int_equal(pattern_check(&m, iov, 2, NULL, &c), -EBADMSG);
		pattern_complaint_text(&m, &c, text, sizeof(text));
		assert_non_null(strstr(text, "shifted by -8"));
		if (other[0])
			assert_string_equal(text, other);
		strcpy(other, text);
	}
	assert_int_equal(pattern_unit_choose("abacus"), -ENOENT);
	assert_int_equal(pattern_unit_choose(NULL), 0);
}

static void test_back(void **state)
{
	struct prng p;

	prng_seed(&p, 2);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = prng_next(&p);

		assert_int_equal(pattern_mix(pattern_mix(x)), x);
	}
}

/* Two blocks in each other's place have the words of the right ones. */
static void test_sum_of_swapped_blocks(void **state)
{
	unsigned char bytes[4 * PATTERN_BLOCK], keep[PATTERN_BLOCK];
	struct pattern_sum want = { 0 }, sum = { 0 };

	pattern_unit()->fill_sum(11, bytes, 4, &want);
	memcpy(keep, bytes, PATTERN_BLOCK);
	memcpy(bytes, bytes + 2 * PATTERN_BLOCK, PATTERN_BLOCK);
	memcpy(bytes + 2 * PATTERN_BLOCK, keep, PATTERN_BLOCK);
	pattern_unit()->sum(bytes, 4, &sum);
	assert_memory_equal(sum.a, want.a, sizeof(sum.a));
	assert_memory_not_equal(sum.b, want.b, sizeof(sum.b));
}

/* How often each byte was equal in two words. */
struct alike {
	struct prng prng;
	unsigned equal[8];
};

enum { ALIKE_TRIES = 20000 };

static void alike_add(struct alike *a, uint64_t one, uint64_t other)
{
	uint64_t x = pattern_mix(one) ^ pattern_mix(other);

	for (unsigned byte = 0; byte < 8; byte++)
		a->equal[byte] += (x >> 8 * byte & 0xff) == 0;
}

static void alike_judge(struct alike *a, double most)
{
	for (unsigned byte = 0; byte < 8; byte++) {
		assert_in_range(a->equal[byte], 0, ALIKE_TRIES * most / 256);
		a->equal[byte] = 0;
	}
}

static void words_apart(struct alike *a, uint64_t apart)
{
	for (int i = 0; i < ALIKE_TRIES; i++) {
		uint64_t at = prng_next(&a->prng);

		alike_add(a, at, at + apart * PATTERN_STEP);
	}
	alike_judge(a, 8.5);
}

/* Neighbours; then as far as packets of 256 and of 4096 bytes are apart. */
static void test_neighbours(void **state)
{
	struct alike a = { 0 };

	prng_seed(&a.prng, 3);
	for (uint64_t i = 1; i <= 64; i++) {
		words_apart(&a, i);
		words_apart(&a, i * 256 / 8);
		words_apart(&a, i * 4096 / 8);
	}
}

/* The same offset of other messages. */
static void test_messages(void **state)
{
	static const uint64_t apart[] = { 1,  2,  3,   4,   8,	 32,
					  64, 96, 128, 256, 512, 8192 };
	struct alike a = { 0 };

	prng_seed(&a.prng, 4);
	for (size_t i = 0; i < ARRAY_SIZE(apart); i++) {
		for (int t = 0; t < ALIKE_TRIES; t++) {
			uint64_t key = prng_next(&a.prng);
			uint64_t n = prng_next(&a.prng) >> 29;
			struct pattern_stream one = pattern_body_of(key, n);
			struct pattern_stream other =
				pattern_body_of(key, n + apart[i]);

			alike_add(&a, pattern_stream_at(&one, 0),
				  pattern_stream_at(&other, 0));
		}
		alike_judge(&a, 3.5);
	}
}

static void test_places(void **state)
{
	struct prng p;

	prng_seed(&p, 5);
	for (int i = 0; i < 1000; i++) {
		uint64_t n = prng_next(&p) & PATTERN_SEQUENCE_MAX;

		assert_in_range(pattern_place(n), 0, PATTERN_SEQUENCE_MAX);
		assert_int_equal(pattern_place_sequence(pattern_place(n)), n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_agree),
		cmocka_unit_test(test_units_forced),
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_sum_of_swapped_blocks),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
