/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a case does: it makes objects on the two ends a and b, connects queue
 * pairs and posts work requests.  What it expects of them: expect.h.
 *
 * Handles are opaque and live until the case ends, destroyed or not; arguments
 * are plain values, so that an end may live in another process or host without
 * the case knowing.  Buffers belong to the end, which fills and verifies them:
 * each stands between guard zones, a receive buffer holds a background that
 * no payload resembles, a message carries a payload that knows its queue pair,
 * its sequence and every offset.
 *
 * Calls with a capital-less name and trailing ... take designated arguments:
 *
 *	vb_connect(t, .type = IBV_QPT_RC, .depth = 2)
 *
 * What is not named has the default that its field says.  Values of which 0 is
 * a meaningful one are written VB_SET(0); plain zero could not be told from
 * "not said", and does not compile.
 *
 * Set-up that fails makes the case broken (vb_connect(), creations); a verb
 * that a case calls as its subject and that answers wrongly makes it fail
 * (vb_modify(), vb_post_*(), vb_destroy(), the _refused forms).
 */
#ifndef VERBATIM_END_H
#define VERBATIM_END_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/options.h"
#include "verbatim/resources.h"

struct vb_test;
struct vb_end;
struct vb_qp;
struct vb_wr;
struct vb_peer;
struct vb_stream;

/* --- The ends ----------------------------------------------------------- */

/* The ends of the case; opened, with a PD, at their first use. */
struct vb_end *vb_a(struct vb_test *t);
struct vb_end *vb_b(struct vb_test *t);

/* What device and port say of themselves. */
const struct ibv_device_attr *vb_device_attr(const struct vb_end *e);
const struct ibv_port_attr *vb_port_attr(const struct vb_end *e);
/* The path MTU that connections get unless told otherwise, in bytes. */
uint32_t vb_mtu(const struct vb_end *e);

/*
 * A counter of the device by rxe's name for it ("rcvd_rnr_err").  0, or
 * -ENOTSUP where the device has no such counter: the case then judges by time.
 */
int vb_counter(struct vb_end *e, const char *name, uint64_t *value) MUST_USE;

/* Chance, from the case's own seed: a number in low..high, the same for the
 * same seed. */
uint64_t vb_draw(struct vb_test *t, uint64_t low, uint64_t high);

/* --- Queue pairs -------------------------------------------------------- */

/* Which completion queue a queue pair gets. */
enum vb_cq_choice {
	VB_CQ_OWN,    /* one of its own for both queues */
	VB_CQ_SHARED, /* the one that all who say so share on their end */
	VB_CQ_SPLIT,  /* one for sends and one for receives */
};

/*
 * Ways to the same thing, bits.  A queue pair of which the case says none goes
 * the way of --path: so the same case runs through each of them.  What depends
 * on one way says so, with these bits in `fixed` of its record, and is left
 * alone there; what is about the ways themselves has VB_EACH_PATH().
 */
enum vb_path {
	VB_PATH_SRQ = 1u << 0,	    /* receives from an SRQ of its own */
	VB_PATH_EXTENDED = 1u << 1, /* ibv_start_poll() for ibv_poll_cq() */
	VB_PATH_BUILDER = 1u << 2,  /* ibv_wr_*() for ibv_post_send() */
	/* Those bits and no others: --path has no say. */
	VB_PATH_SAID = 1u << 3,
};

/*
 * for (each combination that the device has), starting with none of them;
 * each is named in a note, and those that the device refuses too:
 *
 *	VB_EACH_PATH(t, IBV_QPT_RC, path)
 *		vb_stream(vb_connect(t, .path = path));
 */
#define VB_EACH_PATH(t, type, path)                                   \
	for (unsigned path = vb_path_next(t, type, UINT32_MAX); path; \
	     path = vb_path_next(t, type, path))
unsigned vb_path_next(struct vb_test *t, enum ibv_qp_type type, unsigned path);

