// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end in this process: memory and its registrations.
 *
 *	store    | slot | slot | slot | ...       all of it registered
 *	region   | guard | ... room ... | guard | the room alone registered
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "suite/end/local.h"

static size_t local_stride(const struct end_mr *in)
{
	size_t inner = in->room + (size_t)in->sges * LOCAL_GAP;

	return (inner + 2 * LOCAL_GUARD + 63) / 64 * 64;
}

static void local_region_guard(const struct local_mr *mr)
{
	pattern_guard_fill(mr->memory, LOCAL_GUARD, mr->guard_key);
	pattern_guard_fill(mr->memory + LOCAL_GUARD + mr->room, LOCAL_GUARD,
			   mr->guard_key ^ 1);
}

bool local_region_guards_hold(const struct local_mr *mr, struct complaint *c)
{
	const struct local_mr *own = mr->under ? mr->under : mr;
	size_t first, wrong;
	int side;

	if (own->given_back)
		return true;
	for (side = 0; side < 2; side++) {
		const unsigned char *zone =
			own->memory + (side ? LOCAL_GUARD + own->room : 0);

		if (!pattern_guard_check(zone, LOCAL_GUARD,
					 own->guard_key ^ (uint64_t)side,
					 &first, &wrong))
			continue;
		complaint_set(c, VB_FIND_GUARD, 0,
			      "%zu bytes written %s the region of %u bytes, "
			      "the first %zu bytes into the guard zone of %d",
			      wrong, side ? "behind" : "before", own->room,
			      first, LOCAL_GUARD);
		return false;
	}
	return true;
}

/*
 * Where there is nothing, and nothing comes: what other threads map meanwhile
 * fills a hole from one of its ends, and this is the middle of a large one.
 */
static int local_region_lay_nowhere(const struct end_mr *in,
				    struct local_mr *mr)
{
	uint8_t *hole = mmap(NULL, LOCAL_HOLE, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			     0);

	if (hole == MAP_FAILED || munmap(hole, LOCAL_HOLE))
		return -errno;
	if (in->room > LOCAL_HOLE / 4)
		return -EINVAL;
	mr->base = hole + LOCAL_HOLE / 2 + LOCAL_GUARD;
	return 0;
}

/* Memory for a region: its own, or a part of another's. */
static int local_region_lay(struct end_host *h, const struct end_mr *in,
			    struct local_mr *mr)
{
	struct local_object *over = local_find(h, in->over, END_MR);

	mr->region = true;
	if (in->over) {
		if (!over || !over->mr.region || in->offset > over->mr.room ||
		    in->room > over->mr.room - in->offset)
			return -EINVAL;
		mr->under = over->mr.under ? over->mr.under : &over->mr;
		mr->base = over->mr.base + in->offset;
		return 0;
	}
	if (in->unmapped)
		return local_region_lay_nowhere(in, mr);
	/* Whole pages: protection is by the page. */
	mr->len = ((size_t)in->room + 2 * LOCAL_GUARD + LOCAL_PAGE - 1) /
		  LOCAL_PAGE * LOCAL_PAGE;
	mr->memory = mmap(NULL, mr->len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mr->memory == MAP_FAILED) {
		mr->memory = NULL;
		return -errno;
	}
	mr->base = mr->memory + LOCAL_GUARD;
	local_region_guard(mr);
	pattern_fill(&in->background, 0, mr->base, in->room);
	if (in->read_only && mprotect(mr->memory, mr->len, PROT_READ))
		return -errno;
	return 0;
}

static int local_store_lay(const struct end_mr *in, struct local_mr *mr)
{
	mr->len = mr->stride * in->slots;
	mr->memory = mmap(NULL, mr->len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mr->memory == MAP_FAILED) {
		mr->memory = NULL;
		return -errno;
	}
	mr->base = mr->memory;
	return 0;
}

int local_create_mr(struct end_host *h, const struct end_mr *in,
		    struct end_mr_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD), *o;
	struct local_mr *mr;
	size_t len;
	int err;

	if (!pd || !in->slots || in->sges > END_SGES_MAX)
		return -EINVAL;
	o = local_add(h, END_MR, &out->id);
	if (!o)
		return -ENOMEM;
	mr = &o->mr;
	*mr = (struct local_mr){ .stride = local_stride(in),
				 .slots = in->slots,
				 .room = in->room,
				 .sges = in->sges,
				 .transient = in->transient };
	mr->guard_key = hash_mix64(h->seed ^ hash_mix64(out->id + 1));
	err = in->region ? local_region_lay(h, in, mr)
			 : local_store_lay(in, mr);
	if (err)
		goto err_unmap;
	len = in->region ? in->room : mr->len;
	mr->address = in->iova_set ? in->iova : (uintptr_t)mr->base;
	err = in->iova_set ? verbs_mr_reg_iova(&h->at, pd->pd, mr->base, len,
					       in->iova, in->access, &mr->mr)
			   : verbs_mr_reg(&h->at, pd->pd, mr->base, len,
					  in->access, &mr->mr);
	if (err)
		goto err_unmap;
	out->lkey = mr->lkey = mr->mr->lkey;
	out->rkey = mr->mr->rkey;
	out->address = mr->address;
	out->told = mr->mr->addr == (void *)mr->base && mr->mr->length == len;
	return 0;

