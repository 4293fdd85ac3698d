// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The state machine against a reading of the table of its own: 147 pairs,
 * every required bit missing, every foreign bit added, every attribute out of
 * range; after a refusal nothing has changed.
 */
#include <errno.h>

#include "tests/unit/engine/wire_pair.h"

static const struct {
	const char *type, *from, *to, *required, *optional;
} rows[] = {
#include "rules/qp_states.inc"
};

static const char *const type_names[] = { "RC", "UC", "UD" };
static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
static const char *const state_names[] = { "RESET", "INIT", "RTR", "RTS",
					   "SQD",   "SQE",  "ERR" };
static const char *const attr_names[] = {
	"STATE",
	"CUR_STATE",
	"EN_SQD_ASYNC_NOTIFY",
	"ACCESS_FLAGS",
	"PKEY_INDEX",
	"PORT",
	"QKEY",
	"AV",
	"PATH_MTU",
	"TIMEOUT",
	"RETRY_CNT",
	"RNR_RETRY",
	"RQ_PSN",
	"MAX_QP_RD_ATOMIC",
	"ALT_PATH",
	"MIN_RNR_TIMER",
	"SQ_PSN",
	"MAX_DEST_RD_ATOMIC",
	"PATH_MIG_STATE",
	"CAP",
	"DEST_QPN",
};

/* Bit n of the mask is attribute n: that is how verbs.h numbers them. */
static unsigned mask_of(const char *list)
{
	unsigned mask = 0;

	for (unsigned bit = 0; bit < ARRAY_SIZE(attr_names); bit++) {
		size_t len = strlen(attr_names[bit]);

		for (const char *at = list; (at = strstr(at, attr_names[bit]));
		     at += len)
			if ((at == list || at[-1] == ',') &&
			    (at[len] == ',' || at[len] == '\0'))
				mask |= 1u << bit;
	}
	return mask;
}

static int find_row(unsigned type, unsigned from, unsigned to)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].type, type_names[type]) &&
		    !strcmp(rows[i].from, state_names[from]) &&
		    !strcmp(rows[i].to, state_names[to]))
			return (int)i;
	return -1;
}

static void state_table_is_kept(void **state)
{
	unsigned legal = 0, pairs = 0;

	(void)state;
	qp_state_init();
	for (unsigned type = 0; type < 3; type++) {
		for (unsigned from = 0; from < 7; from++) {
			for (unsigned to = 0; to < 7; to++) {
				int row = find_row(type, from, to);
				unsigned need =
					row < 0 ? 1
						: mask_of(rows[row].required);
				int got = qp_state_check(types[type], from, to,
							 need);

				assert_int_equal(got, row < 0 ? -EINVAL : 0);
				legal += row >= 0;
				pairs++;
			}
		}
	}
	assert_int_equal(pairs, 147);
	assert_int_equal(legal, 66);
}

static void state_every_bit_counts(void **state)
{
	(void)state;
	qp_state_init();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned need = mask_of(rows[i].required);
		unsigned may = need | mask_of(rows[i].optional);
		unsigned type, from = 0, to = 0;

		for (type = 0; type < 3; type++)
			if (!strcmp(rows[i].type, type_names[type]))
				break;
		if (type == 3)
			continue;
		while (strcmp(rows[i].from, state_names[from]))
			from++;
		while (strcmp(rows[i].to, state_names[to]))
			to++;
		for (unsigned bit = 1; bit < 21; bit++) {
			unsigned b = 1u << bit;
			unsigned mask = need & b ? need & ~b : need | b;
			bool right = !(need & b) && (may & b);

			assert_int_equal(qp_state_check(types[type], from, to,
							mask),
					 right ? 0 : -EINVAL);
		}
	}
}

static void state_expect_refused(struct pair_end *e, struct ibv_qp_attr attr,
				 enum ibv_qp_state to, unsigned mask)
{
	struct ibv_qp_attr before, after;

	attr.qp_state = to;
	qp_state_query(&e->qp, &before);
	assert_int_equal(qp_state_modify(&e->qp, &attr, mask, &pair_limits),
			 -EINVAL);
	qp_state_query(&e->qp, &after);
	assert_memory_equal(&before, &after, sizeof(before));
}

