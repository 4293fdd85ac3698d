/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ends as the case's process knows them: the handles behind the opaque
 * types of verbatim/end.h, and what every file of this folder shares.
 *
 * Here is the truth of the case: the ledger, the pairings, what was asked of
 * each queue pair.  Whatever touches the device goes through the operations of
 * an end (commands.h) and comes back as plain values.
 */
#ifndef SUITE_END_ENDS_H
#define SUITE_END_ENDS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/prng.h"
#include "suite/control/exchange.h"
#include "suite/end/commands.h"
#include "suite/oracle/chain.h"
#include "suite/oracle/dashboard.h"
#include "suite/oracle/diagnose.h"
#include "suite/oracle/ledger.h"
#include "suite/oracle/lossy.h"
#include "suite/oracle/pairing.h"
#include "suite/oracle/region.h"
#include "verbatim/case.h"

enum {
	ENDS_TYPES = 5,	      /* enum ibv_qp_type that paths are known of */
	ENDS_QPS_MAX = 4096,  /* of both ends in one case, destroyed included */
	ENDS_EVENTS = 32,     /* kinds of asynchronous events */
	ENDS_SLACK_MS = 2000, /* for a completion, besides all timers */
	/* What the kernel answers for counters may be 10 ms old: kernel
	 * infiniband/core/sysfs.c, lifespan of hw_counters. */
	ENDS_CACHED_MS = 12,
	ENDS_SETTLE_MS = 5, /* for what must not come */
};

struct ends;

/* The atomics on one 8-byte cell that have not been settled. */
struct ends_cell {
	struct ends_cell *next;
	uint64_t at;
	struct chain *chain;
};

/* The account of a region's memory, shared by all registrations of it. */
struct ends_memory {
	struct ends_memory *next; /* of the case's */
	struct vb_object *owner;  /* whose memory it is */
	struct region *region;
	struct ends_cell *cells;
};

/* How an object stands to the asynchronous events of one kind. */
struct ends_event {
	uint32_t came, expected;
	bool allowed;
};

struct vb_object {
	struct vb_end *end;
	struct vb_object *next; /* of the end's objects */
	enum end_kind kind;
	uint32_t id;
	bool gone;
	struct vb_object *in_pd; /* MR, MW, AH, SRQ */
	/* CQ: */
	uint32_t cqe;
	struct dashboard_cq *row;
	struct vb_object *channel;
	bool manual, held;
	uint32_t taken, unacked; /* events: not expected yet; to acknowledge */
	bool may_fail;		 /* the case expects an overrun */
	uint32_t overruns;	 /* CQ_ERR events of it */
	/* MR: */
	uint32_t lkey, rkey;
	bool access_known;
	unsigned access; /* as registered */
	uint32_t room, slots, slots_used, sges;
	uint32_t pd; /* of the store: whose memory it is */
	bool own;    /* of the end's store, not made by the case */
	uint64_t address;
	struct ends_memory *memory;
	uint32_t memory_at; /* of its first byte */
	/* AH: */
	bool dgid_known;
	union ibv_gid dgid;
	/* MW: `room`, `rkey` and `address` of what it is bound to, and: */
	enum ibv_mw_type mw_type;
	struct vb_object *bound;
	/* SRQ: */
	struct ibv_srq_attr srq_attr;
	struct ledger_queue *queue;
	uint32_t index;
	struct vb_wr *wrs;
	struct ends_event limit_event;
	uint32_t limits_armed;
};

struct vb_end {
	struct ends *ends;
	uint8_t side; /* 0: a, 1: b */
	const struct end_ops *ops;
	struct end_host *host;
	bool remote; /* `host` is one of remote.h */
	/* Such a one was last heard about its CQs then; and it may have
	 * events, which are asked for only then. */
	uint64_t heard_ns;
	bool may_have_event;
	struct end_opened opened;
	uint32_t mtu;		   /* default path MTU, bytes */
	struct vb_object *objects; /* newest first */
	struct vb_object *pd, *channel, *shared_cq;
	uint32_t qps;	    /* made so far: the next index */
	uint32_t srqs;	    /* likewise */
	uint32_t cq_errors; /* CQ_ERR events */
	/* A refusal by a negative value has been noted. */
	bool negative_post_told, negative_modify_told;
	uint64_t events; /* all that were about an object of its */
	/* PORT_ERR and PORT_ACTIVE. */
	struct ends_event port_events[2];
	/* Its connection id that listens, or 0, and where. */
	uint32_t cm_listener;
	struct end_cm_address cm_address;
	struct ends_counters *counters; /* look.c's; or NULL */
};

