/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger: every accepted work request is an entry, settled exactly once,
 * in the order its queue promises.
 *
 * How an entry is settled (rules CMP-01..07, 25..28, 30, 31):
 *
 *	- by its own completion;
 *	- an unsignaled send silently, by the completion (of any status) of a
 *	  later send of its queue, unless it was posted after the queue's first
 *	  error or after ledger_flush_expected(): from there on every work
 *	  request owes a completion of its own, unsignaled too;
 *	- by the verb that refused it (ledger_refuse()).
 *
 * An error completion on a queue makes everything behind it owe a
 * WR_FLUSH_ERR, and on RC the QP's other queue as well.  Queues of kind SRQ
 * promise no order and complete on any QP of their end.
 *
 * A completion of an older generation is stale: counted and dropped.
 *
 * Everything is sized at create; a post and a completion cost O(1) (a run of
 * unsignaled sends is settled once, by whoever follows it) and allocate
 * nothing.  One thread at a time.
 *
 * Order of calls: ledger_post() before the verb, so that no completion can
 * overtake its entry; ledger_refuse() if the verb says no.
 */
#ifndef SUITE_ORACLE_LEDGER_H
#define SUITE_ORACLE_LEDGER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/verbs_names.h"
#include "suite/oracle/complaint.h"
#include "suite/oracle/wrid.h"

/* Accept sets (VERBS_STATUS_BIT() each); the default is LEDGER_ACCEPT_OK. */
#define LEDGER_ACCEPT_OK    VERBS_STATUS_BIT(IBV_WC_SUCCESS)
#define LEDGER_ACCEPT_FLUSH VERBS_STATUS_BIT(IBV_WC_WR_FLUSH_ERR)
/* Not judged here: the owner of the entry reads the status itself. */
#define LEDGER_ACCEPT_ANY UINT32_MAX

struct ledger;
struct ledger_queue;

struct ledger_queue_spec {
	uint32_t end;	     /* 0: a, 1: b */
	uint32_t qp_index;   /* for WRID_SRQ: index of the SRQ */
	uint32_t generation; /* taken modulo WRID_GENERATIONS */
	enum wrid_queue kind;
	enum ibv_qp_type qp_type;
	uint32_t qp_num; /* WRID_SRQ: not used */
	uint32_t cq;	 /* any number that names the CQ, unique in its end */
	/* Entries kept: outstanding ones and the last settled ones; give at
	 * least twice the queue's depth.  Rounded up to a power of two. */
	uint32_t entries;
	bool sig_all; /* sq_sig_all; receives always signal */
};

enum ledger_state {
	LEDGER_FREE,
	LEDGER_POSTED,
	LEDGER_DONE,	/* by its own completion */
	LEDGER_SILENT,	/* unsignaled, settled by a later completion */
	LEDGER_REFUSED, /* the verb did not take it */
};

/* Valid until its queue has taken `entries` more posts. */
struct ledger_entry {
	uint64_t wr_id;
	uint64_t sequence;   /* of the queue, does not wrap */
	uint64_t len;	     /* bytes; of a receive: the room */
	uint64_t settled_by; /* SILENT: the sequence that settled it */
	void *user;	     /* the caller's */
	struct ledger_queue *queue;
	uint64_t posted_ns, completed_ns; /* the caller's to fill */
	struct ibv_wc wc;		  /* DONE: as polled */
	uint32_t accept;
	enum ibv_wr_opcode opcode; /* sends */
	enum ledger_state state;
	bool signaled;
};

struct ledger_post {
	enum ibv_wr_opcode opcode; /* sends */
	bool signaled;		   /* or'ed with sig_all; receives: ignored */
	uint64_t len;
	uint32_t accept; /* 0: LEDGER_ACCEPT_OK */
	void *user;
};

struct ledger_counts {
	uint64_t posted, refused;
	uint64_t succeeded, failed, flushed; /* own completions */
	uint64_t silent;
	uint64_t stale;
	uint64_t complaints;
};

/* @qps_max: QP (and SRQ) indexes run below it; at most WRID_QPS.
 * NULL: out of memory. */
