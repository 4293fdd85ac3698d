// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ICRC against packets that others sent: two worked vectors and what
 * rxe put on the wire; with the identification known, wrong and unknown;
 * and against every damage of one bit.
 */
#include "golden.h"

#include <errno.h>
#include <stdlib.h>

#include "base/prng.h"
#include "device/wire/icrc.h"

static struct golden golden;

/* IP header to ICRC, in hex: an ACK; a SEND of "hello" with pad.  Computed by
 * an independent program that reproduces public captures. */
static const char *const icrc_vectors[] = {
	"4500003000004000401126bb0a0000020a000001c00112b7001c0000"
	"1100ffff00000012000001011f000001acfd79f4",
	"4500003400004000401126b70a0000010a000002c00112b700200000"
	"0430ffff000000128000010168656c6c6f000000f44de95d",
};

static size_t icrc_unhex(const char *hex, uint8_t *bytes, size_t room)
{
	size_t len = strlen(hex) / 2;
	size_t i;

	assert_true(len <= room);
	for (i = 0; i < len; i++) {
		char pair[3] = { hex[2 * i], hex[2 * i + 1], 0 };
		char *end;

		bytes[i] = (uint8_t)strtoul(pair, &end, 16);
		assert_true(!*end);
	}
	return len;
}

static void test_vectors(void **state)
{
	uint8_t bytes[512];
	struct icrc_path path;
	size_t i;

	for (i = 0; i < sizeof(icrc_vectors) / sizeof(*icrc_vectors); i++) {
		size_t len = icrc_unhex(icrc_vectors[i], bytes, sizeof(bytes));
		const uint8_t *bth = golden_path(bytes, &path);
		size_t rest = len - (size_t)(bth - bytes);
		uint8_t again[512];

		if (!icrc_check(&path, bth, rest))
			fail_msg("vector %zu: computed %08x", i + 1,
				 icrc_compute(&path, bth, rest - 4));
		memcpy(again, bth, rest);
		memset(again + rest - 4, 0, 4);
		icrc_put(&path, again, rest - 4);
		assert_memory_equal(again, bth, rest);
	}
}

static void test_golden(void **state)
{
	golden_open(&golden);
	while (golden_next(&golden)) {
		if (!icrc_check(&golden.path, golden.bytes, golden.len))
			fail_msg("packet %u: icrc refused", golden.number);
		assert_true(icrc_check_any_id(&golden.path, golden.bytes,
					      golden.len));
	}
	assert_in_range(golden.number, 40, 10000);
}

/* Whatever identification is assumed, the true one is found. */
static void test_solve_id(void **state)
{
	struct prng prng;

	prng_seed(&prng, 0x1dc);
	golden_open(&golden);
	while (golden_next(&golden)) {
		struct icrc_path path = golden.path;
		uint16_t found = 0;

		if (path.ipv6)
			continue;
		path.ip_id = (uint16_t)prng_next(&prng);
		if (path.ip_id != golden.path.ip_id)
			assert_false(
				icrc_check(&path, golden.bytes, golden.len));
		assert_true(icrc_check_any_id(&path, golden.bytes, golden.len));
		assert_int_equal(icrc_solve_ip_id(&path, golden.bytes,
						  golden.len, &found),
				 0);
		assert_int_equal(found, golden.path.ip_id);
	}
}

/* The same for all lengths that a datagram can have, the odd ones too. */
static void test_solve_lengths(void **state)
{
	static uint8_t bytes[65507];
	struct icrc_path path = { .dont_fragment = true, .dport = 4791 };
	struct prng prng;
	size_t len, i;

	prng_seed(&prng, 0x5eed);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)prng_next(&prng);
	for (len = 16; len <= sizeof(bytes); len += 1 + len / 64) {
		uint16_t id = (uint16_t)prng_next(&prng);
		uint16_t found = 0;

		path.ip_id = id;
		icrc_put(&path, bytes, len - 4);
		path.ip_id = (uint16_t)prng_next(&prng);
		assert_int_equal(icrc_solve_ip_id(&path, bytes, len, &found),
				 0);
		assert_int_equal(found, id);
	}
}

/* Fields that routers change do not count; all others do. */
static bool icrc_bit_is_masked(size_t bit)
{
	return bit / 8 == 4;
}

static void test_one_bit(void **state)
{
	golden_open(&golden);
	while (golden_next(&golden)) {
		size_t bit;

		for (bit = 0; bit < golden.len * 8; bit++) {
			bool right;

			golden.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			right = icrc_check(&golden.path, golden.bytes,
					   golden.len);
			if (right != icrc_bit_is_masked(bit))
				fail_msg("packet %u bit %zu: %s", golden.number,
					 bit, right ? "believed" : "refused");
			golden.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}

/* With the identification free, one bit is still refused: 16 check bits and a
 * polynomial of good distance stand against it. */
static void test_one_bit_any_id(void **state)
{
	golden_open(&golden);
	while (golden_next(&golden)) {
		size_t bit;

		for (bit = 0; bit < golden.len * 8; bit++) {
			bool right;

			golden.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			right = icrc_check_any_id(&golden.path, golden.bytes,
						  golden.len);
			if (right != icrc_bit_is_masked(bit))
				fail_msg("packet %u bit %zu: %s", golden.number,
					 bit, right ? "believed" : "refused");
			golden.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}

/* Each part of the path is covered. */
static void test_path_counts(void **state)
{
	golden_open(&golden);
	while (golden_next(&golden)) {
		struct icrc_path p;

		p = golden.path;
		p.sport ^= 1;
		assert_false(icrc_check(&p, golden.bytes, golden.len));
		p = golden.path;
		p.dport ^= 1;
		assert_false(icrc_check(&p, golden.bytes, golden.len));
		p = golden.path;
		p.saddr[3] ^= 1;
		assert_false(icrc_check(&p, golden.bytes, golden.len));
		p = golden.path;
		p.daddr[p.ipv6 ? 15 : 3] ^= 0x80;
		assert_false(icrc_check(&p, golden.bytes, golden.len));
		p = golden.path;
		p.dont_fragment = !p.dont_fragment;
		assert_int_equal(icrc_check(&p, golden.bytes, golden.len),
				 p.ipv6);
		p = golden.path;
		p.ipv6 = !p.ipv6;
		assert_false(icrc_check(&p, golden.bytes, golden.len));
	}
}

static void test_short(void **state)
{
	static const uint8_t bytes[16];
	struct icrc_path path = { .ipv6 = true };
	uint16_t id = 7;
	size_t len;

	for (len = 0; len < sizeof(bytes); len++) {
		assert_false(icrc_check(&path, bytes, len));
		assert_false(icrc_check_any_id(&path, bytes, len));
	}
	assert_int_equal(icrc_solve_ip_id(&path, bytes, 16, &id), -EBADMSG);
	assert_int_equal(id, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_solve_id),
		cmocka_unit_test(test_solve_lengths),
		cmocka_unit_test(test_one_bit),
		cmocka_unit_test(test_one_bit_any_id),
		cmocka_unit_test(test_path_counts),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests_name("wire/icrc", tests, NULL, NULL);
}
