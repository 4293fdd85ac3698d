/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The model of a pair of queue pairs under a walk: what was posted and told so
 * far, and what may therefore come of each work request and each state.
 *
 * It follows what the walk does, not what the device does meanwhile; where a
 * device may do one thing or another by then, all of it is accepted, and where
 * it may not, nothing else is:
 *
 *	- the n-th message of a side meets the n-th receive of the other, and
 *	  both know what they make of each other;
 *	- a work request that cannot succeed must not, and fails as the status
 *	  matrix says;
 *	- behind one that may fail, and on a queue pair that may have failed,
 *	  there may be flushes, and for the peer's sends no answer.
 *
 * The statuses are those of rules/status_matrix.tsv.
 */
#ifndef SUITE_ORACLE_WALK_MODEL_H
#define SUITE_ORACLE_WALK_MODEL_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct walk_pair;

/* A work request, from its post to its completion. */
struct walk_post {
	struct walk_pair *pair;
	uint8_t side;
	bool send;
	uint32_t index;	  /* in its queue, in this life */
	uint32_t message; /* sends: the number of what takes a receive */
	enum ibv_wr_opcode opcode;
	uint32_t len; /* receives: the room */
	uint32_t own; /* statuses that it may have by itself */
	bool takes;   /* takes a receive of the peer */
	bool dead;    /* receives: its memory must not be used */
	bool remote;  /* the peer's queue pair may fail for it */
	bool late;    /* it was posted before its receive */
	bool blind;   /* the other side's books of it are gone */
	bool signaled;
	bool after_err; /* its queue pair had been told to be in ERR */
	bool done;
	void *user; /* the caller's */
};

struct walk_list {
	struct walk_post **at;
	uint32_t count, room;
	uint32_t first; /* all before are done */
};

struct walk_qp {
	enum ibv_qp_type type;
	enum ibv_qp_state state; /* that it was told last */
	bool gone;
	bool told_err;
	bool may_err; /* it may have failed by itself */
	/* Its peer has asked for what it must refuse, or sent what it has no
	 * room for: it fails then, and what it says is of that request. */
	bool refuses;
	bool failed;	 /* an error of its own, or a flush, was polled */
	bool split;	 /* it was reset, and its peer was not */
	bool blind;	 /* its peer was reset or destroyed */
	bool srq;	 /* receives come from one */
	bool finite;	 /* its rnr_retry has an end */
	uint32_t hazard; /* what its sends may get for the peer's sake */
	struct walk_list sends, recvs;
	struct walk_list messages; /* those of `sends` that take a receive */
};

struct walk_pair {
	struct walk_qp qp[2];
};

/* Both in RESET, with nothing posted. */
void walk_pair_init(struct walk_pair *p, enum ibv_qp_type type);
void walk_pair_free(struct walk_pair *p);
/* Both were reset and introduced anew. */
void walk_pair_renew(struct walk_pair *p);

/* What a send of @opcode may complete with whose fault is that of row @id of
 * the status matrix; @id NULL: it has none. */
uint32_t walk_statuses(const char *id);

/* A work request was accepted; @post is copied.  NULL: out of memory. */
struct walk_post *walk_posted(struct walk_pair *p,
			      const struct walk_post *post) MUST_USE;
/* A modify to @state was accepted. */
void walk_told(struct walk_pair *p, unsigned side, enum ibv_qp_state state);
void walk_destroyed(struct walk_pair *p, unsigned side);
/* From SQE it was moved to RTS: one that is not RC, and had nothing to send. */
void walk_recovered(struct walk_pair *p, unsigned side);
/* Its completion was polled, and accepted. */
void walk_completed(struct walk_post *w, enum ibv_wc_status status);

/* The statuses that @w may complete with now. */
uint32_t walk_accept(const struct walk_post *w);
/* It must complete by itself, whatever happens. */
bool walk_due(const struct walk_post *w);
/* The states that a query may tell, as bits; @settled: after some time. */
unsigned walk_states(const struct walk_pair *p, unsigned side, bool settled);
/* It may have failed by itself by now, or not. */
bool walk_uncertain(const struct walk_pair *p, unsigned side);
/* No send of that side is under way for all it knows. */
bool walk_side_idle(const struct walk_pair *p, unsigned side);
/* The same of either side. */
bool walk_idle(const struct walk_pair *p);
/* Nothing is under way that could change any attribute. */
bool walk_quiet(const struct walk_pair *p);
/* The first that must complete and has not; NULL: there is none. */
const struct walk_post *walk_first_due(const struct walk_pair *p);

#endif