struct vb_qp_args {
	enum ibv_qp_type type; /* default: RC */
	uint32_t depth;	       /* of both queues; default: --inflight */
	struct vb_value send_depth, recv_depth; /* default: depth */
	uint32_t sges; /* a WR, both queues; default: 1 */
	struct vb_value send_sges, recv_sges; /* default: sges */
	uint32_t inline_max;		      /* max_inline_data asked */
	bool sig_all;			      /* sq_sig_all */
	enum vb_cq_choice cq;
	struct vb_value cqe; /* size of CQs made; default: what fits */
	/* Objects made by the case in the place of the end's own. */
	struct vb_object *pd, *send_cq, *recv_cq;
	/* Its receives come from there; vb_post_recv() on it posts there. */
	struct vb_object *srq;
	unsigned path; /* VB_PATH_* bits; default: as --path says */
};

/* In RESET, as ibv_create_qp() leaves it. */
#define vb_create_qp(e, ...) \
	vb_create_qp_args(e, &(struct vb_qp_args){ __VA_ARGS__ })
struct vb_qp *vb_create_qp_args(struct vb_end *e,
				const struct vb_qp_args *args);
#define vb_create_qp_refused(e, ...) \
	vb_create_qp_refused_args(e, &(struct vb_qp_args){ __VA_ARGS__ })
void vb_create_qp_refused_args(struct vb_end *e, const struct vb_qp_args *args);

/* What the device wrote back at creation. */
const struct ibv_qp_cap *vb_qp_cap(const struct vb_qp *qp);
uint32_t vb_qp_num(const struct vb_qp *qp);
struct vb_end *vb_qp_end(const struct vb_qp *qp);
/* The PD it was made in, and the one that an end makes for itself. */
struct vb_object *vb_qp_pd(const struct vb_qp *qp);
struct vb_object *vb_end_pd(const struct vb_end *e);
/* The completion queue that its sends report to. */
struct vb_object *vb_qp_send_cq(const struct vb_qp *qp);

/* Its send lists are taken or refused as a whole (ibv_wr_complete()). */
bool vb_posts_whole(const struct vb_qp *qp);

void vb_destroy_qp(struct vb_qp *qp);

/* --- State and attributes of a queue pair ------------------------------- */

/*
 * The attributes of one ibv_modify_qp() call.  Each transition has its
 * required ones from the defaults (options, port, the exchanged parameters of
 * the peer); a VB_SET() replaces the value (and adds the attribute where the
 * transition does not have it).
 */
struct vb_attr_args {
	struct vb_value pkey_index, port, access, qkey;
	struct vb_value mtu; /* bytes: 256 512 1024 2048 4096 */
	struct vb_value dest_qpn, rq_psn, sq_psn;
	struct vb_value gid_index, dlid, is_global;
	struct vb_value av_port; /* of the address vector; default: port */
	const union ibv_gid *dgid;
	struct vb_value min_rnr_timer, timeout, retry, rnr_retry;
	struct vb_value max_rd_atomic, max_dest_rd_atomic;
	struct vb_value cur_state, en_sqd_notify;
	unsigned omit; /* IBV_QP_* bits left out of the mask */
	unsigned add;  /* IBV_QP_* bits put into the mask besides */
};

/*
 * Modify: must succeed, and what was set must read back (else wrong-return,
 * wrong-attribute).  The refused form must be refused, and state and all
 * attributes must read as before.
 */
#define vb_modify(qp, state, ...) \
	vb_modify_args(qp, state, &(struct vb_attr_args){ __VA_ARGS__ })
void vb_modify_args(struct vb_qp *qp, enum ibv_qp_state state,
		    const struct vb_attr_args *args);
#define vb_modify_refused(qp, state, ...) \
	vb_modify_refused_args(qp, state, &(struct vb_attr_args){ __VA_ARGS__ })
void vb_modify_refused_args(struct vb_qp *qp, enum ibv_qp_state state,
			    const struct vb_attr_args *args);
/* Where devices may differ: did it accept?  The read-back of what it accepted,
 * and the unchanged state after what it refused, are judged all the same. */
#define vb_try_modify(qp, state, ...) \
	vb_try_modify_args(qp, state, &(struct vb_attr_args){ __VA_ARGS__ })
bool vb_try_modify_args(struct vb_qp *qp, enum ibv_qp_state state,
			const struct vb_attr_args *args);

