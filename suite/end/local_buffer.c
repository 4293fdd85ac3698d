// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end in this process: where the pieces of a work request lie, and whether
 * they hold what they must.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "suite/end/local.h"

/* Pieces that may leave gaps, overlap and stand in any order. */
static int local_lay_apart(struct local_mr *from, const struct end_place *p,
			   struct local_mr **mr, struct iovec iov[END_SGES_MAX])
{
	uint32_t i;

	if (!from->region)
		return -EINVAL;
	for (i = 0; i < p->sges; i++) {
		uint64_t at = (uint64_t)p->offset + p->at[i];

		if (at + p->bytes[i] > from->room)
			return -EINVAL;
		iov[i] = (struct iovec){ .iov_base = from->base + at,
					 .iov_len = p->bytes[i] };
	}
	*mr = from;
	return 0;
}

int local_lay(struct end_host *h, const struct end_place *p,
	      struct local_mr **mr, struct iovec iov[END_SGES_MAX])
{
	struct local_object *o;
	unsigned char *at;
	uint64_t sum = 0;
	uint32_t i;

	*mr = NULL;
	if (!p->mr && !p->sges)
		return 0;
	/* Also a deregistered one: its memory stays, for posts that must be
	 * refused or fail. */
	if (p->mr == 0 || p->mr > h->count || p->sges > END_SGES_MAX)
		return -EINVAL;
	o = h->objects[p->mr];
	if (o->kind != END_MR || p->slot >= o->mr.slots)
		return -EINVAL;
	if (p->at_set)
		return local_lay_apart(&o->mr, p, mr, iov);
	for (i = 0; i < p->sges; i++)
		sum += p->bytes[i];
	if (p->sges > o->mr.sges || sum + p->offset > o->mr.room)
		return -EINVAL;
	*mr = &o->mr;
	at = o->mr.region ? o->mr.base + p->offset
			  : o->mr.memory + o->mr.stride * p->slot + LOCAL_GUARD;
	for (i = 0; i < p->sges; i++) {
		iov[i] = (struct iovec){ .iov_base = at,
					 .iov_len = p->bytes[i] };
		at += p->bytes[i] + (o->mr.region ? 0 : LOCAL_GAP);
	}
	return 0;
}

/* Guard bytes [@from, @to) of the slot. */
static bool local_guard_holds(const struct local_mr *mr,
			      const unsigned char *slot,
			      const unsigned char *from,
			      const unsigned char *to, const char *where,
			      struct complaint *c)
{
	size_t first, wrong;

	if (!pattern_guard_check(from, (size_t)(to - from),
				 mr->guard_key ^ (uint64_t)(from - slot),
				 &first, &wrong))
		return true;
	complaint_set(c, VB_FIND_GUARD, 0,
		      "%zu bytes written %s the buffer, the first %zu bytes "
		      "into the guard zone of %zu",
		      wrong, where, first, (size_t)(to - from));
	return false;
}

static bool local_guards_hold(const struct local_mr *mr,
			      const struct end_place *p,
			      const struct iovec *iov, struct complaint *c)
{
	const unsigned char *slot = mr->memory + mr->stride * p->slot;
	const unsigned char *from = slot;
	uint32_t i;

	if (mr->region)
		return local_region_guards_hold(mr, c);
	for (i = 0; i < p->sges; i++) {
		const unsigned char *piece = iov[i].iov_base;

		if (!local_guard_holds(mr, slot, from, piece,
				       i ? "between the pieces of" : "before",
				       c))
			return false;
		from = piece + iov[i].iov_len;
	}
	return local_guard_holds(mr, slot, from, from + LOCAL_GUARD, "behind",
				 c);
}

/* Cut @iov (of @count) to the @len bytes from @skip on, into @part. */
static uint32_t local_cut(const struct iovec *iov, uint32_t count,
			  uint32_t skip, uint32_t len,
			  struct iovec part[END_SGES_MAX])
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint32_t over = iov[i].iov_len < skip ? (uint32_t)iov[i].iov_len
						      : skip;

		part[i].iov_base = (char *)iov[i].iov_base + over;
		part[i].iov_len = iov[i].iov_len - over;
		skip -= over;
		if (part[i].iov_len > len)
			part[i].iov_len = len;
		len -= (uint32_t)part[i].iov_len;
	}
	return count;
}

