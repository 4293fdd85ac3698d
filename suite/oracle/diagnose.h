/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a finding and what both ends know to the likely causes, the likeliest
 * first, each with the facts that speak for it and the next step.  The causes
 * are rows of diagnose.def, each with the facts that it needs.
 */
#ifndef SUITE_ORACLE_DIAGNOSE_H
#define SUITE_ORACLE_DIAGNOSE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "verbatim/verdict.h"

/*
 * Leave at zero what is not known; a known_* flag says that it is.  Of the
 * peer, @state and @gone are those at the time of the requester's first error:
 * not known when they changed later.
 */
struct diagnose_end {
	uint32_t statuses; /* VERBS_STATUS_BIT() of every CQE but flushes */
	bool state_known;
	enum ibv_qp_state state;
	bool rq_known;
	uint64_t rq_left; /* receives posted and not used */
	bool cq_known;
	uint64_t cq_capacity;
	uint64_t cq_demand;	 /* signaled sends and receives outstanding */
	bool attr_known;	 /* the four below */
	uint32_t sq_psn, rq_psn; /* as set */
	uint32_t dest_qp_num, qp_num;
	enum ibv_mtu mtu;
	uint32_t owed;	     /* completions that the ledger misses */
	uint32_t unsignaled; /* sends outstanding that owe nothing */
	bool told_err;	     /* the suite itself moved it to ERR */
	bool send_failed;    /* its first error was of a request of its own */
	bool gone;	     /* destroyed */
	bool dead;	     /* its process was ended */
	bool stopped;	     /* its process stands still */
	bool was_reset;	     /* connected once, and in RESET or INIT now */
	bool scribbled;	    /* the case wrote to a buffer that was on its way */
	uint32_t cq_errors; /* CQ_ERR events */
	uint32_t rnr_retry, retry_cnt, min_rnr_timer, timeout;
	/* With attr_known: the address vector, and what the port has. */
	bool av_known;
	union ibv_gid gid, dgid;
	uint16_t pkey_index;
	unsigned access; /* qp_access_flags, as set */
	uint32_t max_dest_rd_atomic;
};

/* The receive that the request which failed was to meet. */
enum diagnose_receive {
	DIAGNOSE_RECEIVE_UNKNOWN,
	DIAGNOSE_RECEIVE_NONE,	/* not posted, or after the error */
	DIAGNOSE_RECEIVE_LATE,	/* posted between the request and its error */
	DIAGNOSE_RECEIVE_READY, /* posted before the request */
};

/* The request that got no answer, as the peer's side has it. */
enum diagnose_arrival {
	DIAGNOSE_ARRIVAL_UNKNOWN,
	DIAGNOSE_ARRIVED_AT_RECEIVE, /* which has completed */
	DIAGNOSE_ARRIVED_IN_MEMORY,  /* its bytes lie there */
	DIAGNOSE_ASTRAY_AT_RECEIVE,  /* which waits still */
	DIAGNOSE_ASTRAY_IN_MEMORY,   /* its bytes do not lie there */
};

/* What the books say of a key, and of the access that it was given for. */
enum diagnose_key {
	DIAGNOSE_KEY_NOT_KNOWN, /* nothing can be said */
	DIAGNOSE_KEY_FITS,
	DIAGNOSE_KEY_UNKNOWN, /* of no region */
	DIAGNOSE_KEY_GONE,
	DIAGNOSE_KEY_FOREIGN, /* of another protection domain */
	DIAGNOSE_KEY_BEYOND,
	DIAGNOSE_KEY_FORBIDDEN,
};

/* @a: the requester, the end whose completion or post it is about. */
struct diagnose_facts {
	enum vb_finding finding;
	bool waits; /* VB_FIND_HANG: for a completion */
	bool post_failed;
	int post_errno;
	bool post_room;	 /* fewer outstanding than the queue holds */
	bool post_early; /* in a state that takes no such post */
	uint32_t post_outstanding, post_capacity, post_sges, post_sges_max;
	/* Of the first request that failed, else of the oldest that waits. */
	bool op_known;
	enum ibv_wr_opcode op;
	uint64_t took_ns; /* until it failed, or 0 */
	bool succeeded;	  /* and it should not have */
	enum diagnose_key remote, local;
	enum diagnose_key peer_local; /* of the receive that failed */
	bool lengths_known;	      /* of a message and its receive */
	uint32_t message_len, receive_len;
	/* UD: the last datagram, and the receive that waits. */
	bool datagram_known, ah_astray, qpn_astray, datagram_early;
	uint32_t qkey_sent, qkey;
	/* IBV_ACCESS_* that the failed request asks of the peer's queue pair. */
	unsigned wanted;
	enum diagnose_receive receive;
	enum diagnose_arrival arrival;
	bool again_known; /* the next: requests that came to the peer again */
	uint64_t again;
	bool port_down; /* by the last event of a port */
	struct diagnose_end a, b;
};

struct diagnosis {
	const char *id;	   /* the row: "rnr-empty" */
	const char *cause; /* lower case, no full stop */
	const char *step;  /* what to look at or to do next */
	bool application;  /* likely the user's fault, not the device's */
	uint64_t facts[2]; /* those of the row, as bits */
};

enum { DIAGNOSE_CAUSES = 3 };

/* Never fails: the last row fits everything. */
void diagnose(const struct diagnose_facts *facts, struct diagnosis *d);
/* The likeliest @room ones, which say different things; how many, at least
 * one. */
uint32_t diagnose_ranked(const struct diagnose_facts *facts,
			 struct diagnosis *d, uint32_t room);
/* "likely cause: ... (id, whose fault); seen: ...; next: ...; or else: ..."
 * appended. */
void diagnose_print(const struct diagnose_facts *facts,
		    const struct diagnosis *d, uint32_t count,
		    struct strbuf *out);

#endif
