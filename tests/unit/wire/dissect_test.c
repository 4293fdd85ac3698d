// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lines for people: exact texts, every syndrome, every room. */
#include "golden.h"

#include "base/compiler.h"
#include "device/wire/dissect.h"

static struct golden golden;

static void dissect_assert(const struct wire_packet *p, const char *expected)
{
	char text[WIRE_DISSECT_MAX];

	assert_string_equal(wire_dissect(p, text, sizeof(text)), expected);
}

static void test_lines(void **state)
{
	dissect_assert(
		&(struct wire_packet){ .opcode = WIRE_RC_SEND_ONLY,
				       .pkey = 0xffff,
				       .dest_qpn = 0x11,
				       .psn = { 0x100 },
				       .ack_request = true,
				       .pad = 3,
				       .payload_len = 13 },
		"RC SEND_ONLY qp 0x000011 psn 0x000100 ack pad 3 len 13");
	dissect_assert(
		&(struct wire_packet){ .opcode = WIRE_RC_ACK,
				       .pkey = 0xffff,
				       .dest_qpn = 0x12,
				       .psn = { 0x101 },
				       .aeth = { 0x62, 1 } },
		"RC ACK qp 0x000012 psn 0x000101 msn 1 nak: remote access error");
	dissect_assert(&(struct wire_packet){ .opcode = WIRE_UD_SEND_ONLY_IMM,
					      .pkey = 0x1234,
					      .dest_qpn = 1,
					      .solicited = true,
					      .mig_req = true,
					      .deth = { 0x80010000, 0, 0x33 },
					      .imm = htobe32(7) },
		       "UD SEND_ONLY_IMM qp 0x000001 psn 0x000000 pkey 0x1234 "
		       "solicited migreq from qp 0x000033 qkey 0x80010000 "
		       "imm 0x00000007 len 0");
	dissect_assert(&(struct wire_packet){ .opcode = WIRE_CNP,
					      .pkey = 0xffff,
					      .payload_len = 16 },
		       "CNP qp 0x000000 psn 0x000000 len 16");
}

static void test_syndromes(void **state)
{
	static const struct {
		uint8_t syndrome;
		const char *text;
	} rows[] = {
		{ 0x1f, "ack" },
		{ 0x00, "ack: credit code 0" },
		{ 0x1e, "ack: credit code 30" },
		{ 0x20, "rnr nak: timer code 0" },
		{ 0x2c, "rnr nak: timer code 12" },
		{ 0x3f, "rnr nak: timer code 31" },
		{ 0x40, "reserved syndrome 0x40" },
		{ 0x60, "nak: psn sequence error" },
		{ 0x61, "nak: invalid request" },
		{ 0x62, "nak: remote access error" },
		{ 0x63, "nak: remote operational error" },
		{ 0x64, "nak: invalid rd request" },
		{ 0x65, "nak: unknown code 5" },
		{ 0xff, "reserved syndrome 0xff" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(wire_dissect_syndrome(rows[i].syndrome,
							  text, sizeof(text)),
				    rows[i].text);
}

/* All that rxe sent has a line; however little room there is, it is cut and
 * nothing is written behind it. */
static void test_room(void **state)
{
	golden_open(&golden);
	while (golden_next(&golden)) {
		char whole[WIRE_DISSECT_MAX], text[WIRE_DISSECT_MAX + 1];
		struct wire_packet p;
		size_t len, size;

		assert_int_equal(wire_packet_decode(golden.bytes, golden.len,
						    &p),
				 WIRE_DECODE_OK);
		len = strlen(wire_dissect(&p, whole, sizeof(whole)));
		assert_in_range(len, 20, sizeof(whole) - 2);
		for (size = 0; size <= len + 1; size++) {
			memset(text, '#', sizeof(text));
			wire_dissect(&p, text, size);
			assert_int_equal(text[size], '#');
			if (!size)
				continue;
			assert_int_equal(strlen(text), size - 1);
			assert_memory_equal(text, whole, size - 1);
		}
	}
}

/* The longest line fits. */
static void test_longest(void **state)
{
	struct wire_packet p;
	char text[WIRE_DISSECT_MAX];
	unsigned op;

	memset(&p, 0xff, sizeof(p));
	p.pkey = 0x7fff;
	p.solicited = p.mig_req = p.ack_request = true;
	p.psn = psn_make(PSN_MASK);
	for (op = 0; op < 256; op++) {
		p.opcode = (enum wire_opcode)op;
		assert_in_range(strlen(wire_dissect(&p, text, sizeof(text))),
				10, sizeof(text) - 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_syndromes),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests_name("wire/dissect", tests, NULL, NULL);
}
