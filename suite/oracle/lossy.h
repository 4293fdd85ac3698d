/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a sender without acknowledgements (UC, UD) has under way: messages may
 * be lost, and those of UD overtake each other, but none comes twice, none
 * changed, and none at another receiver than its own.
 *
 * The judge asks for candidates, oldest first, compares each with what came,
 * and takes the one that fits.
 */
#ifndef SUITE_ORACLE_LOSSY_H
#define SUITE_ORACLE_LOSSY_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/oracle/pairing.h"

struct lossy;

/* @window: messages remembered.  NULL: out of memory. */
struct lossy *lossy_create(enum ibv_qp_type type, uint32_t window) MUST_USE;
void lossy_destroy(struct lossy *l);
void lossy_reset(struct lossy *l);

uint64_t lossy_next(const struct lossy *l);
/* A message to the queue pair numbered @to; @m->number is filled in. */
void lossy_sent(struct lossy *l, struct pairing_message *m, uint32_t to);
/* The verb refused message @number and all after it. */
void lossy_refused(struct lossy *l, uint64_t number);

/* The first message from @number on that can come to @to (or, with @taken,
 * has come already); false: there is none. */
bool lossy_candidate(const struct lossy *l, uint32_t to, uint64_t number,
		     bool taken, struct pairing_message *m);
/* Message @number has come: of UC, nothing before it can any more. */
void lossy_take(struct lossy *l, uint64_t number);
bool lossy_taken(const struct lossy *l, uint64_t number);
/* Messages up to now that have not come; of those remembered. */
uint64_t lossy_missing(const struct lossy *l);

#endif
