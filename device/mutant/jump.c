// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writing the jumps of a key into the code of this library. */
#include "device/mutant/jump.h"

#ifdef JUMP_IS_CODE

#include <assert.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static int jump_protect(const struct jump *j, int protection)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	/* A word that is aligned lies within one. */
	uintptr_t begin = (uintptr_t)jump_at(j) & ~(page - 1);

	return mprotect((void *)begin, page, protection) ? -errno : 0;
}

static void jump_write(const struct jump *j, bool awake)
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
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* Other processors fetch anew what they have fetched ahead; a kernel that
 * cannot make them leaves it to the time that this takes anyway. */
static void jump_settle(void)
{
	syscall(SYS_membarrier,
		MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0,
		0);
}

int jump_check(void)
{
	const struct jump *j = __start_mutant_jumps;
	int err = jump_protect(j, PROT_READ | PROT_WRITE | PROT_EXEC);

	return err ? err : jump_protect(j, PROT_READ | PROT_EXEC);
}

int jump_set(uint32_t key, bool awake)
{
	int err;

	for (const struct jump *j = __start_mutant_jumps;
	     j < __stop_mutant_jumps; j++) {
		if (j->key != key)
			continue;
		err = jump_protect(j, PROT_READ | PROT_WRITE | PROT_EXEC);
		if (err)
			return err;
		jump_write(j, awake);
		err = jump_protect(j, PROT_READ | PROT_EXEC);
		if (err)
			return err;
	}
	jump_settle();
	return 0;
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
