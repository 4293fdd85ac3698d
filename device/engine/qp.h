/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A queue pair as the three engines see it.
 *
 *	      oldest             cursor
 *	SQ:   [begun, unacked ..][begun, in part ..][waiting ..]
 *	PSN:  ^ unacked          ^ next         ^ sent  ^ fresh
 *
 * Going back moves the cursor (and next) left, never sent or fresh: packets
 * keep their PSNs for life.
 * The owner of the memory (front) allocates queues of the sizes asked; the
 * engines allocate nothing.
 */
#ifndef DEVICE_ENGINE_QP_H
#define DEVICE_ENGINE_QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "device/engine/host.h"
#include "device/engine/mr.h"
#include "device/wire/packet.h"

enum { SD_SGE_MAX = 16 };

/* Where a datagram goes. */
struct sd_datagram_path {
	uint8_t gid[16];
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint32_t qpn;
	uint32_t qkey;
};

struct sd_send_wqe {
	uint64_t wr_id;
	enum ibv_wr_opcode opcode;
	bool signaled;
	bool solicited;
	bool fence;
	bool begun;	/* has its PSNs */
	bool is_inline; /* the data is @inline_data, else where the list says */
	int num_sge;
	uint32_t imm; /* network order; or the key to invalidate */
	uint32_t length;
	struct psn psn_first; /* once begun */
	uint32_t packets;     /* PSNs it takes */
	union {
		struct {
			uint64_t va;
			uint32_t rkey;
			uint64_t compare;
			uint64_t swap_add;
		} remote;		      /* WRITE, READ, atomics */
		struct sd_datagram_path path; /* UD */
		struct sd_bind bind;
	};
	uint8_t *inline_data; /* the entry's own room, max_inline bytes */
	struct ibv_sge *sge;  /* the entry's own room, max_sge entries */
};

struct sd_recv_wqe {
	uint64_t wr_id;
	uint64_t length; /* of all entries together */
	int num_sge;
	struct ibv_sge *sge;
};

struct sd_requester {
	struct psn unacked;	/* oldest PSN not acknowledged */
	struct psn next;	/* of the next packet to send */
	struct psn sent;	/* behind the last PSN ever asked for */
	struct psn fresh;	/* of the next entry to begin */
	uint32_t cursor;	/* entry of the next packet, from the oldest */
	uint32_t cursor_packet; /* packet within that entry */
	uint32_t since_ack_request; /* packets sent without the A bit */
	bool missing_told; /* went back for a lost answer, no progress yet */
	uint8_t retry_left;
	uint8_t rnr_left;
	uint64_t ack_deadline_ns; /* 0: nothing awaited */
	bool late_excused; /* this silence was borne once more, see retry.c */
	uint64_t rnr_deadline_ns; /* 0: not waiting for the receiver */
	uint64_t timer_ns;	  /* as last told to the host */
};

/* READs and atomics that one side may have outstanding. */
enum { SD_RD_ATOMIC_MAX = 16 };

/* Answers that may wait when so many are: one for each, an acknowledgement
 * behind each, and some more. */
static inline uint32_t sd_answers_for(uint32_t rd_atomic)
{
	return 2 * rd_atomic + 4;
}

/*
 * An executed READ or atomic, kept for the case that its answer is lost and
 * the request comes again (IBA vol. 1, 9.4.5, 9.7.5.1.2).
 */
struct sd_replay {
	bool valid;
	bool atomic;
	struct psn psn_first;
	uint32_t packets;
	uint32_t rkey;
	uint64_t va;
	uint64_t before; /* what the atomic found */
	uint32_t length;
};

/* An answer that waits for its turn on the wire. */
struct sd_answer {
	enum { SD_ANSWER_ACK, SD_ANSWER_READ, SD_ANSWER_ATOMIC } kind;
	struct psn psn; /* of the answer, or of its next packet */
	uint32_t msn;
	uint8_t syndrome;
	bool first; /* READ: its next packet is its first */
	/* READ: what is left to send. */
	uint32_t left;
	uint32_t rkey;
	union {
		uint64_t va;
		uint64_t before; /* atomic: what it found */
	};
};

struct sd_responder {
	struct psn expected;
	uint32_t msn; /* messages completed, 24 bits on the wire */
	/* A NAK for the expected PSN is out; until that packet comes, others
	 * are dropped in silence (IBA vol. 1, 9.7.5.2.8). */
	bool nak_out;
	/* FIRST was taken, LAST not yet; and of which kind. */
	bool in_message;
	bool in_write;
	bool recv_taken; /* @recv is ours: it completes before any other */
	bool comm_est_told;
	struct sd_recv_wqe recv; /* of the message in progress */
	uint64_t received;	 /* bytes of the message placed so far */
	/* The WRITE in progress. */
	uint32_t write_rkey;
	uint64_t write_va;
	uint32_t write_length;
	/* Answers in the order in which they must go out. */
	struct ring answer_ring;
	unsigned replay_next;
};

struct sd_qp;

