// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory regions and windows, and the account of what regions hold. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "suite/end/ends.h"

enum {
	MEMORY_BYTES = 4096,
	MEMORY_SHOWS_MS = 500, /* for what a completion has promised */
};

/* Nobody sends this message: it is what a region holds to begin with. */
static struct pattern_message memory_background(const struct vb_end *e,
						uint32_t salt, uint64_t len)
{
	return (struct pattern_message){
		.key = hash_mix64(e->ends->t->seed ^
				  hash_mix64(salt * 2u + e->side + 77)),
		.sequence = salt & 0xffff,
		.len = len,
		.qp_num = 0,
	};
}

static void memory_account(struct vb_object *o, const struct vb_mr_args *args,
			   const struct pattern_message *background)
{
	struct ends *e = o->end->ends;
	struct ends_memory *m;

	if (args->over) {
		o->memory = args->over->memory;
		o->memory_at = args->over->memory_at + args->offset;
		return;
	}
	m = calloc(1, sizeof(*m));
	if (!m || !(m->region = region_create(o->room, background)))
		vb_broken(e->t, "no memory for the account of a region");
	m->owner = o;
	m->next = e->memories;
	e->memories = m;
	o->memory = m;
}

void ends_memories_free(struct ends *e)
{
	struct ends_memory *m;
	struct ends_cell *cell;

	while ((m = e->memories)) {
		e->memories = m->next;
		while ((cell = m->cells)) {
			m->cells = cell->next;
			chain_destroy(cell->chain);
			free(cell);
		}
		region_destroy(m->region);
		free(m);
	}
}

/* 0 and the region, or the verb's refusal. */
static int memory_create(struct vb_object *pd, const struct vb_mr_args *args,
			 struct vb_object **mr)
{
	struct vb_end *e = pd->end;
	uint32_t len = args->empty ? 0 : args->len ? args->len : MEMORY_BYTES;
	struct end_mr in = {
		.pd = pd->id,
		.slots = 1,
		.room = len,
		.sges = END_SGES_MAX,
		.access = args->access.set ? (unsigned)args->access.value
					   : IBV_ACCESS_LOCAL_WRITE,
		.region = true,
		.transient = args->transient,
		.over = args->over ? args->over->id : 0,
		.offset = args->offset,
		.iova_set = args->iova.set,
		.iova = args->iova.value,
		.read_only = args->read_only,
		.unmapped = args->unmapped,
	};
	struct end_mr_made out;
	struct vb_object *o;
	int err;

	in.background = memory_background(
		e, (uint32_t)prng_below(&e->ends->prng, 1 << 24), len);
	err = e->ops->create_mr(e->host, &in, &out);
	if (err)
		return err;
	o = ends_object_add(e, END_MR, out.id);
	o->in_pd = pd;
	o->lkey = out.lkey;
	o->rkey = out.rkey;
	o->address = out.address;
	o->room = len;
	o->slots = 1;
	o->sges = END_SGES_MAX;
	o->access = in.access;
	o->access_known = true;
	memory_account(o, args, &in.background);
	vb_check(e->ends->t, VB_FIND_WRONG_ATTRIBUTE, out.told,
		 "end %s: a MR of %u bytes was registered whose handle tells "
		 "another address or length",
		 ends_side(e), len);
	*mr = o;
	return 0;
}

struct vb_object *vb_create_mr_args(struct vb_object *pd,
				    const struct vb_mr_args *args)
{
	struct vb_object *mr;
	int err = memory_create(pd, args, &mr);

	if (err)
		vb_broken(pd->end->ends->t,
			  "end %s: registering %u bytes: %s; see \"ulimit -l\"",
			  ends_side(pd->end), args->len, strerror(-err));
	return mr;
}

struct vb_object *vb_try_create_mr_args(struct vb_object *pd,
					const struct vb_mr_args *args)
{
	struct vb_object *mr;

	return memory_create(pd, args, &mr) ? NULL : mr;
}

void vb_create_mr_refused_args(struct vb_object *pd,
			       const struct vb_mr_args *args)
{
	struct vb_object *mr;
	int err = memory_create(pd, args, &mr);

	vb_check(pd->end->ends->t, VB_FIND_WRONG_RETURN, err,
		 "end %s: %s%s%u bytes were registered with access 0x%llx, it "
		 "must be refused",
		 ends_side(pd->end), args->unmapped ? "unmapped " : "",
		 args->read_only ? "read-only " : "", args->len,
		 (unsigned long long)args->access.value);
}

