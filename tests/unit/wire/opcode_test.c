// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The opcode table's answers, against the rules by which the architecture
 * chose the numbers: they are checked for all opcodes, not for samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "device/wire/opcode.h"

static bool opcode_name_has(enum wire_opcode op, const char *word)
{
	return strstr(wire_opcode_name(op), word) != NULL;
}

static bool opcode_name_ends(enum wire_opcode op, const char *word)
{
	const char *name = wire_opcode_name(op);
	size_t len = strlen(name);

	return len >= strlen(word) && !strcmp(name + len - strlen(word), word);
}

static void opcode_assert(bool holds, enum wire_opcode op, const char *what)
{
	if (!holds)
		fail_msg("%s: %s", wire_opcode_name(op), what);
}

static void test_names_and_properties(void **state)
{
	unsigned value, known = 0;

	for (value = 0; value < 256; value++) {
		enum wire_opcode op = (enum wire_opcode)value;
		bool send, write, first, imm;
		unsigned headers;

		if (!wire_opcode_known(value)) {
			assert_string_equal(wire_opcode_name(op), "unknown");
			assert_false(wire_opcode_is_request(op));
			continue;
		}
		known++;
		send = opcode_name_has(op, "_SEND_");
		write = opcode_name_has(op, "_WRITE_") ||
			opcode_name_ends(op, "ATOMIC_WRITE");
		first = opcode_name_has(op, "FIRST");
		imm = opcode_name_ends(op, "_IMM");
		headers = wire_opcode_headers(op);

		opcode_assert(wire_opcode_is_send(op) == send, op, "send");
		if (op != WIRE_RC_ATOMIC_WRITE)
			opcode_assert(wire_opcode_is_write(op) == write, op,
				      "write");
		opcode_assert(!(headers & WIRE_HAS_IMM) == !imm, op, "imm");
		opcode_assert(!(headers & WIRE_HAS_IETH) ==
				      !opcode_name_ends(op, "_INV"),
			      op, "ieth");
		opcode_assert(!(headers & WIRE_HAS_DETH) ==
				      (wire_opcode_transport(op) != WIRE_UD),
			      op, "deth");
		opcode_assert((wire_opcode_place(op) == WIRE_FIRST) == first,
			      op, "first");
		opcode_assert((wire_opcode_place(op) == WIRE_MIDDLE) ==
				      opcode_name_has(op, "MIDDLE"),
			      op, "middle");
		opcode_assert((wire_opcode_place(op) == WIRE_LAST) ==
				      opcode_name_has(op, "LAST"),
			      op, "last");
		opcode_assert(
			wire_opcode_takes_recv(op) ==
				((send &&
				  (first || opcode_name_has(op, "ONLY"))) ||
				 (write && imm)),
			op, "takes a receive");
	}
	assert_int_equal(known, 25 + 12 + 2 + 1);
}

static void test_numbers(void **state)
{
	assert_int_equal(WIRE_RC_SEND_ONLY, 0x04);
	assert_int_equal(WIRE_RC_READ_REQUEST, 0x0c);
	assert_int_equal(WIRE_RC_ACK, 0x11);
	assert_int_equal(WIRE_RC_FETCH_ADD, 0x14);
	assert_int_equal(WIRE_RC_ATOMIC_WRITE, 0x1d);
	assert_int_equal(WIRE_UD_SEND_ONLY_IMM, 0x65);
	assert_int_equal(WIRE_CNP, 0x81);
	assert_int_equal(wire_opcode_transport(WIRE_RC_ACK), WIRE_RC);
	assert_int_equal(wire_opcode_transport(WIRE_UC_WRITE_ONLY), WIRE_UC);
	assert_int_equal(wire_opcode_transport(WIRE_UD_SEND_ONLY), WIRE_UD);
	assert_int_equal(wire_opcode_transport(WIRE_CNP), WIRE_OTHER);
	assert_false(wire_opcode_known(256 + WIRE_RC_ACK));
}

static void test_lengths(void **state)
{
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_SEND_FIRST), 12);
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_SEND_ONLY_IMM), 16);
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_WRITE_ONLY_IMM), 32);
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_COMPARE_SWAP), 40);
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_ACK), 16);
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_ATOMIC_ACK), 24);
	assert_int_equal(wire_opcode_header_bytes(WIRE_RC_FLUSH), 32);
	assert_int_equal(wire_opcode_header_bytes(WIRE_UD_SEND_ONLY), 20);
	assert_int_equal(wire_opcode_header_bytes(WIRE_UD_SEND_ONLY_IMM), 24);
}

/* Requests go to the responder; the others answer. */
static void test_directions(void **state)
{
	assert_true(wire_opcode_is_request(WIRE_RC_SEND_MIDDLE));
	assert_true(wire_opcode_is_request(WIRE_RC_READ_REQUEST));
	assert_true(wire_opcode_is_request(WIRE_RC_COMPARE_SWAP));
	assert_true(wire_opcode_is_request(WIRE_RC_FLUSH));
	assert_true(wire_opcode_is_request(WIRE_UD_SEND_ONLY));
	assert_false(wire_opcode_is_request(WIRE_RC_ACK));
	assert_false(wire_opcode_is_request(WIRE_RC_ATOMIC_ACK));
	assert_false(wire_opcode_is_request(WIRE_RC_READ_RESP_MIDDLE));
	assert_false(wire_opcode_is_request(WIRE_CNP));
	assert_true(wire_opcode_is_read_response(WIRE_RC_READ_RESP_ONLY));
	assert_false(wire_opcode_is_read_response(WIRE_RC_READ_REQUEST));
	assert_true(wire_opcode_is_read_request(WIRE_RC_READ_REQUEST));
	assert_true(wire_opcode_is_atomic(WIRE_RC_FETCH_ADD));
	assert_false(wire_opcode_is_atomic(WIRE_RC_ATOMIC_ACK));
	assert_true(wire_opcode_has_payload(WIRE_RC_READ_RESP_LAST));
	assert_false(wire_opcode_has_payload(WIRE_RC_READ_REQUEST));
	assert_false(wire_opcode_has_payload(WIRE_RC_ACK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_and_properties),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_directions),
	};

	return cmocka_run_group_tests_name("wire/opcode", tests, NULL, NULL);
}
