/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The responder judges and executes request packets.  The order of its checks
 * is the specification's (IBA vol. 1, 9.7.4): sequence number, opcode
 * sequence, operation, resources, length, then the memory itself.
 */
#ifndef DEVICE_ENGINE_RESPONDER_H
#define DEVICE_ENGINE_RESPONDER_H

#include "device/engine/qp.h"

/* Error steps are named for the error; what it leads to is in one place. */
enum resp_step {
	RESP_CHECK_STATE,
	RESP_CHECK_PSN,
	RESP_CHECK_ORDER, /* FIRST, MIDDLE, LAST, ONLY */
	RESP_CHECK_OPERATION,
	RESP_CHECK_LENGTH,   /* of this packet */
	RESP_CHECK_RESOURCE, /* a receive for a message that begins */
	RESP_CHECK_ROOM,     /* of that receive */
	RESP_EXECUTE,
	RESP_COMPLETE, /* the message has ended */
	RESP_ACKNOWLEDGE,
	RESP_DUPLICATE,
	RESP_GAP,
	RESP_NOT_READY,
	RESP_INVALID_REQUEST,
	RESP_TOO_LONG,
	RESP_BAD_RECEIVE, /* its memory cannot be written */
	RESP_DROP,
	RESP_DONE,
};

const char *resp_step_name(enum resp_step step);

void responder_receive(struct sd_qp *qp, const struct wire_packet *packet);

/*
 * Send the answer that is due, if any.  False: the link has no room, it is
 * still due.  Acknowledgements of one burst are sent as one, by calling this
 * at its end.
 */
bool responder_answer(struct sd_qp *qp);

#endif
