/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a case asks of the device itself, besides objects and traffic: its
 * ports and tables, more contexts, calls that must not get through.
 */
#ifndef VERBATIM_DEVICE_H
#define VERBATIM_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct vb_test;
struct vb_end;
struct vb_qp;
struct vb_object;

/* 0, or the negative errno of the verb; any port and index. */
int vb_query_port(struct vb_end *e, unsigned port,
		  struct ibv_port_attr *attr) MUST_USE;
int vb_query_gid(struct vb_end *e, unsigned port, uint32_t index,
		 struct ibv_gid_entry *entry) MUST_USE;
/* @pkey in the host's order. */
int vb_query_pkey(struct vb_end *e, unsigned port, uint32_t index,
		  uint16_t *pkey) MUST_USE;
/*
 * Take the port down, as when the cable is pulled, or up again.  All contexts
 * of the end's process are of it, and so may be the other end.  False: this
 * device does not let us.
 */
bool vb_set_port(struct vb_end *e, bool up) MUST_USE;
/* The event that tells of it comes, once each time. */
void vb_expect_port_event(struct vb_end *e, bool up);
/* The one that connections get unless told otherwise. */
uint32_t vb_gid_index(const struct vb_end *e);
const union ibv_gid *vb_gid(const struct vb_end *e);
enum ibv_transport_type vb_transport(const struct vb_end *e);

/*
 * Open the device @count times more, make a PD, an MR and a CQ in each
 * context, and close them all, in an order that @turn decides; the objects of
 * those still open must be usable to the end.
 */
void vb_open_contexts(struct vb_end *e, unsigned count, unsigned turn);

/* The same call on a kernel handle that is none must fail; the object is then
 * as before. */
void vb_destroy_stale_refused(struct vb_object *object);
void vb_query_stale_refused(struct vb_qp *qp);

/* While events of the CQ are not acknowledged, destroying it waits; it is
 * looked at for @ms.  Then they are, and it must come to its end. */
void vb_expect_destroy_waits(struct vb_object *cq, unsigned ms);
/*
 * The same of a queue pair of an SRQ that was moved to ERR a moment ago, and of
 * the event that it has reached its last receive, which the case has not waited
 * for; a device that raises none skips the case.
 */
void vb_expect_event_held(struct vb_qp *qp, unsigned ms);

/*
 * Poll a CQ that is held by @threads at once until @want completions, all that
 * there are to be, are out of it: each is given to one of them.
 */
void vb_poll_by_threads(struct vb_object *cq, unsigned threads, uint32_t want);

/*
 * From here on the end's process has no privileges any more.  False: it cannot
 * be had, being without them already is fine.
 */
bool vb_give_up_rights(struct vb_end *e);

/* 0, or the negative errno of the verb. */
int vb_attach_multicast(struct vb_qp *qp, const union ibv_gid *group) MUST_USE;
int vb_detach_multicast(struct vb_qp *qp, const union ibv_gid *group) MUST_USE;
/* Must be refused, as something refers to it. */
void vb_destroy_qp_refused(struct vb_qp *qp);

/* A modify to @state with the required attributes whose answer and effect are
 * for the case to judge: from several threads at once. */
void vb_modify_unjudged(struct vb_qp *qp, enum ibv_qp_state state);

#endif
