// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scripts of walks: their rows, their memory, and steps made simpler. */
#include "suite/oracle/walk_script.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define O(field)  (UINT64_C(1) << WALK_OPERAND_##field)
#define WALK_ONE  false
#define WALK_BOTH true

const struct walk_row walk_rows[WALK_KINDS] = {
#define WALK_STEP(kind, text, sides, often, ...) \
	[WALK_##kind] = { text, WALK_##sides, often, __VA_ARGS__ },
#include "suite/oracle/walk_steps.def"
#undef WALK_STEP
};

/* "a|b|c" has three words; the last one is number 2. */
#define WALK_ROW(field) .offset = offsetof(struct walk_step, field)

const struct walk_operand_row walk_operand_rows[WALK_OPERANDS] = {
#define WALK_NUMBER(field, text, largest) \
	{ text, .max = largest, WALK_ROW(field) },
#define WALK_WORD(field, text, list) { text, .words = list, WALK_ROW(field) },
#define WALK_FLAG(field, text) \
	{ text, .max = 1, .flag = true, WALK_ROW(field) },
#include "suite/oracle/walk_operands.def"
#undef WALK_NUMBER
#undef WALK_WORD
#undef WALK_FLAG
};

_Static_assert(WALK_OPERANDS <= 64, "operands are bits");

uint32_t *walk_operand_of(struct walk_step *step, enum walk_operand operand)
{
	return (uint32_t *)((char *)step + walk_operand_rows[operand].offset);
}

void walk_script_free(struct walk_script *s)
{
	free(s->steps);
	s->steps = NULL;
	s->count = s->room = 0;
}

int walk_script_add(struct walk_script *s, const struct walk_step *step)
{
	if (s->count == WALK_STEPS_MAX)
		return -E2BIG;
	if (s->count == s->room) {
		uint32_t room = s->room ? 2 * s->room : 64;
		struct walk_step *steps =
			realloc(s->steps, room * sizeof(*steps));

		if (!steps)
			return -ENOMEM;
		s->steps = steps;
		s->room = room;
	}
	s->steps[s->count++] = *step;
	return 0;
}

int walk_script_copy(struct walk_script *to, const struct walk_script *from)
{
	uint32_t room = from->count ? from->count : 1;
	struct walk_step *steps = realloc(to->steps, room * sizeof(*steps));

	if (!steps)
		return -ENOMEM;
	*to = *from;
	to->steps = steps;
	to->room = room;
	if (from->count)
		memcpy(steps, from->steps, from->count * sizeof(*steps));
	return 0;
}

bool walk_step_simplify(struct walk_step *step, unsigned n, unsigned turn)
{
	uint64_t mask = walk_rows[step->kind].operands;

	for (unsigned i = 0; i < WALK_OPERANDS; i++) {
		uint32_t *value = walk_operand_of(step, i);
		uint32_t was = *value;

		if (!(mask >> i & 1) || !was || n--)
			continue;
		/* Nothing of it; then half, a quarter, an eighth less. */
		if (turn == 0)
			*value = 0;
		else if (walk_operand_rows[i].words || turn > 15 ||
			 !(was >> turn))
			return false;
		else
			*value = was - (was >> turn);
		return true;
	}
	return false;
}
