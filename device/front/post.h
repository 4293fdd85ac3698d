/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all ways to post share: ibv_post_send(), ibv_wr_*(), ibv_bind_mw(),
 * ibv_post_recv() and ibv_post_srq_recv() judge and queue by these.  Results
 * are those of verbs: 0 or an errno.  With the adapter lock held.
 */
#ifndef DEVICE_FRONT_POST_H
#define DEVICE_FRONT_POST_H

#include "device/front/objects.h"

/* A request that was judged. */
struct post_send {
	const struct ibv_send_wr *wr;
	uint64_t length;
	bool later;		      /* not the first of its list */
	bool built;		      /* by ibv_wr_*() */
	struct sd_datagram_path path; /* UD */
	struct sd_bind bind;	      /* BIND_MW */
};

/* Judge @wr, whatever room there is; windows to bind are of that @kind. */
int post_judge_send(const struct soft_qp *qp, const struct ibv_send_wr *wr,
		    enum sd_mr_kind kind, struct post_send *out) MUST_USE;
/* Queue it; there is room, and its data, if inline, is copied. */
void post_queue_send(struct soft_qp *qp, const struct post_send *send);
/* Is there room for @count more? */
bool post_room(const struct soft_qp *qp, uint32_t count);
/* Get going what was queued. */
void post_start(struct soft_qp *qp);

int post_judge_recv(const struct ibv_recv_wr *wr, uint32_t max_sge,
		    const struct ring *ring, uint64_t *length) MUST_USE;
void post_fill_recv(struct sd_recv_wqe *wqe, const struct ibv_recv_wr *wr,
		    uint64_t length);

#endif