/* The state as ibv_query_qp() tells it now. */
enum ibv_qp_state vb_state(struct vb_qp *qp);
/* Does it tell that its send queue is still on its way into SQD? */
bool vb_draining(struct vb_qp *qp);

/* --- Pairs -------------------------------------------------------------- */

struct vb_pair {
	struct vb_qp *a, *b;
};

/*
 * Tell each queue pair the other's parameters (QPN, LID, GID, PSN, MTU), out
 * of band, as RTR and RTS will need them.  The PSNs are drawn from the seed.
 */
struct vb_pair *vb_introduce(struct vb_qp *a, struct vb_qp *b);

/* The same, and both are brought to RTS by the defaults, in the way that the
 * run connects (--connect). */
struct vb_pair *vb_join(struct vb_qp *a, struct vb_qp *b);

struct vb_connect_args {
	enum ibv_qp_type type; /* default: RC */
	uint32_t depth;
	struct vb_value send_depth, recv_depth;
	uint32_t sges;
	struct vb_value send_sges, recv_sges;
	uint32_t inline_max;
	bool sig_all;
	enum vb_cq_choice cq;
	struct vb_value cqe;
	unsigned path;
	/* Each end's SRQ and PD, made by the case. */
	struct vb_object *srq_a, *srq_b, *pd_a, *pd_b;
	/* Of every modify on the way to RTS, for both ends, or for one of them
	 * (which goes before). */
	struct vb_attr_args attr, attr_a, attr_b;
	/* How far; default: RTS. */
	enum ibv_qp_state state;
};

/* Two queue pairs, one at each end, brought to RTS with one another.  Fields
 * up to .cqe as in vb_qp_args. */
#define vb_connect(t, ...) \
	vb_connect_args(t, &(struct vb_connect_args){ __VA_ARGS__ })
struct vb_pair *vb_connect_args(struct vb_test *t,
				const struct vb_connect_args *args);
/* A pair that failed or was reset: both through RESET to RTS again, as a new
 * generation with new PSNs.  Completions of the old one are stale from here:
 * counted and dropped. */
void vb_reconnect(struct vb_pair *p);

/* --- Work requests ------------------------------------------------------ */

/* Sizes of the SGEs of a work request, in order: .layout = VB_LAYOUT(1, 63) */
struct vb_layout {
	uint32_t count;
	const uint32_t *bytes;
};

#define VB_LAYOUT(...)                                               \
	((struct vb_layout){                                         \
		.count = sizeof((const uint32_t[]){ __VA_ARGS__ }) / \
			 sizeof(uint32_t),                           \
		.bytes = (const uint32_t[]){ __VA_ARGS__ } })

struct vb_recv_args {
	uint32_t len;  /* room; with .layout: its sum */
	uint32_t sges; /* len split at random over so many; default: 1 */
	struct vb_layout layout;
	struct vb_object *mr; /* from this region; also a destroyed one */
	uint32_t mr_offset;
	struct vb_value lkey; /* instead of the right one */
	/* The same of each piece: of several regions over one memory. */
	struct vb_layout lkeys;
	bool no_sge; /* num_sge = 0 */
	/* UD: len is all of it; else the 40 bytes that go before a datagram
	 * are added to it.  (.layout is always all of it.) */
	bool bare;
};

enum vb_op {
	VB_SEND,
	VB_WRITE,
	VB_READ,
	VB_CMP_SWAP,
	VB_FETCH_ADD,
	VB_BIND_MW,   /* a window of type 2 */
	VB_LOCAL_INV, /* of .invalidate */
};