struct vb_qp {
	struct vb_end *end;
	struct ends *ends;
	uint32_t id, index, qpn, generation;
	enum ibv_qp_type type;
	struct ibv_qp_cap cap;
	bool sig_all, gone;
	bool builder; /* posted to by ibv_wr_*() */
	/* The case wrote to the buffer of a send that was not inline. */
	bool scribbled;
	bool srq_own; /* its SRQ was made for it, and goes with it */
	struct vb_object *pd, *send_cq, *recv_cq;
	struct exchange_params own;    /* what it tells the peer */
	struct exchange_params remote; /* what it was told */
	bool introduced;
	uint32_t cm_id;	    /* its connection id, or 0 */
	uint32_t cm_events; /* types that came for it unasked, as bits */
	struct vb_qp *peer; /* in this process; else NULL */
	/* The peer's identity as a sender, when there is a peer anywhere. */
	bool origin_known;
	struct pattern_origin origin;
	/* What modify calls have set so far, since the last RESET. */
	struct ibv_qp_attr set;
	unsigned set_mask;
	enum ibv_qp_state state; /* as last queried */
	struct ledger_queue *sq, *rq;
	struct pairing *out; /* messages from here to the peer */
	struct lossy *loose; /* the same of UC and UD; else NULL */
	struct vb_object *srq;
	struct vb_object *ah[2]; /* UD: to the ports of the ends, on demand */
	/* Operations on memory, posted and not settled, oldest first. */
	struct vb_wr *effects, **effects_end;
	uint64_t lost_told;
	bool failed_before;    /* an error of an earlier generation */
	uint32_t srq_errors;   /* receives of the SRQ that failed here */
	uint64_t acknowledged; /* messages of `out`, from number 0 on */
	uint64_t received;     /* successful receives of this generation */
	uint64_t silent; /* sends settled without a completion, told so far */
	bool sq_failed, rq_failed; /* an error has completed there */
	uint64_t completions;	   /* of both queues, in all generations */
	uint32_t statuses; /* all that were polled but flushes, as bits */
	bool told_err;	   /* modified to ERR by the case */
	uint64_t errors;   /* completions that were neither SUCCESS nor flush */
	/* The first of them, of this generation; or NULL. */
	struct vb_wr *failure;
	uint64_t failed_round; /* in which it was polled */
	/* When the case last moved it to a state, or destroyed it. */
	uint64_t changed_ns;
	struct ends_event events[ENDS_EVENTS];
	struct vb_wr *wrs; /* its single work requests, newest first */
	struct dashboard_qp *row;
};

struct walk;
struct walk_post;

struct vb_wr {
	struct vb_qp *qp; /* of an SRQ's receive: who took it, else NULL */
	struct vb_end *end;
	struct vb_object *srq; /* receives from there */
	struct vb_wr *next;
	struct end_place place;
	uint64_t wr_id;
	uint64_t sequence; /* of its queue */
	uint64_t number;   /* sends: of the message */
	uint64_t posted_ns, completed_ns;
	uint32_t len;
	uint32_t generation; /* of the queue pair when posted */
	enum ibv_wr_opcode op;
	uint32_t imm_data; /* network order */
	/* As posted: of the target, and instead of the region's own lkey;
	 * @lkeys_said: of each piece another. */
	uint64_t remote_address;
	uint32_t rkey, lkey;
	bool lkey_said, lkeys_said;
	uint32_t ah, remote_qpn, remote_qkey; /* UD */
	bool send, signaled;
	bool refused; /* never accepted */
	bool as_is;   /* its bytes are the case's own */
	_Atomic bool done;
	bool judged; /* the case has asked for its status */
	struct ibv_wc wc;
	struct vb_stream *stream; /* owner, when it is not the case's */
	void *flow;
	struct walk *walker;	/* of a walk, */
	struct walk_post *walk; /* and what its model knows of it */
	/* Sends, as the message is known to the receiver. */
	struct pattern_message payload;
	struct vb_wr *met; /* receives: the send that it got, if of the case */
	/* Sends: messages of its queue pair that are acknowledged with it. */
	uint64_t acks;
	struct vb_qp *dest; /* UD */
	/* An operation on memory: */
	struct vb_wr *effect_next;
	bool effect, fenced;
	struct ends_memory *memory; /* NULL: none that is accounted for */
	uint64_t memory_at;
	uint64_t compare_add, swap, result;
	struct vb_object *window; /* BIND_MW */
	struct end_bind bind;
	struct vb_object *bind_mr;
};

