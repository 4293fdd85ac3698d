/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What goes to an end and comes back, as plain values: nothing in here points
 * into the memory of the end, so that an end may be anywhere.  Pointers to
 * arrays are the caller's, and their lengths stand beside them.
 *
 * Objects have ids, given by the end, that are not used again.
 */
#ifndef SUITE_END_COMMANDS_H
#define SUITE_END_COMMANDS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/bench/traffic.h"
#include "suite/oracle/complaint.h"
#include "suite/oracle/pattern.h"
#include "suite/oracle/region.h"

struct recorder;
struct end_host;

enum {
	END_GRH = 40, /* bytes before each datagram */
	END_SGES_MAX = 32,
	END_LIST_MAX = 256,
	END_POLL_MAX = 1024,
	END_OBJECTS_MAX = 16384,
	END_WATCH_MAX = 256,	 /* CQs looked at by one command */
	END_KNOWN_MAX = 4096,	 /* senders in a context */
	END_WORDS_MAX = 512,	 /* eight bytes each, of one command */
	END_WAIT_MS_MAX = 60000, /* no command waits longer by itself */
};

enum end_kind {
	END_PD,
	END_MR,
	END_CHANNEL,
	END_CQ,
	END_QP,
	END_MW,
	END_AH,
	END_SRQ,
	END_CM, /* a connection id of librdmacm */
	END_KINDS
};

struct end_nothing {
	char nothing;
};

struct end_object {
	uint32_t id;
};

struct end_made {
	uint32_t id;
};

struct end_open {
	const char *device;
	uint8_t port;
	const char *gid_index; /* a number, or "auto" */
	bool events;	       /* completions are to make `fd` readable */
};

struct end_opened {
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	union ibv_gid gid;
	uint32_t gid_index;
	enum ibv_transport_type transport;
	/* Becomes readable when there is something for drain or event. */
	int fd;
	char error[256]; /* for people, when it failed */
};

struct end_counter {
	const char *name;
};

struct end_count {
	uint64_t count;
	bool cached; /* may be a value of ENDS_CACHED_MS ago */
};

/*
 * Memory of @slots equal slots:
 *
 *	slot   | guard | room, laid out by each work request | guard |
 *
 * and within the room of a work request of several SGEs:
 *
 *	       | sge 0 | gap | sge 1 | gap | ... | left over |
 *
 * Guards, gaps and what is left over hold guard bytes; all of it is registered,
 * so that a device that goes astray writes there instead of faulting.
 */
struct end_mr {
	uint32_t pd;
	uint32_t slots;
	uint32_t room; /* bytes of payload that each slot takes */
	uint32_t sges; /* pieces that each slot takes, at most END_SGES_MAX */
	unsigned access;
	bool transient; /* its memory goes with it */
	/*
	 * A region: @room bytes and not one more are registered, guards stand
	 * outside, work requests lay their pieces without gaps; filled with
	 * @background.  Of memory of its own, or of @over's from @offset on.
	 */
	bool region;
	uint32_t over, offset;
	struct pattern_message background;
	bool iova_set; /* its first byte is called @iova */
	uint64_t iova;
	bool read_only; /* the memory cannot be written by the process */
	bool unmapped;	/* there is no memory at the address */
};

struct end_rereg {
	uint32_t mr;
	unsigned flags; /* enum ibv_rereg_mr_flags */
	uint32_t pd;	/* 0: NULL is given */
	uint32_t offset, len;
	unsigned access;
};

struct end_reregistered {
	int answer; /* of the verb: 0 or enum ibv_rereg_mr_err_code */
	int err;    /* the reason */
	uint32_t lkey, rkey;
	uint64_t address;
};

struct end_mw {
	uint32_t pd;
	enum ibv_mw_type type;
};

struct end_mw_made {
	uint32_t id;
	uint32_t rkey;
};

/* A slot (of a region: an offset), and how a work request lays it out. */
struct end_place {
	uint32_t mr, slot;
	uint32_t offset;
	uint32_t sges;
	uint32_t bytes[END_SGES_MAX];
	/* Of a region: where each piece begins, from @offset on, instead of
	 * behind the one before it. */
	bool at_set;
	uint32_t at[END_SGES_MAX];
};

struct end_ah {
	uint32_t pd;
	struct ibv_ah_attr attr;
	/* ibv_create_ah_from_wc(): of a datagram that came, and where. */
	bool from_wc;
	uint8_t port;
	struct ibv_wc wc;
	struct end_place place;
};

struct end_srq {
	uint32_t pd;
	struct ibv_srq_attr attr;
};

struct end_srq_made {
	uint32_t id;
	struct ibv_srq_attr attr; /* as written back */
	bool cookie;		  /* srq_context is that of the creation */
};

struct end_srq_modify {
	uint32_t srq;
	unsigned mask; /* enum ibv_srq_attr_mask */
	struct ibv_srq_attr attr;
};

struct end_result {
	int err; /* of the verb; the command fails for its own reasons */
};

struct end_arm {
	uint32_t cq;
	bool solicited_only;
};

