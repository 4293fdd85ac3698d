/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of queue pair states (rules/qp_states.tsv), for cases that walk
 * it: no case types its rows again.
 */
#ifndef VERBATIM_MODEL_H
#define VERBATIM_MODEL_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct vb_transition {
	bool legal; /* it stands in the table */
	/* IBV_QP_* bits; of the optional ones a call may have any.  STATE is
	 * in neither. */
	unsigned required, optional;
	/* Those that it must be refused for. */
	unsigned foreign;
};

/* Of RC, UC or UD. */
struct vb_transition vb_transition(enum ibv_qp_type type,
				   enum ibv_qp_state from,
				   enum ibv_qp_state to);
/* May a device accept such a post at all? */
bool vb_may_post_send(enum ibv_qp_state state);
bool vb_may_post_recv(enum ibv_qp_state state);

/* "RTR": for texts. */
const char *vb_state_name(enum ibv_qp_state state);

#endif