struct ends {
	struct vb_test *t;
	struct vb_end *end[2]; /* NULL: not used so far */
	struct ledger *ledger;
	struct recorder *recorder;
	struct dashboard *dashboard;
	struct prng prng;
	struct vb_qp *qps[ENDS_QPS_MAX];
	uint32_t qps_count;
	/* Everybody who has sent, for diagnosis of wrong content. */
	struct pattern_known known[ENDS_QPS_MAX];
	uint32_t known_count;
	struct vb_pair *pairs[ENDS_QPS_MAX];
	uint32_t pairs_count;
	struct vb_stream *streams; /* running */
	struct vb_peer *peer;
	struct ends_memory *memories;
	struct vb_wr *kept;	/* handles that a queue may name to the end */
	struct ends_lock *lock; /* while threads run, else NULL */
	/* VB_PATH_* bits that the device lacks, by QP type, once known. */
	unsigned paths_lack[ENDS_TYPES];
	bool paths_known[ENDS_TYPES], paths_told;
	bool cm_told; /* what the CM chose has been shown */
	/* The last post that was refused and should not have been. */
	struct ends_refusal {
		struct vb_qp *qp; /* NULL: there is none */
		int err;
		bool send;
		uint32_t sges;
	} refusal;
	/* What a complaint would be about, or NULL; the thread that waits last
	 * has its say. */
	struct vb_qp *_Atomic focus;
	_Atomic uint64_t idle;	  /* rounds without any completion, in a row */
	uint64_t rounds;	  /* of looking at all CQs, so far */
	struct end_polled polled; /* of the poll in hand */
	struct end_watched watched; /* the same, of an end elsewhere */
};

/* --- ends.c ------------------------------------------------------------- */

struct ends *ends_of(struct vb_test *t);
/* "a", "b" */
const char *ends_side(const struct vb_end *e);
static inline struct vb_test *ends_test(const struct vb_qp *qp)
{
	return qp->ends->t;
}

/* A message size from @prng, as @sizes (NULL: --size) says; the largest. */
uint32_t ends_size_draw(struct vb_test *t, struct prng *prng,
			const struct vb_sizes *sizes);
uint32_t ends_size_max(struct vb_test *t, const struct vb_sizes *sizes);

/* Whose work request it is; NULL: an SRQ's, or of none of ours. */
struct vb_qp *ends_qp_of(struct ends *e, uint64_t wr_id);
/* Say what a part of the judge found, ending the case. */
void ends_complain(struct ends *e, const struct complaint *c) NO_RETURN;

/* --- objects.c ---------------------------------------------------------- */

/* A piece of memory for one work request, out of the end's store. */
void ends_place(struct vb_object *pd, uint32_t room, uint32_t sges,
		struct end_place *place);
struct vb_object *ends_object_add(struct vb_end *e, enum end_kind kind,
				  uint32_t id);
struct vb_object *ends_object_find(struct vb_end *e, uint32_t id);
struct vb_object *ends_mr_make(struct vb_object *pd, uint32_t slots,
			       uint32_t room, uint32_t sges, bool transient,
			       unsigned access);
struct vb_object *ends_cq_default(struct vb_end *e, uint32_t cqe, bool ex);
/* 0 or the verb's answer. */
int ends_object_destroy(struct vb_object *o);
const char *ends_kind_name(enum end_kind kind);

/* --- queues.c ----------------------------------------------------------- */

/* vb_expect_cq_event() within @ms. */
void ends_cq_event(struct vb_object *cq, unsigned ms);

/* --- memory.c ----------------------------------------------------------- */

/* @len bytes from @at on of the memory cannot be known any more. */
void ends_memory_forget(struct ends_memory *m, uint64_t at, uint64_t len);
void ends_memories_free(struct ends *e);
/* True when a region that nothing is under way to holds what it must, or what
 * it held before what may be lost; does not wait. */
bool ends_memory_glance(struct vb_object *mr);

/* --- effects.c ---------------------------------------------------------- */

/* What @form does to memory, besides carrying a message: enter it. */
void ends_effect_enter(struct vb_qp *qp, struct vb_wr *wr,
		       const struct vb_send_args *args, struct end_wr *form);
/* It was refused, or will never complete. */
void ends_effect_leave(struct vb_qp *qp, struct vb_wr *wr);
/* The receive of a WRITE with immediate has completed: it is all there. */
void ends_effect_arrived(struct vb_wr *write);
/* @wr has completed: all up to it has been done, and is judged. */
void ends_effects_settle(struct vb_wr *wr);
/* The queue pair is reset or destroyed: what was under way may be done. */
void ends_effects_drop(struct vb_qp *qp);

/* --- datagram.c --------------------------------------------------------- */

