/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A traffic program: what two ends do at full speed, each on its own, and what
 * each of them found.  Throughput, latency, sweep and soak are all runs of one.
 *
 * Program and result are plain: no pointer, no size that depends on the build,
 * so that they may lie in shared memory or travel to another host.
 *
 * A queue pair has a sequence of messages in each direction.  Operation and
 * length of each are a function of (seed, QP, direction, sequence), so that
 * the receiver knows what must come.  The last one says so itself: it is a SEND
 * with an immediate, and what it says is "the end" or "meet again": in the
 * second case both ends wait until all is settled, connect anew with the next
 * generation, and go on.
 */
#ifndef SUITE_BENCH_TRAFFIC_H
#define SUITE_BENCH_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/histogram.h"
#include "verbatim/options.h"

enum {
	TRAFFIC_QPS_MAX = 1024,
	TRAFFIC_DEPTH_MAX = 4096,
	TRAFFIC_BATCH_MAX = 1024,
	TRAFFIC_FINDINGS_MAX = 16,
	TRAFFIC_MARKS = 32,
	TRAFFIC_READ_SLOTS = 4,
	/* Of one end's buffers. */
	TRAFFIC_MEMORY_MAX = 1 << 30,
	/* What "random" sizes go up to. */
	TRAFFIC_RANDOM_MAX = 64 * 1024,
	TRAFFIC_DEVICE_MAX = 64,
};

enum traffic_op {
	TRAFFIC_SEND,
	TRAFFIC_SEND_IMM,
	TRAFFIC_WRITE, /* always followed by one that takes a receive */
	TRAFFIC_WRITE_IMM,
	TRAFFIC_READ,
	TRAFFIC_OPS,
};

enum traffic_direction {
	TRAFFIC_A_TO_B,
	TRAFFIC_B_TO_A,
	TRAFFIC_BOTH,
	/* a sends, b answers each message with one of its own. */
	TRAFFIC_ECHO,
};

/* Faults of our own, to prove that they are found. */
enum traffic_drift {
	TRAFFIC_DRIFT_NONE,
	TRAFFIC_DRIFT_SLOW_POLL, /* b polls ever more slowly */
	TRAFFIC_DRIFT_LEAK,	 /* b never frees */
	TRAFFIC_DRIFT_FD_LEAK,	 /* nor closes */
	TRAFFIC_DRIFT_STALL,	 /* a stops sending for a while */
	TRAFFIC_DRIFTS,
};

struct traffic_program {
	char device[TRAFFIC_DEVICE_MAX];
	uint32_t port, gid_index;
	uint32_t mtu; /* bytes */
	uint32_t timeout, retry, rnr_retry, min_rnr_timer;

	uint32_t qps;
	uint32_t inflight; /* of each QP and direction */
	uint32_t rq_depth; /* receives posted on each QP */
	uint32_t batch;	   /* completions taken by one poll */
	/* Each so many requests one is signaled; at most half of inflight. */
	uint32_t signal_every;
	uint32_t direction;	   /* enum traffic_direction */
	uint32_t mix[TRAFFIC_OPS]; /* weights; all 0: SEND alone */
	struct vb_sizes sizes;
	bool events;  /* wait on the completion channel */
	bool verify;  /* make and check every byte */
	bool threads; /* both ends are threads of one process */

	uint64_t seed;
	uint64_t messages;	/* of each QP and direction; 0: by time */
	uint64_t warm_up_ns;	/* not counted in figures, but verified */
	uint64_t duration_ns;	/* after the warm-up; 0: by messages */
	uint64_t rate;		/* messages per second of each end; 0: closed */
	uint64_t reconnect_ns;	/* 0: never */
	uint64_t reregister_ns; /* memory, when a reconnect is due; 0: never */
	/* Without any progress so long, it is over. */
	uint64_t patience_ns;
	uint32_t drift; /* enum traffic_drift */
};

/* A digest of the first @count messages of a direction, by which two ends find
 * where they differ. */
struct traffic_mark {
	uint64_t count;
	uint64_t digest;
};

