/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One direction of a connection: the k-th message that takes a receive pairs
 * with the k-th receive that completes with success.  Knows what each receive
 * must bring: which message, how long, which opcode and immediate.
 *
 * Messages are numbered from 0 in the order posted; the number is the
 * payload's sequence (pattern.h).  Sized at create; O(1), no allocation after.
 *
 * Made for RC; where messages may be lost, lossy.h takes its place.
 */
#ifndef SUITE_ORACLE_PAIRING_H
#define SUITE_ORACLE_PAIRING_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/oracle/complaint.h"

struct pairing;

struct pairing_message {
	uint64_t number;
	uint64_t wr_id; /* of the send */
	uint64_t len;
	enum ibv_wr_opcode opcode;
	uint32_t imm_data;	  /* network order, as in the work request */
	uint32_t invalidate_rkey; /* SEND_WITH_INV */
	void *user;
};

/*
 * @window: messages between the oldest not yet received and the newest posted;
 * give SQ depth + RQ depth + what may lie unpolled.  @name: "a qp3 -> b qp3",
 * copied, for texts.  NULL: out of memory.
 */
struct pairing *pairing_create(const char *name, enum ibv_qp_type type,
			       uint32_t window) MUST_USE;
void pairing_destroy(struct pairing *p);
/* A new incarnation of the connection: numbers from 0 again. */
void pairing_reset(struct pairing *p);

/* The number that the next message gets. */
uint64_t pairing_next(const struct pairing *p);
/* A message was posted (before the verb); @m->number is filled in.
 * -ENOSPC: the window is full; -EINVAL: the opcode takes no receive. */
int pairing_sent(struct pairing *p, struct pairing_message *m) MUST_USE;
/* The verb refused message @number and all after it: the numbers are used
 * again by the next ones. */
void pairing_refused(struct pairing *p, uint64_t number);
/* The send of message @number completed with success: on RC it has arrived,
 * and so have all before it. */
void pairing_acknowledged(struct pairing *p, uint64_t number);

/*
 * A receive completed with success.  0 and *@m is what it must bring, its
 * content still to be checked; -EBADMSG with early (nothing is on its way),
 * wrong length or wrong field; *@m is filled unless early.
 */
int pairing_received(struct pairing *p, const struct ibv_wc *wc,
		     struct pairing_message *m,
		     struct complaint *complaint) MUST_USE;

/* Length, opcode, immediate and invalidation of @wc are those of @m: 0 or
 * -EBADMSG.  @name: of the direction, for the text. */
int pairing_fields(const char *name, enum ibv_qp_type type,
		   const struct ibv_wc *wc, const struct pairing_message *m,
		   struct complaint *c) MUST_USE;

uint64_t pairing_received_count(const struct pairing *p);
/* Messages acknowledged but not received: RC only, when all was polled. */
uint64_t pairing_missing(const struct pairing *p);
/* The end: 0, or -EBADMSG and "lost" names the oldest missing message. */
int pairing_balance(const struct pairing *p, struct complaint *c) MUST_USE;

#endif
