// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delta debugging of scripts. */
#include "suite/oracle/walk_shrink.h"

#include <errno.h>
#include <string.h>

enum {
	SHRINK_SHORT = 6, /* steps that nobody minds reading */
	SHRINK_DEPTH = 2,
};

static bool shrink_fails(struct walk_shrink *w, const struct walk_script *s)
{
	w->tries++;
	return w->fails(w->arg, s);
}

/* @to is @from without @len steps from @at on. */
static void shrink_cut(const struct walk_script *from, uint32_t at,
		       uint32_t len, struct walk_script *to)
{
	memcpy(to->steps, from->steps, at * sizeof(*to->steps));
	memcpy(to->steps + at, from->steps + at + len,
	       (from->count - at - len) * sizeof(*to->steps));
	to->count = from->count - len;
}

static void shrink_take(struct walk_script *s,
			const struct walk_script *smaller)
{
	memcpy(s->steps, smaller->steps,
	       smaller->count * sizeof(*smaller->steps));
	s->count = smaller->count;
}

/* Chunks of @len steps, the last first: what follows the failure goes at
 * once.  True: something went. */
static bool shrink_chunks(struct walk_shrink *w, struct walk_script *s,
			  uint32_t len, struct walk_script *try)
{
	uint32_t end = s->count;
	bool went = false;

	while (end && w->go_on(w->arg)) {
		uint32_t at = end > len ? end - len : 0;

		shrink_cut(s, at, end - at, try);
		if (try->count && shrink_fails(w, try)) {
			shrink_take(s, try);
			went = true;
		}
		end = at;
	}
	return went;
}

static bool shrink_halves(struct walk_shrink *w, struct walk_script *s,
			  struct walk_script *try)
{
	bool went = false;

	for (uint32_t len = (s->count + 1) / 2; len; len /= 2)
		went |= shrink_chunks(w, s, len, try);
	return went;
}

/* All steps of one kind go, or one operand of all steps: few tries, each of
 * which may take much. */
static bool shrink_kinds(struct walk_shrink *w, struct walk_script *s,
			 struct walk_script *try)
{
	bool went = false;

	for (unsigned kind = 0; kind < WALK_KINDS && w->go_on(w->arg); kind++) {
		try->count = 0;
		for (uint32_t i = 0; i < s->count; i++)
			if (s->steps[i].kind != kind)
				try->steps[try->count++] = s->steps[i];
		if (!try->count || try->count == s->count ||
		    !shrink_fails(w, try))
			continue;
		shrink_take(s, try);
		went = true;
	}
	return went;
}

static bool shrink_fields(struct walk_shrink *w, struct walk_script *s,
			  struct walk_script *try)
{
	bool went = false, any;

	for (unsigned n = 0; n < WALK_OPERANDS && w->go_on(w->arg); n++) {
		shrink_take(try, s);
		any = false;
		for (uint32_t i = 0; i < s->count; i++) {
			uint32_t *value = walk_operand_of(&try->steps[i], n);

			any |= *value != 0;
			*value = 0;
		}
		if (!any || !shrink_fails(w, try))
			continue;
		shrink_take(s, try);
		went = true;
	}
	return went;
}

/* One operand of one step; true: it became simpler. */
static bool shrink_operand(struct walk_shrink *w, struct walk_script *s,
			   uint32_t at, unsigned n, struct walk_script *try)
{
	for (unsigned turn = 0; w->go_on(w->arg); turn++) {
		shrink_take(try, s);
		if (!walk_step_simplify(&try->steps[at], n, turn))
			return false;
		if (!shrink_fails(w, try))
			continue;
		shrink_take(s, try);
		return true;
	}
	return false;
}

static bool shrink_operands(struct walk_shrink *w, struct walk_script *s,
			    struct walk_script *try)
{
	bool went = false;

	for (uint32_t at = 0; at < s->count; at++)
		for (unsigned n = 0; n < WALK_OPERANDS; n++)
			while (shrink_operand(w, s, at, n, try))
				went = true;
	return went;
}

/* What shows only when a queue is full takes fewer steps with a short one. */
static bool shrink_depths(struct walk_shrink *w, struct walk_script *s,
			  struct walk_script *try)
{
	bool went = false;

	for (uint32_t at = 0; at < s->count && w->go_on(w->arg); at++) {
		shrink_take(try, s);
		if (s->steps[at].kind != WALK_CONNECT ||
		    s->steps[at].depth == SHRINK_DEPTH)
			continue;
		try->steps[at].depth = SHRINK_DEPTH;
		if (!shrink_fails(w, try))
			continue;
		shrink_take(s, try);
		went = true;
	}
	return went;
}

static void shrink_all(struct walk_shrink *w, struct walk_script *s,
		       struct walk_script *try)
{
	bool went;

	do {
		went = shrink_kinds(w, s, try);
		went |= shrink_fields(w, s, try);
		went |= shrink_halves(w, s, try);
		went |= shrink_operands(w, s, try);
	} while (went && w->go_on(w->arg));
}

int walk_shrink(struct walk_shrink *w, struct walk_script *s)
{
	struct walk_script try = { .count = 0 };
	int err = walk_script_copy(&try, s);

	if (err)
		return err;
	(void)shrink_chunks(w, s, (s->count + 3) / 4, &try);
	shrink_all(w, s, &try);
	if (s->count > SHRINK_SHORT && shrink_depths(w, s, &try)) {
		/* Steps first: a plain depth would need them all again. */
		(void)shrink_halves(w, s, &try);
		shrink_all(w, s, &try);
	}
	walk_script_free(&try);
	return 0;
}
