// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writing the jumps of a key into the code of this library. */
#include "device/mutant/jump.h"

#ifdef JUMP_IS_CODE

#include <assert.h>
#include <string.h>

#include "base/code.h"

enum {
	JUMP_BYTES = 5,
	JUMP_WORD = 8,
	JUMP_OPCODE = 0xe9, /* jmp rel32 */
};

static const uint8_t jump_asleep[JUMP_BYTES] = { 0x0f, 0x1f, 0x44, 0, 0 };

/* The linker's: the section's ends. */
extern const struct jump __start_mutant_jumps[], __stop_mutant_jumps[];

static uint8_t *jump_at(const struct jump *j)
{
	return (uint8_t *)((uintptr_t)&j->at + (uintptr_t)(intptr_t)j->at);
}

NO_TSAN static int jump_write(const struct jump *j, bool awake)
{
	uint8_t *at = jump_at(j), bytes[JUMP_BYTES];
	uintptr_t offset = (uintptr_t)at % JUMP_WORD;
	uint64_t *word = (uint64_t *)(at - offset), value = *word;
	int32_t distance;

	assert(offset + JUMP_BYTES <= JUMP_WORD);
	memcpy(bytes, jump_asleep, sizeof(bytes));
	if (awake) {
		distance = (int32_t)((intptr_t)&j->to + j->to -
				     (intptr_t)(at + JUMP_BYTES));
		bytes[0] = JUMP_OPCODE;
		memcpy(bytes + 1, &distance, sizeof(distance));
	}
	memcpy((uint8_t *)&value + offset, bytes, sizeof(bytes));
	return code_write(word, value);
}

int jump_check(void)
{
	return code_check(jump_at(__start_mutant_jumps));
}

int jump_set(uint32_t key, bool awake)
{
	int err = 0;

	for (const struct jump *j = __start_mutant_jumps;
	     j < __stop_mutant_jumps && !err; j++)
		if (j->key == key)
			err = jump_write(j, awake);
	code_settle();
	return err;
}

#else

int jump_check(void)
{
	return 0;
}

int jump_set(uint32_t key, bool awake)
{
	(void)key;
	(void)awake;
	return 0;
}

#endif
