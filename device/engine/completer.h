/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The completer reads answers: acknowledgements end send queue entries, NAKs
 * send the requester back or fail it.
 */
#ifndef DEVICE_ENGINE_COMPLETER_H
#define DEVICE_ENGINE_COMPLETER_H

#include "device/engine/qp.h"

/* Where an answer is in its treatment, and what it turned out to be. */
enum comp_step {
	COMP_CHECK_STATE,
	COMP_CHECK_PSN,
	COMP_ACKNOWLEDGE, /* it and all before it are done */
	COMP_READ,	  /* data of a READ */
	COMP_ATOMIC,	  /* what an atomic found */
	COMP_MISSING,	  /* a READ or atomic before it was not answered */
	COMP_RNR,	  /* the receiver is not ready; all before it is done */
	COMP_SEQUENCE,	  /* a gap; all before it is done */
	COMP_REFUSED,	  /* a fatal NAK; all before it is done */
	COMP_DROP,	  /* old, unknown or not ours */
	COMP_DONE,
};

void completer_receive(struct sd_qp *qp, const struct wire_packet *packet,
		       uint64_t now_ns);

#endif