struct vb_send_args {
	enum vb_op op;
	/* Bytes; with .layout: its sum.  Atomics: 8 unless said. */
	uint32_t len;
	uint32_t sges; /* len split at random over so many; default: 1 */
	struct vb_layout layout;
	/* Host order; makes SEND or WRITE one WITH_IMM. */
	struct vb_value imm;
	bool unsignaled; /* default: IBV_SEND_SIGNALED */
	bool solicited, inlined, fence;
	/* The buffer is overwritten as soon as the post returns (inline). */
	bool scribble;
	struct vb_object *mr;
	uint32_t mr_offset;
	struct vb_value lkey;
	struct vb_layout lkeys; /* of each piece */
	/* Of .mr: where each piece of .layout begins, which may overlap. */
	struct vb_layout at;
	/* WRITE from .mr: of what lies there, nothing is filled in, and what
	 * it brings is for the case to compare. */
	bool as_is;
	bool no_sge; /* num_sge = 0 */
	/* WRITE, READ, atomics: the region or window of the peer. */
	struct vb_object *to;
	uint32_t offset;	/* from its first byte */
	struct vb_value rkey;	/* instead of the right one */
	struct vb_value remote; /* the address, instead of the right one */
	uint64_t add;		/* FETCH_ADD */
	uint64_t compare, swap;
	/* Makes SEND a SEND_WITH_INV; for LOCAL_INV.  An MR or MW, or a key. */
	struct vb_object *invalidate;
	struct vb_value inv_rkey;
	/* BIND_MW: see vb_bind_mw(). */
	struct vb_object *mw, *bind_mr;
	uint32_t bind_offset, bind_len;
	unsigned bind_access;
	/* UD; default: the peer introduced, with an AH made for it. */
	struct vb_qp *dest;
	struct vb_object *ah;
	struct vb_value dest_qpn, remote_qkey;
	/* The opcode and flags of the WR, whatever the rest says. */
	struct vb_value raw_opcode, raw_flags;
};

/* Must be accepted (return 0); from then on its completion is owed. */
#define vb_post_recv(qp, ...) \
	vb_post_recv_args(qp, &(struct vb_recv_args){ __VA_ARGS__ })
struct vb_wr *vb_post_recv_args(struct vb_qp *qp,
				const struct vb_recv_args *args);
#define vb_post_send(qp, ...) \
	vb_post_send_args(qp, &(struct vb_send_args){ __VA_ARGS__ })
struct vb_wr *vb_post_send_args(struct vb_qp *qp,
				const struct vb_send_args *args);

/* The same by what it does: vb_post_write(qp, .to = mr, .len = 8). */
#define vb_post_write(qp, ...) vb_post_send(qp, .op = VB_WRITE, __VA_ARGS__)
#define vb_post_read(qp, ...)  vb_post_send(qp, .op = VB_READ, __VA_ARGS__)
#define vb_post_cmp_swap(qp, ...) \
	vb_post_send(qp, .op = VB_CMP_SWAP, __VA_ARGS__)
#define vb_post_fetch_add(qp, ...) \
	vb_post_send(qp, .op = VB_FETCH_ADD, __VA_ARGS__)
#define vb_post_local_inv(qp, ...) \
	vb_post_send(qp, .op = VB_LOCAL_INV, __VA_ARGS__)

struct vb_bind_args {
	struct vb_object *mr;
	uint32_t offset, len;
	unsigned access; /* IBV_ACCESS_* */
	bool unsignaled;
};

/*
 * Bind a window, by ibv_bind_mw() or, of type 2, by a work request; must be
 * accepted, and its completion is owed.  From then on vb_mr_rkey() of it is
 * the new key, and it may be a target (.to=).
 */
#define vb_bind_mw(qp, mw, ...) \
	vb_bind_mw_args(qp, mw, &(struct vb_bind_args){ __VA_ARGS__ })
struct vb_wr *vb_bind_mw_args(struct vb_qp *qp, struct vb_object *mw,
			      const struct vb_bind_args *args);
/* NULL when it was refused. */
#define vb_try_bind_mw(qp, mw, ...) \
	vb_try_bind_mw_args(qp, mw, &(struct vb_bind_args){ __VA_ARGS__ })
struct vb_wr *vb_try_bind_mw_args(struct vb_qp *qp, struct vb_object *mw,
				  const struct vb_bind_args *args);

/* A receive posted to an SRQ itself; which QP gets it shows later. */
#define vb_post_srq_recv(srq, ...) \
	vb_post_srq_recv_args(srq, &(struct vb_recv_args){ __VA_ARGS__ })
struct vb_wr *vb_post_srq_recv_args(struct vb_object *srq,
				    const struct vb_recv_args *args);
#define vb_post_srq_recv_refused(srq, ...) \
	vb_post_srq_recv_refused_args(srq, \
				      &(struct vb_recv_args){ __VA_ARGS__ })
