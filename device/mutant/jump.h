/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A branch that is code and not data: asleep it is an instruction that does
 * nothing, and to choose it writes a jump in its place.  It reads no memory
 * and no register, so that what sleeps costs next to nothing.
 *
 * Each has an entry in the section mutant_jumps.  Its five bytes lie within
 * eight that are aligned, and are written by one store: a thread that is just
 * there sees the old or the new instruction.  (Source: AMD64 manual, volume 2,
 * "Cross-modifying code"; Linux has its static keys by the same means.)
 *
 * Other processors than x86-64, and who asks for VB_NO_MUTANTS, have none.
 */
#ifndef DEVICE_MUTANT_JUMP_H
#define DEVICE_MUTANT_JUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

#if defined(__x86_64__) && !defined(VB_NO_MUTANTS)
#define JUMP_IS_CODE 1

/* An entry: distances from the field itself. */
struct jump {
	int32_t at; /* the instruction */
	int32_t to; /* where it leads when it is awake */
	uint32_t key;
};

/* The bytes are jump_asleep of jump.c; a pad of up to four stands before it
 * where it would cross a border of eight. */
#define JUMP_TAKEN(key)                                                   \
	({                                                                \
		__label__ awake;                                          \
		bool taken_ = true;                                       \
		asm inline goto(".p2align 3,,4\n"                         \
				"1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n" \
				".pushsection mutant_jumps, \"a\"\n"      \
				".balign 4\n"                             \
				".long 1b - ., %l[awake] - ., %c0\n"      \
				".popsection"                             \
				:                                         \
				: "i"(key)                                \
				:                                         \
				: awake);                                 \
		taken_ = false;                                           \
	awake:                                                            \
		unlikely(taken_);                                         \
	})

#endif

/* Can they be changed in this process: 0, or -errno of mprotect(2), which a
 * security policy may refuse. */
int jump_check(void) MUST_USE;
/* All of a key; -errno as above. */
int jump_set(uint32_t key, bool awake) MUST_USE;

#endif
