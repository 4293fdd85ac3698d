// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The codec: what rxe sent is read and written again byte for byte; every
 * opcode survives the way out and back; every reason to refuse is provoked.
 */
#include "golden.h"

#include "base/compiler.h"
#include "base/prng.h"
#include "device/wire/packet.h"

static const enum wire_opcode packet_opcodes[] = {
#define WIRE_OPCODE(value, name, headers, properties) WIRE_##name,
#include "device/wire/opcodes.def"
#undef WIRE_OPCODE
};

static struct golden golden;

static void test_golden_again(void **state)
{
	golden_open(&golden);
	while (golden_next(&golden)) {
		struct wire_packet p;
		uint8_t again[WIRE_PACKET_MAX];
		size_t len;

		assert_int_equal(wire_packet_decode(golden.bytes, golden.len,
						    &p),
				 WIRE_DECODE_OK);
		assert_int_equal(wire_packet_bytes(&p), golden.len);
		memset(again, 0xa5, sizeof(again));
		len = wire_packet_encode(&p, again);
		assert_int_equal(len, golden.len);
		icrc_put(&golden.path, again, len - WIRE_ICRC_BYTES);
		assert_memory_equal(again, golden.bytes, len);
	}
	assert_in_range(golden.number, 40, 10000);
}

/* The fields of one packet, against the text that came with the capture. */
static void test_golden_fields(void **state)
{
	struct wire_packet p;

	golden_open(&golden);
	do {
		assert_true(golden_next(&golden));
		assert_int_equal(wire_packet_decode(golden.bytes, golden.len,
						    &p),
				 WIRE_DECODE_OK);
	} while (p.opcode != WIRE_RC_WRITE_ONLY_IMM);
	assert_int_equal(golden.number, 22);
	assert_int_equal(p.dest_qpn, 0x11);
	assert_int_equal(p.psn.v, 0x10d);
	assert_int_equal(p.pkey, 0xffff);
	assert_int_equal(p.pad, 3);
	assert_true(p.ack_request);
	assert_false(p.solicited);
	assert_false(p.mig_req);
	assert_int_equal(p.reth.va, 0x10001000);
	assert_int_equal(p.reth.rkey, 0x2a8);
	assert_int_equal(p.reth.length, 5);
	assert_memory_equal(&p.imm, "\xa1\xb2\xc3\xd4", 4);
	assert_int_equal(p.payload_len, 5);
	assert_memory_equal(p.payload, "\0\1\2\3\4", 5);
}

/* A packet with all that its opcode carries, drawn at random. */
static void packet_draw(struct prng *r, enum wire_opcode op,
			const uint8_t *payload, struct wire_packet *p)
{
	*p = (struct wire_packet){
		.opcode = op,
		.solicited = prng_next(r) & 1,
		.mig_req = prng_next(r) & 1,
		.ack_request = prng_next(r) & 1,
		.pkey = (uint16_t)prng_next(r),
		.dest_qpn = (uint32_t)prng_below(r, 1 << 24),
		.psn = psn_make((uint32_t)prng_next(r)),
		.fecn_becn = (uint8_t)prng_next(r),
		.reserved7 = prng_next(r) & 0x7f,
		.payload = payload,
	};
	unsigned headers = wire_opcode_headers(op);

	if (wire_opcode_has_payload(op))
		p->payload_len = (uint32_t)prng_range(r, 0, WIRE_PAYLOAD_MAX);
	p->pad = -p->payload_len & 3;
	if (headers & WIRE_HAS_RETH) {
		p->reth.va = prng_next(r);
		p->reth.rkey = (uint32_t)prng_next(r);
		p->reth.length = (uint32_t)prng_next(r);
	}
	if (headers & WIRE_HAS_ATOMIC_ETH) {
		p->atomic.va = prng_next(r);
		p->atomic.rkey = (uint32_t)prng_next(r);
		p->atomic.swap_add = prng_next(r);
		p->atomic.compare = prng_next(r);
	}
	if (headers & WIRE_HAS_AETH) {
		p->aeth.syndrome = (uint8_t)prng_next(r);
		p->aeth.msn = (uint32_t)prng_below(r, 1 << 24);
	}
	if (headers & WIRE_HAS_DETH) {
		p->deth.qkey = (uint32_t)prng_next(r);
		p->deth.reserved = (uint8_t)prng_next(r);
		p->deth.src_qpn = (uint32_t)prng_below(r, 1 << 24);
	}
	if (headers & WIRE_HAS_ATOMIC_ACK_ETH)
		p->atomic_ack = prng_next(r);
	if (headers & WIRE_HAS_IMM)
		p->imm = (uint32_t)prng_next(r);
	if (headers & WIRE_HAS_IETH)
		p->ieth_rkey = (uint32_t)prng_next(r);
	if (headers & WIRE_HAS_FETH)
		p->feth = (uint32_t)prng_next(r);
}

