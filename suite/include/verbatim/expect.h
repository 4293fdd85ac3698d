/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a case expects.  Each call waits with a deadline of its own, counts as
 * one or more checks when it holds, and ends the case with a finding when it
 * does not: no expectation returns a verdict to be forgotten.
 *
 * While any of them waits, all completion queues and event queues of both ends
 * are polled and judged, so a completion that nobody asked for, or a second
 * one, or one out of its queue's order, ends the case wherever it stands.  An
 * error that the case has not looked at ends a wait that it has made vain: for
 * a receive whose sender has failed, for a work request flushed behind it.
 */
#ifndef VERBATIM_EXPECT_H
#define VERBATIM_EXPECT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/end.h"

/* --- One work request --------------------------------------------------- */

/*
 * @wr completes once with @status.  With SUCCESS all other fields are judged
 * too (opcode, qp_num; receives: byte_len, immediate, and content against the
 * message that the peer sent n-th for the n-th receive).  After an error only
 * wr_id, status and qp_num mean anything.  The default deadline is derived
 * from the timers of the connection.
 */
void vb_expect_wc(struct vb_wr *wr, enum ibv_wc_status status);
/* With one of several; which one, is returned. */
#define vb_expect_wc_among(wr, ...)                                   \
	vb_expect_wc_list(                                            \
		wr, (const enum ibv_wc_status[]){ __VA_ARGS__ },      \
		sizeof((const enum ibv_wc_status[]){ __VA_ARGS__ }) / \
			sizeof(enum ibv_wc_status))
enum ibv_wc_status vb_expect_wc_list(struct vb_wr *wr,
				     const enum ibv_wc_status *statuses,
				     uint32_t count);

/* @wr has not completed, and does not within @ms. */
void vb_expect_pending(struct vb_wr *wr, unsigned ms);
/* Is its completion in?  Looks once, without waiting. */
bool vb_completed(struct vb_wr *wr);
/* From its post to its completion being polled; it must have completed. */
uint64_t vb_took_ns(const struct vb_wr *wr);

/* The buffer of @recv holds its background still, to the last byte. */
void vb_expect_untouched(struct vb_wr *recv);

/* --- Memory that peers use ---------------------------------------------- */

/*
 * The region holds, to the last byte, what it must after all that has
 * completed: the messages written, the values that atomics left, the rest as
 * before; and no byte outside it was written.  It waits a little for that: on
 * RC a completion says that the peer has it, not that its processor sees it.
 * What UC lost is right too, and counted: the answer.
 */
uint32_t vb_expect_memory(struct vb_object *mr);
/* The same of a part. */
uint32_t vb_expect_memory_part(struct vb_object *mr, uint32_t offset,
			       uint32_t len);

/* --- Both ends of one message ------------------------------------------- */

/*
 * Both complete with SUCCESS and belong together: byte_len is what was sent,
 * opcode and immediate agree, the content is that very message's, the rest of
 * the buffer and the guards are as they were.  An unsignaled @send has no
 * completion of its own, and none is waited for.
 */
void vb_expect_message(struct vb_wr *send, struct vb_wr *recv);

/* One end of it, when the other is out of sight (another process): a message
 * of @len bytes, SUCCESS, right content, guards. */
void vb_expect_received(struct vb_wr *recv, uint32_t len);

/*
 * The pair of statuses (and the states of both queue pairs afterwards) is one
 * that the row @scenario of the status matrix accepts, e.g. "S02".  @recv may
 * be NULL where no receive takes part.
 */
void vb_expect_scenario(struct vb_test *t, const char *scenario,
			struct vb_wr *send, struct vb_wr *recv);

/*
 * One request of a at a region of b (.to), by a pair made for it alone, of
 * which b is in @pd and grants READ and WRITE: it is done, or it ends as the row
 * @scenario says, if not NULL.  Either way the region holds what it must.
 */
