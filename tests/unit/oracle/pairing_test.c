// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pairing sends with receives: clean over many seeds, each complaint by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/pairing.h"

struct pair {
	struct pairing *p;
	struct pairing_message m; /* of the last receive */
	struct complaint c;
};

static void pair_open(struct pair *x, enum ibv_qp_type type)
{
	*x = (struct pair){ .p = pairing_create("a qp0 -> b qp0", type, 16) };
	assert_non_null(x->p);
}

static void pair_send(struct pair *x, enum ibv_wr_opcode opcode, uint64_t len)
{
	struct pairing_message m = { .opcode = opcode,
				     .len = len,
				     .imm_data = 0x01020304,
				     .invalidate_rkey = 0x77 };

	assert_int_equal(pairing_sent(x->p, &m), 0);
}

static int pair_receive(struct pair *x, struct ibv_wc wc)
{
	if (wc.opcode == 0)
		wc.opcode = IBV_WC_RECV;
	return pairing_received(x->p, &wc, &x->m, &x->c);
}

#define assert_complains(x, call, kind, words)                    \
	do {                                                      \
		assert_int_equal(call, -EBADMSG);                 \
		assert_int_equal((x)->c.finding, VB_FIND_##kind); \
		assert_non_null(strstr((x)->c.text, words));      \
	} while (0)

static void test_clean(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t lens[16], sent = 0, received = 0;
		struct pair x;
		struct prng p;

		prng_seed(&p, seed);
		pair_open(&x, IBV_QPT_RC);
		for (int i = 0; i < 2000; i++) {
			if (prng_below(&p, 2) && sent - received < 16) {
				lens[sent % 16] = prng_below(&p, 5000);
				assert_int_equal(pairing_next(x.p), sent);
				pair_send(&x, IBV_WR_SEND, lens[sent++ % 16]);
			} else if (received < sent) {
				struct ibv_wc wc = {
					.byte_len =
						(uint32_t)lens[received % 16],
				};

				pairing_acknowledged(x.p, received);
				assert_int_equal(pair_receive(&x, wc), 0);
				assert_int_equal(x.m.number, received++);
			}
		}
		assert_int_equal(pairing_received_count(x.p), received);
		assert_int_equal(pairing_balance(x.p, &x.c), 0);
		pairing_destroy(x.p);
	}
}

static void test_early(void **state)
{
	struct pair x;

	pair_open(&x, IBV_QPT_RC);
	assert_complains(&x, pair_receive(&x, (struct ibv_wc){ .byte_len = 1 }),
			 EARLY, "all 0 messages sent");
	pairing_destroy(x.p);
}

static void test_wrong_length(void **state)
{
	struct pair x;

	pair_open(&x, IBV_QPT_RC);
	pair_send(&x, IBV_WR_SEND, 100);
	assert_complains(&x,
			 pair_receive(&x, (struct ibv_wc){ .byte_len = 99 }),
			 WRONG_LENGTH, "byte_len 99, must be 100");
	assert_int_equal(x.m.len, 100);
	pairing_destroy(x.p);
}

static void test_datagram_length(void **state)
{
	struct pair x;

	pair_open(&x, IBV_QPT_UD);
	pair_send(&x, IBV_WR_SEND, 100);
	pair_send(&x, IBV_WR_SEND, 100);
	assert_int_equal(pair_receive(&x, (struct ibv_wc){ .byte_len = 140 }),
			 0);
	assert_complains(&x,
			 pair_receive(&x, (struct ibv_wc){ .byte_len = 100 }),
			 WRONG_LENGTH, "must be 140");
	pairing_destroy(x.p);
}

static void test_immediate(void **state)
{
	struct ibv_wc right = { .byte_len = 8,
				.wc_flags = IBV_WC_WITH_IMM,
				.imm_data = 0x01020304 };
	struct ibv_wc wrong = right, without = right;
	struct pair x;

	wrong.imm_data = 0x04030201;
	without.wc_flags = 0;
	pair_open(&x, IBV_QPT_RC);
	for (int i = 0; i < 3; i++)
		pair_send(&x, IBV_WR_SEND_WITH_IMM, 8);
	assert_int_equal(pair_receive(&x, right), 0);
	assert_complains(&x, pair_receive(&x, wrong), WRONG_FIELD, "imm_data");
	assert_complains(&x, pair_receive(&x, without), WRONG_FIELD,
			 "without WITH_IMM");
	/* and an immediate that nobody sent */
	pair_send(&x, IBV_WR_SEND, 8);
	assert_complains(&x, pair_receive(&x, right), WRONG_FIELD,
			 "with WITH_IMM");
	pairing_destroy(x.p);
}

