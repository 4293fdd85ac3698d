/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A struct as data: its fields in their order.  From one such table both
 * directions of the channel and their fuzzer come.  On the wire a struct is a
 * CBOR array of its fields: one too few or too many is an error that names the
 * field or the struct, and so is a value that its field cannot hold.
 */
#ifndef SUITE_CONTROL_SCHEMA_H
#define SUITE_CONTROL_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/control/cbor.h"

enum schema_kind {
	SCHEMA_UINT,   /* of `size` bytes, at most `max` unless that is 0 */
	SCHEMA_INT,    /* the same, signed; `max` is not used */
	SCHEMA_BOOL,   /* bool */
	SCHEMA_BYTES,  /* `size` bytes */
	SCHEMA_CHARS,  /* char[size], with its NUL */
	SCHEMA_TEXT,   /* const char *, or NULL; at most SCHEMA_TEXT_MAX */
	SCHEMA_STRUCT, /* a struct within */
	/* An array within, of numbers or of structs: all its `max` elements,
	 * or as many as the field `counter` says, which stands before. */
	SCHEMA_ARRAY,
	SCHEMA_MANY, /* const struct *, with a counter: at most `max` */
	SCHEMA_MAYBE /* const struct *, or NULL */
};

enum {
	SCHEMA_TEXT_MAX = 255,
	/* Of what one message's pointers point to. */
	SCHEMA_ROOM_MAX = 16 << 20
};

struct schema;

struct schema_field {
	const char *name;
	enum schema_kind kind;
	uint32_t offset;
	uint32_t size; /* of the field in the struct */
	uint64_t max;
	uint32_t counter;	 /* offset of what counts it */
	uint32_t counter_size;	 /* 0: nothing does */
	uint32_t element;	 /* bytes of an array's */
	const struct schema *of; /* of the structs; NULL: unsigned numbers */
};

struct schema {
	const char *name;
	uint32_t size;
	uint32_t count;
	const struct schema_field *fields;
};

/* What pointers of decoded structs point to: freed all at once. */
struct schema_room {
	struct schema_piece *pieces;
	size_t bytes;
};

void schema_room_free(struct schema_room *room);

void schema_encode(const struct schema *s, const void *from,
		   struct strbuf *out);
/* -EBADMSG and @error: "end_mr.sges is 77, at most 32".  -ENOMEM. */
int schema_decode(const struct schema *s, struct cbor_reader *r, void *to,
		  struct schema_room *room, struct strbuf *error) MUST_USE;

/* Names, kinds and limits of @s and of all within, mixed into @hash. */
uint64_t schema_digest(const struct schema *s, uint64_t hash);

#endif
