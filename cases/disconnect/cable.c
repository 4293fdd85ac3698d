// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cable is pulled in the middle of a burst.  Put in again before the
 * retries are used up, each message comes once, in order; left out, the sender
 * gives up in time, and those that it was told to have arrived have.  Both
 * times the port tells so by its events, and a pair made afterwards works.
 */
#include <verbatim/case.h>

enum { COUNT = 16, BYTES = 6000, AWAY_MS = 30, TIMEOUT = 12, RETRIES = 2 };

struct burst {
	struct vb_wr *sends[COUNT], *recvs[COUNT];
};

static void pull(struct vb_test *t, bool up)
{
	if (!vb_set_port(vb_b(t), up))
		vb_skip(t, "the port of this device cannot be taken down from "
			   "here");
	vb_expect_port_event(vb_b(t), up);
}

/* Half of them before, half of them after the cable is out. */
static void begin(struct vb_test *t, const struct vb_pair *p, struct burst *b)
{
	for (unsigned i = 0; i < COUNT; i++)
		b->recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++) {
		if (i == COUNT / 2)
			pull(t, false);
		b->sends[i] = vb_post_send(p->a, .len = BYTES - i);
	}
}

static void for_a_while(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr = { .timeout = VB_SET(16),
						 .retry = VB_SET(6) });
	struct burst b;

	begin(t, p, &b);
	vb_let_pass(t, AWAY_MS);
	pull(t, true);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(b.sends[i], b.recvs[i]);
	vb_expect_settled(p);
}

static void for_good(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(RETRIES) });
	unsigned done = 0, arrived = 0;
	struct vb_wr *last;
	struct burst b;

	begin(t, p, &b);
	for (unsigned i = 0; i < COUNT; i++)
		if (vb_expect_wc_among(b.sends[i], IBV_WC_SUCCESS,
				       IBV_WC_RETRY_EXC_ERR,
				       IBV_WC_WR_FLUSH_ERR) == IBV_WC_SUCCESS)
			vb_expect_message(b.sends[i], b.recvs[done++]);
	last = b.sends[COUNT - 1];
	vb_expect_wc_among(last, IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	vb_check(t, VB_FIND_WRONG_TIMING,
		 vb_took_ns(last) >= RETRIES * vb_ack_timeout_ns(TIMEOUT),
		 "given up after %llu us, %d timeouts of code %d are longer",
		 (unsigned long long)vb_took_ns(last) / 1000, RETRIES, TIMEOUT);
	while (arrived < COUNT && vb_completed(b.recvs[arrived]))
		arrived++;
	for (unsigned i = arrived + 1; i < COUNT; i++)
		vb_expect_untouched(b.recvs[i]);
	vb_note(t,
		"detected after %llu us: %u delivered, %u unknown, of which %u "
		"had arrived",
		(unsigned long long)vb_took_ns(last) / 1000, done, COUNT - done,
		arrived - done);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
	pull(t, true);
	vb_reconnect(p);
	vb_stream(p, .messages = COUNT, .direction = VB_BOTH_WAYS);
}

static void run(struct vb_test *t)
{
	for_a_while(t);
	for_good(t);
	vb_expect_all_settled(t);
}

VB_CASE(disconnect_cable, .id = "disconnect/cable",
	.title = "a cable that is pulled is waited for, or noticed in time",
	.spec = "InfiniBand: transport retries; ibv_get_async_event(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-04", "WCS-12", "AEV-12", "AEV-02", "CON-06",
			 "RNR-09"),
	.defects = VB_LIST("PORT-01", "RETRY-01", "RETRY-13"),
	.kills = VB_LIST("D25", "R12"), .run = run);