/* Where a datagram of @args goes. */
void ends_datagram_form(struct vb_qp *qp, const struct vb_send_args *args,
			struct vb_wr *wr, struct end_wr *form);
/* Which of the messages that may be lost is this?  Judges all of it. */
void ends_loose_received(struct vb_wr *wr);

/* --- paths.c ------------------------------------------------------------ */

/* The way of a queue pair for which the case says @path. */
unsigned ends_paths_lack(struct vb_test *t, enum ibv_qp_type type);
unsigned ends_path(struct vb_end *e, const struct vb_qp_args *args);

/* --- srq.c -------------------------------------------------------------- */

void ends_srq_post(struct vb_object *srq, struct vb_wr **wrs, uint32_t count,
		   const struct end_wr *forms, uint32_t bad, uint32_t accept);
void ends_srq_settle(struct vb_object *srq);

/* --- threads.c ---------------------------------------------------------- */

/* The books are touched between these, when threads run. */
void ends_lock(struct ends *e);
void ends_unlock(struct ends *e);

/* --- qp.c --------------------------------------------------------------- */

/* Close the books of the generation and open those of the next. */
void ends_qp_renew(struct vb_qp *qp);
int ends_qp_destroy(struct vb_qp *qp);
/* The device has destroyed it: so do the books. */
void ends_qp_gone(struct vb_qp *qp);

/* --- modify.c ----------------------------------------------------------- */

/* Modify; a refusal breaks the case: for set-up. */
void ends_bring(struct vb_qp *qp, enum ibv_qp_state to,
		const struct vb_attr_args *args);
/* The same by given attributes. */
void ends_bring_by(struct vb_qp *qp, enum ibv_qp_state to,
		   const struct ibv_qp_attr *attr, unsigned mask);
static inline bool ends_iwarp(const struct vb_end *e)
{
	return e->opened.transport == IBV_TRANSPORT_IWARP;
}
/* Nothing is judged by what ibv_query_qp() tells of it. */
static inline bool ends_blind(const struct vb_end *e)
{
	return ends_iwarp(e);
}
/* It has come to a state that no modify of ours named. */
void ends_entered(struct vb_qp *qp, enum ibv_qp_state to);
/* The attributes as queried now; ends the case when that fails. */
void ends_query(struct vb_qp *qp, struct ibv_qp_attr *attr);

/* --- post.c ------------------------------------------------------------- */

/*
 * Post ready work requests: entries in the books, then the verb.  @bad: index
 * that must be refused, @count: none, POST_EITHER: the device's choice.
 */
enum { POST_EITHER = INT32_MAX };
void ends_post(struct vb_qp *qp, struct vb_wr **wrs, uint32_t count,
	       const struct end_wr *forms, uint32_t bad, uint32_t accept);
/* @verb refused by a value below 0, which RES-01 lets pass: noted, unless @told
 * says that it has been. */
void ends_negative_note(struct vb_end *end, const char *verb, bool *told);
void ends_post_judge(struct vb_end *end, uint32_t number, const char *what,
		     const struct end_posted *out, uint32_t count,
		     uint32_t bad);

/* --- form.c ------------------------------------------------------------- */

/* Room for the forms of one post, of each thread. */
struct end_wr *ends_list(void);
/* A work request handle, and the form of a receive of @pd's memory. */
struct vb_wr *ends_wr_make(struct vb_end *end, struct vb_wr **list, bool send);
void ends_recv_form(struct vb_object *pd, const struct vb_recv_args *args,
		    bool datagram, struct vb_wr *wr, struct end_wr *form);
/* The form of what the case asks for, and its handle. */
struct vb_wr *ends_recv_make(struct vb_qp *qp, const struct vb_recv_args *args,
			     struct end_wr *form);
struct vb_wr *ends_send_make(struct vb_qp *qp, const struct vb_send_args *args,
			     struct end_wr *form);
/* @len bytes split at random into @sges pieces, none of them empty. */
void ends_split(struct prng *prng, uint32_t len, uint32_t sges,
		struct end_place *place);

/* --- judge.c ------------------------------------------------------------ */

struct vb_qp *ends_qp_by_number(struct ends *e, const struct vb_end *end,
				uint32_t qpn);
/* Does the buffer hold that?  False and *@c: it does not. */
bool ends_holds(struct vb_wr *wr, const struct end_verify *in,
		struct complaint *c);
/* The verification of a receive's message, not yet which. */
void ends_verify_begin(struct vb_wr *wr, struct pattern_context *context,
		       struct end_verify *in);
/* One completion that was polled. */
void ends_judge(struct ends *e, const struct vb_object *cq,
		const struct ibv_wc *wc);
