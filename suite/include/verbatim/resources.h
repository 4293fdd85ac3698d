/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of an end besides queue pairs: made, changed, refused,
 * destroyed.  Of end.h, which says what holds for all of it.
 *
 * The _refused forms must be refused (NULL, errno set), else wrong-return; the
 * try forms give NULL where a device may differ.
 */
#ifndef VERBATIM_RESOURCES_H
#define VERBATIM_RESOURCES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct vb_test;
struct vb_end;
struct vb_qp;
struct vb_wr;
/* A PD, MR, MW, AH, SRQ, CQ or completion channel. */
struct vb_object;

/* A number that was said; see VB_SET(). */
struct vb_value {
	bool set;
	uint64_t value;
};

#define VB_SET(n) ((struct vb_value){ .set = true, .value = (uint64_t)(n) })

struct vb_object *vb_create_pd(struct vb_end *e);
/* NULL: the device refuses. */
struct vb_object *vb_try_create_pd(struct vb_end *e);

/* --- Memory regions ----------------------------------------------------- */

/*
 * A region of the end's own memory: exactly @len bytes are registered, guards
 * stand outside, and it is filled with bytes that know where they belong.  It
 * is the buffer of work requests (.mr=), or the target of the peer's (.to=);
 * what it must hold is kept account of, see vb_expect_memory().
 */
struct vb_mr_args {
	uint32_t len;		/* bytes; 0: one page */
	struct vb_value access; /* IBV_ACCESS_*; default: LOCAL_WRITE */
	/* The same memory as that region's, from @offset on. */
	struct vb_object *over;
	uint32_t offset;
	/* What SGEs and peers call its first byte; default: its address. */
	struct vb_value iova;
	bool empty; /* 0 bytes */
	/* Given back when it is destroyed, and not looked at any more: of cases
	 * that make many. */
	bool transient;
	bool read_only; /* the process itself cannot write there */
	bool unmapped;	/* there is nothing at the address */
};

#define vb_create_mr(pd, ...) \
	vb_create_mr_args(pd, &(struct vb_mr_args){ __VA_ARGS__ })
struct vb_object *vb_create_mr_args(struct vb_object *pd,
				    const struct vb_mr_args *args);
#define vb_try_create_mr(pd, ...) \
	vb_try_create_mr_args(pd, &(struct vb_mr_args){ __VA_ARGS__ })
struct vb_object *vb_try_create_mr_args(struct vb_object *pd,
					const struct vb_mr_args *args);
#define vb_create_mr_refused(pd, ...) \
	vb_create_mr_refused_args(pd, &(struct vb_mr_args){ __VA_ARGS__ })
void vb_create_mr_refused_args(struct vb_object *pd,
			       const struct vb_mr_args *args);
/* A region that peers may write, read and do atomics on. */
#define vb_create_target(pd, bytes)                             \
	vb_create_mr(pd, .len = (bytes),                        \
		     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |  \
				      IBV_ACCESS_REMOTE_WRITE | \
				      IBV_ACCESS_REMOTE_READ |  \
				      vb_atomic_access(pd)))
/* IBV_ACCESS_REMOTE_ATOMIC where the device has atomics, else 0. */
unsigned vb_atomic_access(const struct vb_object *pd);

uint32_t vb_mr_lkey(const struct vb_object *mr);
/* Of an MR or MW. */
uint32_t vb_mr_rkey(const struct vb_object *mr);
/* What peers call its first byte. */
uint64_t vb_mr_address(const struct vb_object *mr);

struct vb_rereg_args {
	struct vb_object *pd;	/* CHANGE_PD */
	struct vb_value access; /* CHANGE_ACCESS */
	/* CHANGE_TRANSLATION: this part of the memory as it was made. */
	struct vb_value offset, len;
};

/* True when it was done; *@answer (may be NULL) is what the verb returned. */
#define vb_try_rereg_mr(mr, answer, ...) \
	vb_try_rereg_mr_args(mr, answer, &(struct vb_rereg_args){ __VA_ARGS__ })
bool vb_try_rereg_mr_args(struct vb_object *mr, int *answer,
			  const struct vb_rereg_args *args);

/* The processor writes @len new bytes there, which the account knows. */
void vb_store(struct vb_object *mr, uint32_t offset, uint32_t len);
/* Eight bytes as they lie there now, in the host's order. */
uint64_t vb_load(struct vb_object *mr, uint32_t offset);
/* The same, of @count times eight bytes from there on; where the other end is
 * far, one journey instead of many. */
void vb_load_words(struct vb_object *mr, uint32_t offset, uint64_t *words,
		   uint32_t count);

/* --- Memory windows, address handles ------------------------------------ */

struct vb_object *vb_create_mw(struct vb_object *pd, enum ibv_mw_type type);
struct vb_object *vb_try_create_mw(struct vb_object *pd, enum ibv_mw_type type);

struct vb_ah_args {
	const struct vb_qp *to; /* its port's address; default: own port's */
	const union ibv_gid *dgid;
	struct vb_value gid_index, dlid, is_global, port, hop_limit;
	struct vb_value traffic_class, flow_label, sl;
};

#define vb_create_ah(pd, ...) \
	vb_create_ah_args(pd, &(struct vb_ah_args){ __VA_ARGS__ })
struct vb_object *vb_create_ah_args(struct vb_object *pd,
				    const struct vb_ah_args *args);