unsigned vb_atomic_access(const struct vb_object *pd)
{
	return pd->end->opened.device.atomic_cap == IBV_ATOMIC_NONE
		       ? 0
		       : IBV_ACCESS_REMOTE_ATOMIC;
}

uint32_t vb_mr_lkey(const struct vb_object *mr)
{
	return mr->lkey;
}

uint32_t vb_mr_rkey(const struct vb_object *mr)
{
	return mr->rkey;
}

uint64_t vb_mr_address(const struct vb_object *mr)
{
	return mr->address;
}

bool vb_try_rereg_mr_args(struct vb_object *mr, int *answer,
			  const struct vb_rereg_args *args)
{
	struct vb_end *e = mr->end;
	struct end_rereg in = {
		.mr = mr->id,
		.pd = args->pd ? args->pd->id : 0,
		.offset = (uint32_t)args->offset.value,
		.len = args->len.set ? (uint32_t)args->len.value : mr->room,
		.access = (unsigned)args->access.value,
	};
	struct end_reregistered out;
	int err;

	if (args->pd)
		in.flags |= IBV_REREG_MR_CHANGE_PD;
	if (args->access.set)
		in.flags |= IBV_REREG_MR_CHANGE_ACCESS;
	if (args->offset.set || args->len.set)
		in.flags |= IBV_REREG_MR_CHANGE_TRANSLATION;
	err = e->ops->rereg_mr(e->host, &in, &out);
	if (err)
		vb_broken(e->ends->t, "a part to register anew: %s",
			  strerror(-err));
	if (answer)
		*answer = out.answer;
	mr->lkey = out.lkey;
	mr->rkey = out.rkey;
	if (out.answer)
		return false;
	if (in.flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		mr->memory_at = in.offset;
		mr->room = in.len;
		mr->address = out.address;
	}
	if (args->pd)
		mr->in_pd = args->pd;
	if (args->access.set)
		mr->access = in.access;
	return true;
}

void ends_memory_forget(struct ends_memory *m, uint64_t at, uint64_t len)
{
	if (region_forget(m->region, at, len) == -ENOMEM)
		vb_broken(m->owner->end->ends->t,
			  "no memory for the account of a region");
}

void vb_store(struct vb_object *mr, uint32_t offset, uint32_t len)
{
	struct vb_end *e = mr->end;
	struct end_store in = {
		.mr = mr->id,
		.offset = offset,
		.message = memory_background(
			e, (uint32_t)prng_below(&e->ends->prng, 1 << 24), len),
	};
	const struct region_piece piece = { .at = mr->memory_at + offset,
					    .len = len,
					    .kind = REGION_MESSAGE,
					    .message = in.message };
	struct end_nothing none;

	if (e->ops->store(e->host, &in, &none) ||
	    region_put(mr->memory->region, &piece))
		vb_broken(e->ends->t, "writing %u bytes at %u of a region", len,
			  offset);
}

uint64_t vb_load(struct vb_object *mr, uint32_t offset)
{
	const struct end_place in = {
		.mr = mr->id, .offset = offset, .sges = 1, .bytes = { 8 }
	};
	struct end_count out;

	if (mr->end->ops->load(mr->end->host, &in, &out))
		vb_broken(mr->end->ends->t, "reading 8 bytes at %u of a region",
			  offset);
	return out.count;
}

void vb_load_words(struct vb_object *mr, uint32_t offset, uint64_t *words,
		   uint32_t count)
{
	struct vb_end *e = mr->end;
	struct end_load in = { .mr = mr->id, .offset = offset };
	struct end_words out;

	for (; count; count -= in.count) {
		in.count = count < END_WORDS_MAX ? count : END_WORDS_MAX;
		if (e->ops->load_words(e->host, &in, &out) ||
		    out.count != in.count)
			vb_broken(e->ends->t,
				  "reading %u words at %u of a region",
				  in.count, in.offset);
		memcpy(words, out.word, in.count * sizeof(out.word[0]));
		words += in.count;
		in.offset += in.count * (uint32_t)sizeof(out.word[0]);
	}
}