static void test_write_with_immediate(void **state)
{
	struct ibv_wc wc = { .byte_len = 8,
			     .wc_flags = IBV_WC_WITH_IMM,
			     .imm_data = 0x01020304,
			     .opcode = IBV_WC_RECV_RDMA_WITH_IMM };
	struct pair x;

	pair_open(&x, IBV_QPT_RC);
	pair_send(&x, IBV_WR_RDMA_WRITE_WITH_IMM, 8);
	pair_send(&x, IBV_WR_RDMA_WRITE_WITH_IMM, 8);
	assert_int_equal(pair_receive(&x, wc), 0);
	wc.opcode = IBV_WC_RECV;
	assert_complains(&x, pair_receive(&x, wc), WRONG_FIELD,
			 "must be RECV_RDMA_WITH_IMM");
	pairing_destroy(x.p);
}

static void test_invalidate(void **state)
{
	struct ibv_wc wc = { .byte_len = 8,
			     .wc_flags = IBV_WC_WITH_INV,
			     .invalidated_rkey = 0x77 };
	struct pair x;

	pair_open(&x, IBV_QPT_RC);
	for (int i = 0; i < 3; i++)
		pair_send(&x, IBV_WR_SEND_WITH_INV, 8);
	assert_int_equal(pair_receive(&x, wc), 0);
	wc.invalidated_rkey++;
	assert_complains(&x, pair_receive(&x, wc), WRONG_FIELD, "rkey 0x78");
	wc.wc_flags = 0;
	assert_complains(&x, pair_receive(&x, wc), WRONG_FIELD,
			 "without WITH_INV");
	pairing_destroy(x.p);
}

static void test_lost(void **state)
{
	struct pair x;

	pair_open(&x, IBV_QPT_RC);
	for (int i = 0; i < 3; i++)
		pair_send(&x, IBV_WR_SEND, 10);
	assert_int_equal(pair_receive(&x, (struct ibv_wc){ .byte_len = 10 }),
			 0);
	/* one completion speaks for all before it; the third is under way */
	pairing_acknowledged(x.p, 1);
	assert_int_equal(pairing_missing(x.p), 1);
	assert_complains(&x, pairing_balance(x.p, &x.c), LOST, "message 1 ");
	assert_int_equal(pair_receive(&x, (struct ibv_wc){ .byte_len = 10 }),
			 0);
	assert_int_equal(pairing_balance(x.p, &x.c), 0);
	pairing_destroy(x.p);
}

static void test_refused_and_full(void **state)
{
	struct pairing_message m = { .opcode = IBV_WR_SEND, .len = 5 };
	struct pairing_message write = { .opcode = IBV_WR_RDMA_WRITE };
	struct pair x;

	pair_open(&x, IBV_QPT_RC);
	assert_int_equal(pairing_sent(x.p, &write), -EINVAL);
	for (int i = 0; i < 16; i++)
		pair_send(&x, IBV_WR_SEND, 10);
	assert_int_equal(pairing_sent(x.p, &m), -ENOSPC);
	pairing_refused(x.p, 1);
	assert_int_equal(pairing_sent(x.p, &m), 0);
	assert_int_equal(m.number, 1);
	assert_int_equal(pair_receive(&x, (struct ibv_wc){ .byte_len = 10 }),
			 0);
	assert_int_equal(pair_receive(&x, (struct ibv_wc){ .byte_len = 5 }), 0);
	pairing_reset(x.p);
	assert_int_equal(pairing_next(x.p), 0);
	assert_int_equal(pairing_missing(x.p), 0);
	pairing_destroy(x.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_early),
		cmocka_unit_test(test_wrong_length),
		cmocka_unit_test(test_datagram_length),
		cmocka_unit_test(test_immediate),
		cmocka_unit_test(test_write_with_immediate),
		cmocka_unit_test(test_invalidate),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_refused_and_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