#define vb_try_create_ah(pd, ...) \
	vb_try_create_ah_args(pd, &(struct vb_ah_args){ __VA_ARGS__ })
struct vb_object *vb_try_create_ah_args(struct vb_object *pd,
					const struct vb_ah_args *args);
#define vb_create_ah_refused(pd, ...) \
	vb_create_ah_refused_args(pd, &(struct vb_ah_args){ __VA_ARGS__ })
void vb_create_ah_refused_args(struct vb_object *pd,
			       const struct vb_ah_args *args);

/* By ibv_create_ah_from_wc(), of a datagram that has come; NULL: refused. */
struct vb_object *vb_try_create_ah_from_wc(struct vb_object *pd,
					   const struct vb_wr *recv);

/* --- Shared receive queues ---------------------------------------------- */

struct vb_srq_args {
	struct vb_value depth; /* default: --inflight */
	uint32_t sges;	       /* a WR; default: 1 */
	uint32_t limit;	       /* at creation, where it has no meaning */
};

#define vb_create_srq(pd, ...) \
	vb_create_srq_args(pd, &(struct vb_srq_args){ __VA_ARGS__ })
struct vb_object *vb_create_srq_args(struct vb_object *pd,
				     const struct vb_srq_args *args);
#define vb_create_srq_refused(pd, ...) \
	vb_create_srq_refused_args(pd, &(struct vb_srq_args){ __VA_ARGS__ })
void vb_create_srq_refused_args(struct vb_object *pd,
				const struct vb_srq_args *args);
/* As the device wrote it back at creation. */
const struct ibv_srq_attr *vb_srq_attr(const struct vb_object *srq);
/* As ibv_query_srq() tells it now. */
struct ibv_srq_attr vb_query_srq(struct vb_object *srq);
/* Must succeed, and read back; arming promises one event. */
void vb_arm_srq(struct vb_object *srq, uint32_t limit);
/* True when the device did it: then it has at least so many.  At most four
 * times what it was made with. */
bool vb_try_resize_srq(struct vb_object *srq, uint32_t max_wr);
/* Must be refused, and nothing has changed. */
void vb_modify_srq_refused(struct vb_object *srq, unsigned mask,
			   uint32_t max_wr, uint32_t limit);
/* Receives posted and not used up so far, as far as completions tell. */
uint32_t vb_srq_left(const struct vb_object *srq);

/* --- Completion queues -------------------------------------------------- */

struct vb_object *vb_create_channel(struct vb_end *e);

struct vb_cq_args {
	struct vb_value cqe;	   /* default: 256 */
	struct vb_object *channel; /* default: none in poll mode */
	struct vb_value vector;	   /* default: 0 */
	/* Armed by vb_arm() alone, its events taken by vb_expect_cq_event();
	 * so are those of its channel. */
	bool manual;
	/* By ibv_create_cq_ex(), polled by ibv_start_poll() and its like. */
	bool extended;
	/* Of an extended one: with time stamps, which must not run back. */
	bool stamps;
};

#define vb_create_cq(e, ...) \
	vb_create_cq_args(e, &(struct vb_cq_args){ __VA_ARGS__ })
struct vb_object *vb_create_cq_args(struct vb_end *e,
				    const struct vb_cq_args *args);
#define vb_try_create_cq(e, ...) \
	vb_try_create_cq_args(e, &(struct vb_cq_args){ __VA_ARGS__ })
struct vb_object *vb_try_create_cq_args(struct vb_end *e,
					const struct vb_cq_args *args);
/* The creation must be refused: NULL and errno set (RES-01). */
#define vb_create_cq_refused(e, ...) \
	vb_create_cq_refused_args(e, &(struct vb_cq_args){ __VA_ARGS__ })
void vb_create_cq_refused_args(struct vb_end *e, const struct vb_cq_args *args);
/* As many entries as the device says it has. */
uint32_t vb_cq_size(const struct vb_object *cq);
/* True when the device did it: then it has at least so many. */
bool vb_try_resize_cq(struct vb_object *cq, uint32_t cqe);

/* No wait polls it until it is released again: entries stay in it. */
void vb_hold_cq(struct vb_object *cq);
void vb_release_cq(struct vb_object *cq);

/* Of a manual CQ: ask for an event; must succeed. */
void vb_arm(struct vb_object *cq, bool solicited_only);
/* An event comes, with the right CQ and cookie.  vb_ack_cq() acknowledges all
 * that have come so far; destroying the CQ does it too. */
void vb_expect_cq_event(struct vb_object *cq);
void vb_ack_cq(struct vb_object *cq);
/* None comes for @ms. */
void vb_expect_no_cq_event(struct vb_object *cq, unsigned ms);

/* --- All of them -------------------------------------------------------- */

/* Destroy: must succeed, or must be refused because something refers to the
 * object, which must then still be there.  What a case does not destroy, the
 * end does when the case is over, in the right order. */
void vb_destroy(struct vb_object *object);
void vb_destroy_refused(struct vb_object *object);
/* Where devices may differ: true when it is gone. */
bool vb_try_destroy(struct vb_object *object);

/* What the process of the end has open and occupies, for cases that compare
 * it before and after. */
struct vb_usage {
	uint64_t descriptors, threads, resident_bytes;
};
struct vb_usage vb_usage(struct vb_end *e);

#endif
