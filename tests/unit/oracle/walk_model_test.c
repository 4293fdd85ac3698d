// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The model of a walk's pair: what it accepts of each work request, which ones
 * it waits for, and which states it allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/verbs_names.h"
#include "suite/oracle/matrix.h"
#include "suite/oracle/walk_model.h"

#define BIT(name) VERBS_STATUS_BIT(IBV_WC_##name)
#define STATE(s)  MATRIX_STATE_BIT(IBV_QPS_##s)

enum { A, B };

static struct walk_pair p;

static int fresh(void **state)
{
	walk_pair_init(&p, IBV_QPT_RC);
	return 0;
}

static int gone(void **state)
{
	walk_pair_free(&p);
	return 0;
}

static void both(enum ibv_qp_state s)
{
	walk_told(&p, A, s);
	walk_told(&p, B, s);
}

static struct walk_post *post(uint8_t side, enum ibv_wr_opcode op, uint32_t len,
			      const char *fault, bool remote)
{
	const struct walk_post w = { .side = side,
				     .send = true,
				     .opcode = op,
				     .len = len,
				     .own = walk_statuses(fault),
				     .remote = remote,
				     .takes = verbs_wr_takes_recv(op),
				     .signaled = true };
	struct walk_post *made = walk_posted(&p, &w);

	assert_non_null(made);
	return made;
}

static struct walk_post *recv_of(uint8_t side, uint32_t room, bool dead)
{
	const struct walk_post w = { .side = side,
				     .len = room,
				     .own = walk_statuses(NULL),
				     .dead = dead,
				     .signaled = true };
	struct walk_post *made = walk_posted(&p, &w);

	assert_non_null(made);
	return made;
}

static void test_right_ones_succeed(void **state)
{
	struct walk_post *r, *s, *w;

	both(IBV_QPS_RTS);
	r = recv_of(B, 64, false);
	s = post(A, IBV_WR_SEND, 64, NULL, false);
	w = post(A, IBV_WR_RDMA_WRITE, 9, NULL, false);
	assert_int_equal(walk_accept(s), BIT(SUCCESS));
	assert_int_equal(walk_accept(r), BIT(SUCCESS));
	assert_int_equal(walk_accept(w), BIT(SUCCESS));
	assert_true(walk_due(s) && walk_due(r) && walk_due(w));
	assert_ptr_equal(walk_first_due(&p), s);
	assert_int_equal(walk_states(&p, A, true), STATE(RTS));
	assert_false(walk_quiet(&p));
	walk_completed(s, IBV_WC_SUCCESS);
	walk_completed(r, IBV_WC_SUCCESS);
	walk_completed(w, IBV_WC_SUCCESS);
	assert_true(walk_quiet(&p));
	assert_null(walk_first_due(&p));
}

/* It waits for its receive, for ever, or as long as rnr_retry says. */
static void test_no_receive(void **state)
{
	struct walk_post *s;

	both(IBV_QPS_RTS);
	s = post(A, IBV_WR_SEND, 1, NULL, false);
	assert_int_equal(walk_accept(s), 0);
	assert_false(walk_due(s));
	recv_of(B, 1, false);
	assert_int_equal(walk_accept(s), BIT(SUCCESS));
	assert_true(walk_due(s));

	walk_pair_renew(&p);
	both(IBV_QPS_RTS);
	p.qp[A].finite = true;
	s = post(A, IBV_WR_SEND, 1, NULL, false);
	assert_int_equal(walk_accept(s), BIT(RNR_RETRY_EXC_ERR));
	assert_true(walk_due(s));
	recv_of(B, 1, false);
	assert_int_equal(walk_accept(s), BIT(SUCCESS) | BIT(RNR_RETRY_EXC_ERR));
}

