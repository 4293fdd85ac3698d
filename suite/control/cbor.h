/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As much of CBOR (RFC 8949) as commands are made of: integers, booleans,
 * null, byte and text strings, arrays, all of definite length and in the
 * shortest form.  Everything else is refused.  What is read came from a peer
 * and is judged; a reader never looks beyond its bytes.
 */
#ifndef SUITE_CONTROL_CBOR_H
#define SUITE_CONTROL_CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

void cbor_add_uint(struct strbuf *out, uint64_t value);
void cbor_add_int(struct strbuf *out, int64_t value);
void cbor_add_bool(struct strbuf *out, bool value);
void cbor_add_null(struct strbuf *out);
void cbor_add_text(struct strbuf *out, const char *text, size_t len);
void cbor_add_bytes(struct strbuf *out, const void *bytes, size_t len);
/* @count items are to follow. */
void cbor_add_array(struct strbuf *out, uint64_t count);

struct cbor_reader {
	const unsigned char *at, *end;
};

/* 0, or -EBADMSG: there is something else, or not all of it. */
int cbor_take_uint(struct cbor_reader *r, uint64_t *value) MUST_USE;
int cbor_take_int(struct cbor_reader *r, int64_t *value) MUST_USE;
int cbor_take_bool(struct cbor_reader *r, bool *value) MUST_USE;
/* *@text points into the bytes of the reader; it has no NUL. */
int cbor_take_text(struct cbor_reader *r, const char **text,
		   size_t *len) MUST_USE;
int cbor_take_bytes(struct cbor_reader *r, const void **bytes,
		    size_t *len) MUST_USE;
int cbor_take_array(struct cbor_reader *r, uint64_t *count) MUST_USE;
/* Is null next?  Then it is taken. */
bool cbor_take_null(struct cbor_reader *r);

#endif
