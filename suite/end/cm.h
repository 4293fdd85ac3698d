/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pairs brought up by the host's connection manager (--connect cm): the way
 * besides connect.c's own, where it is the CM that tells the ends of each
 * other and chooses the attributes.
 */
#ifndef SUITE_END_CM_H
#define SUITE_END_CM_H

#include "suite/end/ends.h"

/* --connect cm, and this kind of queue pair is one that it connects. */
bool cm_connects(const struct vb_test *t, enum ibv_qp_type type);
/* Skips the case: what it does, it does by hand (@what). */
void cm_skip(struct vb_test *t, const char *what) NO_RETURN;
/* Skips the case if @args say what the CM does not let one say. */
void cm_require(struct vb_test *t, const struct vb_connect_args *args);
/* Both from RESET to RTS; what the one or the other was told goes before what
 * the CM chose, as far as the CM leaves it to its users. */
void cm_connect(struct vb_pair *p, const struct vb_attr_args *a,
		const struct vb_attr_args *b);
/* The connection comes to its end on both sides, so that the same queue pairs
 * may be connected again. */
void cm_disconnect(struct vb_pair *p);
/* The queue pair is destroyed; the end is closed: nothing is left. */
void cm_forget(struct vb_qp *qp);
void cm_close(struct vb_end *e);

/* --- cm_attr.c: what was chosen ----------------------------------------- */

/* The step to @state, by the attributes that the CM has for it. */
void cm_step(struct vb_qp *qp, enum ibv_qp_state state,
	     const struct vb_attr_args *args);
/* Do both sides' attributes fit each other?  And say what they are. */
void cm_judge(struct vb_pair *p);

#endif
