// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Faults of the application: keys, ranges and rights of memory. */
#include "fault.h"

enum { ROOM = 4096 };

static void write_to(struct vb_pair *p, struct vb_object *to)
{
	vb_expect_wc(vb_post_write(p->a, .to = to, .len = BYTES),
		     IBV_WC_SUCCESS);
}

static void run_rkey(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	vb_expect_wc(vb_post_write(p->a, .to = to, .len = BYTES,
				   .rkey = VB_SET(vb_mr_rkey(to) ^ 0x5500)),
		     IBV_WC_SUCCESS);
}
FAULT(rkey, "app/rkey", VB_NEED_RC | VB_NEED_RDMA);

static void run_rkey_freed(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	write_to(p, to);
	vb_destroy(to);
	write_to(p, to);
}
FAULT(rkey_freed, "app/rkey-freed", VB_NEED_RC | VB_NEED_RDMA);

static void run_rkey_foreign(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);

	write_to(p, vb_create_target(vb_create_pd(vb_b(t)), ROOM));
}
FAULT(rkey_foreign, "app/rkey-foreign", VB_NEED_RC | VB_NEED_RDMA);

static void run_rkey_beyond(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	vb_expect_wc(vb_post_read(p->a, .to = to, .len = BYTES,
				  .remote = VB_SET(vb_mr_address(to) + ROOM -
						   BYTES + 1)),
		     IBV_WC_SUCCESS);
}
FAULT(rkey_beyond, "app/rkey-beyond", VB_NEED_RC | VB_NEED_RDMA);

static void run_rkey_rights(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);

	write_to(p, vb_create_mr(vb_qp_pd(p->b), .len = ROOM,
				 .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
						  IBV_ACCESS_REMOTE_READ)));
}
FAULT(rkey_rights, "app/rkey-rights", VB_NEED_RC | VB_NEED_RDMA);

static void run_qp_access(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 2,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_READ) });

	write_to(p, vb_create_target(vb_qp_pd(p->b), ROOM));
}
FAULT(qp_access, "app/qp-access", VB_NEED_RC | VB_NEED_RDMA);

static void run_lkey(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);

	vb_post_recv(p->b, .len = BYTES);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES,
				  .lkey = VB_SET(0x77665500)),
		     IBV_WC_SUCCESS);
}
FAULT(lkey, "app/lkey", VB_NEED_RC);

static void run_lkey_freed(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *mr = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);

	vb_destroy(mr);
	vb_post_recv(p->b, .len = BYTES);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES, .mr = mr),
		     IBV_WC_SUCCESS);
}
FAULT(lkey_freed, "app/lkey-freed", VB_NEED_RC);

static void run_lkey_foreign(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *mr = vb_create_mr(vb_create_pd(vb_a(t)), .len = ROOM);

	vb_post_recv(p->b, .len = BYTES);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES, .mr = mr),
		     IBV_WC_SUCCESS);
}
FAULT(lkey_foreign, "app/lkey-foreign", VB_NEED_RC);

static void run_lkey_beyond(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *small = vb_create_mr(vb_qp_pd(p->a), .len = BYTES);
	struct vb_object *large = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);

	vb_post_recv(p->b, .len = BYTES);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES, .mr = large,
				  .lkey = VB_SET(vb_mr_lkey(small))),
		     IBV_WC_SUCCESS);
}
FAULT(lkey_beyond, "app/lkey-beyond", VB_NEED_RC);

/* At the receiver. */
static void run_receive_read_only(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *mr =
		vb_create_mr(vb_qp_pd(p->b), .len = ROOM, .access = VB_SET(0));
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES, .mr = mr);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}
FAULT(receive_read_only, "app/receive-read-only", VB_NEED_RC,
      .fixed = VB_PATH_SRQ);

static void run_receive_freed(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *mr = vb_create_mr(vb_qp_pd(p->b), .len = ROOM);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES, .mr = mr);

	vb_destroy(mr);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}
FAULT(receive_freed, "app/receive-freed", VB_NEED_RC, .fixed = VB_PATH_SRQ);

static void run_read_into_read_only(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_object *mr =
		vb_create_mr(vb_qp_pd(p->a), .len = ROOM, .access = VB_SET(0));

	vb_expect_wc(vb_post_read(p->a, .to = to, .len = BYTES, .mr = mr),
		     IBV_WC_SUCCESS);
}
FAULT(read_into_read_only, "app/read-into-read-only",
      VB_NEED_RC | VB_NEED_RDMA);