/* Every value that is out of range, on the step that takes it. */
static void state_values_are_judged(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[0];
	struct ibv_qp_attr good = pair_attr(), bad;

	(void)state;
#define REFUSED(to, mask, change)                       \
	do {                                            \
		bad = good;                             \
		change;                                 \
		state_expect_refused(e, bad, to, mask); \
	} while (0)
	pair_modify(e, IBV_QPS_RESET, good, IBV_QP_STATE);
	REFUSED(IBV_QPS_INIT, PAIR_INIT_MASK, bad.port_num = 0);
	REFUSED(IBV_QPS_INIT, PAIR_INIT_MASK, bad.port_num = 2);
	REFUSED(IBV_QPS_INIT, PAIR_INIT_MASK, bad.pkey_index = 1);
	REFUSED(IBV_QPS_INIT, PAIR_INIT_MASK, bad.qp_access_flags = 1u << 30);
	pair_modify(e, IBV_QPS_INIT, good, PAIR_INIT_MASK);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.path_mtu = 0);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.path_mtu = 6);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.min_rnr_timer = 32);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.max_dest_rd_atomic = 17);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.ah_attr.is_global = 0);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.ah_attr.grh.sgid_index = 1);
	REFUSED(IBV_QPS_RTR, PAIR_RTR_MASK, bad.ah_attr.port_num = 2);
	pair_modify(e, IBV_QPS_RTR, good, PAIR_RTR_MASK);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK, bad.timeout = 32);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK, bad.retry_cnt = 8);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK, bad.rnr_retry = 8);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK, bad.max_rd_atomic = 17);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK | IBV_QP_CUR_STATE,
		bad.cur_qp_state = IBV_QPS_INIT);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK | IBV_QP_CUR_STATE,
		bad.cur_qp_state = IBV_QPS_SQD);
	REFUSED(IBV_QPS_RTS, PAIR_RTS_MASK | IBV_QP_ALT_PATH, (void)0);
	bad = good;
	bad.cur_qp_state = IBV_QPS_RTR;
	pair_modify(e, IBV_QPS_RTS, bad, PAIR_RTS_MASK | IBV_QP_CUR_STATE);
	REFUSED(7, IBV_QP_STATE, (void)0);
	REFUSED(-1, IBV_QP_STATE, (void)0);
	/* No STATE: RTS to RTS, where PORT is foreign and the timer is not. */
	REFUSED(IBV_QPS_RTS, IBV_QP_PORT, (void)0);
	pair_modify(e, IBV_QPS_RTS, good, IBV_QP_MIN_RNR_TIMER);
#undef REFUSED
	pair_free(p);
}

/* CON-01: 24 bits, the rest is ignored.  QPS-09: what was set reads back. */
static void state_reads_back(void **state)
{
	struct ibv_qp_attr attr = pair_attr(), got;
	struct wire_pair *p;

	(void)state;
	attr.rq_psn = 0x12fffffe;
	attr.sq_psn = 0x34fffffe;
	p = pair_new(attr);
	qp_state_query(&p->end[0].qp, &got);
	assert_int_equal(got.qp_state, IBV_QPS_RTS);
	assert_int_equal(got.cur_qp_state, IBV_QPS_RTS);
	assert_int_equal(got.rq_psn, 0xfffffe);
	assert_int_equal(got.sq_psn, 0xfffffe);
	assert_int_equal(got.dest_qp_num, 0x101);
	assert_int_equal(got.path_mtu, IBV_MTU_256);
	assert_int_equal(got.timeout, 10);
	assert_int_equal(got.retry_cnt, 3);
	assert_int_equal(got.rnr_retry, 3);
	assert_int_equal(got.min_rnr_timer, 12);
	assert_int_equal(got.port_num, 1);
	/* Using retries up does not show. */
	p->end[0].qp.req.rnr_left = 0;
	p->end[0].qp.req.retry_left = 0;
	qp_state_query(&p->end[0].qp, &got);
	assert_int_equal(got.retry_cnt, 3);
	assert_int_equal(got.rnr_retry, 3);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(state_table_is_kept),
		cmocka_unit_test(state_every_bit_counts),
		cmocka_unit_test(state_values_are_judged),
		cmocka_unit_test(state_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