void vb_post_srq_recv_refused_args(struct vb_object *srq,
				   const struct vb_recv_args *args);
/* READ and atomics: the first eight bytes that came, in the host's order. */
uint64_t vb_result(const struct vb_wr *wr);

/* Must be refused: non-zero, and *bad_wr is the request.  Nothing is owed. */
#define vb_post_recv_refused(qp, ...) \
	vb_post_recv_refused_args(qp, &(struct vb_recv_args){ __VA_ARGS__ })
void vb_post_recv_refused_args(struct vb_qp *qp,
			       const struct vb_recv_args *args);
/* To the queue pair itself, by ibv_post_recv(), though it has an SRQ. */
#define vb_post_own_recv_refused(qp, ...) \
	vb_post_own_recv_refused_args(qp, &(struct vb_recv_args){ __VA_ARGS__ })
void vb_post_own_recv_refused_args(struct vb_qp *qp,
				   const struct vb_recv_args *args);
#define vb_post_send_refused(qp, ...) \
	vb_post_send_refused_args(qp, &(struct vb_send_args){ __VA_ARGS__ })
void vb_post_send_refused_args(struct vb_qp *qp,
			       const struct vb_send_args *args);

/* Where devices may differ: NULL when it was refused.  What was accepted is in
 * the books as any other. */
#define vb_try_post_recv(qp, ...) \
	vb_try_post_recv_args(qp, &(struct vb_recv_args){ __VA_ARGS__ })
struct vb_wr *vb_try_post_recv_args(struct vb_qp *qp,
				    const struct vb_recv_args *args);
#define vb_try_post_send(qp, ...) \
	vb_try_post_send_args(qp, &(struct vb_send_args){ __VA_ARGS__ })
struct vb_wr *vb_try_post_send_args(struct vb_qp *qp,
				    const struct vb_send_args *args);

enum { VB_LIST_MAX = 256 };

/*
 * @count requests by one call; @wrs gets the handles.  With @bad below @count
 * the call must be refused at exactly that one: those before it are accepted,
 * and @wrs is filled for them alone.  @bad = @count: all must be accepted.
 */
void vb_post_recv_list(struct vb_qp *qp, uint32_t count,
		       const struct vb_recv_args *args, uint32_t bad,
		       struct vb_wr **wrs);
void vb_post_send_list(struct vb_qp *qp, uint32_t count,
		       const struct vb_send_args *args, uint32_t bad,
		       struct vb_wr **wrs);

/* --- The standard traffic ----------------------------------------------- */

enum vb_mix {
	VB_MIX_SEND = 0,
	VB_MIX_WRITE = 1u << 0,
	VB_MIX_WRITE_IMM = 1u << 1,
	VB_MIX_READ = 1u << 2,
	VB_MIX_ONE_SIDED = VB_MIX_WRITE | VB_MIX_READ,
};

enum vb_direction { VB_A_TO_B, VB_B_TO_A, VB_BOTH_WAYS };

struct vb_stream_args {
	uint32_t messages; /* a pair and direction; default: 256 */
	uint32_t inflight; /* default: --inflight; never above the queues' */
	const struct vb_sizes *sizes; /* default: --size */
	enum vb_direction direction;
	uint32_t sges;	       /* each message and receive split over 1..sges */
	bool imm;	       /* every second message with immediate data */
	bool solicited;	       /* every third message */
	bool inlined;	       /* those that fit max_inline_data */
	uint32_t signal_every; /* default: 1; the last is always signaled */
	uint32_t list; /* requests linked a post call; default: --lists */
	/* The receiver holds so many receives; default: inflight.  Fewer than
	 * the sender's inflight means RNR NAKs, by intent. */
	uint32_t receives;
	/* Besides SEND: these take turns with it.  Targets are slots of the
	 * receiver's memory, each written, and read back, in its order. */
	unsigned mix; /* VB_MIX_* bits */
	bool no_send; /* only what .mix says */
};

struct vb_tally {
	uint64_t messages, bytes;
	uint64_t lost; /* UC and UD alone */
	uint64_t duration_ns;
};

