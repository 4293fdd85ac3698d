// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PDs, memory regions and the operations that are not served: what is
 * accepted, what is refused, and with which error. */
#include "front_fixture.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/front/limits.h"
#include "device/front/objects.h"
#include "device/front/verbs.h"

enum { ROOM = 256 << 20 };

struct fixture {
	struct ibv_context *context;
	struct ibv_pd *pd;
	size_t page;
	uint8_t *pages; /* three, the one in the middle a hole */
};

static int setup(void **state)
{
	static struct fixture f;

	f.context = front_open();
	if (!f.context)
		return -1;
	f.pd = ibv_alloc_pd(f.context);
	f.page = (size_t)sysconf(_SC_PAGESIZE);
	/* Free room above the pages: the kernel fills the highest gap first,
	 * so that no mapping of another thread falls into the hole. */
	f.pages = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!f.pd || f.pages == MAP_FAILED ||
	    munmap(f.pages + 3 * f.page, ROOM - 3 * f.page) ||
	    munmap(f.pages + f.page, f.page))
		return -1;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	munmap(f->pages, f->page);
	munmap(f->pages + 2 * f->page, f->page);
	return ibv_dealloc_pd(f->pd) || ibv_close_device(f->context);
}

static void a_pd_in_use_is_kept(void **state)
{
	struct fixture *f = *state;
	struct ibv_pd *pd = ibv_alloc_pd(f->context);
	struct ibv_mr *mr = ibv_reg_mr(pd, f->pages, 1, 0);

	assert_non_null(mr);
	assert_refused(ibv_dealloc_pd(pd), EBUSY);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* Where the engines will find a byte. */
static uint8_t *resolve(const struct ibv_mr *mr, uint64_t va)
{
	uint8_t *host = NULL;
	int err;

	err = mr_resolve_local(soft_mr_table(),
			       container_of(mr->pd, struct soft_pd, verbs),
			       mr->lkey, va, 1, 0, &host);
	return err ? NULL : host;
}

/* As programs do it that leave the rest to the kernel. */
static void a_close_with_objects_left_disarms_them(void **state)
{
	struct fixture *f = *state;
	struct ibv_context *context = front_open();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	/* Known for ever: left behind by intent. */
	static struct ibv_mr *mr;
	struct ibv_mr *other = ibv_reg_mr(f->pd, f->pages, 1, 0);

	mr = ibv_reg_mr(pd, f->pages, 1, 0);
	assert_non_null(mr);
	assert_ptr_equal(resolve(mr, (uintptr_t)f->pages), f->pages);
	assert_int_equal(ibv_close_device(context), 0);
	assert_null(resolve(mr, (uintptr_t)f->pages));
	assert_no_object(ibv_alloc_pd(context), EINVAL);
	assert_refused(ibv_dereg_mr(mr), EINVAL);
	errno = 0;
	assert_int_equal(ibv_close_device(context), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_close_device(NULL), -1);
	/* Another context's objects do not notice. */
	assert_ptr_equal(resolve(other, (uintptr_t)f->pages), f->pages);
	assert_int_equal(ibv_dereg_mr(other), 0);
}

static void handles_are_not_trusted(void **state)
{
	struct fixture *f = *state;
	struct ibv_mr *mr = ibv_reg_mr(f->pd, f->pages, 1, 0);
	struct ibv_pd fake_pd = *f->pd;
	struct ibv_mr fake_mr = *mr;

	/* The right handle in the wrong place. */
	assert_refused(ibv_dealloc_pd(&fake_pd), EINVAL);
	assert_refused(ibv_dereg_mr(&fake_mr), EINVAL);
	assert_no_object(ibv_reg_mr(&fake_pd, f->pages, 1, 0), EINVAL);
	/* The wrong handle in the right place. */
	f->pd->handle ^= 1;
	mr->handle ^= 0x10000;
	assert_refused(ibv_dealloc_pd(f->pd), EINVAL);
	assert_no_object(ibv_reg_mr(f->pd, f->pages, 1, 0), EINVAL);
	assert_refused(ibv_dereg_mr(mr), EINVAL);
	f->pd->handle ^= 1;
	mr->handle ^= 0x10000;
	assert_refused(ibv_dealloc_pd(NULL), EINVAL);
	assert_refused(ibv_dereg_mr(NULL), EINVAL);
	assert_no_object(ibv_alloc_pd(NULL), EINVAL);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void the_limit_of_pds_is_exact(void **state)
{
	struct fixture *f = *state;
	/* One is the fixture's. */
	static struct ibv_pd *pds[LIMIT_max_pd - 1];

	for (int i = 0; i < LIMIT_max_pd - 1; i++) {
		pds[i] = ibv_alloc_pd(f->context);
		assert_non_null(pds[i]);
	}
	assert_no_object(ibv_alloc_pd(f->context), ENOMEM);
	for (int i = 0; i < LIMIT_max_pd - 1; i++)
		assert_int_equal(ibv_dealloc_pd(pds[i]), 0);
}

static void the_limit_of_regions_is_exact(void **state)
{
	struct fixture *f = *state;
	struct ibv_mr **mrs = calloc(LIMIT_max_mr, sizeof(struct ibv_mr *));

	assert_non_null(mrs);
	for (int i = 0; i < LIMIT_max_mr; i++) {
		mrs[i] = ibv_reg_mr(f->pd, f->pages, 0, 0);
		assert_non_null(mrs[i]);
	}
	assert_no_object(ibv_reg_mr(f->pd, f->pages, 0, 0), ENOMEM);
	for (int i = 0; i < LIMIT_max_mr; i++)
		assert_int_equal(ibv_dereg_mr(mrs[i]), 0);
	free(mrs);
}

static void rights_are_judged(void **state)
{
	static const struct {
		unsigned int access;
		int err;
	} rows[] = {
		{ 0, 0 },
		{ IBV_ACCESS_LOCAL_WRITE, 0 },
		{ IBV_ACCESS_REMOTE_READ, 0 },
		{ IBV_ACCESS_REMOTE_WRITE, EINVAL },
		{ IBV_ACCESS_REMOTE_ATOMIC, EINVAL },
		{ IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE, 0 },
		{ IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_LOCAL_WRITE, 0 },
		{ IBV_ACCESS_RELAXED_ORDERING, 0 },
		{ 1 << 29, 0 },
		{ 1 << 30, EINVAL },
		{ 1u << 31, EINVAL },
		{ 1 << 8, EINVAL },
		{ 1 << 19, EINVAL },
		{ IBV_ACCESS_ON_DEMAND, EOPNOTSUPP },
		{ IBV_ACCESS_HUGETLB, EOPNOTSUPP },
		{ IBV_ACCESS_MW_BIND, 0 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ibv_mr *mr;

		errno = 0;
		mr = ibv_reg_mr_iova2(f->pd, f->pages, 1, (uintptr_t)f->pages,
				      rows[i].access);
		assert_int_equal(mr ? 0 : errno, rows[i].err);
		if (mr)
			assert_int_equal(ibv_dereg_mr(mr), 0);
	}
}

static void a_region_tells_what_was_asked(void **state)
{
	struct fixture *f = *state;
	struct ibv_mr *mr = ibv_reg_mr(f->pd, f->pages + 3, 5, 0);
	struct ibv_mr *again = ibv_reg_mr(f->pd, f->pages + 3, 5, 0);

	assert_non_null(mr);
	assert_non_null(again);
	assert_ptr_equal(mr->context, f->context);
	assert_ptr_equal(mr->pd, f->pd);
	assert_ptr_equal(mr->addr, f->pages + 3);
	assert_int_equal(mr->length, 5);
	assert_int_not_equal(mr->lkey, mr->rkey);
	assert_int_not_equal(mr->lkey, again->lkey);
	assert_int_not_equal(mr->rkey, again->rkey);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dereg_mr(again), 0);
}

static void holes_are_refused(void **state)
{
	struct fixture *f = *state;
	uint8_t *hole = f->pages + f->page;
	struct ibv_mr *mr;

	for (int access = 0; access <= IBV_ACCESS_LOCAL_WRITE; access++) {
		assert_no_object(ibv_reg_mr(f->pd, hole, 1, access), EFAULT);
		assert_no_object(ibv_reg_mr(f->pd, hole - 1, 2, access),
				 EFAULT);
		assert_no_object(ibv_reg_mr(f->pd, hole + f->page - 1, 2,
					    access),
				 EFAULT);
		assert_no_object(ibv_reg_mr(f->pd, f->pages, 3 * f->page,
					    access),
				 EFAULT);
		mr = ibv_reg_mr(f->pd, f->pages, f->page, access);
		assert_non_null(mr);
		assert_int_equal(ibv_dereg_mr(mr), 0);
		mr = ibv_reg_mr(f->pd, hole + f->page, f->page, access);
		assert_non_null(mr);
		assert_int_equal(ibv_dereg_mr(mr), 0);
	}
	assert_no_object(ibv_reg_mr(f->pd, NULL, 1, 0), EFAULT);
	/* Of nothing, anywhere. */
	mr = ibv_reg_mr(f->pd, hole, 0, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void sums_that_wrap_are_refused(void **state)
{
	struct fixture *f = *state;

	assert_no_object(ibv_reg_mr(f->pd, f->pages, SIZE_MAX, 0), EINVAL);
	assert_no_object(ibv_reg_mr(f->pd, (void *)-1, 1, 0), EFAULT);
	assert_no_object(ibv_reg_mr(f->pd, (void *)-1, 2, 0), EINVAL);
	assert_no_object(ibv_reg_mr_iova(f->pd, f->pages, f->page,
					 0 - (uint64_t)f->page / 2, 0),
			 EINVAL);
}

static void protection_of_the_pages_counts(void **state)
{
	struct fixture *f = *state;
	struct ibv_mr *mr;

	assert_int_equal(mprotect(f->pages, f->page, PROT_READ), 0);
	assert_no_object(ibv_reg_mr(f->pd, f->pages, 1, IBV_ACCESS_LOCAL_WRITE),
			 EFAULT);
	mr = ibv_reg_mr(f->pd, f->pages, 1, IBV_ACCESS_REMOTE_READ);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(mprotect(f->pages, f->page, PROT_NONE), 0);
	assert_no_object(ibv_reg_mr(f->pd, f->pages, 1, 0), EFAULT);
	assert_int_equal(mprotect(f->pages, f->page, PROT_READ | PROT_WRITE),
			 0);
}

static void iova_moves_the_numbering_and_nothing_else(void **state)
{
	struct fixture *f = *state;
	struct ibv_mr *mr;

	mr = ibv_reg_mr_iova(f->pd, f->pages + 8, 10, 0x7000008, 0);
	assert_non_null(mr);
	assert_ptr_equal(mr->addr, f->pages + 8);
	assert_ptr_equal(resolve(mr, 0x7000009), f->pages + 9);
	assert_null(resolve(mr, 0x7000007));
	assert_null(resolve(mr, (uintptr_t)f->pages + 8));
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_no_object(ibv_reg_mr_iova(f->pd, f->pages + 8, 10, 0x7000009, 0),
			 EINVAL);
	mr = ibv_reg_mr(f->pd, f->pages + 8, 10, IBV_ACCESS_ZERO_BASED);
	assert_non_null(mr);
	assert_ptr_equal(resolve(mr, 0), f->pages + 8);
	assert_null(resolve(mr, 10));
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void what_is_not_served_says_so(void **state)
{
	struct fixture *f = *state;
	struct ibv_alloc_dm_attr dm = { .length = 8 };
	struct ibv_td_init_attr td = { 0 };
	struct ibv_xrcd_init_attr xrcd = { 0 };
	struct ibv_sge sge = { 0 };

	assert_no_object(ibv_alloc_dm(f->context, &dm), EOPNOTSUPP);
	assert_no_object(ibv_alloc_td(f->context, &td), EOPNOTSUPP);
	assert_no_object(ibv_open_xrcd(f->context, &xrcd), EOPNOTSUPP);
	assert_no_object(ibv_alloc_null_mr(f->pd), EOPNOTSUPP);
	assert_no_object(ibv_import_pd(f->context, 1), EOPNOTSUPP);
	assert_no_object(ibv_reg_dmabuf_mr(f->pd, 0, 1, 0, -1, 0), EOPNOTSUPP);
	assert_refused(ibv_advise_mr(f->pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				     &sge, 1),
		       EOPNOTSUPP);
}

/* Inline functions call several of these without looking. */
static void no_operation_is_missing(void **state)
{
	struct fixture *f = *state;
	struct verbs_context *verbs = verbs_get_ctx(f->context);

	assert_non_null(verbs);
	assert_int_equal(verbs->sz, sizeof(*verbs));
#define OP_INT(where, name, params)	  assert_non_null(where->name);
#define OP_PTR(where, type, name, params) assert_non_null(where->name);
	{
		struct ibv_context_ops *ops = &f->context->ops;

#include "device/front/ops.def"
		assert_non_null(ops->poll_cq);
		assert_non_null(ops->req_notify_cq);
		assert_non_null(ops->post_send);
		assert_non_null(ops->post_recv);
		assert_non_null(ops->post_srq_recv);
	}
	assert_non_null(verbs->post_srq_ops);
	assert_non_null(verbs->query_port);
	assert_non_null(verbs->query_device_ex);
	assert_non_null(verbs->create_cq_ex);
	assert_non_null(verbs->create_qp_ex);
	assert_non_null(verbs->create_srq_ex);
	assert_non_null(verbs->get_srq_num);
	assert_non_null(verbs->query_rt_values);
	assert_non_null(f->context->ops.alloc_mw);
	assert_non_null(f->context->ops.bind_mw);
	assert_non_null(f->context->ops.dealloc_mw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pd_in_use_is_kept),
		cmocka_unit_test(handles_are_not_trusted),
		cmocka_unit_test(the_limit_of_pds_is_exact),
		cmocka_unit_test(the_limit_of_regions_is_exact),
		cmocka_unit_test(rights_are_judged),
		cmocka_unit_test(a_region_tells_what_was_asked),
		cmocka_unit_test(holes_are_refused),
		cmocka_unit_test(sums_that_wrap_are_refused),
		cmocka_unit_test(protection_of_the_pages_counts),
		cmocka_unit_test(iova_moves_the_numbering_and_nothing_else),
		cmocka_unit_test(what_is_not_served_says_so),
		cmocka_unit_test(no_operation_is_missing),
		/* The last: its PD stays. */
		cmocka_unit_test(a_close_with_objects_left_disarms_them),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
