// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A QP with one capability above the device's limit is refused, whichever of
 * the four it is, and so is a type that does not exist.
 *
 * The refusals must leave nothing behind: the PD and the CQ of all these
 * attempts can be destroyed afterwards.
 */
#include <verbatim/case.h>

enum { TYPE_UNKNOWN = 0xff };

static void run(struct vb_test *t)
{
	struct vb_end *a = vb_a(t);
	uint32_t wrs = (uint32_t)vb_device_attr(a)->max_qp_wr + 1;
	uint32_t sges = (uint32_t)vb_device_attr(a)->max_sge + 1;
	struct vb_object *pd = vb_create_pd(a);
	struct vb_object *cq = vb_create_cq(a, .cqe = VB_SET(16));

	vb_create_qp_refused(a, .pd = pd, .send_cq = cq, .recv_cq = cq,
			     .depth = 1, .send_depth = VB_SET(wrs));
	vb_create_qp_refused(a, .pd = pd, .send_cq = cq, .recv_cq = cq,
			     .depth = 1, .recv_depth = VB_SET(wrs));
	vb_create_qp_refused(a, .pd = pd, .send_cq = cq, .recv_cq = cq,
			     .depth = 1, .send_sges = VB_SET(sges));
	vb_create_qp_refused(a, .pd = pd, .send_cq = cq, .recv_cq = cq,
			     .depth = 1, .recv_sges = VB_SET(sges));
	vb_create_qp_refused(a, .pd = pd, .send_cq = cq, .recv_cq = cq,
			     .depth = 1,
			     .type = (enum ibv_qp_type)TYPE_UNKNOWN);
	vb_destroy(cq);
	vb_destroy(pd);
}

VB_CASE(resource_qp_limits, .id = "resource/qp-limits",
	.title = "QP capabilities above the limits are refused",
	.spec = "ibv_create_qp(3), ibv_query_device(3)", .limit_ms = 10000,
	.fixed = VB_PATH_SRQ | VB_PATH_EXTENDED | VB_PATH_BUILDER,
	.rules = VB_LIST("RES-01", "RES-05", "RES-08", "RES-17"),
	.defects = VB_LIST("QPSM-14", "QPSM-15", "QPSM-16"), .run = run);
