// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory windows: bound, used, unbound and invalidated; and regions that
 * change what they are. */
#include "loop_fixture.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/front/limits.h"

enum { FROM = 1024, LENGTH = 512 };

static uint64_t va(const struct loop *l, size_t at)
{
	return (uintptr_t)l->bytes + at;
}

static int bind_1(const struct loop *l, struct ibv_mw *mw, uint64_t length,
		  unsigned access)
{
	struct ibv_mw_bind bind = {
		.wr_id = 9,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = l->mr,
			       .addr = va(l, FROM),
			       .length = length,
			       .mw_access_flags = access },
	};

	return ibv_bind_mw(l->b, mw, &bind);
}

static int post_bind(const struct loop *l, struct ibv_qp *qp, struct ibv_mw *mw,
		     uint32_t rkey, struct ibv_mr *mr, size_t at,
		     uint64_t length, unsigned access)
{
	struct ibv_send_wr wr = {
		.wr_id = 9,
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = mw,
			     .rkey = rkey,
			     .bind_info = { .mr = mr,
					    .addr = va(l, at),
					    .length = length,
					    .mw_access_flags = access } },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, &wr, &bad);
}

/* A type 2 window, bound through b. */
static struct ibv_mw *bound_2(const struct loop *l, uint32_t *rkey)
{
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);

	assert_non_null(mw);
	*rkey = ibv_inc_rkey(mw->rkey);
	assert_int_equal(post_bind(l, l->b, mw, *rkey, l->mr, FROM, LENGTH,
				   IBV_ACCESS_REMOTE_WRITE),
			 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	return mw;
}