static void packet_assert_same(const struct wire_packet *a,
			       const struct wire_packet *b)
{
	assert_int_equal(a->opcode, b->opcode);
	assert_int_equal(a->solicited, b->solicited);
	assert_int_equal(a->mig_req, b->mig_req);
	assert_int_equal(a->ack_request, b->ack_request);
	assert_int_equal(a->pad, b->pad);
	assert_int_equal(a->pkey, b->pkey);
	assert_int_equal(a->dest_qpn, b->dest_qpn);
	assert_int_equal(a->psn.v, b->psn.v);
	assert_int_equal(a->fecn_becn, b->fecn_becn);
	assert_int_equal(a->reserved7, b->reserved7);
	assert_int_equal(a->reth.va, b->reth.va);
	assert_int_equal(a->reth.rkey, b->reth.rkey);
	assert_int_equal(a->reth.length, b->reth.length);
	assert_int_equal(a->atomic.va, b->atomic.va);
	assert_int_equal(a->atomic.rkey, b->atomic.rkey);
	assert_int_equal(a->atomic.swap_add, b->atomic.swap_add);
	assert_int_equal(a->atomic.compare, b->atomic.compare);
	assert_int_equal(a->aeth.syndrome, b->aeth.syndrome);
	assert_int_equal(a->aeth.msn, b->aeth.msn);
	assert_int_equal(a->atomic_ack, b->atomic_ack);
	assert_int_equal(a->imm, b->imm);
	assert_int_equal(a->ieth_rkey, b->ieth_rkey);
	assert_int_equal(a->deth.qkey, b->deth.qkey);
	assert_int_equal(a->deth.reserved, b->deth.reserved);
	assert_int_equal(a->deth.src_qpn, b->deth.src_qpn);
	assert_int_equal(a->feth, b->feth);
	assert_int_equal(a->payload_len, b->payload_len);
	assert_memory_equal(a->payload, b->payload, a->payload_len);
}

static void test_round_trip(void **state)
{
	uint8_t payload[WIRE_PAYLOAD_MAX];
	uint8_t bytes[WIRE_PACKET_MAX + 8];
	struct wire_packet out, in;
	struct prng r;
	unsigned i, n;

	prng_seed(&r, 0xc0dec);
	for (i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)prng_next(&r);
	for (i = 0; i < ARRAY_SIZE(packet_opcodes); i++) {
		for (n = 0; n < 50; n++) {
			size_t len;

			packet_draw(&r, packet_opcodes[i], payload, &out);
			memset(bytes, 0xee, sizeof(bytes));
			len = wire_packet_encode(&out, bytes);
			assert_int_equal(len, wire_packet_bytes(&out));
			/* The ICRC and what follows are left alone. */
			assert_memory_equal(bytes + len - 4,
					    "\xee\xee\xee\xee\xee\xee\xee\xee",
					    8);
			assert_int_equal(wire_packet_decode(bytes, len, &in),
					 WIRE_DECODE_OK);
			packet_assert_same(&out, &in);
		}
	}
}

/* A NULL payload leaves its place alone; the pad is zero all the same. */
static void test_payload_in_place(void **state)
{
	struct wire_packet p = { .opcode = WIRE_RC_WRITE_ONLY,
				 .payload_len = 5 };
	uint8_t bytes[64];

	memset(bytes, 0x77, sizeof(bytes));
	assert_int_equal(wire_packet_encode(&p, bytes), 12 + 16 + 8 + 4);
	assert_ptr_equal(wire_packet_payload_at(bytes, p.opcode), bytes + 28);
	assert_memory_equal(bytes + 28, "\x77\x77\x77\x77\x77\0\0\0\x77", 9);
}