/* Receives that several queue pairs draw from. */
struct sd_srq {
	const void *pd;
	struct ring ring;
	struct sd_recv_wqe *wqe;
	uint32_t limit; /* armed when not 0 */
	/* What mutants remember. */
	bool limit_told;    /* M10: once */
	bool limit_deaf;    /* M10: it is armed in vain */
	struct sd_qp *slow; /* M11: has the oldest receive that is not done */
	bool slow_freed;    /* M11: whose slot counts as free */
	uint32_t lost;	    /* D91: entries that are not used again */
};

/* What mutants remember of a queue pair; zeroes while none is chosen. */
struct sd_qp_mutants {
	struct psn lost_from, lost_to; /* M27: not sent again */
	uint32_t fence_fetches;	       /* M38: READs when the fence was met */
	bool srq_used;		       /* M13 */
	uint64_t last_wqe_turns;       /* M13: to the last receive's end */
	bool kept;		       /* M32: what was before the modify */
	uint8_t min_rnr_timer;
	unsigned access;
	bool in_message;   /* M33: when it went to ERR */
	bool stale;	   /* M33: since its last reset */
	bool ghost;	   /* D19: was taken */
	uint32_t posts;	   /* D48 */
	uint32_t hidden;   /* D48: the newest entries that are not seen */
	uint8_t *write_at; /* D76: where the WRITE in progress began */
	uint32_t peer;	   /* D83: of the life before; 0: none */
	bool qkey_kept;	   /* D84: @qkey is used */
	uint32_t qkey;
	bool access_kept; /* D90: @access is used */
	bool sqe;	  /* D89: has been in SQE */
	uint8_t *read_at; /* M47: what READs brought last, and where it is */
	uint64_t read_va, read_end;
};

struct sd_qp {
	struct sd_host *host;
	const void *pd; /* identity only, as in struct sd_mr */
	uint32_t qpn;
	enum ibv_qp_type type;
	enum ibv_qp_state state;
	/* As modify set them, and as query reports them.  Live values of
	 * counters and PSNs are in the engines' own state. */
	struct ibv_qp_attr attr;
	struct ibv_qp_cap cap;
	bool sig_all;
	uint32_t mtu_bytes;
	uint64_t timeout_ns; /* 0: wait for ever */
	/* Packets that may be out, as the world sees fit; the requester has a
	 * limit of its own besides. */
	uint32_t window;

	struct ring sq;
	struct sd_send_wqe *sq_wqe;
	struct ring rq;
	struct sd_recv_wqe *rq_wqe;
	struct sd_srq *srq; /* in the place of rq; NULL: none */
	struct sd_cq *send_cq;
	struct sd_cq *recv_cq;

	/* The responder's room, as the owner gives it: for the list of the
	 * receive at hand, and by answer_give_room(). */
	struct ibv_sge *recv_sge;
	struct sd_answer *answers;
	struct sd_replay *replays;
	uint16_t answer_slots, replay_slots;

	struct sd_requester req;
	struct sd_responder resp;
	bool drained_told;  /* SQ_DRAINED of this stay in SQD */
	bool last_wqe_told; /* LAST_WQE_REACHED of this stay in ERR */
	struct sd_qp_mutants mutants;
};

/* The @nth oldest entry of the send queue. */
static inline struct sd_send_wqe *qp_send_wqe(struct sd_qp *qp, uint32_t nth)
{
	return &qp->sq_wqe[ring_at(&qp->sq, nth)];
}

/* Forget all work and numbering, as RESET does; caps and identity stay. */
void qp_reset(struct sd_qp *qp);

/*
 * Enter ERR: whatever is outstanding on both queues completes with
 * WR_FLUSH_ERR, in order, unsignaled or not (IBA vol. 1, 10.3.1).
 */
void qp_enter_error(struct sd_qp *qp);
/* M13: one more turn of the receive that was held back. */
void qp_last_wqe_turn(struct sd_qp *qp);

/*
 * A work request failed: complete the oldest send entry, or the receive in
 * progress, with @status, then enter ERR.
 */
void qp_fail_send(struct sd_qp *qp, enum ibv_wc_status status);
void qp_fail_recv(struct sd_qp *qp, enum ibv_wc_status status);

/* Completions of the send queue's oldest entry (which leaves the queue) and
 * of a receive. */
void qp_complete_send(struct sd_qp *qp, enum ibv_wc_status status);
void qp_complete_recv_error(struct sd_qp *qp, uint64_t wr_id,
			    enum ibv_wc_status status);

/* Tell the host the earlier of both deadlines, when it has changed. */
void qp_timer_update(struct sd_qp *qp);
/* The time told to host->timer() has come. */
void qp_timer(struct sd_qp *qp, uint64_t now_ns);

/* One packet for this queue pair, address and P_Key already judged.  @header
 * is its IP header as UD receivers see it, 40 bytes; NULL but for UD. */
void qp_receive(struct sd_qp *qp, const struct wire_packet *packet,
		const uint8_t *header, uint64_t now_ns);
/*
 * An answer of several packets is on its way out: until it has left, nothing
 * that comes may be executed, for it could change what is being read.  The
 * world keeps such packets back.
 */
bool qp_busy(const struct sd_qp *qp);

#endif
