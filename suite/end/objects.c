// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PDs, MRs, CQs and channels of the ends: made, refused, destroyed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/ends.h"

enum {
	OBJECTS_SLOTS = 64, /* of a piece of the store */
	OBJECTS_STORE_BYTES = 1 << 20,
	OBJECTS_CQE = 256,
	OBJECTS_CQE_SHARED = 4096,
};

const char *ends_kind_name(enum end_kind kind)
{
	static const char *const names[] = {
		[END_PD] = "PD", [END_MR] = "MR", [END_CHANNEL] = "channel",
		[END_CQ] = "CQ", [END_QP] = "QP",
	};

	return names[kind];
}

static struct vb_object *objects_add(struct vb_end *e, enum end_kind kind,
				     uint32_t id)
{
	struct vb_object *o = calloc(1, sizeof(*o));

	if (!o)
		vb_broken(e->ends->t, "no memory for an object");
	o->end = e;
	o->kind = kind;
	o->id = id;
	o->next = e->objects;
	e->objects = o;
	return o;
}

static void objects_broken(struct vb_end *e, const char *what,
			   int err) NO_RETURN;

static void objects_broken(struct vb_end *e, const char *what, int err)
{
	vb_broken(e->ends->t, "end %s: creating a %s: %s", ends_side(e), what,
		  strerror(-err));
}

struct vb_object *vb_create_pd(struct vb_end *e)
{
	struct end_nothing in = { 0 };
	struct end_made out;
	int err = e->ops->create_pd(e->host, &in, &out);

	if (err)
		objects_broken(e, "PD", err);
	return objects_add(e, END_PD, out.id);
}

struct vb_object *ends_mr_make(struct vb_object *pd, uint32_t slots,
			       uint32_t room, uint32_t sges, bool transient,
			       unsigned access)
{
	struct vb_end *e = pd->end;
	struct end_mr in = { .pd = pd->id,
			     .slots = slots,
			     .room = room,
			     .sges = sges,
			     .access = access,
			     .transient = transient };
	struct end_mr_made out;
	struct vb_object *o;
	int err = e->ops->create_mr(e->host, &in, &out);

	if (err)
		vb_broken(e->ends->t,
			  "end %s: registering %u x %u bytes: %s; see "
			  "\"ulimit -l\"",
			  ends_side(e), slots, room, strerror(-err));
	o = objects_add(e, END_MR, out.id);
	o->lkey = out.lkey;
	o->rkey = out.rkey;
	o->room = room;
	o->slots = slots;
	o->sges = sges;
	return o;
}

struct vb_object *vb_create_mr_args(struct vb_object *pd,
				    const struct vb_mr_args *args)
{
	return ends_mr_make(pd, 1, args->len ? args->len : 4096, 4, false,
			    args->access.set ? (unsigned)args->access.value
					     : IBV_ACCESS_LOCAL_WRITE);
}

uint32_t vb_mr_lkey(const struct vb_object *mr)
{
	return mr->lkey;
}

uint32_t vb_mr_rkey(const struct vb_object *mr)
{
	return mr->rkey;
}

/* A slot is used once in a case, so that its buffer can be looked at to the
 * end; rooms are powers of two, to be shared. */
void ends_place(struct vb_qp *qp, uint32_t room, uint32_t sges,
		struct end_place *place)
{
	uint32_t size = 256, slots, pieces = sges > 4 ? END_SGES_MAX : 4;
	struct vb_object *pd = qp->pd, *o;

	while (size < room)
		size *= 2;
	for (o = qp->end->objects; o; o = o->next)
		if (o->own && o->kind == END_MR && o->room == size &&
		    o->sges == pieces && o->slots_used < o->slots &&
		    o->pd == pd->id)
			break;
	if (!o) {
		slots = OBJECTS_STORE_BYTES / size;
		slots = slots > OBJECTS_SLOTS ? OBJECTS_SLOTS : slots;
		o = ends_mr_make(pd, slots ? slots : 1, size, pieces, false,
				 IBV_ACCESS_LOCAL_WRITE);
		o->own = true;
		o->pd = pd->id;
	}
	place->mr = o->id;
	place->slot = o->slots_used++;
}

struct vb_object *vb_create_channel(struct vb_end *e)
{
	struct end_nothing in = { 0 };
	struct end_made out;
	int err = e->ops->create_channel(e->host, &in, &out);

	if (err)
		objects_broken(e, "completion channel", err);
	return objects_add(e, END_CHANNEL, out.id);
}

static int objects_cq(struct vb_end *e, const struct vb_cq_args *args,
		      struct end_cq_made *out)
{
	struct vb_object *channel = args->channel ? args->channel : e->channel;
	struct end_cq in = {
		.cqe = args->cqe.set ? (int)args->cqe.value : OBJECTS_CQE,
		.vector = args->vector.set ? (int)args->vector.value : 0,
		.channel = channel ? channel->id : 0,
	};

	return e->ops->create_cq(e->host, &in, out);
}

struct vb_object *vb_create_cq_args(struct vb_end *e,
				    const struct vb_cq_args *args)
{
	struct end_cq_made out;
	struct vb_object *o;
	int err = objects_cq(e, args, &out);

	if (err)
		objects_broken(e, "CQ", err);
	o = objects_add(e, END_CQ, out.id);
	o->cqe = out.cqe;
	o->row =
		dashboard_cq_open(e->ends->dashboard, e->side, out.id, out.cqe);
	return o;
}

void vb_create_cq_refused_args(struct vb_end *e, const struct vb_cq_args *args)
{
	struct end_cq_made out;
	int err = objects_cq(e, args, &out);

	if (!err)
		objects_add(e, END_CQ, out.id);
	vb_check(e->ends->t, VB_FIND_WRONG_RETURN, err,
		 "end %s: a CQ of %lld entries, vector %lld, was created, it "
		 "must be refused",
		 ends_side(e), (long long)args->cqe.value,
		 (long long)args->vector.value);
}

struct vb_object *ends_cq_default(struct vb_end *e, uint32_t cqe)
{
	uint32_t max = (uint32_t)e->opened.device.max_cqe;

	if (!cqe)
		cqe = OBJECTS_CQE_SHARED;
	return vb_create_cq(e, .cqe = VB_SET(cqe < max ? cqe : max));
}

uint32_t vb_cq_size(const struct vb_object *cq)
{
	return cq->cqe;
}

int ends_object_destroy(struct vb_object *o)
{
	struct end_object in = { .id = o->id };
	struct end_nothing out;
	int err = o->end->ops->destroy(o->end->host, &in, &out);

	if (err)
		return err;
	o->gone = true;
	dashboard_cq_close(o->row);
	o->row = NULL;
	return 0;
}

void vb_destroy(struct vb_object *o)
{
	struct vb_test *t = o->end->ends->t;
	int err;

	/* Completions in it are judged first: they go with it. */
	if (o->kind == END_CQ)
		ends_progress(o->end->ends);
	err = ends_object_destroy(o);
	vb_check(t, VB_FIND_WRONG_RETURN, !err,
		 "end %s: destroying a %s that nothing refers to: %s",
		 ends_side(o->end), ends_kind_name(o->kind), strerror(-err));
}

void vb_destroy_refused(struct vb_object *o)
{
	struct vb_test *t = o->end->ends->t;
	int err = ends_object_destroy(o);

	vb_check(t, VB_FIND_WRONG_RETURN, err,
		 "end %s: a %s was destroyed while other objects refer to it",
		 ends_side(o->end), ends_kind_name(o->kind));
}
