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
};

struct stream_flow {
	struct vb_stream *stream;
	uint64_t seed;
	struct stream_side send, recv;
	uint64_t bytes;
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
