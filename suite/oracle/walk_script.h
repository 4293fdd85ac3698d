/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A walk as a script: steps with small operands, drawn at random, written as
 * lines that people read and that are read back.
 *
 *	# verbatim walk
 *	case walk/rc
 *	seed 7
 *	ab: connect depth=4
 *	b: ibv_post_recv len=64
 *	a: ibv_post_send op=SEND_WITH_IMM len=64
 *
 * Pure: no device is known here.
 */
#ifndef SUITE_ORACLE_WALK_SCRIPT_H
#define SUITE_ORACLE_WALK_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/prng.h"
#include "base/strbuf.h"

enum {
	WALK_STEPS_MAX = 100000,
	WALK_CASE_MAX = 64,
	WALK_LEN_MAX = 9000, /* of a message */
	WALK_PAIRS = 4,	     /* at a time */
};

enum walk_kind {
#define WALK_STEP(name, ...) WALK_##name,
#include "suite/oracle/walk_steps.def"
#undef WALK_STEP
	WALK_KINDS
};

/* Operands as bits, in the order of their rows. */
enum walk_operand {
#define WALK_NUMBER(field, ...) WALK_OPERAND_##field,
#define WALK_WORD(field, ...)	WALK_OPERAND_##field,
#define WALK_FLAG(field, ...)	WALK_OPERAND_##field,
#include "suite/oracle/walk_operands.def"
#undef WALK_NUMBER
#undef WALK_WORD
#undef WALK_FLAG
	WALK_OPERANDS
};

enum walk_rnr_retry { WALK_RNR_EVER, WALK_RNR_0, WALK_RNR_1, WALK_RNR_3 };
enum walk_up_to { WALK_TO_RTS, WALK_TO_RTR, WALK_TO_INIT, WALK_TO_RESET };
enum walk_attr_wrong {
	WALK_ATTR_RIGHT,
	WALK_ATTR_MISSING,
	WALK_ATTR_FOREIGN,
	WALK_ATTR_VALUE,
};
enum walk_recv_wrong {
	WALK_RECV_RIGHT,
	WALK_RECV_DEAD_MR,
	WALK_RECV_SGES,
	WALK_RECV_SHORT, /* less room than a message may have */
};
enum walk_send_wrong {
	WALK_SEND_RIGHT,
	WALK_SEND_DEAD_MR,
	WALK_SEND_SGES,
	WALK_SEND_RKEY,
	WALK_SEND_BOUNDS,
	WALK_SEND_RIGHTS,
	WALK_SEND_INLINE,
};
enum walk_rights {
	WALK_RIGHTS_ALL,
	WALK_RIGHTS_READ,
	WALK_RIGHTS_WRITE,
	WALK_RIGHTS_NONE,
};

struct walk_step {
	enum walk_kind kind;
	uint32_t side; /* 0: a, 1: b; of steps about both: 0 */
#define WALK_NUMBER(field, ...) uint32_t field;
#define WALK_WORD(field, ...)	uint32_t field;
#define WALK_FLAG(field, ...)	uint32_t field;
#include "suite/oracle/walk_operands.def"
#undef WALK_NUMBER
#undef WALK_WORD
#undef WALK_FLAG
};

struct walk_script {
	char id[WALK_CASE_MAX]; /* of the case */
	uint64_t seed;		/* of payload and all that is drawn on */
	uint32_t count, room;
	struct walk_step *steps;
};

/* What a walk is made of: bits of kinds of queue pair, and more. */
enum walk_mix {
	WALK_MIX_RC = 1u << 0,
	WALK_MIX_UC = 1u << 1,
	WALK_MIX_UD = 1u << 2,
	WALK_MIX_SRQ = 1u << 3,
	WALK_MIX_ATOMIC = 1u << 4,
	WALK_MIX_BUILDER = 1u << 5, /* ibv_wr_*(), ibv_start_poll() */
};

void walk_script_free(struct walk_script *s);
/* -ENOMEM, or -E2BIG beyond WALK_STEPS_MAX. */
int walk_script_add(struct walk_script *s,
		    const struct walk_step *step) MUST_USE;
/* @to becomes a copy of @from, which may be empty before. */
int walk_script_copy(struct walk_script *to,
		     const struct walk_script *from) MUST_USE;

/* @count steps drawn from @seed; the first of them makes a pair.  @id is the
 * case's.  0 or -ENOMEM. */
int walk_generate(struct walk_script *s, const char *id, unsigned mix,
		  uint64_t seed, uint32_t count) MUST_USE;

/* "b: ibv_post_recv len=64", without a newline, appended. */
void walk_step_print(const struct walk_step *step, struct strbuf *out);
void walk_script_print(const struct walk_script *s, struct strbuf *out);
/*
 * The reverse; blank lines and what follows a "#" are left out.  0, or -EINVAL
 * with *@error "line 3: ..." (free() it), or -ENOMEM.
 */
int walk_script_parse(const char *text, struct walk_script *s,
		      char **error) MUST_USE;

/* The @n-th operand of @step that is not at its simplest becomes simpler, in
 * the @turn-th way; false: there is no such operand or way. */
bool walk_step_simplify(struct walk_step *step, unsigned n, unsigned turn);

/* Rows of a step or an operand, for the files of the script. */
struct walk_row {
	const char *name;
	bool both;
	uint32_t weight;
	uint64_t operands; /* bits of enum walk_operand */
};
struct walk_operand_row {
	const char *name;
	const char *words; /* of WALK_WORD */
	uint32_t max;
	bool flag;
	uint32_t offset; /* of the field */
};
extern const struct walk_row walk_rows[WALK_KINDS];
extern const struct walk_operand_row walk_operand_rows[WALK_OPERANDS];
uint32_t *walk_operand_of(struct walk_step *step, enum walk_operand operand);

#endif