/* --- Comparison ---------------------------------------------------------- */

struct memory_look {
	struct vb_object *mr;
	uint32_t offset, len;
	struct region_piece *pieces;
	struct pattern_context context;
	struct end_region_verified out;
};

/* Is something under way that may change what lies there? */
static bool memory_busy(const struct vb_object *mr)
{
	const struct ends *e = mr->end->ends;
	const struct vb_wr *wr;
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		for (wr = e->qps[i]->effects; wr; wr = wr->effect_next)
			if (wr->memory == mr->memory &&
			    wr->op != IBV_WR_RDMA_READ)
				return true;
	return false;
}

static bool memory_right(void *arg)
{
	struct memory_look *l = arg;
	struct vb_object *mr = l->mr;
	struct end_region in = { .mr = mr->id,
				 .offset = l->offset,
				 .pieces = l->pieces,
				 .context = &l->context };

	if (memory_busy(mr))
		return false;
	/* The account may have moved with what was polled meanwhile. */
	if (region_slice(mr->memory->region, mr->memory_at + l->offset, l->len,
			 l->pieces, REGION_PIECES_MAX, &in.pieces_count))
		vb_broken(mr->end->ends->t, "a part of no region");
	if (mr->end->ops->verify_region(mr->end->host, &in, &l->out))
		vb_broken(mr->end->ends->t, "looking at a region");
	return l->out.good && !l->out.lost;
}

bool ends_memory_glance(struct vb_object *mr)
{
	struct ends *e = mr->end->ends;
	struct memory_look look = {
		.mr = mr,
		.len = mr->room,
		.context = { .known = e->known, .known_count = e->known_count },
	};
	bool over;

	if (memory_busy(mr))
		return false;
	look.pieces = malloc(REGION_PIECES_MAX * sizeof(*look.pieces));
	if (!look.pieces)
		vb_broken(e->t, "no memory to look at a region");
	over = memory_right(&look) || look.out.good;
	free(look.pieces);
	if (over)
		vb_checked(e->t);
	return over;
}

uint32_t vb_expect_memory_part(struct vb_object *mr, uint32_t offset,
			       uint32_t len)
{
	struct ends *e = mr->end->ends;
	struct memory_look look = {
		.mr = mr,
		.offset = offset,
		.len = len,
		.context = { .known = e->known, .known_count = e->known_count },
	};

	look.pieces = malloc(REGION_PIECES_MAX * sizeof(*look.pieces));
	if (!look.pieces)
		vb_broken(e->t, "no memory to look at a region");
	(void)ends_wait(e, vb_deadline(e->t, MEMORY_SHOWS_MS), memory_right,
			&look);
	free(look.pieces);
	if (memory_busy(mr))
		vb_broken(e->t, "an operation on the region is under way: wait "
				"for its completion, or for a later one");
	vb_check(e->t, look.out.complaint.finding, look.out.good,
		 "end %s: region of %u bytes, rkey 0x%x, from byte %u on: %s",
		 ends_side(mr->end), mr->room, mr->rkey, offset,
		 look.out.complaint.text);
	return look.out.lost;
}

uint32_t vb_expect_memory(struct vb_object *mr)
{
	return vb_expect_memory_part(mr, 0, mr->room);
}

/* --- Windows ------------------------------------------------------------- */

struct vb_object *vb_try_create_mw(struct vb_object *pd, enum ibv_mw_type type)
{
	struct end_mw in = { .pd = pd->id, .type = type };
	struct end_mw_made out;
	struct vb_object *o;

	if (pd->end->ops->create_mw(pd->end->host, &in, &out))
		return NULL;
	o = ends_object_add(pd->end, END_MW, out.id);
	o->in_pd = pd;
	o->rkey = out.rkey;
	o->mw_type = type;
	return o;
}

struct vb_object *vb_create_mw(struct vb_object *pd, enum ibv_mw_type type)
{
	struct vb_object *o = vb_try_create_mw(pd, type);

	if (!o)
		vb_broken(pd->end->ends->t,
			  "end %s: creating a memory window of type %d",
			  ends_side(pd->end), (int)type);
	return o;
}
