// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The last packets: as many as were asked for, oldest first, in words; what is
 * no packet is told as that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/wire/packet.h"
#include "device/world/recent.h"

struct lines {
	char text[8][256];
	uint64_t when_ns[8];
	unsigned count;
};

static void keep_line(void *arg, uint64_t when_ns, const char *text)
{
	struct lines *l = arg;

	assert_true(l->count < 8);
	l->when_ns[l->count] = when_ns;
	snprintf(l->text[l->count++], sizeof(l->text[0]), "%s", text);
}

static void put(struct recent *r, uint32_t psn, uint64_t when_ns, uint32_t turn)
{
	const struct wire_packet p = { .opcode = WIRE_RC_ACK,
				       .pkey = 0xffff,
				       .dest_qpn = 0x12,
				       .psn = { psn },
				       .aeth = { 0x1f, 1 } };
	uint8_t bytes[64] = { 0 };
	struct link_packet packet = {
		.from.gid = { [12] = 127, [15] = 1 },
		.to.gid = { [12] = 127, [15] = 2 },
		.bytes = bytes,
		.len = (uint32_t)wire_packet_bytes(&p),
		.turn = turn,
	};

	wire_packet_encode(&p, bytes);
	recent_put(r, &packet, when_ns);
	/* Nothing of the packet itself is looked at later. */
	memset(bytes, 0xff, sizeof(bytes));
}

static void the_last_of_them_oldest_first(void **state)
{
	struct recent *r = recent_create(2);
	struct lines l = { 0 };

	assert_non_null(r);
	recent_show(r, keep_line, &l);
	assert_int_equal(l.count, 0);
	put(r, 1, 10, 0);
	put(r, 2, 20, 0);
	put(r, 3, 30, 5);
	recent_show(r, keep_line, &l);
	assert_int_equal(l.count, 2);
	assert_int_equal(l.when_ns[0], 20);
	assert_string_equal(l.text[0],
			    "127.0.0.1 > 127.0.0.2 RC ACK qp 0x000012 "
			    "psn 0x000002 msn 1 ack");
	assert_int_equal(l.when_ns[1], 30);
	assert_non_null(strstr(l.text[1], "psn 0x000003 msn 1 ack (spoilt)"));
	recent_destroy(r);
}

static void what_is_no_packet(void **state)
{
	struct recent *r = recent_create(4);
	uint8_t bytes[4] = { 0xff, 1, 2, 3 };
	struct link_packet packet = { .bytes = bytes, .len = sizeof(bytes) };
	struct lines l = { 0 };

	assert_non_null(r);
	recent_put(r, &packet, 1);
	recent_show(r, keep_line, &l);
	assert_int_equal(l.count, 1);
	assert_string_equal(l.text[0], "0.0.0.0 > 0.0.0.0 4 bytes, too short");
	recent_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_of_them_oldest_first),
		cmocka_unit_test(what_is_no_packet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
