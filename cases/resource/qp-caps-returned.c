// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What ibv_create_qp() writes back is never less than was asked for, a QP can
 * be made again with exactly these capabilities, and they do not grow each
 * time they are fed back.
 */
#include <verbatim/case.h>

static struct ibv_qp_cap made(struct vb_end *e, const struct ibv_qp_cap *ask)
{
	struct vb_qp *qp = vb_create_qp(e,
					.send_depth = VB_SET(ask->max_send_wr),
					.recv_depth = VB_SET(ask->max_recv_wr),
					.send_sges = VB_SET(ask->max_send_sge),
					.recv_sges = VB_SET(ask->max_recv_sge),
					.inline_max = ask->max_inline_data);
	struct ibv_qp_cap cap = *vb_qp_cap(qp);

	vb_destroy_qp(qp);
	return cap;
}

static void run(struct vb_test *t)
{
	static const struct ibv_qp_cap asked[] = {
		{ 1, 1, 1, 1, 0 },  { 1, 64, 1, 2, 1 },	  { 64, 1, 2, 1, 16 },
		{ 5, 9, 3, 2, 33 }, { 17, 31, 2, 3, 64 }, { 128, 128, 4, 4, 0 },
	};
	struct vb_end *a = vb_a(t);

	for (unsigned i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct ibv_qp_cap once = made(a, &asked[i]);
		struct ibv_qp_cap twice = made(a, &once);

		if (twice.max_send_wr > once.max_send_wr ||
		    twice.max_recv_wr > once.max_recv_wr)
			vb_note(t, "depths %u/%u asked for again gave %u/%u",
				once.max_send_wr, once.max_recv_wr,
				twice.max_send_wr, twice.max_recv_wr);
	}
}

VB_CASE(resource_qp_caps_returned, .id = "resource/qp-caps-returned",
	.title = "a QP has at least the capabilities that were asked for",
	.spec = "ibv_create_qp(3): the actual capabilities are written back",
	.limit_ms = 10000, .rules = VB_LIST("RES-04", "RES-19"),
	.defects = VB_LIST("INL-07", "INL-08", "INL-09", "QPSM-07"),
	.run = run);
