/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The payload that knows where it belongs.
 *
 *	0          8        12       16                      len-4   len
 *	+----------+--------+--------+-----------------------+--------+
 *	| sequence | magic  | QP no. |         body          |  sum   |
 *	+----------+--------+--------+-----------------------+--------+
 *	  big endian, as on the wire                          big endian
 *
 * Messages shorter than PATTERN_FRAMED_MIN are all body.  A body byte is a
 * pure function of (key, sequence, offset): the 8 bytes at offset 8*i are
 * mix(key + (place(sequence) << 28 | i) * step), little endian everywhere.  All
 * of this is a bijection, so any 8 bytes of a body tell message and offset that
 * they came from; a complaint names them.  The key stands for (run seed, end,
 * QP, generation).  The sum is over all before it, as 64-bit words, filled up
 * with zeros to a multiple of 256 bytes (pattern_unit.h).
 *
 * The sequence is the number of the message in its direction, chosen by the
 * caller; the receiver must know it from the order promised (pairing.h), never
 * from the message.
 *
 * Fill and check regenerate in one pass: no table, no allocation, memory speed.
 */
#ifndef SUITE_ORACLE_PATTERN_H
#define SUITE_ORACLE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/compiler.h"

#define PATTERN_FRAMED_MIN    24u
#define PATTERN_HEADER_BYTES  16u
#define PATTERN_TRAILER_BYTES 4u
#define PATTERN_MAGIC	      0x76625032u
#define PATTERN_SEQUENCE_MAX  ((UINT64_C(1) << 36) - 1)
#define PATTERN_LEN_MAX	      (UINT64_C(1) << 31)

struct pattern_message {
	uint64_t key;	   /* pattern_key() of the sending queue pair */
	uint64_t sequence; /* at most PATTERN_SEQUENCE_MAX */
	uint64_t len;	   /* at most PATTERN_LEN_MAX */
	uint32_t qp_num;   /* of the sender, as the header says */
};

/* Who sends: the key of one incarnation of one queue pair in one run. */
struct pattern_origin {
	uint32_t end;
	uint32_t qp_index;
	uint32_t generation;
};

uint64_t pattern_key(uint64_t run_seed, const struct pattern_origin *origin);

/*
 * Write bytes @offset .. @offset+@len-1 of the message to @dst.  Pieces may be
 * written in any order; a piece that holds the checksum but not all before it
 * costs a second pass.  @offset + @len must be at most @m->len.
 */
void pattern_fill(const struct pattern_message *m, uint64_t offset, void *dst,
		  size_t len);
/* The whole message over a gather list; the pieces must hold @m->len bytes. */
void pattern_fill_iov(const struct pattern_message *m, const struct iovec *iov,
		      size_t iov_count);

/* The checks of a message, in the order they are made. */
enum pattern_kind {
	PATTERN_MAGIC_WRONG,
	PATTERN_SEQUENCE_WRONG,
	PATTERN_QP_WRONG,
	PATTERN_CHECKSUM_WRONG,
	PATTERN_BODY_WRONG,
};

enum pattern_diagnosis {
#define PATTERN_DIAGNOSIS(name, word) PATTERN_IS_##name,
#include "suite/oracle/pattern_diagnosis.def"
#undef PATTERN_DIAGNOSIS
};

struct pattern_complaint {
	enum pattern_kind kind; /* the first check that failed */
	enum pattern_diagnosis diagnosis;
	uint64_t first_wrong; /* offset in the message */
	uint64_t wrong_bytes; /* in the whole message */
	/* Where the wrong bytes at @at came from; meaning by diagnosis. */
	uint64_t at; /* offset in the message */
	uint64_t source_sequence;
	uint64_t source_offset;
	int64_t shift;	     /* at - source_offset */
	uint64_t hole_bytes; /* HOLE, ZEROS: length of the run at @at */
	struct pattern_origin source; /* OTHER_QP, STALE */
	uint8_t expected, found;      /* of the first wrong byte */
};

/* Who else sends in this run, to name the origin of wrong bytes. */
struct pattern_known {
	uint64_t key;
	struct pattern_origin origin;
};

struct pattern_context {
	const struct pattern_known *known; /* NULL: nobody */
	size_t known_count;
	struct pattern_origin expected; /* the sender of the message */
};

/*
 * Is this the message, whole and unchanged?  @iov holds what was received,
 * @m->len bytes in all (byte_len is judged elsewhere, before).  @context may
 * be NULL.  0, or -EBADMSG with *@complaint filled.
 */
int pattern_check(const struct pattern_message *m, const struct iovec *iov,
		  size_t iov_count, const struct pattern_context *context,
		  struct pattern_complaint *complaint) MUST_USE;
/*
 * A piece alone, without header order, checksum over the rest or diagnosis:
 * 0, or -EBADMSG with the offset (in the message) of the first wrong byte.
 */
int pattern_check_piece(const struct pattern_message *m, uint64_t offset,
			const void *piece, size_t len,
			uint64_t *first_wrong) MUST_USE;

/* "checksum: 7 bytes wrong from offset 4096 (is 00, must be 5a): ..."; cut
 * at @room.  Returns @text. */
const char *pattern_complaint_text(const struct pattern_message *m,
				   const struct pattern_complaint *c,
				   char *text, size_t room);
const char *pattern_kind_name(enum pattern_kind kind);
const char *pattern_diagnosis_name(enum pattern_diagnosis diagnosis);

/*
 * Which message and offset do these 8 bytes come from?  Exact for every 8
 * bytes at a multiple of 8 of a body; other bytes give nonsense, seen by
 * implausible values.
 */
void pattern_word_origin(uint64_t key, const void *bytes, uint64_t *sequence,
			 uint64_t *offset);

/*
 * Guard zones: bytes beside a buffer that nobody may write.  Not constant:
 * a function of @key and the offset in the zone.
 */
void pattern_guard_fill(void *zone, size_t len, uint64_t key);
/* 0, or -EBADMSG with the first overwritten offset in the zone and how many
 * bytes differ; either output may be NULL. */
int pattern_guard_check(const void *zone, size_t len, uint64_t key,
			size_t *first_wrong, size_t *wrong_bytes) MUST_USE;

/*
 * Poison for receive buffers before each use: a function of the address, so
 * that what the device did not write is told from everything else (HOLE).
 */
void pattern_poison(void *dst, size_t len);
/* Bytes at @src that still hold the poison, from the first one on. */
size_t pattern_poison_run(const void *src, size_t len);

#endif