/* The first bytes over the pieces are the message (behind the GRH's area). */
static bool local_content_holds(const struct end_verify *in,
				const struct iovec *iov, struct complaint *c)
{
	uint32_t skip = in->datagram ? END_GRH : 0;
	struct pattern_complaint why;
	struct iovec part[END_SGES_MAX];
	uint32_t n = local_cut(iov, in->place.sges, skip, in->len - skip, part);
	char text[256];

	if (in->pieces)
		return !region_check(in->pieces, in->pieces_count, part, n,
				     in->context, NULL, c);
	if (!pattern_check(&in->payload, part, n, in->context, &why))
		return true;
	complaint_set(c, VB_FIND_WRONG_CONTENT, 0, "%s",
		      pattern_complaint_text(&in->payload, &why, text,
					     sizeof(text)));
	return false;
}

/*
 * The area of the GRH: with RoCEv2 over IPv4 its last 20 bytes are the IPv4
 * header and the first 20 are not defined (UD-02); else it is a GRH or an IPv6
 * header, which have their addresses in the same places.
 */
static bool local_grh_holds(const struct end_verify *in,
			    const struct iovec *iov, struct complaint *c)
{
	unsigned char area[END_GRH] = { 0 }, *at = area;
	struct iovec part[END_SGES_MAX];
	uint32_t n = local_cut(iov, in->place.sges, 0, END_GRH, part), i;
	bool right;

	if (!in->grh)
		return true;
	for (i = 0; i < n; i++) {
		memcpy(at, part[i].iov_base, part[i].iov_len);
		at += part[i].iov_len;
	}
	if (area[0] >> 4 == 6)
		right = !memcmp(area + 8, in->sgid.raw, 16) &&
			!memcmp(area + 24, in->dgid.raw, 16);
	else
		right = area[20] == 0x45 &&
			!memcmp(area + 32, in->sgid.raw + 12, 4) &&
			!memcmp(area + 36, in->dgid.raw + 12, 4);
	if (right)
		return true;
	complaint_set(c, VB_FIND_WRONG_CONTENT, 0,
		      "the 40 bytes before the datagram hold no header with "
		      "the sender's and the receiver's addresses");
	return false;
}

/* What lies behind the message in the pieces is as before the post. */
static bool local_rest_holds(const struct end_verify *in,
			     const struct iovec *iov, struct complaint *c)
{
	uint32_t i, skip = in->len;

	for (i = 0; i < in->place.sges; i++) {
		uint32_t used = in->place.bytes[i] < skip ? in->place.bytes[i]
							  : skip;
		const unsigned char *rest = iov[i].iov_base;
		size_t len = iov[i].iov_len - used, held;

		skip -= used;
		held = pattern_poison_run(rest + used, len);
		if (held == len)
			continue;
		complaint_set(c, VB_FIND_GUARD, 0,
			      "the buffer was written behind the message's %u "
			      "bytes: piece %u, byte %zu of %u",
			      in->len, i, used + held, in->place.bytes[i]);
		return false;
	}
	return true;
}

int local_verify(struct end_host *h, const struct end_verify *in,
		 struct end_verified *out)
{
	struct iovec iov[END_SGES_MAX];
	struct local_mr *mr;
	int err;

	err = local_lay(h, &in->place, &mr, iov);
	if (err)
		return err;
	out->good = true;
	if (!mr)
		return 0;
	if (in->addresses_only) {
		out->good = local_grh_holds(in, iov, &out->complaint);
		return 0;
	}
	out->good = local_guards_hold(mr, &in->place, iov, &out->complaint);
	if (in->send || in->guards_only || !out->good)
		return 0;
	if (in->datagram && in->len < END_GRH) {
		out->good = false;
		complaint_set(&out->complaint, VB_FIND_WRONG_LENGTH, 0,
			      "a datagram's byte_len is %u, must count the 40 "
			      "bytes before it",
			      in->len);
		return 0;
	}
	out->good =
		(!in->datagram || local_grh_holds(in, iov, &out->complaint)) &&
		local_content_holds(in, iov, &out->complaint) &&
		local_rest_holds(in, iov, &out->complaint);
	return 0;
}

int local_scribble(struct end_host *h, const struct end_place *in,
		   struct end_nothing *out)
{
	struct iovec iov[END_SGES_MAX];
	struct local_mr *mr;
	uint32_t i;
	int err;

	err = local_lay(h, in, &mr, iov);
	if (err)
		return err;
	for (i = 0; i < in->sges; i++)
		pattern_poison(iov[i].iov_base, iov[i].iov_len);
	return 0;
}