static void test_no_room(void **state)
{
	struct walk_post *r, *s, *behind;

	both(IBV_QPS_RTS);
	r = recv_of(B, 63, false);
	s = post(A, IBV_WR_SEND, 64, NULL, false);
	behind = post(A, IBV_WR_RDMA_WRITE, 1, NULL, false);
	assert_int_equal(walk_accept(s), walk_statuses("S02"));
	assert_true(walk_accept(r) & BIT(LOC_LEN_ERR));
	assert_false(walk_accept(r) & BIT(SUCCESS));
	assert_true(walk_accept(behind) & BIT(WR_FLUSH_ERR));
	assert_true(walk_due(s));
	assert_int_equal(walk_states(&p, B, false), STATE(RTS) | STATE(ERR));
	assert_true(walk_uncertain(&p, A));
	walk_completed(s, IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(walk_states(&p, A, false), STATE(RTS) | STATE(ERR));
	assert_int_equal(walk_states(&p, A, true), STATE(ERR));
}

static void test_receive_that_may_not_be_used(void **state)
{
	struct walk_post *r, *s;

	both(IBV_QPS_RTS);
	r = recv_of(B, 64, true);
	s = post(A, IBV_WR_SEND, 64, NULL, false);
	assert_int_equal(walk_accept(s), walk_statuses("S05"));
	assert_true(walk_accept(r) & BIT(LOC_PROT_ERR));

	/* A WRITE with immediate leaves it alone, and nothing needs none. */
	walk_pair_renew(&p);
	both(IBV_QPS_RTS);
	recv_of(B, 64, true);
	s = post(A, IBV_WR_RDMA_WRITE_WITH_IMM, 64, NULL, false);
	assert_int_equal(walk_accept(s), BIT(SUCCESS));
	recv_of(B, 64, true);
	s = post(A, IBV_WR_SEND, 0, NULL, false);
	assert_true(walk_accept(s) & BIT(SUCCESS));
}

/* One that cannot succeed does not, and those before it do not suffer. */
static void test_refused_by_the_peer(void **state)
{
	struct walk_post *before, *bad, *behind, *r;

	both(IBV_QPS_RTS);
	r = recv_of(B, 64, false);
	before = post(A, IBV_WR_RDMA_WRITE, 4, NULL, false);
	bad = post(A, IBV_WR_RDMA_WRITE, 4, "S10", true);
	behind = post(A, IBV_WR_RDMA_READ, 4, NULL, false);
	assert_int_equal(walk_accept(before), BIT(SUCCESS));
	assert_int_equal(walk_accept(bad), BIT(REM_ACCESS_ERR));
	assert_int_equal(walk_accept(behind), BIT(SUCCESS) | BIT(WR_FLUSH_ERR));
	assert_int_equal(walk_accept(r), BIT(WR_FLUSH_ERR));
	assert_true(walk_due(before) && walk_due(bad));
	assert_false(walk_due(behind));
	assert_true(walk_uncertain(&p, B));
	walk_completed(bad, IBV_WC_REM_ACCESS_ERR);
	assert_true(before->done);
}

static void test_told_to_be_in_error(void **state)
{
	struct walk_post *s, *u, *r, *late, *peers;

	both(IBV_QPS_RTS);
	s = post(A, IBV_WR_RDMA_WRITE, 4, NULL, false);
	u = post(A, IBV_WR_RDMA_WRITE, 4, NULL, false);
	u->signaled = false;
	r = recv_of(A, 8, false);
	peers = post(B, IBV_WR_RDMA_WRITE, 4, NULL, false);
	walk_told(&p, A, IBV_QPS_ERR);
	late = post(A, IBV_WR_SEND, 4, NULL, false);
	assert_int_equal(walk_accept(s), BIT(SUCCESS) | BIT(WR_FLUSH_ERR));
	assert_int_equal(walk_accept(r), BIT(WR_FLUSH_ERR));
	assert_int_equal(walk_accept(late), BIT(WR_FLUSH_ERR));
	assert_true(walk_due(s) && walk_due(r) && walk_due(late));
	/* It may have been executed, in silence. */
	assert_false(walk_due(u));
	assert_int_equal(walk_states(&p, A, false), STATE(ERR));
	/* To its peer it is as if it was not there. */
	assert_true(walk_accept(peers) & BIT(RETRY_EXC_ERR));
	assert_true(walk_accept(peers) & BIT(SUCCESS));
	assert_false(walk_due(peers));
}

static void test_peer_reset(void **state)
{
	struct walk_post *s, *r, *later;

	both(IBV_QPS_RTS);
	recv_of(B, 8, false);
	s = post(A, IBV_WR_SEND, 8, NULL, false);
	walk_told(&p, B, IBV_QPS_RESET);
	/* It may have come before, and has no answer otherwise. */
	assert_true(walk_accept(s) & BIT(SUCCESS));
	assert_true(walk_accept(s) & BIT(RETRY_EXC_ERR));
	later = post(A, IBV_WR_SEND, 8, NULL, false);
	assert_false(walk_accept(later) & BIT(SUCCESS));
	assert_true(walk_accept(later) & BIT(WR_FLUSH_ERR));
	r = recv_of(A, 8, false);
	assert_false(walk_due(r));
	walk_destroyed(&p, B);
	assert_true(walk_accept(later) & BIT(RETRY_EXC_ERR));
	walk_pair_renew(&p);
	assert_false(walk_uncertain(&p, A));
}

static void test_unreliable(void **state)
{
	struct walk_post *s, *bad, *behind;

	walk_pair_init(&p, IBV_QPT_UC);
	both(IBV_QPS_RTS);
	s = post(A, IBV_WR_SEND, 100, NULL, false);
	assert_int_equal(walk_accept(s), BIT(SUCCESS));
	assert_true(walk_due(s));
	assert_false(walk_quiet(&p));
	bad = post(A, IBV_WR_SEND, 100, "S08", false);
	behind = post(A, IBV_WR_SEND, 100, NULL, false);
	assert_int_equal(walk_accept(bad), walk_statuses("S08"));
	assert_true(walk_accept(behind) & BIT(WR_FLUSH_ERR));
	walk_completed(bad, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(walk_states(&p, A, true), STATE(SQE) | STATE(ERR));
}

/* From SQE back to RTS: all is as if nothing had failed. */
static void test_recovered(void **state)
{
	struct walk_post *bad, *behind;

	walk_pair_init(&p, IBV_QPT_UD);
	both(IBV_QPS_RTS);
	bad = post(A, IBV_WR_SEND, 100, "S08", false);
	walk_completed(bad, IBV_WC_LOC_PROT_ERR);
	behind = post(A, IBV_WR_SEND, 100, NULL, false);
	assert_false(walk_side_idle(&p, A));
	walk_completed(behind, IBV_WC_WR_FLUSH_ERR);
	assert_true(walk_side_idle(&p, A));
	assert_true(walk_uncertain(&p, A));
	walk_recovered(&p, A);
	assert_false(walk_uncertain(&p, A));
	assert_int_equal(walk_states(&p, A, true), STATE(RTS));
	behind = post(A, IBV_WR_SEND, 100, NULL, false);
	assert_int_equal(walk_accept(behind), BIT(SUCCESS));
	assert_true(walk_due(behind));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, gone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_right_ones_succeed),
		TEST(test_no_receive),
		TEST(test_no_room),
		TEST(test_receive_that_may_not_be_used),
		TEST(test_refused_by_the_peer),
		TEST(test_told_to_be_in_error),
		TEST(test_peer_reset),
		TEST(test_unreliable),
		TEST(test_recovered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
