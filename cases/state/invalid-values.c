// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values outside the limits are refused and change nothing: a port that there
 * is not, a GID index beyond the table, an address that is not global, a path
 * MTU above the largest there is, too many READs, a timeout code of more than
 * five bits.
 */
#include <verbatim/case.h>

enum {
	MTU_BEYOND = IBV_MTU_4096 + 1, /* a code, not bytes */
	TIMEOUT_BEYOND = 32,
};

static void refuse_rtr(struct vb_qp *qp)
{
	const struct ibv_port_attr *port = vb_port_attr(vb_qp_end(qp));

	vb_modify_refused(qp, IBV_QPS_RTR,
			  .gid_index = VB_SET(port->gid_tbl_len));
	if (port->link_layer == IBV_LINK_LAYER_ETHERNET)
		vb_modify_refused(qp, IBV_QPS_RTR, .is_global = VB_SET(0));
	vb_modify_refused(qp, IBV_QPS_RTR, .mtu = VB_SET(MTU_BEYOND));
}

static void refuse_rts(struct vb_qp *qp)
{
	int most = vb_device_attr(vb_qp_end(qp))->max_qp_init_rd_atom;

	vb_modify_refused(qp, IBV_QPS_RTS, .timeout = VB_SET(TIMEOUT_BEYOND));
	if (most < UINT8_MAX)
		vb_modify_refused(qp, IBV_QPS_RTS,
				  .max_rd_atomic = VB_SET(most + 1));
}

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);
	unsigned ports = vb_device_attr(vb_a(t))->phys_port_cnt;

	vb_modify_refused(a, IBV_QPS_INIT, .port = VB_SET(0));
	vb_modify_refused(a, IBV_QPS_INIT, .port = VB_SET(ports + 1));
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(b, IBV_QPS_INIT);
	refuse_rtr(a);
	vb_modify(a, IBV_QPS_RTR);
	vb_modify(b, IBV_QPS_RTR);
	refuse_rts(a);
	vb_modify(a, IBV_QPS_RTS);
	vb_modify(b, IBV_QPS_RTS);
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_invalid_values, .id = "state/invalid-values",
	.title = "attribute values outside the limits are refused",
	.spec = "ibv_modify_qp(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-07", "QPS-24", "CON-03", "CON-05", "CON-10"),
	.defects = VB_LIST("MTU-01", "MTU-04", "QPSM-18"), .run = run);