/*
 * @messages SENDs on each pair, @inflight at a time, receives kept posted;
 * both ends judge each message: one completion each, in sequence, SUCCESS,
 * byte_len, opcode, immediate, qp_num, content, guards.
 */
#define vb_stream(pair, ...)                           \
	vb_stream_args(&(struct vb_pair *){ pair }, 1, \
		       &(struct vb_stream_args){ __VA_ARGS__ })
struct vb_tally vb_stream_args(struct vb_pair *const *pairs, uint32_t count,
			       const struct vb_stream_args *args);
/* The same on several pairs at once. */
#define vb_stream_pairs(pairs, count, ...) \
	vb_stream_args(pairs, count, &(struct vb_stream_args){ __VA_ARGS__ })

/*
 * The same in two halves: it runs on inside every wait of the case between
 * start and finish, so that other things can be done beside it.
 */
#define vb_stream_start(pairs, count, ...) \
	vb_stream_start_args(pairs, count, \
			     &(struct vb_stream_args){ __VA_ARGS__ })
struct vb_stream *vb_stream_start_args(struct vb_pair *const *pairs,
				       uint32_t count,
				       const struct vb_stream_args *args);
/* Waits until so many messages (in all) have been judged; false: it ended. */
bool vb_stream_reach(struct vb_stream *s, uint64_t messages);
struct vb_tally vb_stream_finish(struct vb_stream *s);

/* Messages judged so far: of the flow that got the least, and the most. */
void vb_stream_shares(const struct vb_stream *s, uint64_t *least,
		      uint64_t *most);

/* --- The wire ----------------------------------------------------------- */

/*
 * With VB_NEED_FAULTS: what shall happen to packets from here on, as fault
 * rules in the grammar of libsoftrdma(7), besides those that there are:
 * "drop:op=ack,nth=3;corrupt:rate=0.01,seed=7".  An end in another process or
 * host skips the case.
 */
void vb_wire_spoil(struct vb_test *t, const char *rules, ...) PRINTF_LIKE(2, 3);
/* No rule is left; what they held back goes on its way. */
void vb_wire_heal(struct vb_test *t);
/* On how many packets has rule @rule, counted from 0, acted so far? */
uint64_t vb_wire_acted(struct vb_test *t, unsigned rule);

/* --- Threads ------------------------------------------------------------ */

/*
 * Run @fn in @count threads, @index 0..count-1, until all have returned; each
 * uses queue pairs of its own.  Posts run beside each other and beside polls;
 * completions are judged one at a time.
 */
void vb_threads(struct vb_test *t, unsigned count,
		void (*fn)(struct vb_test *t, unsigned index, void *arg),
		void *arg);

/* Several threads will post to this queue pair: in which order, nobody knows,
 * and no order of its completions is wrong. */
void vb_unordered(struct vb_qp *qp);

/* --- End b in a process of its own -------------------------------------- */

/*
 * Run @fn in a second process (with the contexts, objects and queue pairs that
 * it makes itself; use the end vb_b(t) there and vb_a(t) here), with a TCP
 * connection on the loopback address between the two.  Call it before the
 * first use of an end.  The death, failure or silence of either side is a
 * verdict for the case: nothing waits for ever.
 */
struct vb_peer *vb_peer_start(struct vb_test *t,
			      void (*fn)(struct vb_test *t, struct vb_peer *p));
/* Send the own connection parameters as one frame, take the other's: both
 * sides call it, each with its own queue pair. */
void vb_peer_exchange(struct vb_peer *p, struct vb_qp *qp);
/* Both sides have come to the point called @name. */
void vb_peer_barrier(struct vb_peer *p, const char *name);
/* Tell the other side a number below 2^63, and get its own; both call it. */
uint64_t vb_peer_tell(struct vb_peer *p, uint64_t own);
/* Halt the second process where it stands, as SIGSTOP does; and let it go on
 * from there. */
void vb_peer_stop(struct vb_peer *p);
void vb_peer_continue(struct vb_peer *p);
/* End the second process where it stands; it is gone when this returns. */
void vb_peer_kill(struct vb_peer *p);
/* The second process must end by returning from @fn. */
void vb_peer_finish(struct vb_peer *p);

#endif
