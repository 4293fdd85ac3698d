// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The payload: clean messages pass at every size and cut; every complaint and
 * every diagnosis is provoked, over several seeds. */
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

enum { SEEDS = 8, BIG = 20000 };

static const struct pattern_origin us = { 0, 3, 7 };
static const struct pattern_origin neighbour = { 0, 4, 1 };
static const struct pattern_origin past = { 0, 3, 6 };

struct bench {
	struct pattern_message m;
	struct pattern_known known[2];
	struct pattern_context context;
	struct pattern_complaint c;
	unsigned char *buf;
};

static void bench_open(struct bench *b, uint64_t seed, uint64_t len)
{
	struct prng p;

	prng_seed(&p, seed);
	*b = (struct bench){ .m = {
				     .key = pattern_key(seed, &us),
				     .sequence = prng_below(&p, 1000) + 100,
				     .len = len,
				     .qp_num =
					     (uint32_t)prng_below(&p, 1 << 24),
			     } };
	b->known[0] = (struct pattern_known){ pattern_key(seed, &neighbour),
					      neighbour };
	b->known[1] = (struct pattern_known){ pattern_key(seed, &past), past };
	b->context = (struct pattern_context){ b->known, 2, us };
	b->buf = malloc(len ? len : 1);
	assert_non_null(b->buf);
	pattern_fill(&b->m, 0, b->buf, len);
}

static int bench_check(struct bench *b)
{
	struct iovec iov = { b->buf, b->m.len };

	return pattern_check(&b->m, &iov, 1, &b->context, &b->c);
}

/* Check, expect @kind and @diagnosis, and free. */
static void bench_expect(struct bench *b, enum pattern_kind kind,
			 enum pattern_diagnosis diagnosis)
{
	char text[320];

	assert_int_equal(bench_check(b), -EBADMSG);
	pattern_complaint_text(&b->m, &b->c, text, sizeof(text));
	if (b->c.kind != kind || b->c.diagnosis != diagnosis)
		print_message("%s\n", text);
	assert_string_equal(pattern_kind_name(b->c.kind),
			    pattern_kind_name(kind));
	assert_string_equal(pattern_diagnosis_name(b->c.diagnosis),
			    pattern_diagnosis_name(diagnosis));
	assert_non_null(strstr(text, pattern_kind_name(kind)));
	free(b->buf);
}

static void test_clean(void **state)
{
	static const uint64_t sizes[] = { 0,   1,    7,	   8,	 9,    15,  16,
					  23,  24,   25,   31,	 64,   255, 256,
					  257, 4095, 4096, 4097, 8192, BIG };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct bench b;

			bench_open(&b, seed, sizes[i]);
			assert_int_equal(bench_check(&b), 0);
			free(b.buf);
		}
	}
}

/* Cut @len bytes at @memory into random pieces. */
static size_t cut(struct prng *p, unsigned char *memory, size_t len,
		  struct iovec *iov, size_t most)
{
	size_t n = 0;

	while (n + 1 < most && len > 0) {
		size_t part = (size_t)prng_below(p, len / 2 + 2);

		if (part > len)
			part = len;
		iov[n++] = (struct iovec){ memory, part };
		memory += part;
		len -= part;
	}
	iov[n++] = (struct iovec){ memory, len };
	return n;
}

static void test_scattered(void **state)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct iovec iov[12];
		struct bench b;
		struct prng p;
		unsigned char *again;
		size_t n;

		prng_seed(&p, seed);
		bench_open(&b, seed, prng_below(&p, 3000));
		n = cut(&p, b.buf, b.m.len, iov, ARRAY_SIZE(iov));
		assert_int_equal(pattern_check(&b.m, iov, n, NULL, &b.c), 0);
		/* gathered filling gives the same bytes */
		again = calloc(1, b.m.len + 1);
		assert_non_null(again);
		n = cut(&p, again, b.m.len, iov, ARRAY_SIZE(iov));
		pattern_fill_iov(&b.m, iov, n);
		assert_memory_equal(again, b.buf, b.m.len);
		/* and so does piece by piece, from the last to the first */
		memset(again, 0, b.m.len);
		while (n-- > 0) {
			uint64_t at =
				(uint64_t)((unsigned char *)iov[n].iov_base -
					   again);

			pattern_fill(&b.m, at, iov[n].iov_base, iov[n].iov_len);
		}
		assert_memory_equal(again, b.buf, b.m.len);
		free(again);
		free(b.buf);
	}
}

static void test_every_byte_matters(void **state)
{
	static const uint64_t sizes[] = { 1, 8, 23, 24, 100, 700 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct bench b;

		bench_open(&b, i + 1, sizes[i]);
		for (uint64_t at = 0; at < sizes[i]; at++) {
			uint64_t first;

			b.buf[at] ^= 0x40;
			assert_int_equal(bench_check(&b), -EBADMSG);
			assert_int_equal(b.c.first_wrong, at);
			assert_int_equal(b.c.wrong_bytes, 1);
			assert_int_equal(b.c.diagnosis, PATTERN_IS_BIT_FLIP);
			assert_int_equal(b.c.expected ^ b.c.found, 0x40);
			assert_int_equal(pattern_check_piece(&b.m, 0, b.buf,
							     sizes[i], &first),
					 -EBADMSG);
			assert_int_equal(first, at);
			b.buf[at] ^= 0x40;
		}
		assert_int_equal(bench_check(&b), 0);
		free(b.buf);
	}
}

