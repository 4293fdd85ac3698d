// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The traffic class of an address handle stands in the header that comes with
 * its datagrams (its upper six bits: the lower two may change on the way), and
 * its hop limit, or less: each router takes one off.
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

struct came {
	uint8_t traffic_class, hop_limit;
};

/* Of the IPv4 header at the end of the area, or of an IPv6 header or GRH. */
static struct came header_of(struct vb_object *area)
{
	uint64_t words[HEADER / 8];
	uint8_t bytes[HEADER];

	vb_load_words(area, 0, words, HEADER / 8);
	memcpy(bytes, words, sizeof(bytes));
	if (bytes[0] >> 4 == 6)
		return (struct came){
			(uint8_t)(bytes[0] << 4 | bytes[1] >> 4),
			bytes[7],
		};
	return (struct came){ bytes[IPV4 + 1], bytes[IPV4 + 8] };
}

static void run(struct vb_test *t)
{
	static const uint8_t classes[CLASSES] = { 0, 4, 0x28, 0x80, 0xfc };
	static const uint8_t hops[CLASSES] = { 64, 17, 255, 33, 128 };
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);

	for (unsigned i = 0; i < CLASSES; i++) {
		struct vb_object *area =
			vb_create_mr(vb_qp_pd(p->b), .len = HEADER + BYTES);
		struct vb_wr *recv =
			vb_post_recv(p->b, .len = BYTES, .mr = area);
		struct vb_object *ah =
			vb_create_ah(vb_qp_pd(p->a), .to = p->b,
				     .traffic_class = VB_SET(classes[i]),
				     .hop_limit = VB_SET(hops[i]));
		struct came came;

		vb_expect_message(vb_post_send(p->a, .ah = ah, .len = BYTES),
				  recv);
		came = header_of(area);
		vb_check(t, VB_FIND_WRONG_FIELD,
			 (came.traffic_class | CONGESTION) ==
				 (classes[i] | CONGESTION),
			 "a datagram of traffic class 0x%x came with 0x%x",
			 classes[i], came.traffic_class);
		vb_check(t, VB_FIND_WRONG_FIELD,
			 came.hop_limit > 0 && came.hop_limit <= hops[i],
			 "a datagram of hop limit %u came with %u", hops[i],
			 came.hop_limit);
	}
	vb_expect_settled(p);
}

VB_CASE(ud_traffic_class, .id = "ud/traffic-class",
	.title = "class and hop limit of a handle are seen in the header",
	.spec = "ibv_create_ah(3): traffic_class, hop_limit",
	.needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("UD-15", "UD-02"), .kills = VB_LIST("M50"),
	.run = run);
