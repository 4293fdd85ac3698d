/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mutants: defects of real devices, seeded where they would live, asleep until
 * one is chosen by name.  A suite that runs against a mutant and finds nothing
 * has a gap.  The rows are in mutants.def; the guarded line is wherever the
 * defect is:
 *
 *	if (MUTANT_ACTS(M07, resp->in_write))
 *		cqe.wc.opcode = IBV_WC_RECV;
 *
 * What is chosen changes under the adapter lock alone; while nothing is, a
 * guard is an instruction that does nothing (jump.h), or, on other processors
 * than x86-64, one test of a word.  Built with VB_NO_MUTANTS there are none.
 */
#ifndef DEVICE_MUTANT_MUTANT_H
#define DEVICE_MUTANT_MUTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/mutant/jump.h"

enum mutant {
#define MUTANT(id, ...) MUTANT_##id,
#include "device/mutant/mutants.def"
#undef MUTANT
	MUTANTS
};

struct mutant_row {
	const char *id;
	const char *name;     /* two or three words */
	const char *sentence; /* what it does, and when */
	const char *evidence; /* the reports that it is made after */
	const char *rule;     /* of rules.tsv, that it breaks */
	const char *cases;    /* that are expected to kill it, "a/b,c/d" */
	const char *finding;  /* with which, "word" or "word:part of reason" */
	uint64_t param;	      /* what it takes when none is given */
};

extern const struct mutant_row mutant_rows[MUTANTS];

enum { MUTANT_WORDS = (MUTANTS + 63) / 64 };

#ifdef VB_NO_MUTANTS
#define MUTANT_ON(id) false
#define MUTANT_ANY()  false
#elif defined(JUMP_IS_CODE)
#define MUTANT_ON(id) JUMP_TAKEN(MUTANT_##id)
#define MUTANT_ANY()  JUMP_TAKEN(MUTANTS)
#else
/* Those that are chosen, a bit each. */
extern uint64_t mutant_words[MUTANT_WORDS];
#define MUTANT_ON(id)                                             \
	unlikely(__atomic_load_n(&mutant_words[MUTANT_##id / 64], \
				 __ATOMIC_RELAXED) &              \
		 UINT64_C(1) << MUTANT_##id % 64)
/* For where several live close together, on a path that must be fast. */
extern bool mutant_any;
#define MUTANT_ANY() unlikely(__atomic_load_n(&mutant_any, __ATOMIC_RELAXED))
#endif

/* It is chosen, and here is the situation in which it does harm: counted. */
#define MUTANT_ACTS(id, situation) \
	(MUTANT_ON(id) && (situation) && mutant_note(MUTANT_##id))

/* Of functions that only mutants call: out of the way of the others. */
#define MUTANT_COLD __attribute__((cold, noinline))

/* Count one; always true. */
MUTANT_COLD bool mutant_note(enum mutant m);
/* How often it has acted in this process. */
uint64_t mutant_acted(enum mutant m);
uint64_t mutant_param(enum mutant m);
bool mutant_is_on(enum mutant m);

/* A word of memory for a mutant that needs some; 0 when it is chosen. */
extern uint64_t mutant_memory[MUTANTS];

/*
 * The window of a race, held open by condition and not by chance: from the
 * opening for so many steps as the mutant's parameter says, for one object.
 * What a step is, is the mutant's.
 */
void mutant_window_open(enum mutant m, const void *object);
bool mutant_window_is_open(enum mutant m, const void *object);
void mutant_window_step(enum mutant m);

/* By id or name, whatever the case of its letters; -ENOENT. */
int mutant_find(const char *word, size_t len);
/* -errno when this process may not change its code (jump.h). */
int mutant_set(enum mutant m, bool on, uint64_t param) MUST_USE;

enum { MUTANT_ERROR_MAX = 160 };

/*
 * A list "M07,M21:3": ids or names, with a parameter if not the row's own.
 * -EINVAL, and in @error what is wrong with it; what jump_check() says.
 */
int mutant_check(const char *list, char error[MUTANT_ERROR_MAX]) MUST_USE;
/* Choose those of a list that was checked, or NULL, and no others: as
 * mutant_set(). */
int mutant_choose(const char *list) MUST_USE;

/* Call @told the first time that each of them acts, wherever that is. */
void mutant_on_first(void (*told)(enum mutant m));

#endif
