// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The traffic class of an address handle stands in the header that comes with
 * its datagrams (its upper six bits: the lower two may change on the way).
 */
#include <string.h>

#include <verbatim/case.h>

enum {
	BYTES = 32,
	HEADER = 40,
	IPV4 = 20, /* where it lies in the header's area */
	CONGESTION = 3,
	CLASSES = 5
};

/* Of the IPv4 header at the end of the area, or of an IPv6 header or GRH. */
static uint8_t traffic_class(struct vb_object *area)
{
	uint64_t words[HEADER / 8];
	uint8_t bytes[HEADER];

	vb_load_words(area, 0, words, HEADER / 8);
	memcpy(bytes, words, sizeof(bytes));
	if (bytes[0] >> 4 == 6)
		return (uint8_t)(bytes[0] << 4 | bytes[1] >> 4);
	return bytes[IPV4 + 1];
}

static void run(struct vb_test *t)
{
	static const uint8_t classes[CLASSES] = { 0, 4, 0x28, 0x80, 0xfc };
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);

	for (unsigned i = 0; i < CLASSES; i++) {
		struct vb_object *area =
			vb_create_mr(vb_qp_pd(p->b), .len = HEADER + BYTES);
		struct vb_wr *recv =
			vb_post_recv(p->b, .len = BYTES, .mr = area);
		struct vb_object *ah =
			vb_create_ah(vb_qp_pd(p->a), .to = p->b,
				     .traffic_class = VB_SET(classes[i]));
		uint8_t came;

		vb_expect_message(vb_post_send(p->a, .ah = ah, .len = BYTES),
				  recv);
		came = traffic_class(area);
		vb_check(t, VB_FIND_WRONG_FIELD,
			 (came | CONGESTION) == (classes[i] | CONGESTION),
			 "a datagram of traffic class 0x%x came with 0x%x",
			 classes[i], came);
	}
	vb_expect_settled(p);
}

VB_CASE(ud_traffic_class, .id = "ud/traffic-class",
	.title = "the traffic class of a handle is seen in the header",
	.spec = "ibv_create_ah(3): traffic_class", .needs = VB_NEED_UD,
	.limit_ms = 10000, .rules = VB_LIST("UD-15", "UD-02"), .run = run);
