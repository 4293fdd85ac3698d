// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The peer's process is stopped in the middle of a burst.  When it goes on soon
 * enough, nobody notices: each message comes once, in order.  When it does not,
 * and its device with it, the sender gives up in time; as the process then goes
 * on, it gets what had reached it, each message once, at least those that were
 * acknowledged and none of before when both are connected anew.
 */
#include <verbatim/case.h>

enum { COUNT = 16, BYTES = 6000, PAUSE_MS = 40, LATE_MS = 20 };

/* Timeout and retries: of those who wait for seconds, and who do not. */
#define PATIENT 17, 6
#define HASTY	12, 2

static void bring_up(struct vb_qp *qp, struct vb_peer *peer, unsigned timeout,
		     unsigned retries)
{
	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_RTR);
	vb_modify(qp, IBV_QPS_RTS, .timeout = VB_SET(timeout),
		  .retry = VB_SET(retries), .rnr_retry = VB_SET(1));
}

static void post_receives(struct vb_qp *qp, struct vb_wr **recvs)
{
	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(qp, .len = BYTES);
}

static void all_received(struct vb_wr **recvs)
{
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_received(recvs[i], BYTES - i);
}

/* As many as have come, from the first on; none behind, and nothing of one
 * that had not begun. */
static uint64_t arrived(struct vb_test *t, struct vb_wr **recvs, uint64_t told)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < told; i++)
		vb_expect_received(recvs[i], BYTES - i);
	vb_let_pass(t, LATE_MS);
	while (count < COUNT && vb_completed(recvs[count]))
		count++;
	for (uint64_t i = 0; i < count; i++)
		vb_expect_received(recvs[i], BYTES - (uint32_t)i);
	for (uint64_t i = count + 1; i < COUNT; i++) {
		vb_expect_pending(recvs[i], 0);
		vb_expect_untouched(recvs[i]);
	}
	return count;
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	struct vb_qp *qp = vb_create_qp(vb_b(t), .depth = COUNT + 1);
	struct vb_wr *recvs[COUNT];

	bring_up(qp, peer, PATIENT);
	post_receives(qp, recvs);
	vb_peer_barrier(peer, "paused");
	all_received(recvs);
	vb_peer_barrier(peer, "received");
	vb_modify(qp, IBV_QPS_RESET);
	bring_up(qp, peer, HASTY);
	post_receives(qp, recvs);
	vb_peer_barrier(peer, "stopped");
	vb_peer_tell(peer, arrived(t, recvs, vb_peer_tell(peer, 0)));
	vb_modify(qp, IBV_QPS_ERR);
	vb_modify(qp, IBV_QPS_RESET);
	bring_up(qp, peer, PATIENT);
	post_receives(qp, recvs);
	vb_peer_barrier(peer, "anew");
	all_received(recvs);
	vb_peer_barrier(peer, "received");
}

static void send_all(struct vb_test *t, struct vb_qp *qp, struct vb_peer *peer,
		     bool pause)
{
	struct vb_wr *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		if (pause && i == COUNT / 2)
			vb_peer_stop(peer);
		sends[i] = vb_post_send(qp, .len = BYTES - i);
	}
	if (pause) {
		vb_let_pass(t, PAUSE_MS);
		vb_peer_continue(peer);
	}
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
	vb_peer_barrier(peer, "received");
}

/* How many were acknowledged to the sender. */
static uint64_t given_up(struct vb_test *t, struct vb_qp *qp,
			 struct vb_peer *peer)
{
	struct vb_wr *sends[COUNT], *last;
	uint64_t done = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		if (i == COUNT / 2)
			vb_peer_stop(peer);
		sends[i] = vb_post_send(qp, .len = BYTES - i);
	}
	/* For which there is no receive: a device that works on without its
	 * process does not take it either. */
	last = vb_post_send(qp, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		done += vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
					   IBV_WC_RETRY_EXC_ERR,
					   IBV_WC_WR_FLUSH_ERR) ==
			IBV_WC_SUCCESS;
	vb_expect_wc_among(last, IBV_WC_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR,
			   IBV_WC_WR_FLUSH_ERR);
	vb_note(t, "detected after %llu us",
		(unsigned long long)vb_took_ns(last) / 1000);
	vb_expect_state(qp, IBV_QPS_ERR);
	vb_expect_qp_settled(qp);
	vb_peer_continue(peer);
	return done;
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);
	struct vb_qp *qp = vb_create_qp(vb_a(t), .depth = COUNT + 1);
	uint64_t done, came;

	bring_up(qp, peer, PATIENT);
	vb_peer_barrier(peer, "paused");
	send_all(t, qp, peer, true);
	vb_modify(qp, IBV_QPS_RESET);
	bring_up(qp, peer, HASTY);
	vb_peer_barrier(peer, "stopped");
	done = given_up(t, qp, peer);
	vb_peer_tell(peer, done);
	came = vb_peer_tell(peer, done);
	vb_check(t, VB_FIND_WRONG_COUNT, came >= done,
		 "%llu messages were acknowledged, %llu have arrived",
		 (unsigned long long)done, (unsigned long long)came);
	vb_note(t, "%llu delivered, %llu unknown, of which %llu had arrived",
		(unsigned long long)done, (unsigned long long)(COUNT - done),
		(unsigned long long)(came - done));
	vb_modify(qp, IBV_QPS_RESET);
	bring_up(qp, peer, PATIENT);
	vb_peer_barrier(peer, "anew");
	send_all(t, qp, peer, false);
	vb_expect_qp_settled(qp);
}

VB_CASE(disconnect_process_stopped, .id = "disconnect/process-stopped",
	.title = "a peer whose process stops is waited for, or given up, and "
		 "gets nothing twice when it goes on",
	.spec = "InfiniBand: transport retries", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 20000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-03", "TDN-04", "TDN-02", "WCS-12", "RNR-09",
			 "MSG-16"),
	.defects = VB_LIST("DISC-03", "RETRY-01", "PSN-04"),
	.kills = VB_LIST("M33"), .run = run);
