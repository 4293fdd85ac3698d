// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A message longer than the port carries is refused when posted or fails, and
 * nothing of it is received.  Its pieces lie over each other, so that the
 * memory need not be as large.
 */
#include <verbatim/case.h>

enum { SGES_MAX = 16, QUIET_MS = 5, MIB = 1 << 20 };

static void run(struct vb_test *t)
{
	uint64_t most = vb_port_attr(vb_a(t))->max_msg_sz;
	uint32_t sges = (uint32_t)vb_device_attr(vb_a(t))->max_sge;
	uint32_t at[SGES_MAX] = { 0 }, bytes[SGES_MAX];
	struct vb_object *from, *to;
	struct vb_wr *write;
	struct vb_pair *p;
	uint32_t piece;

	sges = sges < SGES_MAX ? sges : SGES_MAX;
	if (most / sges + 1 > 256 * MIB || most + sges > UINT32_MAX)
		vb_skip(t,
			"max_msg_sz is %llu: %u pieces of the largest region "
			"of this case do not make more",
			(unsigned long long)most, sges);
	piece = (uint32_t)(most / sges) + 1;
	p = vb_connect(t, .depth = 4, .sges = sges);
	from = vb_try_create_mr(vb_qp_pd(p->a), .len = piece);
	if (!from)
		vb_skip(t, "%u bytes cannot be registered", piece);
	to = vb_create_target(vb_qp_pd(p->b), 4096);
	for (uint32_t i = 0; i < sges; i++)
		bytes[i] = piece;
	write = vb_try_post_send(p->a, .op = VB_WRITE, .mr = from,
				 .as_is = true, .to = to, .at = { sges, at },
				 .layout = { sges, bytes });
	if (write)
		vb_expect_wc_among(write, IBV_WC_LOC_LEN_ERR,
				   IBV_WC_LOC_QP_OP_ERR,
				   IBV_WC_REM_INV_REQ_ERR);
	vb_expect_quiet(vb_b(t), QUIET_MS);
	vb_expect_memory(to);
	vb_reconnect(p);
	vb_expect_settled(p);
}

VB_CASE(length_above_port_maximum, .id = "length/above-port-maximum",
	.title = "a message above max_msg_sz is not sent",
	.spec = "ibv_query_port(3): max_msg_sz", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("MSG-07", "WCS-01"), .run = run);