/* A packet that decodes, of @payload bytes; returns its length. */
static size_t packet_good(enum wire_opcode op, uint32_t payload, uint8_t *bytes)
{
	struct wire_packet p = { .opcode = op, .payload_len = payload };

	memset(bytes, 0, WIRE_PACKET_MAX + 4);
	return wire_packet_encode(&p, bytes);
}

static void packet_assert_refused(const uint8_t *bytes, size_t len,
				  enum wire_decode why)
{
	struct wire_packet p, before;
	enum wire_decode d;

	memset(&p, 0x5a, sizeof(p));
	before = p;
	d = wire_packet_decode(bytes, len, &p);
	if (d != why)
		fail_msg("len %zu: %s instead of %s", len, wire_decode_name(d),
			 wire_decode_name(why));
	assert_memory_equal(&p, &before, sizeof(p));
}

static void test_refused(void **state)
{
	uint8_t bytes[WIRE_PACKET_MAX + 4];
	struct wire_packet p;
	unsigned i, value;
	size_t len, n;

	/* Too short, by any amount, for what the opcode promises. */
	for (i = 0; i < ARRAY_SIZE(packet_opcodes); i++) {
		len = packet_good(packet_opcodes[i], 0, bytes);
		for (n = 0; n < len; n++)
			packet_assert_refused(bytes, n, WIRE_DECODE_SHORT);
		assert_int_equal(wire_packet_decode(bytes, len, &p),
				 WIRE_DECODE_OK);
	}

	/* A pad that is not there. */
	len = packet_good(WIRE_RC_SEND_ONLY, 0, bytes);
	bytes[1] |= 1 << 4;
	packet_assert_refused(bytes, len, WIRE_DECODE_SHORT);

	/* Not a whole number of words. */
	len = packet_good(WIRE_RC_SEND_ONLY, 13, bytes);
	for (n = 1; n <= 3; n++)
		packet_assert_refused(bytes, len - n, WIRE_DECODE_PAD);
	packet_assert_refused(bytes, len + 1, WIRE_DECODE_PAD);

	/* One word above the path MTU; any payload where none belongs. */
	len = packet_good(WIRE_RC_SEND_ONLY, WIRE_PAYLOAD_MAX, bytes);
	assert_int_equal(wire_packet_decode(bytes, len, &p), WIRE_DECODE_OK);
	packet_assert_refused(bytes, len + 4, WIRE_DECODE_LONG);
	len = packet_good(WIRE_RC_ACK, 0, bytes);
	packet_assert_refused(bytes, len + 4, WIRE_DECODE_LONG);

	/* The version, and every opcode that has no row. */
	len = packet_good(WIRE_RC_SEND_ONLY, 64, bytes);
	for (value = 1; value < 16; value++) {
		bytes[1] = (uint8_t)value;
		packet_assert_refused(bytes, len, WIRE_DECODE_VERSION);
	}
	bytes[1] = 0;
	for (value = 0; value < 256; value++) {
		if (wire_opcode_known(value))
			continue;
		bytes[0] = (uint8_t)value;
		packet_assert_refused(bytes, len, WIRE_DECODE_OPCODE);
	}
}

static void test_decode_names(void **state)
{
	enum wire_decode d, e;

	for (d = WIRE_DECODE_OK; d <= WIRE_DECODE_PAD; d++) {
		assert_string_not_equal(wire_decode_name(d), "unknown");
		for (e = WIRE_DECODE_OK; e < d; e++)
			assert_string_not_equal(wire_decode_name(d),
						wire_decode_name(e));
	}
	assert_string_equal(wire_decode_name((enum wire_decode)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_again),
		cmocka_unit_test(test_golden_fields),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_payload_in_place),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_decode_names),
	};

	return cmocka_run_group_tests_name("wire/packet", tests, NULL, NULL);
}