/* Completion events, acknowledged; more may be there when it is full. */
enum { END_DRAINED_MAX = 64 };
struct end_drained {
	uint32_t count;
	uint32_t cq[END_DRAINED_MAX]; /* ids; 0: of none of ours */
};

struct end_taken {
	uint32_t cq; /* 0: of a CQ that is none of ours */
	bool cookie; /* it came with the cookie of that CQ */
};

struct end_ack {
	uint32_t cq, count;
};

struct end_resize {
	uint32_t cq;
	int cqe;
};

struct end_resized {
	int err;
	uint32_t cqe;
};

struct end_mr_made {
	uint32_t id;
	uint32_t lkey, rkey;
	uint64_t address;
	bool told; /* its handle tells the address and length given */
};

struct end_cq {
	int cqe;
	int vector;
	uint32_t channel; /* 0: none */
	/* Armed, and its channel emptied, by nobody but its own commands. */
	bool manual;
	bool extended; /* ibv_create_cq_ex(), and polled so */
	bool stamps;   /* with completion time stamps */
};

struct end_cq_made {
	uint32_t id;
	uint32_t cqe;
};

struct end_qp {
	uint32_t pd, send_cq, recv_cq;
	enum ibv_qp_type type;
	struct ibv_qp_cap cap;
	bool sig_all;
	uint32_t srq; /* 0: none */
	bool builder; /* ibv_create_qp_ex(), and posted to by ibv_wr_*() */
};

struct end_qp_made {
	uint32_t id;
	uint32_t qpn;
	struct ibv_qp_cap cap; /* as written back */
};

struct end_modify {
	uint32_t qp;
	unsigned mask;
	struct ibv_qp_attr attr;
};

struct end_modified {
	int err; /* of the modify itself; the command fails for its query */
	bool negative; /* the verb returned it below 0 */
	struct ibv_qp_attr now;
};

enum { END_NOT_OURS = UINT32_MAX };

struct end_queried {
	struct ibv_qp_attr now;
	struct ibv_qp_init_attr init; /* its pointers are empty: */
	/* the objects that they named; 0: none, END_NOT_OURS: no id */
	uint32_t send_cq, recv_cq, srq;
	bool cookie; /* qp_context is that of the creation, told and kept */
};

struct end_wr {
	uint64_t wr_id;
	struct end_place place;
	bool lkey_set;
	uint32_t lkey;	      /* instead of the MR's */
	uint32_t lkeys_count; /* likewise, of so many pieces */
	uint32_t lkeys[END_SGES_MAX];
	/* Sends: */
	struct pattern_message payload;
	enum ibv_wr_opcode op;
	unsigned flags;
	uint32_t imm_data; /* network order */
	/* The buffer is written by the operation: READ and atomics. */
	bool result;
	/* Its buffer holds already what it must: nothing is written there. */
	bool keep;
	uint64_t remote_address;
	uint32_t rkey; /* of the target; to bind with; to invalidate */
	uint64_t compare_add, swap;
	uint32_t ah; /* UD; 0: NULL is given */
	uint32_t remote_qpn, remote_qkey;
	struct end_bind {
		uint32_t mw, mr;
		uint32_t offset, len;
		unsigned access;
	} bind;
};

struct end_bind_mw {
	uint32_t qp;
	uint64_t wr_id;
	unsigned flags;
	struct end_bind bind;
};

struct end_bound {
	int err;
	uint32_t rkey; /* as the window has it now */
};

struct end_post {
	uint32_t qp;	/* or SRQ */
	uint32_t count; /* at most END_LIST_MAX */
	const struct end_wr *wrs;
};

enum { END_BAD_NONE = UINT32_MAX, END_BAD_FOREIGN = UINT32_MAX - 1 };

struct end_posted {
	int err;       /* of the verb; the command fails for its own reasons */
	bool negative; /* the verb returned it below 0 */
	/* The request that *bad_wr points to; FOREIGN: to none of the list. */
	uint32_t bad;
};

struct end_poll {
	uint32_t cq;
	uint32_t max; /* at most END_POLL_MAX */
};

struct end_polled {
	int count; /* as the verb returned it */
	/* Time stamps, of extended CQs that have them, did not run back. */
	bool stamps_fell;
	struct ibv_wc wc[END_POLL_MAX];
};

/* Poll each CQ for at most @max; if nothing comes out of any of them, again,
 * until @wait_us are over or another command is there. */
struct end_watch {
	uint32_t max;
	uint32_t wait_us;
	bool sleep; /* wait for the descriptor of `open`, without polling */
	uint32_t count;
	uint32_t cq[END_WATCH_MAX];
};

struct end_came {
	uint32_t cq;
	struct ibv_wc wc;
};

struct end_watched {
	uint32_t failed; /* a CQ whose poll returned @returned; 0: none */
	int returned;
	uint32_t fell; /* a CQ with a time stamp that ran back; 0: none */
	bool event;    /* something is there for `event` or drain */
	uint32_t count;
	struct end_came came[END_POLL_MAX];
};

