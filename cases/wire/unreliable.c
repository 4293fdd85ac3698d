// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * UC over a wire that loses one packet, the first, a middle or the last one of
 * a message: the message is lost as a whole, whatever else of it arrives, and
 * the receive that it may have begun serves the next one, which comes whole.
 */
#include <string.h>

#include <verbatim/case.h>

enum { BYTES = 4000, QUIET_MS = 3, ROUNDS = 3, MTU = 1024 };

/* Each is an opcode of UC behind "UC_SEND_" or "UC_WRITE_". */
static const char *const places[] = { "FIRST", "MIDDLE", "LAST" };

static struct vb_wr *message(struct vb_pair *p, struct vb_object *to,
			     uint32_t nth)
{
	struct vb_send_args args = { .op = to ? VB_WRITE : VB_SEND,
				     .len = BYTES - 8 * nth,
				     .to = to,
				     .imm = VB_SET(0x0c000000 + nth) };

	return vb_post_send_args(p->a, &args);
}

static void lose_one(struct vb_test *t, struct vb_pair *p, struct vb_object *to,
		     const char *place, uint32_t nth)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES), *gone, *good;

	vb_wire_spoil(t, "drop:op=UC_%s_%s%s,count=1", to ? "WRITE" : "SEND",
		      place, strcmp(place, "LAST") ? "" : "_IMM");
	gone = message(p, to, nth);
	vb_expect_wc(gone, IBV_WC_SUCCESS);
	vb_expect_dropped(gone, QUIET_MS);
	vb_check(t, VB_FIND_WRONG_COUNT, vb_wire_acted(t, 0) == 1,
		 "the %s packet of a message was not sent", place);
	vb_wire_heal(t);
	good = message(p, to, nth + 1);
	vb_expect_message(good, recv);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UC, .depth = 4,
				       .attr = { .mtu = VB_SET(MTU) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);

	for (uint32_t i = 0; i < ROUNDS; i++)
		for (uint32_t j = 0; j < 3; j++) {
			lose_one(t, p, NULL, places[j], 4 * (3 * i + j));
			lose_one(t, p, to, places[j], 4 * (3 * i + j) + 2);
		}
	vb_expect_settled(p);
}

VB_CASE(wire_unreliable, .id = "wire/unreliable",
	.title = "what UC loses it loses as a whole",
	.spec = "InfiniBand: unreliable connections", .dimension = VB_FAULT,
	.needs = VB_NEED_UC | VB_NEED_RDMA | VB_NEED_IMM | VB_NEED_FAULTS,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("UC-01", "MSG-02", "MSG-15", "CMP-23"),
	.defects = VB_LIST("PSN-03"), .kills = VB_LIST("D59"), .run = run);
