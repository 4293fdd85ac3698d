/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of traffic_end.h share: the end and its queue pairs. */
#ifndef SUITE_BENCH_TRAFFIC_INNER_H
#define SUITE_BENCH_TRAFFIC_INNER_H

#include <infiniband/verbs.h>

#include "suite/bench/traffic_end.h"
#include "suite/oracle/pattern.h"
#include "suite/verbs/verbs.h"

enum {
	TRAFFIC_GUARD = 64,
	/* Requests posted by one call. */
	TRAFFIC_POST_MAX = 32,
	/* Messages seen of late, to tell duplicates from gaps. */
	TRAFFIC_SEEN = 1024,
};

/* The last message's immediate: this bit, what it is the end of, and the low
 * bits of its sequence.  Others have the bit clear. */
#define TRAFFIC_IMM_LAST     UINT32_C(0x80000000)
#define TRAFFIC_IMM_AGAIN    UINT32_C(0x40000000)
#define TRAFFIC_IMM_SEQUENCE UINT32_C(0x3fffffff)

/* A request on the send queue. */
struct traffic_sent {
	uint64_t when_ns; /* it should have been sent */
	uint32_t len;
	uint32_t slot;
	uint8_t op;
	bool signaled;
};

struct traffic_tx {
	uint64_t next;		   /* sequence of the next message */
	uint64_t done;		   /* all before are completed */
	uint64_t takers;	   /* messages so far that take a receive */
	uint64_t owed;		   /* ECHO at b: answers to be sent */
	bool ended;		   /* the last message is posted */
	struct traffic_sent *ring; /* by sequence, ring_mask + 1 of them */
};

struct traffic_rx {
	uint64_t next;			  /* sequence expected */
	uint64_t takers;		  /* receives completed */
	uint64_t posted;		  /* receives posted */
	bool ended;			  /* the last message has come */
	uint64_t seen[TRAFFIC_SEEN / 64]; /* bitmap, by sequence */
};

struct traffic_qp {
	struct ibv_qp *qp;
	struct exchange_params peer;
	uint64_t key_own, key_peer;
	bool queued;  /* in the queue of those that may send */
	bool touched; /* receives to be posted again */
	struct traffic_tx tx;
	struct traffic_rx rx;
};

/* Where a part of the memory begins, and how it is cut. */
struct traffic_area {
	unsigned char *base;
	uint32_t each; /* slots of a QP; 0 for the pool: of all */
};

struct traffic_end {
	const struct traffic_program *p;
	uint32_t end;
	struct verbs_at at;
	struct traffic_live *live;
	const struct traffic_control *control;
	struct traffic_result *result;

	struct ibv_context *context;
	struct ibv_port_attr port;
	struct ibv_gid_entry gid;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	unsigned read_depth; /* READs in flight that both sides can do */

	unsigned char *memory;
	size_t memory_bytes, stride;
	/* Send buffers are a common pool, the last one freed taken first: few
	 * of them stay in the caches. */
	struct traffic_area pool, receive, landing, source;
	uint32_t *free_slots, free_count;
	uint64_t guard_key;

	struct traffic_qp *qps;
	uint32_t ring_mask;
	uint32_t signal_every;
	uint32_t *ready, ready_head, ready_count; /* QPs that may send */
	uint32_t *touched, touched_count;
	struct pattern_known *known;
	struct ibv_wc *wc;

	uint32_t generation;
	bool sends, leads;
	bool ending;		   /* last messages are being sent */
	bool again;		   /* and it is not the end of the run */
	bool failed;		   /* nothing works any more */
	uint32_t tx_open, rx_open; /* QPs whose last message is missing */
	uint64_t outstanding;

	uint64_t now_ns, progress_ns;
	uint64_t epoch_ns;	/* this connection began */
	uint64_t deadline_ns;	/* the sender's, 0: none */
	uint64_t registered_ns; /* the memory was, for the last time */
	uint64_t due_ns, due_every_ns,
		due_turn; /* of the next message, paced */
	uint64_t look_ns; /* next look at counters and backlog */
	uint64_t poll_delay_ns;
	bool measuring, measured;
	struct traffic_live base; /* when measuring began */
	uint64_t base_cpu_ns;
};

/* --- traffic_memory.c ---------------------------------------------------- */

int traffic_memory_open(struct traffic_end *e, struct strbuf *error) MUST_USE;
int traffic_memory_close(struct traffic_end *e) MUST_USE;
unsigned char *traffic_slot(const struct traffic_end *e,
			    const struct traffic_area *area, uint32_t qp,
			    uint64_t number);
/* What the peer will READ, with this connection's key. */
void traffic_memory_sources(struct traffic_end *e);
/* Register the memory anew. */
int traffic_memory_again(struct traffic_end *e, struct strbuf *error) MUST_USE;

/* --- traffic_connect.c --------------------------------------------------- */

/* From whatever state to RTS, with the peer; @again: not the first time. */
int traffic_connect(struct traffic_end *e, bool again,
		    struct strbuf *error) MUST_USE;

/* --- traffic_send.c ------------------------------------------------------ */

/* Post what may be sent now; of much only the next part. */
void traffic_send_all(struct traffic_end *e);
/* Has it left something that needs no completion before? */
bool traffic_send_waits(const struct traffic_end *e);
void traffic_send_done(struct traffic_end *e, uint32_t qp, uint64_t sequence);
/* This QP may send: put it into the queue. */
void traffic_send_ready(struct traffic_end *e, uint32_t qp);

/* --- traffic_receive.c --------------------------------------------------- */

/* Post receives on a QP up to the depth. */
void traffic_receive_fill(struct traffic_end *e, uint32_t qp);
void traffic_receive_done(struct traffic_end *e, uint32_t qp,
			  const struct ibv_wc *wc);
void traffic_receive_refill(struct traffic_end *e);

/* --- traffic_find.c ------------------------------------------------------ */

/* A finding of the kind @word of findings.def; @end is the sender. */
void traffic_find(struct traffic_end *e, const char *word, uint32_t qp,
		  uint64_t sequence, const char *format, ...) PRINTF_LIKE(5, 6);
/* Is this message, @len bytes at @at, what @end sent as @sequence? */
void traffic_judge_content(struct traffic_end *e, uint32_t qp, uint64_t key,
			   uint32_t qp_num, uint64_t sequence, uint32_t len,
			   const unsigned char *at);

/* --- traffic_counters.c -------------------------------------------------- */

/* Counters of the device as they stand. */
void traffic_counters_read(struct ibv_context *context, uint32_t port,
			   uint64_t *rnr, uint64_t *rnr_sent,
			   uint64_t *retries);

#endif
