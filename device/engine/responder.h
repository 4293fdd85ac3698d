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
	RESP_CHECK_ORDER,     /* FIRST, MIDDLE, LAST, ONLY; of one kind */
	RESP_CHECK_OPERATION, /* which the queue pair allows its peer */
	RESP_CHECK_LENGTH,    /* of this packet, and of the message */
	RESP_CHECK_RESOURCE,  /* a receive; a place for READ or atomic */
	RESP_CHECK_ROOM,      /* of that receive */
	RESP_CHECK_KEY,	      /* of WRITE, READ, atomic */
	RESP_EXECUTE,
	RESP_COMPLETE, /* a message that took a receive has ended */
	RESP_ACKNOWLEDGE,
	RESP_DUPLICATE,
	RESP_GAP,
	RESP_NOT_READY,
	RESP_INVALID_REQUEST,
	RESP_TOO_LONG,
	RESP_BAD_ACCESS,  /* the peer's key, rights or bounds */
	RESP_BAD_RECEIVE, /* our receive's memory cannot be written */
	RESP_BAD_INVALIDATE,
	RESP_DROP,
	RESP_DONE,
};

void responder_receive(struct sd_qp *qp, const struct wire_packet *packet);

/*
 * Take the oldest receive of the queue pair, or of the queue it shares; false:
 * there is none.  Its list is copied, for its slot is free from now.
 */
bool responder_take_recv(struct sd_qp *qp);
/* The protection domain that judges a receive's memory. */
const void *responder_recv_pd(const struct sd_qp *qp);

#endif
