// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One packet of each kind is lost, comes twice, late, or with a bit turned:
 * the first, a middle and the last of a message, the only one, the answer of a
 * READ, an acknowledgement.  PSNs run past their largest value meanwhile.  No
 * program notices: every message comes once, in order, to the last byte.
 */
#include <string.h>

#include <verbatim/case.h>

enum { WRAP = 0xfffff8, LONG = 4000, MESSAGES = 24, INFLIGHT = 8, TRIES = 8 };

enum { DROP, DUPLICATE, DELAY, CORRUPT, HARMS };

static const char *const harms[HARMS] = { "drop:dir=tx", "duplicate:dir=tx",
					  "delay:us=3000", "corrupt:dir=tx" };

static const char *const packets[] = {
	"RC_SEND_FIRST",
	"RC_SEND_MIDDLE",
	"RC_SEND_LAST",
	"RC_SEND_ONLY",
	"RC_WRITE_FIRST",
	"RC_WRITE_LAST",
	"RC_READ_REQUEST",
	"RC_READ_RESP_FIRST",
	"RC_READ_RESP_MIDDLE",
	"RC_READ_RESP_LAST",
	"ack",
};

/* The sizes are drawn: until the packet has come up. */
static void traffic(struct vb_test *t, struct vb_pair *p, unsigned rule)
{
	static const struct vb_sizes sizes = { .kind = VB_SIZES_LIST,
					       .count = 2,
					       .bytes = { LONG, 100 } };

	for (unsigned i = 0; i < TRIES && !vb_wire_acted(t, rule); i++)
		vb_stream(p, .messages = MESSAGES, .inflight = INFLIGHT,
			  .sizes = &sizes, .mix = VB_MIX_ONE_SIDED);
}

/* The rule added is number @rule. */
static void harm(struct vb_test *t, const char *how, const char *packet,
		 unsigned nth, unsigned rule)
{
	struct vb_pair *p = vb_connect(t, .depth = 2 * INFLIGHT,
				       .attr = { .mtu = VB_SET(1024),
						 .rq_psn = VB_SET(WRAP),
						 .sq_psn = VB_SET(WRAP),
						 .timeout = VB_SET(12),
						 .retry = VB_SET(7) });

	vb_wire_spoil(t, "%s,op=%s,nth=%u", how, packet, nth);
	traffic(t, p, rule);
	vb_check(t, VB_FIND_WRONG_COUNT, vb_wire_acted(t, rule) == 1,
		 "the rule '%s,op=%s,nth=%u' has acted %llu times, must be "
		 "once",
		 how, packet, nth, (unsigned long long)vb_wire_acted(t, rule));
	vb_wire_heal(t);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

/* Sent again for what overtook it, a READ may come late when its region is
 * gone; that is refused, and rightly. */
static bool refused(unsigned how, const char *packet)
{
	return how == DELAY && !strcmp(packet, "RC_READ_REQUEST");
}

static void run(struct vb_test *t)
{
	const unsigned kinds = sizeof(packets) / sizeof(packets[0]);

	for (unsigned i = 0; i < HARMS; i++) {
		for (unsigned j = 0; j < kinds; j++)
			if (!refused(i, packets[j]))
				harm(t, harms[i], packets[j],
				     (unsigned)vb_draw(t, 1, 3), 0);
		/* The NAK that tells of a loss. */
		vb_wire_spoil(t, "drop:op=RC_SEND_FIRST,rate=0.1,seed=1");
		harm(t, harms[i], "nak", 1, 1);
	}
}

VB_CASE(wire_packets, .id = "wire/packets",
	.title = "a packet of any kind lost, doubled, late or spoilt is healed",
	.spec = "InfiniBand: PSN, ACK and NAK, transport retries",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_FAULTS, .limit_ms = 20000,
	.rules = VB_LIST("RNR-09", "NAK-01", "CON-01", "MSG-02", "CMP-01"),
	.defects = VB_LIST("PSN-01", "PSN-07"), .kills = VB_LIST("M30"),
	.run = run);
