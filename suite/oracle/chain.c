// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Putting the atomics of a cell into the one order that explains them. */
#include "suite/oracle/chain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "suite/oracle/wrid.h"

struct chain_link {
	struct chain_step step;
	bool placed;
};

struct chain {
	uint64_t value; /* as last settled */
	struct chain_link *links;
	uint32_t count, room;
};

struct chain *chain_create(uint64_t initial)
{
	struct chain *c = calloc(1, sizeof(*c));

	if (c)
		c->value = initial;
	return c;
}

void chain_destroy(struct chain *c)
{
	if (!c)
		return;
	free(c->links);
	free(c);
}

int chain_add(struct chain *c, const struct chain_step *step)
{
	struct chain_link *more;
	uint32_t room;

	if (c->count == c->room) {
		room = c->room ? 2 * c->room : 16;
		more = realloc(c->links, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->links = more;
		c->room = room;
	}
	c->links[c->count++] = (struct chain_link){ .step = *step };
	return 0;
}

/* What the step leaves in the cell. */
static uint64_t chain_result(const struct chain_step *s)
{
	if (!s->swap)
		return s->old + s->operand;
	return s->old == s->compare ? s->operand : s->old;
}

/* Has its owner an earlier one that has no place yet? */
static bool chain_waits(const struct chain *c, uint32_t i)
{
	uint32_t k;

	for (k = 0; k < i; k++)
		if (!c->links[k].placed &&
		    c->links[k].step.owner == c->links[i].step.owner)
			return true;
	return false;
}

/* The next one that saw @value; those that leave it as it is come first. */
static struct chain_link *chain_next(struct chain *c, uint64_t value)
{
	struct chain_link *found = NULL;
	uint32_t i;

	for (i = 0; i < c->count; i++) {
		struct chain_link *l = &c->links[i];

		if (l->placed || l->step.old != value || chain_waits(c, i))
			continue;
		if (chain_result(&l->step) == value)
			return l;
		if (!found)
			found = l;
	}
	return found;
}

/* The oldest without a place is told; one that saw the same value explains. */
static int chain_blame(const struct chain *c, uint64_t value,
		       struct complaint *complaint)
{
	const struct chain_step *odd = NULL;
	char name[WRID_TEXT_MAX], other[WRID_TEXT_MAX];
	uint32_t i;

	for (i = 0; i < c->count && !odd; i++)
		if (!c->links[i].placed)
			odd = &c->links[i].step;
	for (i = 0; i < c->count; i++) {
		const struct chain_step *s = &c->links[i].step;

		if (c->links[i].placed && s->old == odd->old &&
		    chain_result(s) != s->old)
			return complaint_set(
				complaint, VB_FIND_WRONG_CONTENT, odd->wr_id,
				"%s got the old value 0x%" PRIx64
				", which %s had got already and replaced: "
				"the two were not atomic, or one was executed "
				"twice",
				wrid_text(odd->wr_id, name), odd->old,
				wrid_text(s->wr_id, other));
	}
	return complaint_set(complaint, VB_FIND_WRONG_CONTENT, odd->wr_id,
			     "%s got the old value 0x%" PRIx64
			     ", but the atomics before it left 0x%" PRIx64,
			     wrid_text(odd->wr_id, name), odd->old, value);
}

int chain_settle(struct chain *c, uint64_t *value, struct complaint *complaint)
{
	uint64_t now = c->value;
	struct chain_link *l;
	uint32_t placed = 0;

	while ((l = chain_next(c, now))) {
		l->placed = true;
		now = chain_result(&l->step);
		placed++;
	}
	if (placed < c->count)
		return chain_blame(c, now, complaint);
	c->value = *value = now;
	c->count = 0;
	return 0;
}
