/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks: verbs drawn at random on both ends, each judged against a model of
 * what may come of it.
 */
#ifndef VERBATIM_WALK_H
#define VERBATIM_WALK_H

struct vb_test;

/* What a walk is made of. */
enum vb_walk {
	VB_WALK_RC = 1u << 0,
	VB_WALK_UC = 1u << 1,
	VB_WALK_UD = 1u << 2,
	VB_WALK_SRQ = 1u << 3,
	VB_WALK_ATOMIC = 1u << 4,
	VB_WALK_BUILDER = 1u << 5, /* ibv_wr_*(), ibv_start_poll() */
};

/*
 * --walks of them, each of --steps steps and in a process of its own; or the
 * one of --script.  One that diverges is shrunk to the fewest and plainest
 * steps that do so still; those are the case's failure, are noted, and stand
 * in a file of the run's folder that --script takes.  What the device has not
 * got is left out of @mix.
 */
void vb_walk(struct vb_test *t, unsigned mix);

#endif