static void type_1_lends_a_part_and_its_rights(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);
	uint32_t before = mw->rkey;

	assert_int_equal(bind_1(l, mw, LENGTH, IBV_ACCESS_REMOTE_WRITE), 0);
	assert_int_not_equal(mw->rkey, before);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	loop_write(l, l->a, mw->rkey, va(l, FROM), 3, IBV_WC_SUCCESS);
	assert_int_equal(l->bytes[FROM], l->bytes[3]);
	loop_write(l, l->a, mw->rkey, va(l, FROM + LENGTH - 1), 3,
		   IBV_WC_SUCCESS);
	/* In use: neither the region nor the domain goes. */
	assert_refused(ibv_dereg_mr(l->mr), EBUSY);
	loop_write(l, l->a, mw->rkey, va(l, FROM + LENGTH), 3,
		   IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void a_new_binding_ends_the_old_one(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);
	uint32_t old;

	assert_int_equal(bind_1(l, mw, LENGTH, IBV_ACCESS_REMOTE_WRITE), 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	old = mw->rkey;
	assert_int_equal(bind_1(l, mw, LENGTH, IBV_ACCESS_REMOTE_WRITE), 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	loop_write(l, l->a, mw->rkey, va(l, FROM), 3, IBV_WC_SUCCESS);
	loop_write(l, l->a, old, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void length_0_unbinds_type_1(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);

	assert_int_equal(bind_1(l, mw, LENGTH, IBV_ACCESS_REMOTE_WRITE), 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	assert_int_equal(bind_1(l, mw, 0, 0), 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	loop_write(l, l->a, mw->rkey, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void rights_that_were_not_lent_are_refused(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);

	assert_int_equal(bind_1(l, mw, LENGTH, IBV_ACCESS_REMOTE_READ), 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	loop_write(l, l->a, mw->rkey, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void before_it_is_bound_it_is_nothing(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);

	loop_write(l, l->a, mw->rkey, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void type_2_serves_one_queue_pair(void **state)
{
	struct loop *l = *state;
	uint32_t rkey;
	struct ibv_mw *mw = bound_2(l, &rkey);

	/* b has bound it, so a may use it through b, and not b through a. */
	loop_write(l, l->a, rkey, va(l, FROM), 3, IBV_WC_SUCCESS);
	loop_write(l, l->b, rkey, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void type_2_may_count_from_zero(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);
	uint32_t rkey = ibv_inc_rkey(mw->rkey);

	assert_int_equal(post_bind(l, l->b, mw, rkey, l->mr, FROM, LENGTH,
				   IBV_ACCESS_REMOTE_WRITE |
					   IBV_ACCESS_ZERO_BASED),
			 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	loop_write(l, l->a, rkey, 5, 3, IBV_WC_SUCCESS);
	assert_int_equal(l->bytes[FROM + 5], l->bytes[3]);
	loop_write(l, l->a, rkey, LENGTH, 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void local_invalidate_kills_the_key(void **state)
{
	struct loop *l = *state;
	uint32_t rkey;
	struct ibv_mw *mw = bound_2(l, &rkey);
	struct ibv_send_wr wr = { .wr_id = 4,
				  .opcode = IBV_WR_LOCAL_INV,
				  .invalidate_rkey = rkey };
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(l->b, &wr, &bad), 0);
	loop_expect(l, 4, IBV_WC_SUCCESS);
	loop_write(l, l->a, rkey, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void a_send_can_invalidate(void **state)
{
	struct loop *l = *state;
	uint32_t rkey;
	struct ibv_mw *mw = bound_2(l, &rkey);
	struct ibv_send_wr wr = { .wr_id = 4,
				  .opcode = IBV_WR_SEND_WITH_INV,
				  .invalidate_rkey = rkey };
	struct ibv_wc recv;

	loop_post_recv(l, l->b, 5, 4096, 8);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 8), 0);
	loop_expect_both(l, 4, 5, &recv);
	assert_int_equal(recv.wc_flags, IBV_WC_WITH_INV);
	assert_int_equal(recv.invalidated_rkey, rkey);
	loop_write(l, l->a, rkey, va(l, FROM), 3, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

/* The address of its queue pair may be another's tomorrow. */
static void a_binding_ends_with_its_queue_pair(void **state)
{
	struct loop *l = *state;
	uint32_t rkey;
	struct ibv_mw *mw = bound_2(l, &rkey);

	assert_int_equal(ibv_destroy_qp(l->b), 0);
	assert_int_equal(ibv_dereg_mr(l->mr), 0);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	l->mr = ibv_reg_mr(l->pd, l->bytes, LOOP_BYTES, LOOP_ACCESS);
	l->b = loop_qp(l, IBV_QPT_RC, NULL);
	assert_true(l->mr && l->b);
}

static void bad_bindings_fail_when_their_turn_comes(void **state)
{
	static const struct {
		int mr_access;
		size_t at;
		uint64_t length;
		unsigned access;
	} rows[] = {
		/* No right to be bound to; none to write, for a window that
		 * gives it; past the end; nothing. */
		{ LOOP_ACCESS & ~IBV_ACCESS_MW_BIND, 0, 8, 0 },
		{ IBV_ACCESS_MW_BIND, 0, 8, IBV_ACCESS_REMOTE_WRITE },
		{ LOOP_ACCESS, LOOP_BYTES - 8, 9, 0 },
		{ LOOP_ACCESS, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ibv_mr *mr;
		struct ibv_mw *mw;
		struct loop *l;

		assert_int_equal(loop_setup_rc(state), 0);
		l = *state;
		mr = ibv_reg_mr(l->pd, l->bytes, LOOP_BYTES, rows[i].mr_access);
		mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);
		assert_int_equal(post_bind(l, l->b, mw, ibv_inc_rkey(mw->rkey),
					   mr, rows[i].at, rows[i].length,
					   rows[i].access),
				 0);
		loop_expect(l, 9, IBV_WC_MW_BIND_ERR);
		assert_int_equal(loop_state(l->b), IBV_QPS_ERR);
		assert_int_equal(ibv_dealloc_mw(mw), 0);
		assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_int_equal(loop_teardown(state), 0);
	}
}

static void nonsense_is_refused_at_the_post(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *one = ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);
	struct ibv_mw *two = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);
	struct ibv_mw fake = *two;
	struct ibv_mr fake_mr = *l->mr;
	uint32_t rkey = ibv_inc_rkey(two->rkey);

	assert_int_equal(post_bind(l, l->b, one, ibv_inc_rkey(one->rkey), l->mr,
				   0, 8, 0),
			 EINVAL);
	assert_int_equal(post_bind(l, l->b, NULL, rkey, l->mr, 0, 8, 0),
			 EINVAL);
	assert_int_equal(post_bind(l, l->b, &fake, rkey, l->mr, 0, 8, 0),
			 EINVAL);
	assert_int_equal(post_bind(l, l->b, two, rkey ^ 0x100, l->mr, 0, 8, 0),
			 EINVAL);
	assert_int_equal(post_bind(l, l->b, two, rkey, NULL, 0, 8, 0), EINVAL);
	assert_int_equal(post_bind(l, l->b, two, rkey, &fake_mr, 0, 8, 0),
			 EINVAL);
	assert_int_equal(post_bind(l, l->b, two, rkey, l->mr, 0, 8, 1u << 30),
			 EINVAL);
	two->type = IBV_MW_TYPE_1;
	assert_int_equal(bind_1(l, two, 8, 0), EINVAL);
	assert_int_equal(bind_1(l, one, 8, IBV_ACCESS_ZERO_BASED), EINVAL);
	assert_no_object(ibv_alloc_mw(l->pd, (enum ibv_mw_type)3), EINVAL);
	assert_refused(ibv_dealloc_mw(&fake), EINVAL);
	assert_int_equal(ibv_dealloc_mw(one), 0);
	assert_int_equal(ibv_dealloc_mw(two), 0);
}

/* The bind waits behind a SEND that waits for a receive; meanwhile region and
 * window go. */
static void what_went_before_its_turn_is_not_bound(void **state)
{
	struct loop *l = *state;
	struct ibv_mr *mr = ibv_reg_mr(l->pd, l->bytes, 64, LOOP_ACCESS);
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND };

	assert_int_equal(loop_post(l, l->b, &wr, 0, 1), 0);
	assert_int_equal(
		post_bind(l, l->b, mw, ibv_inc_rkey(mw->rkey), mr, 0, 8, 0), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	loop_post_recv(l, l->a, 2, 4096, 1);
	for (int seen = 0; seen < 3; seen++) {
		struct ibv_wc wc = loop_poll(l);

		assert_int_equal(wc.status, wc.wr_id == 9 ? IBV_WC_MW_BIND_ERR
							  : IBV_WC_SUCCESS);
	}
}

static void the_limit_of_windows_is_exact(void **state)
{
	struct loop *l = *state;
	struct ibv_mw **all = calloc(LIMIT_max_mw, sizeof(struct ibv_mw *));

	assert_non_null(all);
	for (int i = 0; i < LIMIT_max_mw; i++) {
		all[i] = ibv_alloc_mw(l->pd,
				      i % 2 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
		assert_non_null(all[i]);
	}
	assert_no_object(ibv_alloc_mw(l->pd, IBV_MW_TYPE_1), ENOMEM);
	for (int i = 0; i < LIMIT_max_mw; i++)
		assert_int_equal(ibv_dealloc_mw(all[i]), 0);
	free(all);
}

static void rights_change_with_rereg(void **state)
{
	struct loop *l = *state;
	uint32_t rkey = l->mr->rkey;

	loop_write(l, l->a, rkey, va(l, 0), 3, IBV_WC_SUCCESS);
	assert_int_equal(ibv_rereg_mr(l->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				      NULL, 0, IBV_ACCESS_REMOTE_READ),
			 0);
	assert_int_equal(l->mr->rkey, rkey);
	loop_write(l, l->a, rkey, va(l, 0), 3, IBV_WC_REM_ACCESS_ERR);
}

static void the_domain_changes_with_rereg(void **state)
{
	struct loop *l = *state;
	struct ibv_pd *pd = ibv_alloc_pd(l->context);

	assert_int_equal(
		ibv_rereg_mr(l->mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0), 0);
	assert_ptr_equal(l->mr->pd, pd);
	assert_refused(ibv_dealloc_pd(pd), EBUSY);
	loop_write(l, l->a, l->mr->rkey, va(l, 0), 3, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_rereg_mr(l->mr, IBV_REREG_MR_CHANGE_PD, l->pd,
				      NULL, 0, 0),
			 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static void the_memory_changes_with_rereg(void **state)
{
	struct loop *l = *state;

	assert_int_equal(ibv_rereg_mr(l->mr, IBV_REREG_MR_CHANGE_TRANSLATION,
				      NULL, l->bytes + 64, 64, 0),
			 0);
	assert_ptr_equal(l->mr->addr, l->bytes + 64);
	assert_int_equal(l->mr->length, 64);
	loop_write(l, l->a, l->mr->rkey, va(l, 127), 64, IBV_WC_SUCCESS);
	loop_write(l, l->a, l->mr->rkey, va(l, 128), 64, IBV_WC_REM_ACCESS_ERR);
}

static void rereg_fails(const struct loop *l, int flags, struct ibv_pd *pd,
			void *addr, size_t length, int access, int code)
{
	errno = 0;
	assert_int_equal(ibv_rereg_mr(l->mr, flags, pd, addr, length, access),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, code);
}

static void a_failed_rereg_changes_nothing(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *hole =
		mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	rereg_fails(l, 0, NULL, NULL, 0, 0, EINVAL);
	rereg_fails(l, 1 << 4, NULL, NULL, 0, 0, EINVAL);
	rereg_fails(l, IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0, EINVAL);
	rereg_fails(l, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, NULL, 8, 0,
		    EINVAL);
	rereg_fails(l, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, l->bytes, 0, 0,
		    EINVAL);
	rereg_fails(l, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, hole, page, 0,
		    EFAULT);
	rereg_fails(l, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, l->bytes, 8,
		    IBV_ACCESS_LOCAL_WRITE, EINVAL);
	rereg_fails(l, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
		    IBV_ACCESS_REMOTE_WRITE, EINVAL);
	assert_int_equal(bind_1(l, mw, LENGTH, 0), 0);
	loop_expect(l, 9, IBV_WC_SUCCESS);
	rereg_fails(l, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0, EBUSY);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	loop_write(l, l->a, l->mr->rkey, va(l, 0), 3, IBV_WC_SUCCESS);
	assert_int_equal(munmap(hole, page), 0);
}

#define RC_TEST(f) \
	cmocka_unit_test_setup_teardown(f, loop_setup_rc, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC_TEST(type_1_lends_a_part_and_its_rights),
		RC_TEST(a_new_binding_ends_the_old_one),
		RC_TEST(length_0_unbinds_type_1),
		RC_TEST(rights_that_were_not_lent_are_refused),
		RC_TEST(before_it_is_bound_it_is_nothing),
		RC_TEST(type_2_serves_one_queue_pair),
		RC_TEST(type_2_may_count_from_zero),
		RC_TEST(local_invalidate_kills_the_key),
		RC_TEST(a_send_can_invalidate),
		RC_TEST(a_binding_ends_with_its_queue_pair),
		cmocka_unit_test(bad_bindings_fail_when_their_turn_comes),
		RC_TEST(nonsense_is_refused_at_the_post),
		RC_TEST(what_went_before_its_turn_is_not_bound),
		RC_TEST(the_limit_of_windows_is_exact),
		RC_TEST(rights_change_with_rereg),
		RC_TEST(the_domain_changes_with_rereg),
		RC_TEST(the_memory_changes_with_rereg),
		RC_TEST(a_failed_rereg_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
