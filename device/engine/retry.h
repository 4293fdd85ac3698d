/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Patience with the peer: the ACK timer, the RNR timer and the two budgets
 * (retry_cnt for silence and gaps, rnr_retry for a receiver that is not
 * ready; IBA vol. 1, 9.7.5.2).  Neither budget pays for the other.
 */
#ifndef DEVICE_ENGINE_RETRY_H
#define DEVICE_ENGINE_RETRY_H

#include "device/engine/qp.h"

enum { RETRY_RNR_FOREVER = 7 };

/* The wait of a min_rnr_timer code, 0..31; code 0 is the longest. */
uint64_t retry_rnr_ns(unsigned code);
/* The wait of a local ACK timeout code, 0..31; 0 for code 0: no timer. */
uint64_t retry_ack_timeout_ns(unsigned code);

/* How long the next silence is borne: 1, 2 or 4 times the timeout. */
uint64_t retry_ack_wait_ns(const struct sd_qp *qp);
/* Both budgets as the attributes give them. */
void retry_renew(struct sd_qp *qp);
/* Something was acknowledged. */
void retry_progress(struct sd_qp *qp, uint64_t now_ns);
/* An RNR NAK for @psn, which is unacknowledged. */
void retry_rnr(struct sd_qp *qp, struct psn psn, unsigned code,
	       uint64_t now_ns);
/* A sequence error NAK: the peer waits for @psn, which is unacknowledged. */
void retry_sequence(struct sd_qp *qp, struct psn psn);
/* Something came that shows that a READ's or atomic's answer is lost. */
void retry_missing(struct sd_qp *qp);
/* Look at both deadlines. */
void retry_timer(struct sd_qp *qp, uint64_t now_ns);

#endif
