// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Faults of the application: connections that are wrong, or end too soon. */
#include "fault.h"

enum { FLIP = 0x800000, LAST = 15 };

static void run_psn(struct vb_test *t)
{
	message_back(vb_connect(t, .depth = 2, .attr = { QUICK },
				.attr_b = { .sq_psn = VB_SET(PSN + 1) },
				.attr_a = { .rq_psn = VB_SET(PSN) }));
}
FAULT(psn, "app/psn", VB_NEED_RC);

static void run_psn_behind(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .sq_psn = VB_SET(PSN - 1) },
			   .attr_b = { .rq_psn = VB_SET(PSN) }));
}
FAULT(psn_behind, "app/psn-behind", VB_NEED_RC);

static void run_qpn(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .dest_qpn = VB_SET(FLIP | 77) }));
}
FAULT(qpn, "app/qpn", VB_NEED_RC);

/* Right as a number, but of another pair. */
static void run_qpn_neighbour(struct vb_test *t)
{
	struct vb_pair *other = vb_connect(t, .depth = 2, .attr = { QUICK });

	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .dest_qpn =
					       VB_SET(vb_qp_num(other->b)) }));
}
FAULT(qpn_neighbour, "app/qpn-neighbour", VB_NEED_RC);

static void run_gid(struct vb_test *t)
{
	union ibv_gid wrong = *vb_gid(vb_a(t));

	wrong.raw[LAST] ^= 1;
	message_back(vb_connect(t, .depth = 2, .attr = { QUICK },
				.attr_b = { .dgid = &wrong }));
}
FAULT(gid, "app/gid", VB_NEED_RC);

static void run_mtu(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .mtu = VB_SET(512) },
			   .attr_b = { .mtu = VB_SET(256) }));
}
FAULT(mtu, "app/mtu", VB_NEED_RC);

static void run_pkey(struct vb_test *t)
{
	unsigned beyond = vb_port_attr(vb_a(t))->pkey_tbl_len;

	vb_connect(t, .depth = 2, .attr_a = { .pkey_index = VB_SET(beyond) });
}
FAULT(pkey, "app/pkey", VB_NEED_RC);

static void run_gid_index(struct vb_test *t)
{
	unsigned beyond = (unsigned)vb_port_attr(vb_a(t))->gid_tbl_len;

	vb_connect(t, .depth = 2, .attr_b = { .gid_index = VB_SET(beyond) });
}
FAULT(gid_index, "app/gid-index", VB_NEED_RC);

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
FAULT(peer_in_init, "app/peer-in-init", VB_NEED_RC);

static void run_peer_destroyed(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });

	message(p);
	vb_destroy_qp(p->b);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(peer_destroyed, "app/peer-destroyed", VB_NEED_RC);

static void run_peer_reset(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });

	message(p);
	vb_modify(p->b, IBV_QPS_RESET);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(peer_reset, "app/peer-reset", VB_NEED_RC);

static void run_peer_in_err(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });

	message(p);
	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(peer_in_err, "app/peer-in-err", VB_NEED_RC);

static struct vb_qp *bring_up(struct vb_end *e, struct vb_peer *peer)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = 2);

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_RTR);
	vb_modify(qp, IBV_QPS_RTS, QUICK);
	return qp;
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	vb_post_recv(bring_up(vb_b(t), peer), .len = BYTES);
	vb_peer_barrier(peer, "ready");
	vb_peer_barrier(peer, "never");
}

static void run_peer_killed(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);
	struct vb_qp *qp = bring_up(vb_a(t), peer);

	vb_peer_barrier(peer, "ready");
	vb_peer_kill(peer);
	vb_expect_wc(vb_post_send(qp, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(peer_killed, "app/peer-killed", VB_NEED_RC);

static void run_peer_stopped(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);
	struct vb_qp *qp = bring_up(vb_a(t), peer);

	vb_peer_barrier(peer, "ready");
	vb_peer_stop(peer);
	vb_expect_wc(vb_post_send(qp, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(peer_stopped, "app/peer-stopped", VB_NEED_RC);

/* Nobody's fault of the two: with the device's, for it is not the
 * application's. */
static void run_cable(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .attr = { QUICK });

	message(p);
	if (!vb_set_port(vb_b(t), false))
		vb_skip(t, "the port cannot be taken down");
	message(p);
}
FAULT(cable, "host/cable", VB_NEED_RC);

/* Waits without a word, beyond its limit. */
static void run_waits(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4, .attr = { .rnr_retry = VB_SET(7) });

	message(p);
	vb_post_send(p->a, .len = BYTES);
	for (;;)
		vb_let_pass(t, 10);
}
VB_CASE(fault_waits, .id = "hang/no-receive", .title = "a seeded fault",
	.dimension = VB_META, .needs = VB_NEED_RC, .limit_ms = 1500,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("RNR-01"), .run = run_waits);

static void run_timer_off(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr_a = { .timeout = VB_SET(0) });

	vb_destroy_qp(p->b);
	/* Nobody waits for this one: a note has to name it. */
	vb_post_send(p->a, .len = BYTES, .unsignaled = true);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(timer_off, "app/timer-off", VB_NEED_RC);

static void run_no_reads(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 2, .attr_b = { .max_dest_rd_atomic = VB_SET(0) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);

	vb_expect_wc(vb_post_read(p->a, .to = to, .len = BYTES),
		     IBV_WC_SUCCESS);
}
FAULT(no_reads, "app/no-reads", VB_NEED_RC | VB_NEED_RDMA);