/* All header fields wrong: the magic is told first, then what remains. */
static void test_order_of_checks(void **state)
{
	static const struct {
		size_t at;
		enum pattern_kind kind;
	} faults[] = {
		{ 9, PATTERN_MAGIC_WRONG },
		{ 5, PATTERN_SEQUENCE_WRONG },
		{ 13, PATTERN_QP_WRONG },
		{ 96, PATTERN_CHECKSUM_WRONG },
	};
	struct bench b;

	bench_open(&b, 5, 100);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		b.buf[faults[i].at] ^= 0xff;
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		assert_int_equal(bench_check(&b), -EBADMSG);
		assert_int_equal(b.c.kind, faults[i].kind);
		b.buf[faults[i].at] ^= 0xff;
	}
	assert_int_equal(bench_check(&b), 0);
	free(b.buf);
}

/* Header and checksum fit, the body is of another key: only the body check
 * is left to see it. */
static void test_body(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pattern_message other;
		struct bench b;

		bench_open(&b, seed, 1000);
		other = b.m;
		other.key = b.known[1].key;
		pattern_fill(&other, 0, b.buf, other.len);
		bench_expect(&b, PATTERN_BODY_WRONG, PATTERN_IS_STALE);
		assert_int_equal(b.c.source.generation, past.generation);
		assert_int_equal(b.c.source_sequence, b.m.sequence);
	}
}

static void test_shifted(void **state)
{
	static const int shifts[] = { 1, 3, 8, 13, 100, -1, -5, -8, -64, -300 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
			size_t at = 1000 + (size_t)seed;
			size_t len = 2000;
			struct bench b;

			bench_open(&b, seed, 4096);
			memmove(b.buf + at, b.buf + at - shifts[i], len);
			bench_expect(&b, PATTERN_CHECKSUM_WRONG,
				     PATTERN_IS_SHIFTED);
			assert_int_equal(b.c.shift, shifts[i]);
			assert_in_range(b.c.first_wrong, at, at + 4);
		}
	}
}

static void test_duplicate_packet(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct bench b;

		bench_open(&b, seed, 8192);
		memcpy(b.buf + 4096, b.buf + 3072, 1024);
		bench_expect(&b, PATTERN_CHECKSUM_WRONG,
			     PATTERN_IS_DUPLICATE_PACKET);
		assert_in_range(b.c.first_wrong, 4096, 4100);
		assert_int_equal(b.c.at - b.c.source_offset, 1024);
	}
}

static void test_other_message(void **state)
{
	static const uint64_t sizes[] = { 4, 7, 8, 16, 23, 24, 40, 5000 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct pattern_message other;
			struct bench b;

			bench_open(&b, seed, sizes[i]);
			other = b.m;
			other.sequence -= 41;
			pattern_fill(&other, 0, b.buf, other.len);
			bench_expect(&b,
				     sizes[i] < PATTERN_FRAMED_MIN
					     ? PATTERN_BODY_WRONG
					     : PATTERN_SEQUENCE_WRONG,
				     PATTERN_IS_OTHER_MESSAGE);
			assert_int_equal(b.c.source_sequence, other.sequence);
		}
	}
}

/* Only a middle packet is of another message: the checksum sees it. */
static void test_other_packet(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pattern_message other;
		struct bench b;

		bench_open(&b, seed, 4096);
		other = b.m;
		other.sequence += 2;
		pattern_fill(&other, 1024, b.buf + 2048, 1024);
		bench_expect(&b, PATTERN_CHECKSUM_WRONG,
			     PATTERN_IS_OTHER_MESSAGE);
		assert_int_equal(b.c.source_sequence, other.sequence);
		assert_int_equal(b.c.at - b.c.source_offset, 1024);
	}
}

static void test_other_qp(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pattern_message other;
		struct bench b;

		bench_open(&b, seed, 2048);
		other = b.m;
		other.key = b.known[0].key;
		other.qp_num ^= 1;
		pattern_fill(&other, 0, b.buf, other.len);
		bench_expect(&b, PATTERN_QP_WRONG, PATTERN_IS_OTHER_QP);
		assert_int_equal(b.c.source.qp_index, neighbour.qp_index);
	}
}

