// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Regions: pieces laid over each other, and every wrong byte found. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/region.h"

enum { LEN = 1000, PIECES = 256 };

static const struct pattern_message background = { .key = 7, .len = LEN };

static struct pattern_message message(uint64_t sequence, uint64_t len)
{
	return (struct pattern_message){
		.key = 99, .sequence = sequence, .len = len, .qp_num = 0x11
	};
}

static int check(const struct region *r, const unsigned char *bytes,
		 uint32_t *lost, struct complaint *c)
{
	static struct region_piece pieces[PIECES];
	struct iovec iov = { .iov_base = (void *)bytes, .iov_len = LEN };
	uint32_t count;

	assert_int_equal(region_slice(r, 0, LEN, pieces, PIECES, &count), 0);
	return region_check(pieces, count, &iov, 1, NULL, lost, c);
}

/* Many writes over each other: what a memory would hold, byte for byte. */
static void the_last_one_is_on_top(void **state)
{
	struct region *r = region_create(LEN, &background);
	unsigned char bytes[LEN], again[LEN];
	struct complaint c;
	struct prng prng;

	prng_seed(&prng, 5);
	pattern_fill(&background, 0, bytes, LEN);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t at = prng_below(&prng, LEN);
		uint64_t len = prng_below(&prng, LEN - at + 1);
		struct region_piece p = { .at = at,
					  .len = len,
					  .kind = REGION_MESSAGE,
					  .message = message(i, len) };

		if (i % 9 == 8 && len >= 8) {
			p.kind = REGION_WORD;
			p.len = len = 8;
			p.word = prng_next(&prng);
			memcpy(bytes + at, &p.word, 8);
		} else {
			pattern_fill(&p.message, 0, bytes + at, len);
		}
		assert_int_equal(region_put(r, &p), 0);
		assert_int_equal(check(r, bytes, NULL, &c), 0);
		assert_int_equal(region_bytes(r, at, again, len), 0);
		assert_memory_equal(again, bytes + at, len);
	}
	region_destroy(r);
}

static void each_wrong_byte_is_found(void **state)
{
	struct region *r = region_create(LEN, &background);
	const struct region_piece p = { .at = 100,
					.len = 300,
					.kind = REGION_MESSAGE,
					.message = message(4, 300) };
	const struct region_piece w = {
		.at = 500, .len = 8, .kind = REGION_WORD, .word = 0x1234567
	};
	unsigned char bytes[LEN];
	struct complaint c;

	pattern_fill(&background, 0, bytes, LEN);
	pattern_fill(&p.message, 0, bytes + 100, 300);
	memcpy(bytes + 500, &w.word, 8);
	assert_int_equal(region_put(r, &p), 0);
	assert_int_equal(region_put(r, &w), 0);
	for (unsigned i = 0; i < LEN; i++) {
		char text[32];

		bytes[i] ^= 0x40;
		assert_int_equal(check(r, bytes, NULL, &c), -EBADMSG);
		assert_int_equal(c.finding, VB_FIND_WRONG_CONTENT);
		snprintf(text, sizeof(text), "byte %u is ", i);
		assert_ptr_equal(strstr(c.text, text), c.text);
		bytes[i] ^= 0x40;
	}
	/* What is not known is not looked at, to the byte. */
	assert_int_equal(region_forget(r, 10, 5), 0);
	memset(bytes + 10, 0, 5);
	assert_int_equal(check(r, bytes, NULL, &c), 0);
	assert_int_equal(region_bytes(r, 14, bytes, 1), -ENODATA);
	assert_int_equal(region_put(r, &(struct region_piece){ .at = LEN - 1,
							       .len = 2 }),
			 -ERANGE);
	region_destroy(r);
}

/* Lost whole, or from some byte on: right; anything else is not. */
static void a_loose_piece_may_be_lost(void **state)
{
	struct region *r = region_create(LEN, &background);
	const struct region_piece p = { .at = 50,
					.len = 200,
					.kind = REGION_MESSAGE,
					.message = message(1, 200),
					.loose = true };
	unsigned char bytes[LEN];
	struct complaint c;
	uint32_t lost;

	assert_int_equal(region_put(r, &p), 0);
	for (unsigned got = 0; got <= 200; got += 40) {
		pattern_fill(&background, 0, bytes, LEN);
		pattern_fill(&p.message, 0, bytes + 50, got);
		assert_int_equal(check(r, bytes, &lost, &c), 0);
		assert_int_equal(lost, got < 200);
		bytes[150] ^= 1;
		assert_int_equal(check(r, bytes, &lost, &c), -EBADMSG);
	}
	region_destroy(r);
}

static void the_origin_is_named(void **state)
{
	struct region *r = region_create(LEN, &background);
	const struct pattern_known known = {
		.key = 99, .origin = { .end = 1, .qp_index = 6 }
	};
	const struct pattern_context context = { .known = &known,
						 .known_count = 1 };
	const struct pattern_message other = message(17, LEN);
	struct region_piece pieces[4];
	unsigned char bytes[LEN];
	struct iovec iov[2] = { { bytes, 333 }, { bytes + 333, LEN - 333 } };
	struct complaint c;
	uint32_t count;

	pattern_fill(&background, 0, bytes, LEN);
	pattern_fill(&other, 400, bytes + 400, 64);
	assert_int_equal(region_slice(r, 0, LEN, pieces, 4, &count), 0);
	assert_int_equal(region_check(pieces, count, iov, 2, &context, NULL,
				      &c),
			 -EBADMSG);
	assert_non_null(strstr(c.text, "byte 400 of message 17 of end b qp6"));
	assert_int_equal(region_slice(r, 0, LEN + 1, pieces, 4, &count),
			 -ERANGE);
	region_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_one_is_on_top),
		cmocka_unit_test(each_wrong_byte_is_found),
		cmocka_unit_test(a_loose_piece_may_be_lost),
		cmocka_unit_test(the_origin_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
