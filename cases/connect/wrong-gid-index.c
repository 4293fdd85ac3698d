// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A source GID of another kind than the peer's address (another version of
 * RoCE, another family) is refused, or nobody answers; it never connects.
 */
#include <verbatim/case.h>

enum { BYTES = 64 };

static bool ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	for (unsigned i = 0; i < sizeof(mapped); i++)
		if (gid->raw[i] != mapped[i])
			return false;
	return true;
}

/* An entry that does not go with the one in use; -1: there is none. */
static int unlike(struct vb_test *t)
{
	const struct ibv_port_attr *port = vb_port_attr(vb_a(t));
	unsigned number = (unsigned)t->options->port;
	struct ibv_gid_entry own, entry;

	if (vb_query_gid(vb_a(t), number, vb_gid_index(vb_a(t)), &own))
		return -1;
	for (uint32_t i = 0; i < (uint32_t)port->gid_tbl_len; i++)
		if (!vb_query_gid(vb_a(t), number, i, &entry) &&
		    (entry.gid_type != own.gid_type ||
		     ipv4(&entry.gid) != ipv4(&own.gid)))
			return (int)i;
	return -1;
}

static void run(struct vb_test *t)
{
	int index = unlike(t);
	struct vb_qp *a, *b;
	struct vb_wr *recv, *send;
	struct vb_pair *p;

	if (index < 0)
		vb_skip(t, "the port has GIDs of one kind only");
	a = vb_create_qp(vb_a(t), .depth = 2);
	b = vb_create_qp(vb_b(t), .depth = 2);
	p = vb_introduce(a, b);
	vb_modify(a, IBV_QPS_INIT);
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++)
		vb_modify(b, s);
	recv = vb_post_recv(b, .len = BYTES);
	if (!vb_try_modify(a, IBV_QPS_RTR, .gid_index = VB_SET(index))) {
		vb_note(t, "GID index %d is refused", index);
		return;
	}
	vb_modify(a, IBV_QPS_RTS, .timeout = VB_SET(10), .retry = VB_SET(1));
	send = vb_post_send(a, .len = BYTES);
	vb_expect_scenario(t, "S24", send, NULL);
	vb_expect_pending(recv, 1);
	vb_expect_untouched(recv);
	vb_expect_settled(p);
}

VB_CASE(connect_wrong_gid_index, .id = "connect/wrong-gid-index",
	.title = "a source GID of another kind connects to nobody",
	.spec = "ibv_modify_qp(3): sgid_index", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-12", "WCS-12"), .defects = VB_LIST("ADDR-04"),
	.run = run);
