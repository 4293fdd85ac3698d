// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The pieces of a region: an array in order, without holes or overlaps. */
#include "suite/oracle/region.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct region {
	uint64_t len;
	struct region_piece *pieces;
	uint32_t count, room;
};

struct region *region_create(uint64_t len,
			     const struct pattern_message *background)
{
	struct region *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->room = 8;
	r->pieces = calloc(r->room, sizeof(*r->pieces));
	if (!r->pieces)
		goto err_free;
	r->len = len;
	r->count = 1;
	r->pieces[0] = (struct region_piece){ .len = len,
					      .kind = REGION_MESSAGE,
					      .message = *background };
	return r;
err_free:
	free(r);
	return NULL;
}

void region_destroy(struct region *r)
{
	if (!r)
		return;
	free(r->pieces);
	free(r);
}

uint64_t region_len(const struct region *r)
{
	return r->len;
}

/* The piece that holds byte @at, which lies in the region. */
static uint32_t region_find(const struct region *r, uint64_t at)
{
	uint32_t low = 0, high = r->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (r->pieces[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The part of @p from @skip on, @len bytes of it. */
static struct region_piece region_part(const struct region_piece *p,
				       uint64_t skip, uint64_t len)
{
	struct region_piece part = *p;

	part.at += skip;
	part.from += skip;
	part.was_from += skip;
	part.len = len;
	return part;
}

static int region_grow(struct region *r)
{
	struct region_piece *more;

	if (r->count + 2 <= r->room)
		return 0;
	if (r->room >= REGION_PIECES_MAX)
		return -ENOMEM;
	more = realloc(r->pieces, 2 * r->room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->pieces = more;
	r->room *= 2;
	return 0;
}

static bool region_holds(const struct region *r, uint64_t at, uint64_t len)
{
	return len <= r->len && at <= r->len - len;
}

/* Pieces @first .. @last - 1 give way to @n others. */
static void region_replace(struct region *r, uint32_t first, uint32_t last,
			   const struct region_piece *others, uint32_t n)
{
	memmove(&r->pieces[first + n], &r->pieces[last],
		(r->count - last) * sizeof(*r->pieces));
	memcpy(&r->pieces[first], others, n * sizeof(*others));
	r->count = r->count - (last - first) + n;
}

int region_put(struct region *r, const struct region_piece *piece)
{
	uint64_t end = piece->at + piece->len;
	struct region_piece edge[3], here = *piece;
	uint32_t first, last, n = 0;
	int err;

	if (!region_holds(r, piece->at, piece->len))
		return -ERANGE;
	if (!piece->len)
		return 0;
	err = region_grow(r);
	if (err)
		return err;
	first = region_find(r, piece->at);
	last = region_find(r, end - 1);
	if (here.loose) {
		const struct region_piece *was = &r->pieces[first];

		if (first != last || was->kind != REGION_MESSAGE || was->loose)
			here.kind = REGION_UNKNOWN;
		here.was = was->message;
		here.was_from = was->from + (here.at - was->at);
	}
	if (r->pieces[first].at < piece->at)
		edge[n++] = region_part(&r->pieces[first], 0,
					piece->at - r->pieces[first].at);
	edge[n++] = here;
	if (r->pieces[last].at + r->pieces[last].len > end)
		edge[n++] = region_part(
			&r->pieces[last], end - r->pieces[last].at,
			r->pieces[last].at + r->pieces[last].len - end);
	region_replace(r, first, last + 1, edge, n);
	return 0;
}

int region_forget(struct region *r, uint64_t at, uint64_t len)
{
	const struct region_piece piece = { .at = at, .len = len };

	return region_put(r, &piece);
}

int region_slice(const struct region *r, uint64_t at, uint64_t len,
		 struct region_piece *out, uint32_t room, uint32_t *count)
{
	uint64_t end = at + len;
	uint32_t i, n = 0;

	if (!region_holds(r, at, len))
		return -ERANGE;
	for (i = len ? region_find(r, at) : r->count; i < r->count; i++) {
		const struct region_piece *p = &r->pieces[i];
		uint64_t skip = p->at < at ? at - p->at : 0;
		uint64_t stop = p->at + p->len < end ? p->at + p->len : end;

		if (p->at >= end)
			break;
		if (n == room)
			return -ENOSPC;
		out[n] = region_part(p, skip, stop - p->at - skip);
		out[n].at -= at;
		n++;
	}
	*count = n;
	return 0;
}

static void region_make(const struct region_piece *p, uint64_t skip,
			void *bytes, uint64_t len)
{
	if (p->kind == REGION_MESSAGE)
		pattern_fill(&p->message, p->from + skip, bytes, len);
	else
		memcpy(bytes, (const char *)&p->word + p->from + skip, len);
}

int region_bytes(const struct region *r, uint64_t at, void *bytes, uint64_t len)
{
	struct region_piece pieces[16];
	uint32_t count, i;
	int err = region_slice(r, at, len, pieces, 16, &count);

	if (err)
		return err;
	for (i = 0; i < count; i++)
		if (pieces[i].kind == REGION_UNKNOWN || pieces[i].loose)
			return -ENODATA;
	for (i = 0; i < count; i++)
		region_make(&pieces[i], 0, (char *)bytes + pieces[i].at,
			    pieces[i].len);
	return 0;
}

/* --- Comparison ---------------------------------------------------------- */

/* The first byte of @bytes that is not byte @skip .. of the piece; @len: none
 * is wrong. */
static uint64_t region_wrong(const struct region_piece *p, uint64_t skip,
			     const unsigned char *bytes, uint64_t len)
{
	const unsigned char *word = (const unsigned char *)&p->word;
	uint64_t wrong;

	switch (p->kind) {
	case REGION_MESSAGE:
		if (!pattern_check_piece(&p->message, p->from + skip, bytes,
					 len, &wrong))
			return len;
		return wrong - (p->from + skip);
	case REGION_WORD:
		for (wrong = 0; wrong < len; wrong++)
			if (bytes[wrong] != word[p->from + skip + wrong])
				break;
		return wrong;
	default:
		return len;
	}
}

/* The rest of a loose piece, as it was before. */
static uint64_t region_not_old(const struct region_piece *p, uint64_t skip,
			       const unsigned char *bytes, uint64_t len)
{
	const struct region_piece was = { .kind = REGION_MESSAGE,
					  .message = p->was,
					  .from = p->was_from };

	return region_wrong(&was, skip, bytes, len);
}

/* Whose bytes are the found ones?  Appends to @text. */
static void region_origin(const struct region_piece *p, uint64_t offset,
			  const unsigned char *found, uint64_t left,
			  const struct pattern_context *context, char *text,
			  size_t room)
{
	uint64_t sequence, source, pad = (8 - (p->from + offset) % 8) % 8;
	size_t i;

	text[0] = '\0';
	if (p->kind != REGION_MESSAGE || left < pad + 8)
		return;
	for (i = 0; context && i < context->known_count; i++) {
		pattern_word_origin(context->known[i].key, found + pad,
				    &sequence, &source);
		if (sequence >= 1u << 20 || source >= UINT64_C(1) << 31)
			continue;
		snprintf(text, room,
			 "; what lies there is byte %llu of message %llu of "
			 "end %c qp%u",
			 (unsigned long long)source,
			 (unsigned long long)sequence,
			 'a' + (int)context->known[i].origin.end,
			 context->known[i].origin.qp_index);
		return;
	}
}

static int region_blame(const struct region_piece *p, uint64_t skip,
			const unsigned char *found, uint64_t left,
			const struct pattern_context *context,
			struct complaint *c)
{
	unsigned char expected;
	char origin[128];

	region_make(p, skip, &expected, 1);
	region_origin(p, skip, found, left, context, origin, sizeof(origin));
	if (p->kind == REGION_WORD)
		return complaint_set(c, VB_FIND_WRONG_CONTENT, 0,
				     "byte %llu is %02x, must be %02x of the "
				     "word 0x%llx",
				     (unsigned long long)(p->at + skip), *found,
				     expected, (unsigned long long)p->word);
	return complaint_set(c, VB_FIND_WRONG_CONTENT, 0,
			     "byte %llu is %02x, must be %02x, byte %llu of "
			     "message %llu of qp 0x%x%s",
			     (unsigned long long)(p->at + skip), *found,
			     expected, (unsigned long long)(p->from + skip),
			     (unsigned long long)p->message.sequence,
			     p->message.qp_num, origin);
}

/* A run of bytes that lies in one piece and one entry of the list. */
struct region_run {
	const struct region_piece *piece;
	uint64_t skip;
	const unsigned char *bytes;
	uint64_t len;
	bool old; /* the piece was seen to be lost from before here */
};

static int region_check_run(struct region_run *run,
			    const struct pattern_context *context,
			    struct complaint *c)
{
	const struct region_piece *p = run->piece;
	uint64_t good =
		run->old ? 0 : region_wrong(p, run->skip, run->bytes, run->len);
	uint64_t left = run->len - good;

	if (!left)
		return 0;
	if (p->loose) {
		run->old = true;
		if (region_not_old(p, run->skip + good, run->bytes + good,
				   left) == left)
			return 0;
	}
	return region_blame(p, run->skip + good, run->bytes + good, left,
			    context, c);
}

int region_check(const struct region_piece *pieces, uint32_t count,
		 const struct iovec *iov, uint32_t iov_count,
		 const struct pattern_context *context, uint32_t *lost,
		 struct complaint *c)
{
	uint64_t used = 0; /* of iov[k] */
	uint32_t i, k = 0, gone = 0;

	for (i = 0; i < count; i++) {
		struct region_run run = { .piece = &pieces[i] };

		while (run.skip < pieces[i].len) {
			uint64_t here;

			while (k < iov_count && used == iov[k].iov_len) {
				used = 0;
				k++;
			}
			assert(k < iov_count);
			here = iov[k].iov_len - used;
			run.len = pieces[i].len - run.skip;
			run.len = run.len < here ? run.len : here;
			run.bytes =
				(const unsigned char *)iov[k].iov_base + used;
			if (region_check_run(&run, context, c))
				return -EBADMSG;
			run.skip += run.len;
			used += run.len;
		}
		gone += run.old;
	}
	if (lost)
		*lost = gone;
	return 0;
}