/* One direction of one queue pair, as one end saw it. */
struct traffic_flow {
	uint64_t messages;
	uint64_t bytes;
	uint64_t ops[TRAFFIC_OPS];
	uint64_t digest;
	/* One more than the number of the first message that had not the
	 * sequence or length that was due; 0: all had. */
	uint64_t odd;
	/* Every marks_every messages one; doubled when the array is full. */
	uint64_t marks_every;
	uint32_t marks_count;
	uint32_t reserved;
	struct traffic_mark marks[TRAFFIC_MARKS];
};

/* What the kind of a finding is called: the words of findings.def where one
 * fits, and a sentence with QP and sequence. */
struct traffic_finding {
	char kind[24];
	uint32_t qp_index;
	uint32_t end;
	uint64_t sequence;
	char text[320];
};

/* What an end shows of itself while it runs; written by it alone. */
struct traffic_live {
	uint64_t started_ns; /* monotonic; 0: not yet */
	uint64_t measure_ns; /* the warm-up is over since; 0: not yet */
	uint64_t sent, sent_bytes, received, received_bytes;
	uint64_t polls, completions; /* polls: those that brought any */
	uint64_t batch_max;
	uint64_t outstanding;	  /* requests not known to be done */
	uint64_t receives_posted; /* over all QPs, now */
	uint64_t backlog; /* completions found waiting at a look, up to 1024 */
	uint64_t rnr, rnr_sent, retries; /* of the device, since the start */
	uint64_t generation;
	uint64_t findings;
	uint64_t done; /* 1: the end has finished */
	/* Of its process, when that is another host's; else 0. */
	uint64_t memory_bytes, descriptors, starved_ns;
	struct histogram latency; /* ns, from the intended time of sending */
};

struct traffic_result {
	int32_t err;  /* negative errno: the run was not completed */
	uint32_t end; /* 0: a, 1: b */
	uint32_t qps;
	bool cut_short;	 /* stopped from outside before its time */
	char error[256]; /* if err, what happened */
	/* Of the time measured, behind the warm-up. */
	uint64_t wall_ns, cpu_ns;
	uint64_t sent, sent_bytes, received, received_bytes;
	uint64_t polls, completions, batch_max;
	uint64_t rnr, rnr_sent, retries;
	uint64_t reconnects, stale;
	uint64_t findings_total;
	uint32_t findings_count;
	struct traffic_finding findings[TRAFFIC_FINDINGS_MAX];
	struct histogram latency;
	/* Of the whole run. */
	struct traffic_flow tx[TRAFFIC_QPS_MAX];
	struct traffic_flow rx[TRAFFIC_QPS_MAX];
};

/* 0, or -EINVAL and what is impossible about it: option, value, limit. */
int traffic_program_check(const struct traffic_program *p,
			  struct strbuf *error) MUST_USE;
/* The longest message of the program. */
uint32_t traffic_len_max(const struct traffic_program *p);
/* Does this end send, or receive, messages of the program? */
bool traffic_sends(const struct traffic_program *p, uint32_t end);
/* Operation and length of a message; @end is the sender. */
enum traffic_op traffic_op_of(const struct traffic_program *p, uint32_t end,
			      uint32_t qp, uint64_t sequence);
uint32_t traffic_len_of(const struct traffic_program *p, uint32_t end,
			uint32_t qp, uint64_t sequence, enum traffic_op op);
/* A READ takes one of a few messages that lie at the peer for that: the
 * sequence in the reader's flow by which it is known. */
uint64_t traffic_read_sequence(uint64_t sequence);
bool traffic_takes_receive(enum traffic_op op);

/* Enter a message into a flow: how ledgers of both ends agree. */
void traffic_flow_add(struct traffic_flow *f, enum traffic_op op,
		      uint64_t sequence, uint32_t len);
/* The next one to be entered has not the length that is due. */
void traffic_flow_odd(struct traffic_flow *f);
/*
 * Do the two ends agree on what went from each to the other?  0; or -EBADMSG,
 * and @error names QP and the first sequence that differs; or between which
 * two it lies, if both ends saw nothing odd.
 */
int traffic_reconcile(const struct traffic_result *a,
		      const struct traffic_result *b,
		      struct strbuf *error) MUST_USE;

#endif