err_unmap:
	if (mr->memory)
		munmap(mr->memory, mr->len);
	local_drop(h);
	return err;
}

int local_rereg_mr(struct end_host *h, const struct end_rereg *in,
		   struct end_reregistered *out)
{
	struct local_object *o = local_find(h, in->mr, END_MR);
	struct local_object *pd = local_find(h, in->pd, END_PD);
	const struct local_mr *own;
	struct local_mr *mr;
	unsigned char *base;

	if (!o || !o->mr.region || (in->pd && !pd))
		return -EINVAL;
	mr = &o->mr;
	own = mr->under ? mr->under : mr;
	base = own->memory + LOCAL_GUARD + in->offset;
	if (in->offset > own->room || in->len > own->room - in->offset)
		return -EINVAL;
	out->err = verbs_mr_rereg(&h->at, mr->mr, in->flags, pd ? pd->pd : NULL,
				  base, in->len, in->access, &out->answer);
	if (!out->answer && (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION)) {
		mr->base = base;
		mr->address = (uintptr_t)base;
	}
	out->lkey = mr->lkey = mr->mr->lkey;
	out->rkey = mr->mr->rkey;
	out->address = mr->address;
	return 0;
}

int local_create_mw(struct end_host *h, const struct end_mw *in,
		    struct end_mw_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD), *o;
	int err;

	if (!pd)
		return -EINVAL;
	o = local_add(h, END_MW, &out->id);
	if (!o)
		return -ENOMEM;
	err = verbs_mw_alloc(&h->at, pd->pd, in->type, &o->mw);
	if (err) {
		local_drop(h);
		return err;
	}
	out->rkey = o->mw->rkey;
	return 0;
}

static struct local_mr *local_region(struct end_host *h, uint32_t id,
				     uint64_t offset, uint64_t len)
{
	struct local_object *o;

	if (id == 0 || id > h->count)
		return NULL;
	o = h->objects[id];
	if (o->kind != END_MR || !o->mr.region || offset > o->mr.room ||
	    len > o->mr.room - offset)
		return NULL;
	return &o->mr;
}

int local_verify_region(struct end_host *h, const struct end_region *in,
			struct end_region_verified *out)
{
	uint64_t len = 0;
	struct local_mr *mr;
	struct iovec iov;
	uint32_t i;

	for (i = 0; i < in->pieces_count; i++)
		len += in->pieces[i].len;
	mr = local_region(h, in->mr, in->offset, len);
	if (!mr)
		return -EINVAL;
	iov = (struct iovec){ .iov_base = mr->base + in->offset,
			      .iov_len = len };
	out->lost = 0;
	out->good = local_region_guards_hold(mr, &out->complaint) &&
		    !region_check(in->pieces, in->pieces_count, &iov, 1,
				  in->context, &out->lost, &out->complaint);
	return 0;
}

int local_store(struct end_host *h, const struct end_store *in,
		struct end_nothing *out)
{
	struct local_mr *mr =
		local_region(h, in->mr, in->offset, in->message.len);

	if (!mr)
		return -EINVAL;
	pattern_fill(&in->message, 0, mr->base + in->offset, in->message.len);
	return 0;
}

/* A word of memory that the device changes meanwhile: where it can be, at once,
 * as another process or an atomic of the peer would see it. */
static uint64_t local_word(const unsigned char *at)
{
	uint64_t word;

	if ((uintptr_t)at % sizeof(word) == 0)
		return __atomic_load_n((const uint64_t *)(const void *)at,
				       __ATOMIC_RELAXED);
	memcpy(&word, at, sizeof(word));
	return word;
}

int local_load(struct end_host *h, const struct end_place *in,
	       struct end_count *out)
{
	struct iovec iov[END_SGES_MAX];
	struct local_mr *mr;
	unsigned char bytes[sizeof(out->count)] = { 0 };
	uint32_t i, have = 0;
	int err = local_lay(h, in, &mr, iov);

	if (err)
		return err;
	if (in->sges > 0 && iov[0].iov_len >= sizeof(bytes)) {
		out->count = local_word(iov[0].iov_base);
		return 0;
	}
	for (i = 0; i < in->sges && have < 8; i++) {
		size_t n = iov[i].iov_len < 8 - have ? iov[i].iov_len
						     : 8 - have;

		memcpy(bytes + have, iov[i].iov_base, n);
		have += (uint32_t)n;
	}
	if (have < sizeof(bytes))
		return -EINVAL;
	memcpy(&out->count, bytes, sizeof(bytes));
	return 0;
}

int local_load_words(struct end_host *h, const struct end_load *in,
		     struct end_words *out)
{
	struct local_mr *mr = local_region(h, in->mr, in->offset,
					   in->count * sizeof(out->word[0]));

	if (!mr || in->count > END_WORDS_MAX)
		return -EINVAL;
	out->count = in->count;
	for (uint32_t i = 0; i < in->count; i++)
		out->word[i] = local_word(mr->base + in->offset +
					  i * sizeof(out->word[0]));
	return 0;
}
