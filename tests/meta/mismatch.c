// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connections with one attribute wrong, and then a message or an access as if
 * nothing was: each case must fail or be broken, and mismatch.test wants the
 * wrong attribute named.
 */
#include <verbatim/case.h>

enum { PSN = 0x400000, BYTES = 600, FLIP = 0x800000, LAST = 15 };

#define MISMATCH(name, id_text, ...)                                         \
	VB_CASE(mismatch_##name, .id = "mismatch/" id_text,                  \
		.title = "a connection with one attribute wrong",            \
		.dimension = VB_META, .needs = VB_NEED_RC, .limit_ms = 8000, \
		.rules = VB_LIST("CON-02"), .run = run_##name, ##__VA_ARGS__)

/* Quick to give up. */
#define QUICK .timeout = VB_SET(8), .retry = VB_SET(1)

static void message(struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}

static void run_psn_ahead(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .sq_psn = VB_SET(PSN + 1) },
			   .attr_b = { .rq_psn = VB_SET(PSN) }));
}
MISMATCH(psn_ahead, "psn-ahead");

static void run_psn_wrap(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .sq_psn = VB_SET(0) },
			   .attr_b = { .rq_psn = VB_SET(0xffffff) }));
}
MISMATCH(psn_wrap, "psn-wrap");

static void run_psn_behind(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .sq_psn = VB_SET(PSN - 1) },
			   .attr_b = { .rq_psn = VB_SET(PSN) }));
}
MISMATCH(psn_behind, "psn-behind");

static void run_path_mtu(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .mtu = VB_SET(256) },
			   .attr_b = { .mtu = VB_SET(512) }));
}
MISMATCH(path_mtu, "path-mtu");

static void run_dest_qpn(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .dest_qpn = VB_SET(FLIP | 77) }));
}
MISMATCH(dest_qpn, "dest-qpn");

static void run_dgid(struct vb_test *t)
{
	union ibv_gid wrong = *vb_gid(vb_b(t));

	wrong.raw[LAST] ^= 1;
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .dgid = &wrong }));
}
MISMATCH(dgid, "dgid");

static void run_gid_index(struct vb_test *t)
{
	unsigned beyond = (unsigned)vb_port_attr(vb_a(t))->gid_tbl_len;

	vb_connect(t, .depth = 2, .attr_a = { .gid_index = VB_SET(beyond) });
}
MISMATCH(gid_index, "gid-index");

static void run_pkey_index(struct vb_test *t)
{
	unsigned beyond = vb_port_attr(vb_a(t))->pkey_tbl_len;

	vb_connect(t, .depth = 2, .attr_a = { .pkey_index = VB_SET(beyond) });
}
MISMATCH(pkey_index, "pkey-index");

static void run_port(struct vb_test *t)
{
	vb_connect(t, .depth = 2, .attr_a = { .port = VB_SET(9) });
}
MISMATCH(port, "port");

static void run_is_global(struct vb_test *t)
{
	vb_connect(t, .depth = 2, .attr_a = { .is_global = VB_SET(0) });
}
MISMATCH(is_global, "is-global");

static void run_rd_atomic(struct vb_test *t)
{
	int most = vb_device_attr(vb_a(t))->max_qp_init_rd_atom;

	vb_connect(t, .depth = 2,
		   .attr_a = { .max_rd_atomic = VB_SET(most + 1) });
}
MISMATCH(rd_atomic, "rd-atomic");

static void run_timeout(struct vb_test *t)
{
	vb_connect(t, .depth = 2, .attr_a = { .timeout = VB_SET(32) });
}
MISMATCH(timeout, "timeout");

/* One end is behind. */
static void run_peer_in_init(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 2);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 2);
	struct vb_pair *p = vb_introduce(a, b);

	vb_modify(b, IBV_QPS_INIT);
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(a, IBV_QPS_RTR);
	vb_modify(a, IBV_QPS_RTS, QUICK);
	message(p);
}
MISMATCH(peer_in_init, "peer-in-init");

static void run_no_receive(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(1) });

	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
MISMATCH(no_receive, "no-receive");

/* It is there when the case looks, and was not when it was needed. */
static void run_late_receive(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(1) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	while (!vb_completed(send))
		vb_let_pass(t, 1);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}
MISMATCH(late_receive, "late-receive");

static void run_peer_in_err(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });

	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
MISMATCH(peer_in_err, "peer-in-err");

static void run_access(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 2,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_READ) });
	struct vb_object *mr = vb_create_target(vb_end_pd(vb_b(t)), BYTES);

	vb_expect_wc(vb_post_write(p->a, .to = mr, .len = BYTES),
		     IBV_WC_SUCCESS);
}
VB_CASE(mismatch_access, .id = "mismatch/access",
	.title = "a connection with one attribute wrong", .dimension = VB_META,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 8000,
	.rules = VB_LIST("CON-17"), .run = run_access);

static void run_timer_off(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr_a = { .timeout = VB_SET(0) });

	vb_destroy_qp(p->b);
	/* Nobody waits for this one: a note has to name it. */
	vb_post_send(p->a, .len = BYTES, .unsignaled = true);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
MISMATCH(timer_off, "timer-off");
