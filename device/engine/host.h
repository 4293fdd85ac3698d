/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the engines ask of the world: room for a packet, bytes of memory,
 * a place to put completions, events and timers.  They have nothing else: no
 * clock (now comes in by parameter), no socket, no lock, no allocation.
 */
#ifndef DEVICE_ENGINE_HOST_H
#define DEVICE_ENGINE_HOST_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sd_qp;
struct sd_cq;
struct sd_host;
struct wire_packet;

/* A completion as the engines make it. */
struct sd_cqe {
	struct ibv_wc wc;
	bool solicited; /* a solicited receive, or any error */
};

struct sd_datagram_path;
struct sd_bind;

struct sd_host_ops {
	/*
	 * Room for a packet of at most @len_max bytes to the peer of @qp, or
	 * along @path when it is not NULL; NULL: nothing can be sent now, and
	 * the world runs the queue pair again when it can.  packet_end() sends
	 * the first @len of them (the ICRC's four are counted and filled
	 * later); without it nothing is sent.
	 */
	uint8_t *(*packet_begin)(struct sd_host *h, struct sd_qp *qp,
				 const struct sd_datagram_path *path,
				 size_t len_max);
	void (*packet_end)(struct sd_host *h, size_t len);

	/*
	 * Copy @len bytes, from byte @offset of the list, out of or into the
	 * memory it describes.  Every entry touched is judged: key, protection
	 * domain, rights, bounds, mapped.  SUCCESS, or LOC_PROT_ERR;
	 * LOC_LEN_ERR when the list ends before.
	 */
	enum ibv_wc_status (*gather)(struct sd_host *h, const void *pd,
				     const struct ibv_sge *sge, int num_sge,
				     uint64_t offset, void *to, size_t len);
	enum ibv_wc_status (*scatter)(struct sd_host *h, const void *pd,
				      const struct ibv_sge *sge, int num_sge,
				      uint64_t offset, const void *from,
				      size_t len);

	/*
	 * What a peer may do to memory by @rkey.  All judge key, protection
	 * domain, rights and bounds; 0, or a negative errno that becomes a
	 * NAK.  The atomic answers with what it found.
	 */
	int (*remote_check)(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			    uint64_t va, uint64_t len, int access);
	int (*remote_write)(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			    uint64_t va, const void *from, size_t len);
	int (*remote_read)(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			   uint64_t va, void *to, size_t len);
	int (*remote_atomic)(struct sd_host *h, struct sd_qp *qp,
			     const struct wire_packet *request,
			     uint64_t *before);
	/* Kill a key, by our own or the peer's wish; bind a window. */
	int (*invalidate)(struct sd_host *h, struct sd_qp *qp, uint32_t rkey);
	int (*bind)(struct sd_host *h, struct sd_qp *qp,
		    const struct sd_bind *bind);

	void (*complete)(struct sd_host *h, struct sd_cq *cq,
			 const struct sd_cqe *cqe);
	void (*event)(struct sd_host *h, struct sd_qp *qp,
		      enum ibv_event_type type);
	/* The shared receive queue of @qp has fallen below its limit. */
	void (*srq_limit)(struct sd_host *h, struct sd_qp *qp);
	/* Call qp_timer() at @deadline_ns or later; 0: no more. */
	void (*timer)(struct sd_host *h, struct sd_qp *qp,
		      uint64_t deadline_ns);
	/* Run the queue pair's requester soon. */
	void (*wake)(struct sd_host *h, struct sd_qp *qp);
};

/* Counted by the engines, named as rxe's hw_counters (counters.def). */
struct sd_counters {
#define SD_COUNTER(name, text) uint64_t name;
#include "device/engine/counters.def"
#undef SD_COUNTER
};

struct sd_host {
	const struct sd_host_ops *ops;
	struct sd_counters counters;
};

#endif