struct ledger *ledger_create(uint32_t qps_max) MUST_USE;
void ledger_destroy(struct ledger *l);

/*
 * Open a queue, or reopen it with another generation after close.  -EINVAL:
 * a field out of range; -EEXIST: open already; -ENOMEM.
 */
int ledger_queue_open(struct ledger *l, const struct ledger_queue_spec *spec,
		      struct ledger_queue **queue) MUST_USE;
/* Its QP was destroyed or reset: what is outstanding will not come (a RESET
 * discards silently); what comes all the same is stale. */
void ledger_queue_close(struct ledger_queue *q);
/* The open queue, or NULL. */
struct ledger_queue *ledger_queue_find(struct ledger *l, uint32_t end,
				       enum wrid_queue kind, uint32_t qp_index);
const struct ledger_queue_spec *ledger_queue_spec(const struct ledger_queue *q);

/* A new entry with its wr_id; -ENOSPC when the oldest entry kept is not
 * settled yet (@entries too small, or more posted than the queue holds). */
int ledger_post(struct ledger_queue *q, const struct ledger_post *post,
		struct ledger_entry **entry) MUST_USE;
/* The verb refused this work request and all posted after it (the rest of a
 * list): they must never complete.  Sequences are not used again. */
void ledger_refuse(struct ledger_entry *entry);
/* Statuses that @entry may complete with, instead of the default. */
void ledger_accept(struct ledger_entry *entry, uint32_t accept);
/*
 * The QP goes to ERR (told to, or expected to): WR_FLUSH_ERR is accepted for
 * everything outstanding, and from now on every new work request owes one.
 * Say it for both queues of a QP that is to fail: a flush may be polled before
 * the completion that explains it.
 */
void ledger_flush_expected(struct ledger_queue *q);

/* The queue pair was moved from SQE to RTS: with nothing outstanding, what is
 * posted from now on is executed again. */
void ledger_recovered(struct ledger_queue *q);
/* Several threads post to it: its completions come in any order. */
void ledger_queue_unordered(struct ledger_queue *q);

/* Where a completion was polled. */
struct ledger_source {
	uint32_t end;
	uint32_t cq;
};

/*
 * Judge one completion.
 *	0		settled: *@entry is the work request, DONE
 *	-ESTALE		of an older generation: counted, dropped; no entry
 *	-EBADMSG	*@complaint says what is wrong: duplicated, early, out
 *			of order, foreign, wrong status, length, field, count;
 *			*@entry is the work request if it was found, else NULL
 * A complaint about status, length or field settles the entry all the same;
 * so does "out of order", told once for the gap.
 */
int ledger_complete(struct ledger *l, const struct ledger_source *source,
		    const struct ibv_wc *wc, struct ledger_entry **entry,
		    struct complaint *complaint) MUST_USE;

/* Work requests that must still complete (not those that merely may). */
uint64_t ledger_queue_owed(const struct ledger_queue *q);
/* Accepted and not settled: what occupies the queue for all we know. */
uint64_t ledger_queue_outstanding(const struct ledger_queue *q);
/* The QP's queue has seen an error or flush completion. */
bool ledger_queue_failed(const struct ledger_queue *q);
const struct ledger_counts *ledger_queue_counts(const struct ledger_queue *q);
/* The entry with this sequence, while it is kept; else NULL. */
struct ledger_entry *ledger_queue_entry(struct ledger_queue *q,
					uint64_t sequence);
/* The sequence that the next post gets. */
uint64_t ledger_queue_next(const struct ledger_queue *q);

/* All open queues: how much is owed. */
uint64_t ledger_owed(const struct ledger *l);
uint64_t ledger_stale(const struct ledger *l);
/* The end of a case: 0 when nothing is owed, else -EBADMSG and the complaint
 * "lost" names the oldest owed work request and how many there are. */
int ledger_balance(const struct ledger *l,
		   struct complaint *complaint) MUST_USE;

/* "a qp3 sq #17 gen 2 (SEND, 4096 bytes, signaled)" appended, for people. */
void ledger_entry_print(const struct ledger_entry *e, struct strbuf *out);

#endif