static void test_hole(void **state)
{
	static const size_t holes[] = { 1, 3, 8, 64, 1024 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
			struct bench b;

			bench_open(&b, seed, 4096);
			pattern_poison(b.buf + 1024 + seed, holes[i]);
			/* by chance the poison may be the right byte */
			if (bench_check(&b) == 0) {
				free(b.buf);
				continue;
			}
			if (b.c.wrong_bytes == 1) {
				free(b.buf);
				continue;
			}
			bench_expect(&b, PATTERN_CHECKSUM_WRONG,
				     PATTERN_IS_HOLE);
			/* the right bytes behind it may be poison by chance */
			assert_in_range(b.c.hole_bytes + b.c.first_wrong,
					1024 + seed + holes[i],
					1024 + seed + holes[i] + 3);
		}
	}
}

/* Nothing arrived at all, in pieces. */
static void test_nothing_written(void **state)
{
	struct iovec iov[2];
	struct bench b;

	bench_open(&b, 9, 600);
	pattern_poison(b.buf, 600);
	iov[0] = (struct iovec){ b.buf, 300 };
	iov[1] = (struct iovec){ b.buf + 300, 300 };
	assert_int_equal(pattern_check(&b.m, iov, 2, NULL, &b.c), -EBADMSG);
	assert_int_equal(b.c.kind, PATTERN_MAGIC_WRONG);
	assert_int_equal(b.c.diagnosis, PATTERN_IS_HOLE);
	assert_int_equal(b.c.hole_bytes + b.c.first_wrong, 600);
	free(b.buf);
}

static void test_zeros(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct bench b;

		bench_open(&b, seed, 4096);
		memset(b.buf + 2000, 0, 96);
		bench_expect(&b, PATTERN_CHECKSUM_WRONG, PATTERN_IS_ZEROS);
		assert_in_range(b.c.hole_bytes, 90, 97);
	}
}

static void test_unknown(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct bench b;
		struct prng p;

		prng_seed(&p, seed * 77);
		bench_open(&b, seed, 4096);
		for (size_t i = 0; i < 200; i++)
			b.buf[500 + i] = (unsigned char)prng_next(&p);
		bench_expect(&b, PATTERN_CHECKSUM_WRONG, PATTERN_IS_UNKNOWN);
	}
}

static void test_word_origin(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct bench b;

		bench_open(&b, seed, 4096);
		for (uint64_t at = 16; at + 12 <= 4096; at += 8) {
			uint64_t sequence, offset;

			pattern_word_origin(b.m.key, b.buf + at, &sequence,
					    &offset);
			assert_int_equal(sequence, b.m.sequence);
			assert_int_equal(offset, at);
		}
		free(b.buf);
	}
}

/* The bytes are the same on every machine and in every version. */
static void test_golden(void **state)
{
	static const unsigned char header[16] = {
		0, 0, 0, 0, 0, 0, 0, 42, 0x76, 0x62, 0x50, 0x32, 0, 0, 0, 0x11,
	};
	struct pattern_message m = { .key = pattern_key(1, &us),
				     .sequence = 42,
				     .len = 4096,
				     .qp_num = 0x11 };
	unsigned char buf[4096];
	uint64_t sum = 0;

	pattern_fill(&m, 0, buf, sizeof(buf));
	assert_memory_equal(buf, header, sizeof(header));
	for (size_t i = 0; i < sizeof(buf); i++)
		sum = sum * 31 + buf[i];
	assert_int_equal(sum, UINT64_C(0xc2f29a5b785fab3a));
}

static void test_not_constant(void **state)
{
	unsigned counts[256] = { 0 };
	struct bench b;

	bench_open(&b, 3, BIG);
	for (size_t i = 0; i < BIG; i++)
		counts[b.buf[i]]++;
	/* 78 of each are expected; 5 standard deviations are 44. */
	for (size_t i = 0; i < 256; i++)
		assert_in_range(counts[i], 34, 122);
	free(b.buf);
}

static void test_guard(void **state)
{
	unsigned char zone[128];

	for (uint64_t key = 1; key <= SEEDS; key++) {
		size_t first = 99, wrong = 99;

		pattern_guard_fill(zone, sizeof(zone), key);
		assert_int_equal(pattern_guard_check(zone, sizeof(zone), key,
						     &first, &wrong),
				 0);
		assert_int_equal(first, 99);
		assert_int_equal(pattern_guard_check(zone, sizeof(zone),
						     key + 1, NULL, NULL),
				 -EBADMSG);
		zone[77] ^= 1;
		zone[80] ^= 0x80;
		assert_int_equal(pattern_guard_check(zone, sizeof(zone), key,
						     &first, &wrong),
				 -EBADMSG);
		assert_int_equal(first, 77);
		assert_int_equal(wrong, 2);
	}
	assert_int_equal(pattern_guard_check(NULL, 0, 1, NULL, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_every_byte_matters),
		cmocka_unit_test(test_order_of_checks),
		cmocka_unit_test(test_body),
		cmocka_unit_test(test_shifted),
		cmocka_unit_test(test_duplicate_packet),
		cmocka_unit_test(test_other_message),
		cmocka_unit_test(test_other_packet),
		cmocka_unit_test(test_other_qp),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_nothing_written),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_word_origin),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_not_constant),
		cmocka_unit_test(test_guard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
