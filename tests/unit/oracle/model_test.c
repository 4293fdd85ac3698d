// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The model of QP states against what the table's description counts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/oracle/model.h"

static const unsigned to_init = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS |
				IBV_QP_PKEY_INDEX | IBV_QP_PORT;

/* 22 of the 49 pairs are legal, the same for each type. */
static void test_pairs(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC,
						  IBV_QPT_UD };

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		int legal = 0;

		for (int from = 0; from < IBV_QPS_UNKNOWN; from++) {
			for (int to = 0; to < IBV_QPS_UNKNOWN; to++) {
				struct model_transition answer;

				model_transition(types[t], from, to,
						 IBV_QP_STATE, &answer);
				legal += answer.legal;
			}
		}
		assert_int_equal(legal, 22);
	}
}

static void test_masks(void **state)
{
	struct model_transition a;

	assert_true(model_transition(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT,
				     to_init, &a));
	assert_false(model_transition(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT,
				      to_init & ~IBV_QP_PORT, &a));
	assert_true(a.legal);
	assert_int_equal(a.missing, IBV_QP_PORT);
	assert_false(model_transition(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT,
				      to_init | IBV_QP_SQ_PSN, &a));
	assert_int_equal(a.foreign, IBV_QP_SQ_PSN);
	assert_false(model_transition(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_RTS,
				      IBV_QP_STATE, &a));
	assert_false(a.legal);
	assert_true(model_transition(IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS,
				     IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER, &a));
	assert_false(model_transition(IBV_QPT_UC, IBV_QPS_RTS, IBV_QPS_RTS,
				      IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER, &a));
}

static void test_modify(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct model_transition a;

	assert_true(
		model_modify(IBV_QPT_RC, IBV_QPS_RTS, &attr, IBV_QP_STATE, &a));
	/* without STATE: stay */
	assert_true(model_modify(IBV_QPT_RC, IBV_QPS_RTS, &attr,
				 IBV_QP_ACCESS_FLAGS, &a));
	assert_false(model_modify(IBV_QPT_RC, IBV_QPS_RTR, &attr,
				  IBV_QP_ACCESS_FLAGS, &a));
	assert_false(a.legal);
}

/* Drop each required bit, add each foreign one: the counts of the recipe. */
static void test_recipe(void **state)
{
	int dropped = 0, foreign = 0, optional = 0;

	for (size_t i = 0; i < model_count(); i++) {
		enum ibv_qp_type type;
		enum ibv_qp_state from, to;
		unsigned must, may;
		struct model_transition a;

		model_row(i, &type, &from, &to, &must, &may);
		if (type != IBV_QPT_RC && type != IBV_QPT_UC &&
		    type != IBV_QPT_UD)
			continue;
		assert_true(model_transition(type, from, to, must, &a));
		assert_true(model_transition(type, from, to, must | may, &a));
		for (int bit = 0; bit <= 20; bit++) {
			unsigned one = 1u << bit;

			if (one == IBV_QP_STATE)
				continue;
			if (must & one) {
				dropped++;
				assert_false(model_transition(type, from, to,
							      must & ~one, &a));
			} else if (may & one) {
				optional++;
			} else {
				foreign++;
				assert_false(model_transition(type, from, to,
							      must | one, &a));
			}
		}
	}
	assert_int_equal(dropped, 26);
	assert_int_equal(optional, 76);
	assert_int_equal(foreign, 1218);
}

static void test_posting(void **state)
{
	assert_false(model_may_post_send(IBV_QPS_RTR));
	assert_true(model_may_post_send(IBV_QPS_ERR));
	assert_false(model_may_post_recv(IBV_QPS_RESET));
	assert_true(model_may_post_recv(IBV_QPS_INIT));
}

static void test_text(void **state)
{
	struct strbuf out = STRBUF_INIT;
	unsigned mask = 99;

	model_mask_print(IBV_QP_STATE | IBV_QP_AV | 1u << 30, &out);
	assert_string_equal(strbuf_text(&out), "STATE,AV,0x40000000");
	strbuf_reset(&out);
	model_mask_print(0, &out);
	assert_string_equal(strbuf_text(&out), "none");
	strbuf_reset(&out);
	model_mask_print(model_mask_all(), &out);
	assert_int_equal(model_mask_parse(strbuf_text(&out), &mask), 0);
	assert_int_equal(mask, model_mask_all());
	assert_int_equal(mask, 0x1fffff | IBV_QP_RATE_LIMIT);
	assert_int_equal(model_mask_parse("-", &mask), 0);
	assert_int_equal(mask, 0);
	assert_int_equal(model_mask_parse("STATE,NONSENSE", &mask), -EINVAL);
	assert_int_equal(model_mask_parse("STATE,", &mask), -EINVAL);
	assert_int_equal(model_mask_parse("", &mask), -EINVAL);
	assert_string_equal(model_mask_bit_name(IBV_QP_RNR_RETRY), "RNR_RETRY");
	assert_string_equal(model_mask_bit_name(1u << 30), "?");
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),	cmocka_unit_test(test_masks),
		cmocka_unit_test(test_modify),	cmocka_unit_test(test_recipe),
		cmocka_unit_test(test_posting), cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
