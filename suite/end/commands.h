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
#include "suite/oracle/complaint.h"
#include "suite/oracle/pattern.h"

struct recorder;
struct end_host;

enum {
	END_SGES_MAX = 32,
	END_LIST_MAX = 256,
	END_POLL_MAX = 1024,
	END_OBJECTS_MAX = 16384,
};

enum end_kind { END_PD, END_MR, END_CHANNEL, END_CQ, END_QP, END_KINDS };

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
	/* Becomes readable when there is something for drain or event. */
	int fd;
	char error[256]; /* for people, when it failed */
};

struct end_counter {
	const char *name;
};

struct end_count {
	uint64_t count;
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
};

struct end_mr_made {
	uint32_t id;
	uint32_t lkey, rkey;
	uint64_t address;
};

struct end_cq {
	int cqe;
	int vector;
	uint32_t channel; /* 0: none */
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
	struct ibv_qp_attr now;
};

struct end_queried {
	struct ibv_qp_attr now;
	struct ibv_qp_init_attr init; /* its pointers are empty */
};

/* A slot, and how a work request lays it out. */
struct end_place {
	uint32_t mr, slot;
	uint32_t sges;
	uint32_t bytes[END_SGES_MAX];
};

struct end_wr {
	uint64_t wr_id;
	struct end_place place;
	bool lkey_set;
	uint32_t lkey; /* instead of the MR's */
	/* Sends: */
	struct pattern_message payload;
	enum ibv_wr_opcode op;
	unsigned flags;
	uint32_t imm_data; /* network order */
};

struct end_post {
	uint32_t qp;
	uint32_t count; /* at most END_LIST_MAX */
	const struct end_wr *wrs;
};

enum { END_BAD_NONE = UINT32_MAX, END_BAD_FOREIGN = UINT32_MAX - 1 };

struct end_posted {
	int err; /* of the verb; the command fails for its own reasons */
	/* The request that *bad_wr points to; FOREIGN: to none of the list. */
	uint32_t bad;
};

struct end_poll {
	uint32_t cq;
	uint32_t max; /* at most END_POLL_MAX */
};

struct end_polled {
	int count; /* as the verb returned it */
	struct ibv_wc wc[END_POLL_MAX];
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
	bool send;	  /* a send buffer: content is not looked at */
	bool guards_only; /* after an error the content means nothing */
};

struct end_verified {
	bool good;
	struct complaint complaint; /* when not */
};

struct end_census {
	uint32_t count[END_KINDS];
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
