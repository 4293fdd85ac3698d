/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The model of a QP's states: which transitions rules/qp_states.tsv allows,
 * with which attributes.  It judges devices; no device reads it.
 */
#ifndef SUITE_ORACLE_MODEL_H
#define SUITE_ORACLE_MODEL_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/strbuf.h"

struct model_transition {
	bool legal;	   /* the pair (from, to) stands in the table */
	unsigned required; /* enum ibv_qp_attr_mask bits, STATE included */
	unsigned optional;
	unsigned missing; /* required bits that the mask lacks */
	unsigned foreign; /* bits of the mask that are neither */
};

/* Ask about @from -> @to with @mask.  True: a device must accept it. */
bool model_transition(enum ibv_qp_type type, enum ibv_qp_state from,
		      enum ibv_qp_state to, unsigned mask,
		      struct model_transition *answer);
/*
 * The same as a modify call means it: without STATE in @mask the state stays
 * @from; CUR_STATE is not looked at.
 */
bool model_modify(enum ibv_qp_type type, enum ibv_qp_state from,
		  const struct ibv_qp_attr *attr, unsigned mask,
		  struct model_transition *answer);
/* Rows of the table, and the @index-th one: for cases that walk them all. */
size_t model_count(void);
void model_row(size_t index, enum ibv_qp_type *type, enum ibv_qp_state *from,
	       enum ibv_qp_state *to, unsigned *required, unsigned *optional);
/* What posting means in @state (qp_states.md): may it be accepted? */
bool model_may_post_send(enum ibv_qp_state state);
bool model_may_post_recv(enum ibv_qp_state state);

/* "STATE,PORT" appended; "none" for no bit; bits without a row in hex. */
void model_mask_print(unsigned mask, struct strbuf *out);
/* The reverse; "-" is no bit.  -EINVAL: a name that is none. */
int model_mask_parse(const char *text, unsigned *mask) MUST_USE;
/* The name of one bit, "?" when it has none. */
const char *model_mask_bit_name(unsigned bit);
/* Every bit that attr_masks.def knows. */
unsigned model_mask_all(void);

#endif
