// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Copied and summed in one pass: the same bytes, and the same ICRC as when they
 * are summed where they lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "device/wire/icrc.h"
#include "device/wire/packet.h"

enum {
	MTU_MIN = 256,
	OFFSETS = 70, /* of both sides, against a vector's bounds */
	EDGE = 8,
};

static uint8_t from[OFFSETS + WIRE_PAYLOAD_MAX];
static uint8_t to[EDGE + OFFSETS + WIRE_PACKET_MAX + EDGE];

static int copy_setup(void **state)
{
	struct prng prng;

	prng_seed(&prng, 20);
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)prng_next(&prng);
	return 0;
}

static void copy_need(void)
{
	struct icrc_sum sum;

	if (!icrc_copy(to, from, MTU_MIN, &sum)) {
		print_message("this processor cannot do it\n");
		skip();
	}
}

static void test_bytes(void **state)
{
	struct icrc_sum sum;

	copy_need();
	for (size_t len = MTU_MIN; len <= WIRE_PAYLOAD_MAX; len *= 2) {
		for (unsigned at = 0; at < OFFSETS; at++) {
			uint8_t *out = to + EDGE + OFFSETS - at;

			memset(to, 0x5a, sizeof(to));
			assert_true(icrc_copy(out, from + at, len, &sum));
			assert_memory_equal(out, from + at, len);
			for (unsigned i = 1; i <= EDGE; i++) {
				assert_int_equal(out[-(int)i], 0x5a);
				assert_int_equal(out[len + i - 1], 0x5a);
			}
			assert_int_equal(sum.len, len);
		}
	}
}

/* A packet's ICRC, by either way; headers of every length there is. */
static void copy_compare(const struct icrc_path *path, size_t head, size_t len)
{
	uint8_t *packet = to + EDGE;
	struct icrc_sum sum;
	uint8_t there[4];

	memcpy(packet, from + 1, head);
	assert_true(icrc_copy(packet + head, from + head, len, &sum));
	icrc_put(path, packet, head + len);
	memcpy(there, packet + head + len, sizeof(there));
	memset(packet + head + len, 0, sizeof(there));
	icrc_put_summed(path, packet, head + len, &sum);
	assert_memory_equal(packet + head + len, there, sizeof(there));
	assert_true(icrc_check(path, packet, head + len + sizeof(there)));
}

static void test_sum(void **state)
{
	struct icrc_path path = { .sport = 0xc000,
				  .dport = WIRE_UDP_PORT,
				  .saddr = { 10, 1, 2, 3 },
				  .daddr = { 10, 3, 2, 1 } };

	copy_need();
	for (size_t len = MTU_MIN; len <= WIRE_PAYLOAD_MAX; len *= 2) {
		for (size_t head = WIRE_BTH_BYTES; head <= WIRE_HEADERS_MAX;
		     head += 4) {
			path.ipv6 = head / 4 % 2;
			path.ip_id = (uint16_t)(head * len);
			copy_compare(&path, head, len);
		}
	}
}

static void test_refused(void **state)
{
	static const size_t lens[] = { 0,   1,	  128,	255,  257,
				       768, 1000, 4095, 4097, 8192 };
	struct icrc_sum sum = { .len = 7 };

	memset(to, 0x5a, sizeof(to));
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		assert_false(icrc_copy(to, from, lens[i], &sum));
	assert_int_equal(sum.len, 7);
	for (size_t i = 0; i < sizeof(to); i++)
		assert_int_equal(to[i], 0x5a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, copy_setup, NULL);
}
