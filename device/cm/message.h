/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two ends of a connection tell each other: the messages of the
 * communication manager (IBA vol. 1, chapter 12) with what our adapters need
 * of them.  They stay within a host, so numbers are as the processor has them;
 * still, whoever connects may have written anything, and each is judged.
 *
 *	active                  passive
 *	REQ  ------------------>  CONNECT_REQUEST
 *	  <------------------ REP   accept
 *	RTU  ------------------>  ESTABLISHED
 *	DREQ <-----------------> DREP, in either direction
 *
 * REJ answers REQ or REP.  Of datagrams there is only SIDR_REQ and SIDR_REP.
 */
#ifndef DEVICE_CM_MESSAGE_H
#define DEVICE_CM_MESSAGE_H

#include <rdma/rdma_user_cm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/cm/address.h"

/* CM_MESSAGE(name, bytes of private data): all those bytes arrive, those that
 * the sender did not fill as zeroes. */
#define CM_MESSAGES(CM_MESSAGE)   \
	CM_MESSAGE(REQ, 56)       \
	CM_MESSAGE(REP, 196)      \
	CM_MESSAGE(RTU, 0)        \
	CM_MESSAGE(REJ, 148)      \
	CM_MESSAGE(DREQ, 0)       \
	CM_MESSAGE(DREP, 0)       \
	CM_MESSAGE(SIDR_REQ, 180) \
	CM_MESSAGE(SIDR_REP, 136)

enum cm_message_kind {
	CM_MESSAGE_NONE,
#define CM_MESSAGE_ENUM(name, bytes) CM_##name,
	CM_MESSAGES(CM_MESSAGE_ENUM)
#undef CM_MESSAGE_ENUM
};

/* Why a REJ: those that we give ourselves. */
enum cm_reason {
	CM_REASON_TIMEOUT = 4, /* the other end has gone */
	CM_REASON_NO_SERVICE = 8,
	CM_REASON_CONSUMER = 28,
	/* Of a SIDR_REP. */
	CM_SIDR_OK = 0,
	CM_SIDR_NO_SERVICE = 1,
	CM_SIDR_REJECT = 2,
};

struct cm_message {
	uint32_t magic;
	uint32_t kind;
	uint8_t gid[16]; /* of the sender's adapter */
	uint32_t mtu;	 /* its path MTU in bytes */
	uint32_t qpn;
	uint32_t psn; /* of the first packet that the sender will send */
	uint32_t qkey;
	uint32_t reason;
	struct cm_address from; /* REQ, SIDR_REQ */
	struct cm_address to;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t srq;
	uint8_t reserved[2];
	uint8_t private_data[RDMA_MAX_PRIVATE_DATA];
};

/* How many bytes of private data this kind carries. */
uint8_t cm_message_private_max(enum cm_message_kind kind);
/* An empty one. */
struct cm_message cm_message_make(enum cm_message_kind kind);
/* From @len bytes: true when they are a message, whose fields are in range. */
bool cm_message_get(const void *bytes, size_t len, struct cm_message *m);

#endif
