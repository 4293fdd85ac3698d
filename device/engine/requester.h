/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The requester turns send queue entries into request packets, in order, as
 * far as the window, the peer's readiness and the link allow.
 */
#ifndef DEVICE_ENGINE_REQUESTER_H
#define DEVICE_ENGINE_REQUESTER_H

#include "device/engine/qp.h"

/* What one step came to. */
enum req_step {
	REQ_SENT,     /* a packet went out; go on */
	REQ_EMPTY,    /* nothing (more) to send in this state */
	REQ_WINDOW,   /* too much unacknowledged; an answer will wake it */
	REQ_RECEIVER, /* waits out an RNR NAK; the timer will wake it */
	REQ_LINK,     /* no room on the link; run it again soon */
	REQ_FAILED,   /* a local error ended the queue pair */
};

enum {
	/* Packets unacknowledged at most, as Linux rxe has it. */
	REQ_WINDOW_PACKETS = 128,
	/* Response packets asked for by one READ request. */
	REQ_READ_PACKETS = 16,
	/* Inside a long message an acknowledgement is asked for this often. */
	REQ_ACK_EVERY = 16,
};

/* Packets out and unacknowledged, those of responses awaited included. */
uint32_t requester_out(const struct sd_qp *qp);

/* Send up to @budget packets; the step that ended it. */
enum req_step requester_run(struct sd_qp *qp, unsigned budget, uint64_t now_ns);

/*
 * Go back: the packet with @psn, which is unacknowledged, is the next to be
 * sent, and all behind it again.
 */
void requester_go_back(struct sd_qp *qp, struct psn psn);
/* Skip ahead: all before @psn is acknowledged and need not be sent again. */
void requester_skip_to(struct sd_qp *qp, struct psn psn);

#endif
