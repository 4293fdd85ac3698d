/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flight recorder: a ring of fixed-size records in memory that the caller
 * gives, so that a shared mapping outlives the process that wrote it.
 *
 *	header | slot | slot | ... | slot |     newest overwrites oldest
 *
 * Writing takes an atomic counter and a copy: no lock, allocation or text;
 * several threads may write.  Reading is for a recorder at rest; a record
 * being written meanwhile (or left half by a crash) is recognised and skipped.
 * Nothing in the area is trusted by a reader beyond its bounds.
 */
#ifndef SUITE_ORACLE_RECORDER_H
#define SUITE_ORACLE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

#define RECORDER_ARGS	  6
#define RECORDER_TEXT_MAX 36 /* with the NUL */

/* Each kind of record is a row of calls.def. */
enum recorder_call {
#define RECORDER_CALL(id, ...) RECORDER_##id,
#include "suite/oracle/calls.def"
#undef RECORDER_CALL
	RECORDER_CALLS
};

struct recorder_record {
	uint64_t ticket;  /* recorder_write() sets it: 1, 2, 3 ... */
	uint64_t when_ns; /* monotonic; 0: taken by recorder_write() */
	uint64_t args[RECORDER_ARGS]; /* meaning by call */
	int64_t result;		      /* return value */
	uint32_t object;	      /* QP number, handle or index; by call */
	int32_t error;		      /* errno, or 0 */
	uint32_t vendor_err;
	uint16_t call;		      /* enum recorder_call */
	uint8_t end;		      /* 0: a, 1: b, else none */
	uint8_t flags;		      /* the caller's */
	char text[RECORDER_TEXT_MAX]; /* cut and NUL-terminated */
	uint32_t check;		      /* not the caller's */
};

struct recorder; /* lies at the start of the area */

/* Bytes that @records records need. */
size_t recorder_bytes(uint32_t records);
/* Lay an empty recorder into @area (aligned to 8, of @bytes bytes): as many
 * records as fit.  NULL: not even one does. */
struct recorder *recorder_init(void *area, size_t bytes) MUST_USE;
/* A recorder that another process wrote; NULL: @area holds none, or one that
 * claims more than @bytes. */
const struct recorder *recorder_attach(const void *area, size_t bytes) MUST_USE;

/* @r NULL: nothing is recorded. */
void recorder_write(struct recorder *r, const struct recorder_record *record);

/* Written in all, overwritten ones included. */
uint64_t recorder_written(const struct recorder *r);
/*
 * The records kept, oldest first: @visit for each until it returns non-zero,
 * which is returned; else 0.  @record is a copy.
 */
int recorder_walk(const struct recorder *r,
		  int (*visit)(void *arg, const struct recorder_record *record),
		  void *arg);

const char *recorder_call_name(enum recorder_call call);

/* One line for people, without the newline; times are relative to @zero_ns:
 * "+0.001234s a modify_qp qp 0x11 mask=STATE,AV to=RTR ... = 0" */
void recorder_print_record(const struct recorder_record *record,
			   uint64_t zero_ns, struct strbuf *out);
/* All records, a line each, the first one at time 0; @last_max 0: no limit. */
void recorder_print(const struct recorder *r, uint64_t last_max,
		    struct strbuf *out);
/* The first completion of each end that is neither a success nor a flush, and
 * its first call that failed, oldest first; "none" if there is no such. */
void recorder_print_first_errors(const struct recorder *r, struct strbuf *out);
/* One JSON object, no newline. */
void recorder_json_record(const struct recorder_record *record,
			  struct strbuf *out);
/* Each record as a line of JSON, without newline, to @line. */
void recorder_to_jsonl(const struct recorder *r,
		       void (*line)(void *arg, const char *json), void *arg);

#endif
