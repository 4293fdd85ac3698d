// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PDs, MRs, CQs and channels of the ends: made, refused, destroyed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/ends.h"

enum {
	OBJECTS_SLOTS = 64, /* of a piece of the store */
	OBJECTS_STORE_BYTES = 1 << 20,
};

const char *ends_kind_name(enum end_kind kind)
{
	static const char *const names[] = {
		[END_PD] = "PD", [END_MR] = "MR",   [END_CHANNEL] = "channel",
		[END_CQ] = "CQ", [END_QP] = "QP",   [END_MW] = "MW",
		[END_AH] = "AH", [END_SRQ] = "SRQ", [END_CM] = "connection id",
	};

	return names[kind];
}

struct vb_object *ends_object_add(struct vb_end *e, enum end_kind kind,
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

struct vb_object *ends_object_find(struct vb_end *e, uint32_t id)
{
	struct vb_object *o;

	for (o = e->objects; o; o = o->next)
		if (id && o->id == id)
			return o;
	return NULL;
}

static void objects_broken(struct vb_end *e, const char *what,
			   int err) NO_RETURN;

static void objects_broken(struct vb_end *e, const char *what, int err)
{
	vb_broken(e->ends->t, "end %s: creating a %s: %s", ends_side(e), what,
		  strerror(-err));
}

struct vb_object *vb_try_create_pd(struct vb_end *e)
{
	struct end_nothing in = { 0 };
	struct end_made out;

	if (e->ops->create_pd(e->host, &in, &out))
		return NULL;
	return ends_object_add(e, END_PD, out.id);
}

struct vb_object *vb_create_pd(struct vb_end *e)
{
	struct end_nothing in = { 0 };
	struct end_made out;
	int err = e->ops->create_pd(e->host, &in, &out);

	if (err)
		objects_broken(e, "PD", err);
	return ends_object_add(e, END_PD, out.id);
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
	o = ends_object_add(e, END_MR, out.id);
	o->lkey = out.lkey;
	o->rkey = out.rkey;
	o->room = room;
	o->slots = slots;
	o->sges = sges;
	return o;
}

/* A slot is used once in a case, so that its buffer can be looked at to the
 * end; rooms are powers of two, to be shared. */
void ends_place(struct vb_object *pd, uint32_t room, uint32_t sges,
		struct end_place *place)
{
	uint32_t size = 256, slots, pieces = sges > 4 ? END_SGES_MAX : 4;
	struct vb_object *o;

	while (size < room)
		size *= 2;
	for (o = pd->end->objects; o; o = o->next)
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
	return ends_object_add(e, END_CHANNEL, out.id);
}

int ends_object_destroy(struct vb_object *o)
{
	struct end_object in = { .id = o->id };
	struct end_nothing out;
	int err;

	/* The verb waits for it. */
	if (o->kind == END_CQ)
		vb_ack_cq(o);
	err = o->end->ops->destroy(o->end->host, &in, &out);
	if (err)
		return err;
	o->gone = true;
	dashboard_cq_close(o->row);
	o->row = NULL;
	if (o->queue)
		ledger_queue_close(o->queue);
	o->queue = NULL;
	return 0;
}

void vb_destroy(struct vb_object *o)
{
	struct vb_test *t = o->end->ends->t;
	int err;

	/* Completions in it are judged first: they go with it. */
	if (o->kind == END_SRQ)
		ends_progress(o->end->ends);
	else if (o->kind == END_CQ)
		ends_progress_cq(o);
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

bool vb_try_destroy(struct vb_object *o)
{
	return !ends_object_destroy(o);
}

struct vb_usage vb_usage(struct vb_end *e)
{
	struct end_nothing none = { 0 };
	struct end_usage out;

	if (e->ops->usage(e->host, &none, &out))
		vb_skip(e->ends->t, "/proc does not tell what the process of "
				    "an end occupies");
	return (struct vb_usage){ .descriptors = out.descriptors,
				  .threads = out.threads,
				  .resident_bytes = out.resident_bytes };
}