#define vb_expect_access(pd, scenario, ...) \
	vb_expect_access_args(pd, scenario, \
			      &(struct vb_send_args){ __VA_ARGS__ })
void vb_expect_access_args(struct vb_object *pd, const char *scenario,
			   const struct vb_send_args *args);

/* --- Queue pairs, pairs, ends ------------------------------------------- */

/* ibv_query_qp() comes to say @state: it may lag behind a completion. */
void vb_expect_state(struct vb_qp *qp, enum ibv_qp_state state);
/* It says so now; of a device too whose query is known to be of no use, and
 * is not judged elsewhere. */
void vb_expect_told(struct vb_qp *qp, enum ibv_qp_state state);
/* ibv_query_qp() tells with what it was created: capabilities, type, CQs, SRQ,
 * sq_sig_all; of such a device too. */
void vb_expect_told_init(struct vb_qp *qp);
/* Every attribute set by modify calls so far reads back now. */
void vb_expect_attributes(struct vb_qp *qp);
/* No byte outside any buffer of @qp's work requests was written. */
void vb_expect_guards(struct vb_qp *qp);

/*
 * The books of both ends are closed: every accepted request of the pair is
 * completed (or unsignaled and covered by a later completion; a receive still
 * posted while its queue pair works is not owed), nothing came that was not
 * owed, no byte outside a buffer was written, no unexpected asynchronous event
 * was raised.
 */
void vb_expect_settled(struct vb_pair *p);
/* The same for one queue pair, when its peer is out of sight. */
void vb_expect_qp_settled(struct vb_qp *qp);
/* The same for every queue pair of the case. */
void vb_expect_all_settled(struct vb_test *t);

/* The counter, which vb_counter() knows, comes to be at least @least. */
void vb_expect_counter(struct vb_end *e, const char *name, uint64_t least);

/* Completions of lives that were over, of both ends so far: of queue pairs
 * since destroyed or reset.  They are dropped. */
uint64_t vb_stale(struct vb_test *t);

/* No completion comes at @e for @ms, and no asynchronous event of any of its
 * queue pairs, CQs and SRQs.  Those of its port and its GIDs are the host's
 * doing (AEV-03): they are noted. */
void vb_expect_quiet(struct vb_end *e, unsigned ms);

/* --- Asynchronous events ------------------------------------------------ */

/* The event comes, for this queue pair. */
void vb_expect_event(struct vb_qp *qp, enum ibv_event_type type);
/* It may come: devices differ; settling does not mind it. */
void vb_allow_event(struct vb_qp *qp, enum ibv_event_type type);

/* The limit event of an SRQ comes, once; its limit reads 0 then (SRQ-06). */
void vb_expect_srq_limit(struct vb_object *srq);
/* The CQ_ERR of @cq comes, if it has not come before (CQ-02). */
void vb_expect_cq_error(struct vb_object *cq);

/* --- Loss --------------------------------------------------------------- */

/* UC and UD: messages that completed at the sender and have not come so far.
 * Settling does not mind them. */
uint64_t vb_lost(struct vb_qp *qp);
/* The receive meets a message sent to it, whichever: SUCCESS and all else of
 * vb_expect_message().  The send, or NULL. */
struct vb_wr *vb_expect_some_message(struct vb_wr *recv);
/* @send is not received (for @ms): it was to be dropped. */
void vb_expect_dropped(struct vb_wr *send, unsigned ms);

/* --- Time --------------------------------------------------------------- */

/* The monotonic clock, for figures; what must hold is waited for. */
uint64_t vb_now_ns(void);
/* Let @ms pass while the ends go on being polled and judged. */
void vb_let_pass(struct vb_test *t, unsigned ms);

/* What the code of min_rnr_timer (0: 655.36 ms) and of timeout (0: never, as
 * UINT64_MAX) mean; both are lower bounds of what a device waits. */
uint64_t vb_rnr_timer_ns(uint8_t code);
uint64_t vb_ack_timeout_ns(uint8_t code);

#endif
