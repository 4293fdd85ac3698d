/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A walk under way: the pairs that there are, and the files that take steps.
 *
 * A pair's memory is its own: what peers may write there is written by the one
 * other queue pair alone, in its order.
 */
#ifndef SUITE_END_WALK_H
#define SUITE_END_WALK_H

#include "suite/end/ends.h"
#include "suite/oracle/walk_model.h"
#include "suite/oracle/walk_script.h"

enum {
	WALK_TARGETS = 4,
	WALK_WINDOWS = 2,
	WALK_DEPTH = 16,
	WALK_SRQ_DEPTH = 64,
	WALK_WORDS = 64, /* last bytes of a region, for atomics alone */
};

/* Memory that the peer writes and reads. */
struct walk_target {
	struct vb_object *mr;
	unsigned access;
	uint32_t len;
};

/* What one side of a pair has besides its queue pair. */
struct walk_side {
	struct vb_object *cq;
	bool armed, solicited_only;
	uint32_t events; /* that may still come */
	/* A completion came that the arming was for. */
	bool owed;
	uint64_t armed_ns;
	struct walk_target targets[WALK_TARGETS];
	uint32_t targets_count;
	/* Parts of them, under keys of their own. */
	struct walk_target windows[WALK_WINDOWS];
	uint32_t windows_count;
};

struct walk_line {
	struct walk *walk;
	struct walk_step made; /* the step that made it */
	uint32_t depth, sges;
	struct vb_qp *qp[2];
	struct walk_side side[2];
	struct walk_pair model;
	bool told[2]; /* errors were allowed to raise events */
};

/* What is filled by us and what the device shall leave alone lie apart there, as
 * requests of several kinds may be in flight at once. */
enum {
	WALK_DEAD_RECEIVES = 0,
	WALK_DEAD_SENDS = WALK_LEN_MAX,
	WALK_DEAD_ANSWERS = 2 * WALK_LEN_MAX,
	WALK_DEAD_LEN = 3 * WALK_LEN_MAX,
};

struct walk {
	struct vb_test *t;
	const struct walk_script *script;
	uint32_t at;		 /* the step in hand */
	_Atomic uint32_t *shown; /* the same, for who waits for the process */
	struct walk_line *lines[WALK_PAIRS];
	uint32_t count;
	unsigned slack_ms;
	/* Regions that are no more, channels and SRQs of the ends. */
	struct vb_object *dead[2], *channel[2], *srq[2];
	/* A queue pair with one was reset or went, and may have taken receives
	 * of which nothing was told. */
	bool srqs_unsure;
	uint32_t
		limit[2]; /* that the SRQ is armed with; 0: none, or it fired */
};

/* --- walk.c ------------------------------------------------------------- */

/* Take all steps of @w, and end what they have begun. */
void walk_take(struct walk *w);
/* Wait for all that must complete. */
void walk_wait(struct walk *w);
struct vb_end *walk_end(struct walk *w, unsigned side);
/* The pair of the step's operand; NULL: there is none. */
struct walk_line *walk_line_of(struct walk *w, const struct walk_step *s);

/* --- walk_pair.c -------------------------------------------------------- */

void walk_connect(struct walk *w, const struct walk_step *s);
void walk_reconnect(struct walk *w, const struct walk_step *s);
void walk_modify(struct walk *w, const struct walk_step *s);
void walk_query(struct walk *w, const struct walk_step *s);
void walk_destroy(struct walk *w, const struct walk_step *s);
/* Bring it to its end, all flushed, and drop it. */
void walk_line_close(struct walk_line *l);

/* --- walk_post.c -------------------------------------------------------- */

/* @wr is one of the pair's: the model of it. */
void walk_enter(struct walk_line *l, struct vb_wr *wr, struct walk_post *post);
void walk_recv(struct walk *w, const struct walk_step *s);
void walk_send(struct walk *w, const struct walk_step *s);

/* --- walk_window.c ------------------------------------------------------ */

void walk_bind(struct walk *w, const struct walk_step *s);
void walk_invalidate(struct walk *w, const struct walk_step *s);
/* Its queue pair has begun anew, or is gone. */
void walk_windows_drop(struct walk_line *l, unsigned side);

/* --- walk_objects.c ----------------------------------------------------- */

void walk_reg_mr(struct walk *w, const struct walk_step *s);
void walk_rereg_mr(struct walk *w, const struct walk_step *s);
void walk_dereg_mr(struct walk *w, const struct walk_step *s);
void walk_notify(struct walk *w, const struct walk_step *s);
void walk_resize(struct walk *w, const struct walk_step *s);
void walk_limit(struct walk *w, const struct walk_step *s);
/* The events of SRQs that hold fewer receives than their limits have come. */
void walk_limits(struct walk *w);
void walk_busy_cq(struct walk *w, const struct walk_step *s);
void walk_busy_pd(struct walk *w, const struct walk_step *s);
void walk_churn(struct walk *w, const struct walk_step *s);
/* A region for the peer of @side. */
void walk_target_add(struct walk_line *l, unsigned side, uint32_t len,
		     enum walk_rights rights);
/* Events that are owed have come, and no others. */
void walk_events(struct walk_line *l);

#endif
