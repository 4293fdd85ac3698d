// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Limits are used in full, up to 16384 work requests: as many receives as the
 * queue says, and one more is refused with the request itself named; as many
 * sends outstanding.  What was posted all comes back.
 */
#include <verbatim/case.h>

enum { MOST = 16384, BYTES = 8, CQ_MORE = 64 };

static struct vb_wr *wrs[MOST];

static uint32_t bounded(long long limit)
{
	return limit < MOST ? (uint32_t)limit : MOST;
}

static void receives(struct vb_test *t, uint32_t depth)
{
	struct vb_qp *qp = vb_create_qp(vb_a(t), .send_depth = VB_SET(1),
					.recv_depth = VB_SET(depth));
	uint32_t room = vb_qp_cap(qp)->max_recv_wr;
	uint32_t count = room < MOST ? room : MOST;

	vb_modify(qp, IBV_QPS_INIT);
	for (uint32_t i = 0; i < count; i++)
		wrs[i] = vb_post_recv(qp, .len = BYTES);
	if (count == room)
		vb_post_recv_refused(qp, .len = BYTES);
	vb_modify(qp, IBV_QPS_ERR);
	for (uint32_t i = 0; i < count; i++)
		vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
	vb_note(t, "%u receives of %u", count, room);
	vb_expect_qp_settled(qp);
}

static void sends(struct vb_test *t, uint32_t depth)
{
	/* Nobody receives: all of them stay outstanding, however long the
	 * posting takes. */
	struct vb_pair *p = vb_connect(t, .send_depth = VB_SET(depth),
				       .recv_depth = VB_SET(1),
				       .attr = { .min_rnr_timer = VB_SET(0),
						 .rnr_retry = VB_SET(7),
						 .timeout = VB_SET(0) });
	uint32_t room = vb_qp_cap(p->a)->max_send_wr;
	uint32_t count = room < MOST ? room : MOST;

	for (uint32_t i = 0; i < count; i++)
		wrs[i] = vb_post_send(p->a, .len = BYTES);
	if (count == room)
		vb_post_send_refused(p->a, .len = BYTES);
	vb_modify(p->a, IBV_QPS_ERR);
	for (uint32_t i = 0; i < count; i++)
		vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
	vb_note(t, "%u sends of %u", count, room);
	vb_expect_qp_settled(p->a);
}

static void run(struct vb_test *t)
{
	const struct ibv_device_attr *a = vb_device_attr(vb_a(t));
	uint32_t most = bounded(a->max_qp_wr);
	uint32_t room = bounded((long long)a->max_cqe / 2 - CQ_MORE);

	if (most > room)
		most = room;
	receives(t, 1);
	receives(t, most);
	/* Of iWARP they go without a receive, and do not stay. */
	if (vb_transport(vb_a(t)) == IBV_TRANSPORT_IWARP)
		return;
	sends(t, 1);
	sends(t, most);
}

VB_CASE(resource_limits_in_full, .id = "resource/limits-in-full",
	.title = "queues hold as many work requests as they say, and no more",
	.spec = "ibv_create_qp(3), ibv_post_send(3)", .needs = VB_NEED_RC,
	.limit_ms = 20000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("RES-04", "RES-06", "QPS-15"),
	.defects = VB_LIST("CAPS-02", "POST-04"), .kills = VB_LIST("R11"),
	.run = run);
