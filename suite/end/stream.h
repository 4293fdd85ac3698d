/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The standard traffic: flows, one a pair and direction.  What the n-th
 * message of a flow is (size, immediate, pieces) is a function of the flow's
 * seed and n, so that the receive for it can be made before it is sent.
 *
 *	sends     | settled | in flight, at most `window` | to be posted |
 *	receives  | settled | posted, at most `receives`  | to be posted |
 *
 * A slot of memory and a work request handle belong to message n modulo the
 * number of slots; they are used again only when their last one has settled.
 */
#ifndef SUITE_END_STREAM_H
#define SUITE_END_STREAM_H

#include "suite/end/ends.h"

struct stream_side {
	struct vb_qp *qp;
	struct vb_object *mr;
	struct vb_wr *wrs; /* `slots` of them */
	uint32_t slots;
	uint64_t posted, settled; /* messages, from number 0 on */
	/*
	 * Receives of an SRQ, or of what may be lost, are not each made for a
	 * message: all are as large as the largest, a slot is free as soon as
	 * its receive is done, and `posted` counts receives.
	 */
	bool pool;
	uint32_t *free, free_count;
	uint64_t received; /* by its queue pair, of whatever receive */
};

struct stream_flow {
	struct vb_stream *stream;
	uint64_t seed;
	struct stream_side send, recv;
	uint64_t bytes;
	uint64_t takes;	     /* messages of the flow that take a receive */
	uint64_t takes_sent; /* of those posted */
	uint32_t room;	     /* of the largest message */
	uint32_t datagram;   /* bytes before each: 40 with UD */
	/* What is written and read: a slot for each send in flight. */
	struct vb_object *target;
	uint32_t stride;
};

struct vb_stream {
	struct vb_stream *next; /* of the running ones */
	struct ends *ends;
	struct vb_stream_args args; /* defaults filled in */
	struct vb_sizes sizes;
	uint32_t flows;
	struct stream_flow *flow;
	uint64_t judged; /* messages received and found right */
	uint64_t begun_ns;
	bool busy; /* posting: no nested advance */
};

#endif
