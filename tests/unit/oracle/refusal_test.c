// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each attribute of a connection that cannot be is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "suite/oracle/refusal.h"

enum {
	TO_INIT = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		  IBV_QP_ACCESS_FLAGS,
	TO_RTR = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
		 IBV_QP_MIN_RNR_TIMER,
	TO_RTS = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
		 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
};

static const struct refusal_limits limits = {
	.ethernet = true,
	.ports = 1,
	.pkeys = 2,
	.gids = 4,
	.active_mtu = IBV_MTU_1024,
	.max_init_rd_atomic = 16,
	.max_rd_atomic = 8,
};

/* One that goes through everywhere. */
static struct ibv_qp_attr right(enum ibv_qp_state to)
{
	return (struct ibv_qp_attr){
		.qp_state = to,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = 17,
		.rq_psn = 0xffffff,
		.sq_psn = 0xffffff,
		.pkey_index = 1,
		.min_rnr_timer = 31,
		.timeout = 31,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 16,
		.max_dest_rd_atomic = 8,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .sgid_index = 3 } },
	};
}

static void explained(enum ibv_qp_state to, const struct ibv_qp_attr *attr,
		      unsigned mask, const char *text)
{
	enum ibv_qp_state from = (enum ibv_qp_state)(to - 1);
	struct strbuf out = STRBUF_INIT;

	refusal_explain(IBV_QPT_RC, from, attr, mask, &limits, &out);
	if (!strstr(strbuf_text(&out), text) || (!text[0] && out.len))
		fail_msg("'%s', wanted '%s'", strbuf_text(&out), text);
	strbuf_free(&out);
}

static unsigned mask_to(enum ibv_qp_state to)
{
	return to == IBV_QPS_INIT  ? TO_INIT
	       : to == IBV_QPS_RTR ? TO_RTR
				   : TO_RTS;
}

#define WRONG(to, field, value, text)                                        \
	do {                                                                 \
		struct ibv_qp_attr attr = right(IBV_QPS_##to);               \
                                                                             \
		attr.field = (__typeof__(attr.field))(value);                \
		explained(IBV_QPS_##to, &attr, mask_to(IBV_QPS_##to), text); \
	} while (0)

static void test_values(void **state)
{
	for (int to = IBV_QPS_INIT; to <= IBV_QPS_RTS; to++) {
		struct ibv_qp_attr attr = right((enum ibv_qp_state)to);

		explained((enum ibv_qp_state)to, &attr,
			  mask_to((enum ibv_qp_state)to), "");
	}
	WRONG(INIT, port_num, 0, "port_num 0: the device has ports 1 to 1");
	WRONG(INIT, port_num, 2, "port_num 2");
	WRONG(INIT, pkey_index, 2, "pkey_index 2: the P_Key table has 2");
	WRONG(RTR, ah_attr.grh.sgid_index, 4, "sgid_index 4: the GID table");
	WRONG(RTR, ah_attr.is_global, 0, "is_global 0: on Ethernet");
	WRONG(RTR, ah_attr.port_num, 3, "ah_attr.port_num 3");
	WRONG(RTR, path_mtu, 0, "path_mtu 0");
	WRONG(RTR, path_mtu, IBV_MTU_2048, "path_mtu 4");
	WRONG(RTR, dest_qp_num, 0, "dest_qp_num 0");
	WRONG(RTR, dest_qp_num, 0x1000000, "dest_qp_num 16777216");
	WRONG(RTR, rq_psn, 0x1000000, "rq_psn 16777216: a PSN");
	WRONG(RTR, min_rnr_timer, 32, "min_rnr_timer 32");
	WRONG(RTR, max_dest_rd_atomic, 9, "max_dest_rd_atomic 9");
	WRONG(RTS, sq_psn, 0x1000000, "sq_psn 16777216");
	WRONG(RTS, timeout, 32, "timeout 32: the largest code is 31");
	WRONG(RTS, retry_cnt, 8, "retry_cnt 8: it is at most 7");
	WRONG(RTS, rnr_retry, 8, "rnr_retry 8");
	WRONG(RTS, max_rd_atomic, 17, "max_rd_atomic 17");
}

static void test_masks(void **state)
{
	struct ibv_qp_attr attr = right(IBV_QPS_RTR);

	explained(IBV_QPS_RTR, &attr, TO_RTR & ~(unsigned)IBV_QP_RQ_PSN,
		  "missing: RQ_PSN");
	explained(IBV_QPS_RTR, &attr, TO_RTR | IBV_QP_SQ_PSN,
		  "not taken there: SQ_PSN");
	attr.qp_state = IBV_QPS_SQE;
	explained(IBV_QPS_RTR, &attr, IBV_QP_STATE,
		  "no queue pair goes from INIT to SQE");
}

static void test_lid(void **state)
{
	struct refusal_limits ib = limits;
	struct ibv_qp_attr attr = right(IBV_QPS_RTR);
	struct strbuf out = STRBUF_INIT;

	ib.ethernet = false;
	attr.ah_attr.is_global = 0;
	refusal_explain(IBV_QPT_RC, IBV_QPS_INIT, &attr, TO_RTR, &ib, &out);
	assert_non_null(strstr(strbuf_text(&out), "dlid 0"));
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_lid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
