// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The wire is cut in the middle of a burst, for good: one end hears nothing
 * any more, or nobody is heard.  The sender knows after its retries, not
 * before, each request ends once, and of those that succeeded every one has
 * arrived.  Healed and connected anew the pair works.
 */
#include <verbatim/case.h>

enum { COUNT = 16, BYTES = 3000, TIMEOUT = 11, RETRIES = 2 };

static const char *const cuts[] = { "drop:op=request", "drop:op=ack", "drop" };

/* The one that was tried in vain, NULL if none says so. */
static struct vb_wr *account(struct vb_test *t, struct vb_wr **sends,
			     struct vb_wr **recvs, const char *cut)
{
	unsigned done = 0, unknown = 0, arrived = 0;
	struct vb_wr *tried = NULL;
	enum ibv_wc_status status;

	for (unsigned i = 0; i < COUNT; i++) {
		status = vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
					    IBV_WC_RETRY_EXC_ERR,
					    IBV_WC_WR_FLUSH_ERR);
		done += status == IBV_WC_SUCCESS;
		unknown += status != IBV_WC_SUCCESS;
		if (status == IBV_WC_RETRY_EXC_ERR)
			tried = sends[i];
		arrived += vb_completed(recvs[i]);
		if (status == IBV_WC_SUCCESS)
			vb_expect_message(sends[i], recvs[i]);
	}
	/* Nothing was written for those that have not. */
	for (unsigned i = arrived + 1; i < COUNT; i++)
		vb_expect_untouched(recvs[i]);
	vb_check(t, VB_FIND_WRONG_COUNT, arrived >= done,
		 "%u messages were acknowledged, %u have arrived", done,
		 arrived);
	vb_note(t, "%s: %u delivered, %u unknown, of which %u had arrived", cut,
		done, unknown, arrived - done);
	return tried;
}

static void cut_in(struct vb_test *t, struct vb_pair *p, const char *cut)
{
	struct vb_wr *sends[COUNT], *recvs[COUNT], *tried;

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT / 2; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(sends[0], IBV_WC_SUCCESS);
	vb_wire_spoil(t, "%s", cut);
	for (unsigned i = COUNT / 2; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	/* The others were posted later, and given up with it. */
	tried = account(t, sends, recvs, cut);
	vb_check(t, VB_FIND_WRONG_STATUS, tried,
		 "the wire is cut, and no send says that it was tried in vain");
	vb_check(t, VB_FIND_WRONG_TIMING,
		 vb_took_ns(tried) >= RETRIES * vb_ack_timeout_ns(TIMEOUT),
		 "given up after %llu us, %d timeouts of code %d are longer",
		 (unsigned long long)vb_took_ns(tried) / 1000, RETRIES,
		 TIMEOUT);
	vb_note(t, "%s: detected after %llu us", cut,
		(unsigned long long)vb_took_ns(tried) / 1000);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_wire_heal(t);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(RETRIES) });

	for (unsigned i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		cut_in(t, p, cuts[i]);
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
		p = vb_connect(t, .depth = COUNT,
			       .attr = { .timeout = VB_SET(TIMEOUT),
					 .retry = VB_SET(RETRIES) });
		vb_stream(p, .messages = COUNT, .direction = VB_BOTH_WAYS);
	}
	vb_expect_all_settled(t);
}

VB_CASE(wire_cut, .id = "wire/cut",
	.title = "a wire that is cut is noticed in time, and nothing is lost "
		 "that was told to have come",
	.spec = "InfiniBand: transport retries", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_FAULTS, .limit_ms = 20000,
	.rules = VB_LIST("WCS-12", "TDN-04", "CON-05", "RNR-08"),
	.defects = VB_LIST("RETRY-13", "RETRY-01"), .kills = VB_LIST("D25"),
	.run = run);