struct end_event {
	enum ibv_event_type type;
	bool of_object; /* it is about the object @id */
	uint32_t id;	/* 0: the object is none of ours */
};

struct end_verify {
	struct end_place place;
	/* Bytes of the message; the rest must be as laid.  0: all of it. */
	uint32_t len;
	struct pattern_message payload;
	const struct pattern_context *context; /* or NULL */
	/* The first 40 bytes are the area of the GRH: these addresses stand
	 * there if it is said to be there. */
	bool datagram, grh;
	union ibv_gid sgid, dgid;
	bool addresses_only; /* do they stand there?  Nothing else */
	/* Not a message, but what these say (READ). */
	const struct region_piece *pieces;
	uint32_t pieces_count;
	bool send;	  /* a send buffer: content is not looked at */
	bool guards_only; /* after an error the content means nothing */
};

struct end_verified {
	bool good;
	struct complaint complaint; /* when not */
};

/* What a region holds, from @offset on, and its guards. */
struct end_region {
	uint32_t mr, offset;
	const struct region_piece *pieces;
	uint32_t pieces_count;
	const struct pattern_context *context; /* or NULL */
};

struct end_region_verified {
	bool good;
	uint32_t lost;		    /* loose pieces that have not arrived */
	struct complaint complaint; /* when not good */
};

/* Bytes of a message written into a region by the processor. */
struct end_store {
	uint32_t mr, offset;
	struct pattern_message message;
};

struct end_load {
	uint32_t mr, offset;
	uint32_t count; /* at most END_WORDS_MAX */
};

struct end_words {
	uint32_t count;
	uint64_t word[END_WORDS_MAX];
};

/* What the process of the end has open and occupies. */
struct end_usage {
	uint64_t descriptors, threads, resident_bytes;
};

struct end_census {
	uint32_t count[END_KINDS];
};

struct end_entry {
	uint8_t port;
	uint32_t index;
};

struct end_port {
	struct ibv_port_attr attr;
};

struct end_gid {
	struct ibv_gid_entry entry;
};

struct end_pkey {
	uint16_t value; /* in the host's order */
};

struct end_contexts {
	uint32_t count; /* at most 64 */
	uint32_t turn;	/* which of them is closed first */
};

struct end_stale {
	uint32_t id;
	bool query; /* of a QP, instead of destroying */
};

struct end_wait {
	uint32_t cq;
	uint32_t ms, unacked;
	/* `cq` is a QP: its next asynchronous event is what is not
	 * acknowledged. */
	bool async;
};

struct end_waited {
	int err;    /* of the destroy */
	bool early; /* it had come to its end before the acknowledgement */
	bool none;  /* the event has not come, and nothing was destroyed */
};

struct end_race {
	uint32_t cq;
	uint32_t threads; /* at most 16 */
	uint32_t want;	  /* until so many, or @ms have passed */
	uint32_t ms;
};

struct end_up {
	bool up;
};

struct end_group {
	uint32_t qp;
	union ibv_gid gid;
	bool leave;
};

/* --- Connections through librdmacm -------------------------------------- */

enum { END_CM_ADDRESS = 28, END_CM_ERROR = 192 };

/* A socket address as the kernel has it; all zeroes behind its length. */
struct end_cm_address {
	uint32_t len;
	uint8_t bytes[END_CM_ADDRESS];
};

struct end_cm_begin {
	bool listen;	 /* else: on the way to @peer */
	uint8_t timeout; /* local ACK timeout to ask for; 0: not asked */
	uint32_t ms;	 /* for the resolution of the address */
	struct end_cm_address peer;
};

struct end_cm_begun {
	uint32_t id;
	struct end_cm_address own;
	char error[END_CM_ERROR]; /* for people, when it failed */
};

enum end_cm_what {
	END_CM_ROUTE,
	END_CM_CONNECT,
	END_CM_ACCEPT,
	END_CM_ESTABLISH,
	END_CM_DISCONNECT,
};

struct end_cm_act {
	uint32_t id;
	enum end_cm_what what;
	uint32_t qpn;
	uint8_t responder_resources, initiator_depth;
	uint8_t retry, rnr_retry;
	bool srq;
};

struct end_cm_ask {
	uint32_t id;
	enum ibv_qp_state state;
};

struct end_cm_attr {
	int err; /* of rdma_init_qp_attr() */
	unsigned mask;
	struct ibv_qp_attr attr;
};

struct end_cm_event {
	uint32_t id;   /* of CONNECT_REQUEST a new one; 0: none of ours */
	uint32_t type; /* enum rdma_cm_event_type */
	int status;
	uint32_t qpn; /* of the peer, where it is told */
};

struct end_ops {
#define END_COMMAND(name, argument, answer)                            \
	int (*name)(struct end_host * host, const struct argument *in, \
		    struct answer *out);
#include "suite/end/commands.def"
#undef END_COMMAND
};

/* An end in this process. */
struct end_host *end_local_make(struct recorder *recorder, uint8_t end,
				uint64_t seed) MUST_USE;
void end_local_free(struct end_host *host);
extern const struct end_ops end_local_ops;

#endif