/* How long a completion of @qp may take at most, in ms before --patience. */
unsigned ends_patience_ms(const struct vb_qp *qp);
/* "a qp0 sq #17 gen 1 (SEND, 64 bytes)": of @wr, for texts. */
const char *ends_wr_text(const struct vb_wr *wr, char *text, size_t room);
enum { ENDS_TEXT = 96 };

/* A counter at once, old as it may be; 0 or -ENOTSUP. */
int ends_counter(struct vb_end *e, const char *name, struct end_count *out);

/* --- progress.c --------------------------------------------------------- */

/* Poll and judge all there is; how many completions there were. */
uint64_t ends_progress(struct ends *e);
/* Poll that CQ alone, and have what comes judged. */
void ends_progress_cq(struct vb_object *cq);
/* Until @done says so: true.  False: the deadline passed. */
bool ends_wait(struct ends *e, uint64_t deadline_ns, bool (*done)(void *arg),
	       void *arg);
/* Nothing has to be asked of an end elsewhere: it was heard of a moment ago,
 * and @done says so already. */
bool ends_already(struct ends *e, bool (*done)(void *arg), void *arg);

/* --- watch.c ------------------------------------------------------------ */

/* Poll all CQs of an end elsewhere: now; or take what has been found since
 * the last time, and have it looked for again.  How many completions. */
uint64_t ends_watch_now(struct vb_end *end);
uint64_t ends_watch_step(struct vb_end *end);
/* Its descriptor becomes readable when it has an event. */
void ends_watch_sleep(struct vb_end *end);

/* --- failure.c ---------------------------------------------------------- */

enum { ENDS_FAILURE_TEXT = ENDS_TEXT + 64 };

/* Keep what the status of @wr, which has completed, means for its queue pair. */
void ends_failure_note(struct vb_wr *wr);
/* The first error of @qp, or else of its peer, that the case has not looked at
 * so far; or NULL. */
struct vb_wr *ends_unexplained(const struct vb_qp *qp);

/* A wait for @wr. */
struct ends_hope {
	const struct vb_wr *wr;
	struct vb_wr *error;
	uint64_t until_ns; /* 0: @error is not */
};

/* For an end_wait: true when @wr cannot complete any more, for @error. */
bool ends_hopeless(struct ends_hope *h);
/* The finding: "<@error> completed with ..., which nothing explains; <@wr>
 * <@what>". */
void ends_failure_tell(struct vb_wr *error, const struct vb_wr *wr,
		       const char *what) NO_RETURN;
/* A flush of @wr that is not expected: tell the error before it, if any. */
void ends_failure_flushed(const struct vb_wr *wr);
/* "; before, ... completed with ..." for texts, or "": all is explained. */
const char *ends_failure_text(const struct vb_qp *qp, char *text, size_t room);

/* --- stream.c ----------------------------------------------------------- */

void ends_stream_done(struct vb_wr *wr);
void ends_stream_advance(struct vb_stream *s);

/* --- walk.c ------------------------------------------------------------- */

/* Is its status one that the model of its walk accepts? */
void ends_walk_done(struct vb_wr *wr);

/* --- cause_memory.c ------------------------------------------------------ */

/* The right that an operation needs at the peer; 0: none. */
unsigned ends_cause_right(enum ibv_wr_opcode op);
/* What the books say of the keys that @wr names: of its own memory, and of the
 * peer's. */
enum diagnose_key ends_cause_local(const struct vb_wr *wr);
enum diagnose_key ends_cause_remote(const struct vb_wr *wr);
/* Whether the request of @qp that failed came to @peer (may be NULL), and what
 * stood in its way. */
void ends_cause_arrival(const struct vb_qp *qp, const struct vb_qp *peer,
			struct diagnose_facts *facts);
/* Of a receive @wr of UD that waits, and the last datagram meant for it. */
void ends_cause_datagram(const struct vb_qp *qp, struct diagnose_facts *facts);

/* --- look.c --------------------------------------------------------------- */

/* The end has been opened: remember what its device has counted so far. */
void ends_look_begin(struct vb_end *end);
/* How often since then; false: that is not known. */
bool ends_look_counted(struct vb_end *end, const char *name, uint64_t *count);

/* --- peer.c ------------------------------------------------------------- */

/* Ends the case when the other process is dead. */
void ends_peer_look(struct vb_peer *p);
void ends_peer_close(struct vb_peer *p);
/* The second process has ended. */
bool ends_peer_dead(const struct vb_peer *p);
/* It stands still, as SIGSTOP makes it. */
bool ends_peer_stopped(const struct vb_peer *p);

#endif
