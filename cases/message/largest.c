// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One message as large as the port carries, or as memory allows: up to 32 MiB
 * unless --size asks for one size, which may be more.
 */
#include <verbatim/case.h>

enum { ROOM = 32 << 20, ASIDE = 100 };

static void run(struct vb_test *t)
{
	const struct vb_sizes *said = &t->options->size;
	uint64_t most = vb_port_attr(vb_a(t))->max_msg_sz, len = ROOM;
	struct vb_object *from, *into;
	struct vb_pair *p;
	struct vb_wr *recv, *send;

	if (said->kind == VB_SIZES_LIST && said->count == 1)
		len = said->bytes[0];
	len = len < most ? len : most;
	p = vb_connect(t, .depth = 2);
	from = vb_try_create_mr(vb_qp_pd(p->a), .len = (uint32_t)len);
	into = vb_try_create_mr(vb_qp_pd(p->b), .len = (uint32_t)len);
	if (!from || !into)
		vb_skip(t, "%llu bytes cannot be registered at each end",
			(unsigned long long)len);
	recv = vb_post_recv(p->b, .len = (uint32_t)len, .mr = into);
	send = vb_post_send(p->a, .len = (uint32_t)len, .mr = from);
	vb_expect_message(send, recv);
	vb_note(t, "%llu bytes; the port carries %llu", (unsigned long long)len,
		(unsigned long long)most);
	recv = vb_post_recv(p->b, .len = ASIDE);
	vb_expect_message(vb_post_send(p->a, .len = ASIDE), recv);
	vb_expect_settled(p);
}

VB_CASE(message_largest, .id = "message/largest",
	.title = "a message as large as memory allows arrives whole",
	.spec = "ibv_query_port(3): max_msg_sz", .needs = VB_NEED_RC,
	.limit_ms = 60000, .rules = VB_LIST("MSG-06", "MSG-15", "CMP-13"),
	.defects = VB_LIST("LEN-12", "RETRY-11"), .kills = VB_LIST("R02"),
	.run = run);
