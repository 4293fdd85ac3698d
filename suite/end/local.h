/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of an end in this process, for the files local*.c alone. */
#ifndef SUITE_END_LOCAL_H
#define SUITE_END_LOCAL_H

#include "suite/end/commands.h"
#include "suite/verbs/verbs.h"

enum {
	LOCAL_GUARD = 64,
	LOCAL_GAP = 16,
	LOCAL_PAGE = 4096,
	LOCAL_HOLE = 1 << 28, /* of addresses alone */
};

struct rdma_event_channel;
struct rdma_cm_id;

struct local_mr {
	struct ibv_mr *mr;     /* NULL once deregistered: the memory stays */
	unsigned char *memory; /* NULL: another's, or none */
	size_t len;
	size_t stride;
	uint32_t slots;
	uint32_t room, sges;
	uint32_t lkey;
	uint64_t guard_key;
	bool transient;
	bool given_back; /* deregistered, and its memory with it */
	/* Regions: */
	bool region;
	unsigned char *base;	      /* the first registered byte */
	uint64_t address;	      /* what SGEs and peers call it */
	const struct local_mr *under; /* whose memory and guards they are */
};

struct local_object {
	enum end_kind kind;
	bool gone;
	union {
		struct ibv_pd *pd;
		struct ibv_comp_channel *channel;
		struct ibv_cq *cq;
		struct ibv_qp *qp;
		struct local_mr mr;
		struct ibv_mw *mw;
		struct ibv_ah *ah;
		struct ibv_srq *srq;
		struct rdma_cm_id *cm;
	};
	bool manual;		    /* CQs and the channels of manual ones */
	bool builder;		    /* QPs */
	struct ibv_cq_ex *extended; /* CQs: `cq` by its other face, or NULL */
	bool stamps;
	uint64_t stamp; /* the last one */
};

struct end_host {
	struct verbs_at at;
	struct ibv_context *context;
	uint64_t seed;
	uint8_t port;
	int fd;		  /* an epoll set: async_fd and the channels */
	bool async_asked; /* for an event, though none may have been there */
	struct rdma_event_channel *cm; /* NULL: not used so far */
	union ibv_gid gid;	       /* that was chosen at the opening */
	/* Of objects; ids are 1..count.  A thread that posts looks one up while
	 * another makes one. */
	_Atomic uint32_t count;
	struct local_object *objects[END_OBJECTS_MAX + 1];
};

/* The object @id if it is there and of that kind, else NULL. */
struct local_object *local_find(struct end_host *h, uint32_t id,
				enum end_kind kind);
/* A new one, not yet filled; NULL: out of memory or of ids. */
struct local_object *local_add(struct end_host *h, enum end_kind kind,
			       uint32_t *id);
/* Take back the newest one. */
void local_drop(struct end_host *h);
int local_watch(struct end_host *h, int fd);
/* Would poll() say of @fd that there is something to be read? */
bool local_readable(int fd);

/* The places of a work request's pieces; -EINVAL: they do not fit.  A place
 * without pieces needs no memory: then *@mr is NULL. */
int local_lay(struct end_host *h, const struct end_place *p,
	      struct local_mr **mr, struct iovec iov[END_SGES_MAX]) MUST_USE;

/* Do the guards around a region's memory hold? */
bool local_region_guards_hold(const struct local_mr *mr, struct complaint *c);
/* The id of the object whose pointer or cookie @o is; 0: none of ours. */
uint32_t local_id_of(struct end_host *h, const void *object);

/* --- local_cm.c --------------------------------------------------------- */

int local_cm_destroy(struct end_host *h, struct rdma_cm_id *id);
void local_cm_close(struct end_host *h);

#define END_COMMAND(name, argument, answer)                             \
	int local_##name(struct end_host *h, const struct argument *in, \
			 struct answer *out);
#include "suite/end/commands.def"
#undef END_COMMAND

#endif
