// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CBOR: a head with a major type and a number, then what the number counts. */
#include "suite/control/cbor.h"

#include <errno.h>

enum cbor_major {
	CBOR_UINT,
	CBOR_NEGATIVE,
	CBOR_BYTES,
	CBOR_TEXT,
	CBOR_ARRAY,
	CBOR_SIMPLE = 7,
};

enum { CBOR_FALSE = 0xf4, CBOR_TRUE = 0xf5, CBOR_NULL = 0xf6 };

static void cbor_add_head(struct strbuf *out, enum cbor_major major, uint64_t n)
{
	unsigned char head[9];
	unsigned bytes = n < 24		   ? 0
			 : n <= UINT8_MAX  ? 1
			 : n <= UINT16_MAX ? 2
			 : n <= UINT32_MAX ? 4
					   : 8;
	/* 24, 25, 26, 27: 1, 2, 4, 8 bytes follow. */
	unsigned info = bytes ? 24 + (unsigned)__builtin_ctz(bytes)
			      : (unsigned)n;
	unsigned i;

	head[0] = (unsigned char)((unsigned)major << 5 | info);
	for (i = 0; i < bytes; i++)
		head[1 + i] = (unsigned char)(n >> 8 * (bytes - 1 - i));
	strbuf_add_bytes(out, head, 1 + bytes);
}

void cbor_add_uint(struct strbuf *out, uint64_t value)
{
	cbor_add_head(out, CBOR_UINT, value);
}

void cbor_add_int(struct strbuf *out, int64_t value)
{
	if (value < 0)
		cbor_add_head(out, CBOR_NEGATIVE, ~(uint64_t)value);
	else
		cbor_add_head(out, CBOR_UINT, (uint64_t)value);
}

static void cbor_add_byte(struct strbuf *out, unsigned char byte)
{
	strbuf_add_bytes(out, &byte, 1);
}

void cbor_add_bool(struct strbuf *out, bool value)
{
	cbor_add_byte(out, value ? CBOR_TRUE : CBOR_FALSE);
}

void cbor_add_null(struct strbuf *out)
{
	cbor_add_byte(out, CBOR_NULL);
}

void cbor_add_text(struct strbuf *out, const char *text, size_t len)
{
	cbor_add_head(out, CBOR_TEXT, len);
	strbuf_add_bytes(out, text, len);
}

void cbor_add_bytes(struct strbuf *out, const void *bytes, size_t len)
{
	cbor_add_head(out, CBOR_BYTES, len);
	strbuf_add_bytes(out, bytes, len);
}

void cbor_add_array(struct strbuf *out, uint64_t count)
{
	cbor_add_head(out, CBOR_ARRAY, count);
}

/* The head that is next, if it is of @major. */
static int cbor_take_head(struct cbor_reader *r, enum cbor_major major,
			  uint64_t *n)
{
	unsigned info, bytes, i;
	uint64_t value = 0;

	if (r->at == r->end || *r->at >> 5 != major)
		return -EBADMSG;
	info = *r->at & 0x1f;
	if (info < 24) {
		*n = info;
		r->at++;
		return 0;
	}
	if (info > 27)
		return -EBADMSG;
	bytes = 1u << (info - 24);
	if ((size_t)(r->end - r->at) < 1 + bytes)
		return -EBADMSG;
	for (i = 0; i < bytes; i++)
		value = value << 8 | r->at[1 + i];
	/* The shortest form alone: one value, one text. */
	if (value < 24 || (bytes > 1 && value >> 4 * bytes == 0))
		return -EBADMSG;
	r->at += 1 + bytes;
	*n = value;
	return 0;
}

int cbor_take_uint(struct cbor_reader *r, uint64_t *value)
{
	return cbor_take_head(r, CBOR_UINT, value);
}

int cbor_take_int(struct cbor_reader *r, int64_t *value)
{
	struct cbor_reader before = *r;
	uint64_t n = 0;

	if (!cbor_take_head(r, CBOR_UINT, &n)) {
		*value = (int64_t)n;
	} else {
		if (cbor_take_head(r, CBOR_NEGATIVE, &n))
			return -EBADMSG;
		*value = (int64_t)~n;
	}
	if (n <= INT64_MAX)
		return 0;
	*r = before;
	return -EBADMSG;
}

int cbor_take_bool(struct cbor_reader *r, bool *value)
{
	if (r->at == r->end || (*r->at != CBOR_FALSE && *r->at != CBOR_TRUE))
		return -EBADMSG;
	*value = *r->at++ == CBOR_TRUE;
	return 0;
}

static int cbor_take_string(struct cbor_reader *r, enum cbor_major major,
			    const void **bytes, size_t *len)
{
	struct cbor_reader before = *r;
	uint64_t n = 0;

	if (cbor_take_head(r, major, &n))
		return -EBADMSG;
	if (n > (size_t)(r->end - r->at)) {
		*r = before;
		return -EBADMSG;
	}
	*bytes = r->at;
	*len = (size_t)n;
	r->at += n;
	return 0;
}

int cbor_take_text(struct cbor_reader *r, const char **text, size_t *len)
{
	const void *bytes = NULL;
	int err = cbor_take_string(r, CBOR_TEXT, &bytes, len);

	if (!err)
		*text = bytes;
	return err;
}

int cbor_take_bytes(struct cbor_reader *r, const void **bytes, size_t *len)
{
	return cbor_take_string(r, CBOR_BYTES, bytes, len);
}

int cbor_take_array(struct cbor_reader *r, uint64_t *count)
{
	return cbor_take_head(r, CBOR_ARRAY, count);
}

bool cbor_take_null(struct cbor_reader *r)
{
	if (r->at == r->end || *r->at != CBOR_NULL)
		return false;
	r->at++;
	return true;
}
