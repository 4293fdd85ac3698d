/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The atomics on one 8-byte cell: each saw the value that another left, so
 * together they are a chain from the first value to the last.
 *
 *	initial -- +3 --> v1 -- +5 --> v2 -- cas --> v3
 *
 * The operations of one owner (a queue pair) stand in the chain in their
 * order; those of different owners may interleave in any way.  Between two
 * settlements no value may come back, which distinct addends see to: else two
 * operations could rightly have seen the same one.
 */
#ifndef SUITE_ORACLE_CHAIN_H
#define SUITE_ORACLE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/oracle/complaint.h"

struct chain;

struct chain_step {
	uint64_t wr_id;
	const void *owner;
	uint64_t old; /* the value that came back */
	bool swap;    /* else it adds */
	uint64_t compare, operand;
};

/* NULL: out of memory. */
struct chain *chain_create(uint64_t initial) MUST_USE;
void chain_destroy(struct chain *c);

/* An operation has completed with success; those of one owner in order.
 * -ENOMEM */
int chain_add(struct chain *c, const struct chain_step *step) MUST_USE;
/*
 * Nothing is under way: 0 and the *@value that the cell must hold, from where
 * the chain goes on; or -EBADMSG and *@complaint names the step that fits
 * nowhere.
 */
int chain_settle(struct chain *c, uint64_t *value,
		 struct complaint *complaint) MUST_USE;

#endif
