// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What needs no device of the observed verbs and the ends: results, the
 * read-back of attributes, timers, splitting. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/end/ends.h"
#include "suite/verbs/verbs.h"

static void results_are_one(void **state)
{
	assert_int_equal(verbs_result(0), 0);
	assert_int_equal(verbs_result(EINVAL), -EINVAL);
	assert_int_equal(verbs_result(-ENOMEM), -ENOMEM);
	errno = EBUSY;
	assert_int_equal(verbs_result(-1), -EBUSY);
	errno = 0;
	assert_int_equal(verbs_result(-1), -EIO);
	assert_int_equal(verbs_errno(), -EIO);
}

static const unsigned all =
	IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY |
	IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
	IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |
	IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_DEST_QPN |
	IBV_QP_AV | IBV_QP_STATE;

#define DIFFERS(bit, field, mask)                                             \
	do {                                                                  \
		struct ibv_qp_attr now = asked;                               \
                                                                              \
		now.field ^= 1;                                               \
		assert_int_equal(verbs_attr_differ(&asked, mask, &now, true), \
				 (mask) & (bit));                             \
	} while (0)

static void each_attribute_is_compared(void **state)
{
	const struct ibv_qp_attr asked = {
		.max_rd_atomic = 5,
		.max_dest_rd_atomic = 5,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};

	assert_int_equal(verbs_attr_differ(&asked, all, &asked, true), 0);
	DIFFERS(IBV_QP_STATE, qp_state, all);
	DIFFERS(IBV_QP_ACCESS_FLAGS, qp_access_flags, all);
	DIFFERS(IBV_QP_PKEY_INDEX, pkey_index, all);
	DIFFERS(IBV_QP_PORT, port_num, all);
	DIFFERS(IBV_QP_QKEY, qkey, all);
	DIFFERS(IBV_QP_PATH_MTU, path_mtu, all);
	DIFFERS(IBV_QP_TIMEOUT, timeout, all);
	DIFFERS(IBV_QP_RETRY_CNT, retry_cnt, all);
	DIFFERS(IBV_QP_RNR_RETRY, rnr_retry, all);
	DIFFERS(IBV_QP_RQ_PSN, rq_psn, all);
	DIFFERS(IBV_QP_SQ_PSN, sq_psn, all);
	DIFFERS(IBV_QP_MIN_RNR_TIMER, min_rnr_timer, all);
	DIFFERS(IBV_QP_DEST_QPN, dest_qp_num, all);
	DIFFERS(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic, all);
	DIFFERS(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic, all);
	DIFFERS(IBV_QP_AV, ah_attr.grh.dgid.raw[15], all);
	DIFFERS(IBV_QP_AV, ah_attr.grh.sgid_index, all);
	DIFFERS(IBV_QP_AV, ah_attr.is_global, all);
	/* What was not set is not compared. */
	DIFFERS(IBV_QP_TIMEOUT, timeout, IBV_QP_RNR_RETRY);
}

static void what_devices_may_do_is_tolerated(void **state)
{
	const struct ibv_qp_attr asked = { .max_rd_atomic = 3,
					   .max_dest_rd_atomic = 3,
					   .sq_psn = 7,
					   .rq_psn = 9 };
	struct ibv_qp_attr now = asked;

	now.max_rd_atomic = now.max_dest_rd_atomic = 4;
	assert_int_equal(verbs_attr_differ(&asked, all, &now, true), 0);
	now.max_rd_atomic = 2;
	assert_int_equal(verbs_attr_differ(&asked, all, &now, true),
			 IBV_QP_MAX_QP_RD_ATOMIC);
	now = asked;
	now.sq_psn = now.rq_psn = 100;
	assert_int_equal(verbs_attr_differ(&asked, all, &now, false), 0);
	assert_int_equal(verbs_attr_differ(&asked, all, &now, true),
			 IBV_QP_SQ_PSN | IBV_QP_RQ_PSN);
}

static void timers_have_their_meaning(void **state)
{
	assert_int_equal(vb_rnr_timer_ns(0), 655360000);
	assert_int_equal(vb_rnr_timer_ns(1), 10000);
	assert_int_equal(vb_rnr_timer_ns(12), 640000);
	assert_int_equal(vb_rnr_timer_ns(31), 491520000);
	assert_true(vb_ack_timeout_ns(0) == UINT64_MAX);
	assert_int_equal(vb_ack_timeout_ns(1), 8192);
	assert_int_equal(vb_ack_timeout_ns(14), 67108864);
}

static void splits_have_no_empty_piece(void **state)
{
	struct end_place place;
	struct prng prng;
	uint32_t len, n, i;

	prng_seed(&prng, 3);
	for (len = 0; len < 200; len++) {
		for (n = 1; n <= END_SGES_MAX; n++) {
			uint32_t sum = 0;

			ends_split(&prng, len, n, &place);
			assert_int_equal(place.sges, n < len ? n : len);
			for (i = 0; i < place.sges; i++) {
				assert_true(place.bytes[i] > 0);
				sum += place.bytes[i];
			}
			assert_int_equal(sum, len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_one),
		cmocka_unit_test(each_attribute_is_compared),
		cmocka_unit_test(what_devices_may_do_is_tolerated),
		cmocka_unit_test(timers_have_their_meaning),
		cmocka_unit_test(splits_have_no_empty_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
