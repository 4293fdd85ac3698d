/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The responder's answers, in the order in which they must go out, and the
 * memory of READs and atomics for requests that come again.
 */
#ifndef DEVICE_ENGINE_ANSWER_H
#define DEVICE_ENGINE_ANSWER_H

#include "base/compiler.h"
#include "device/engine/qp.h"

/*
 * Room for so many answers and for so many READs and atomics to remember, not
 * less than before; zeroes.  What is in the old room moves, which is the
 * owner's again.
 */
void answer_give_room(struct sd_qp *qp, struct sd_answer *answers,
		      uint16_t answer_slots, struct sd_replay *replays,
		      uint16_t replay_slots);

/* An acknowledgement of all before resp->expected; it takes the place of one
 * that waits right before it. */
void answer_ack(struct sd_qp *qp);
/* A NAK with the expected PSN, or that of a READ in trouble. */
void answer_nak(struct sd_qp *qp, uint8_t syndrome, struct psn psn);
/* False: too many answers wait; the request is to be dropped. */
bool answer_read(struct sd_qp *qp, const struct wire_packet *request) MUST_USE;
bool answer_atomic(struct sd_qp *qp, struct psn psn, uint64_t before) MUST_USE;
bool answer_room(const struct sd_qp *qp);

/* Remember an executed READ or atomic; the oldest is forgotten for it. */
void replay_remember(struct sd_qp *qp, const struct wire_packet *request,
		     uint32_t packets, uint64_t before);
/*
 * The one that @request, a duplicate, repeats: an atomic as a whole, a READ
 * in any part of its range.  NULL: not remembered.
 */
const struct sd_replay *replay_find(const struct sd_qp *qp,
				    const struct wire_packet *request);

/*
 * Send what waits.  False: the link has no room, something still waits.
 * Acknowledgements of one burst go as one, by calling this at its end.
 */
bool answer_send(struct sd_qp *qp);
static inline bool answer_waits(const struct sd_qp *qp)
{
	return qp->resp.answer_ring.count > 0;
}

#endif
