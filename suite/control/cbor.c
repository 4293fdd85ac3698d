// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The streaming half of libcbor, which keeps nothing and allocates nothing;
 * here is what it leaves open: which items are wanted, and that each is in the
 * shortest form.
 */
#include "suite/control/cbor.h"

#include <cbor.h>
#include <errno.h>

enum { CBOR_HEAD_MAX = 9 };

void cbor_add_uint(struct strbuf *out, uint64_t value)
{
	unsigned char head[CBOR_HEAD_MAX];

	strbuf_add_bytes(out, head,
			 cbor_encode_uint(value, head, sizeof(head)));
}

void cbor_add_int(struct strbuf *out, int64_t value)
{
	unsigned char head[CBOR_HEAD_MAX];

	if (value >= 0)
		cbor_add_uint(out, (uint64_t)value);
	else
		strbuf_add_bytes(out, head,
				 cbor_encode_negint(~(uint64_t)value, head,
						    sizeof(head)));
}

void cbor_add_bool(struct strbuf *out, bool value)
{
	unsigned char head[CBOR_HEAD_MAX];

	strbuf_add_bytes(out, head,
			 cbor_encode_bool(value, head, sizeof(head)));
}

void cbor_add_null(struct strbuf *out)
{
	unsigned char head[CBOR_HEAD_MAX];

	strbuf_add_bytes(out, head, cbor_encode_null(head, sizeof(head)));
}

void cbor_add_text(struct strbuf *out, const char *text, size_t len)
{
	unsigned char head[CBOR_HEAD_MAX];

	strbuf_add_bytes(out, head,
			 cbor_encode_string_start(len, head, sizeof(head)));
	strbuf_add_bytes(out, text, len);
}

void cbor_add_bytes(struct strbuf *out, const void *bytes, size_t len)
{
	unsigned char head[CBOR_HEAD_MAX];

	strbuf_add_bytes(out, head,
			 cbor_encode_bytestring_start(len, head, sizeof(head)));
	strbuf_add_bytes(out, bytes, len);
}

void cbor_add_array(struct strbuf *out, uint64_t count)
{
	unsigned char head[CBOR_HEAD_MAX];

	strbuf_add_bytes(out, head,
			 cbor_encode_array_start(count, head, sizeof(head)));
}

/* --- Reading -------------------------------------------------------------- */

enum cbor_kind {
	CBOR_KIND_OTHER, /* nothing that commands are made of */
	CBOR_KIND_UINT,
	CBOR_KIND_NEGATIVE,
	CBOR_KIND_BYTES,
	CBOR_KIND_TEXT,
	CBOR_KIND_ARRAY,
	CBOR_KIND_BOOL,
	CBOR_KIND_NULL,
};

struct cbor_found {
	enum cbor_kind kind;
	/* The value, the bytes of a string, the items of an array. */
	uint64_t number;
	const unsigned char *bytes; /* of a string */
};

static void cbor_found_number(void *arg, enum cbor_kind kind, uint64_t number)
{
	struct cbor_found *found = arg;

	found->kind = kind;
	found->number = number;
}

#define CBOR_FOUND(name, type, kind)                         \
	static void cbor_found_##name(void *arg, type n)     \
	{                                                    \
		cbor_found_number(arg, CBOR_KIND_##kind, n); \
	}
CBOR_FOUND(uint8, uint8_t, UINT)
CBOR_FOUND(uint16, uint16_t, UINT)
CBOR_FOUND(uint32, uint32_t, UINT)
CBOR_FOUND(uint64, uint64_t, UINT)
CBOR_FOUND(negint8, uint8_t, NEGATIVE)
CBOR_FOUND(negint16, uint16_t, NEGATIVE)
CBOR_FOUND(negint32, uint32_t, NEGATIVE)
CBOR_FOUND(negint64, uint64_t, NEGATIVE)
CBOR_FOUND(array, size_t, ARRAY)
CBOR_FOUND(bool, bool, BOOL)
#undef CBOR_FOUND

static void cbor_found_null(void *arg)
{
	cbor_found_number(arg, CBOR_KIND_NULL, 0);
}

static void cbor_found_bytes(void *arg, cbor_data bytes, size_t len)
{
	struct cbor_found *found = arg;

	cbor_found_number(arg, CBOR_KIND_BYTES, len);
	found->bytes = bytes;
}

static void cbor_found_text(void *arg, cbor_data bytes, size_t len)
{
	struct cbor_found *found = arg;

	cbor_found_number(arg, CBOR_KIND_TEXT, len);
	found->bytes = bytes;
}

static const struct cbor_callbacks cbor_callbacks = {
	.uint8 = cbor_found_uint8,
	.uint16 = cbor_found_uint16,
	.uint32 = cbor_found_uint32,
	.uint64 = cbor_found_uint64,
	.negint8 = cbor_found_negint8,
	.negint16 = cbor_found_negint16,
	.negint32 = cbor_found_negint32,
	.negint64 = cbor_found_negint64,
	.byte_string = cbor_found_bytes,
	.string = cbor_found_text,
	.array_start = cbor_found_array,
	.boolean = cbor_found_bool,
	.null = cbor_found_null,
	/* What is none of ours is left as CBOR_KIND_OTHER. */
	.byte_string_start = cbor_null_byte_string_start_callback,
	.string_start = cbor_null_string_start_callback,
	.indef_array_start = cbor_null_indef_array_start_callback,
	.indef_map_start = cbor_null_indef_map_start_callback,
	.map_start = cbor_null_map_start_callback,
	.tag = cbor_null_tag_callback,
	.float2 = cbor_null_float2_callback,
	.float4 = cbor_null_float4_callback,
	.float8 = cbor_null_float8_callback,
	.undefined = cbor_null_undefined_callback,
	.indef_break = cbor_null_indef_break_callback,
};

/* Bytes of the shortest head with @number. */
static size_t cbor_head(uint64_t number)
{
	unsigned char head[CBOR_HEAD_MAX];

	return cbor_encode_uint(number, head, sizeof(head));
}

/* The item that is next, if it is one of @kind in its one form. */
static int cbor_take(struct cbor_reader *r, enum cbor_kind kind,
		     struct cbor_found *found)
{
	struct cbor_decoder_result result;
	size_t want = 1;

	*found = (struct cbor_found){ .kind = CBOR_KIND_OTHER };
	if (r->at == r->end)
		return -EBADMSG;
	result = cbor_stream_decode(r->at, (size_t)(r->end - r->at),
				    &cbor_callbacks, found);
	if (result.status != CBOR_DECODER_FINISHED || found->kind != kind)
		return -EBADMSG;
	if (kind != CBOR_KIND_BOOL && kind != CBOR_KIND_NULL)
		want = cbor_head(found->number);
	if (found->bytes)
		want += (size_t)found->number;
	/* The shortest form alone: one value, one text. */
	if (result.read != want)
		return -EBADMSG;
	r->at += want;
	return 0;
}

int cbor_take_uint(struct cbor_reader *r, uint64_t *value)
{
	struct cbor_found found;
	int err = cbor_take(r, CBOR_KIND_UINT, &found);

	if (!err)
		*value = found.number;
	return err;
}

int cbor_take_int(struct cbor_reader *r, int64_t *value)
{
	struct cbor_reader before = *r;
	struct cbor_found found;

	if (cbor_take(r, CBOR_KIND_UINT, &found) &&
	    cbor_take(r, CBOR_KIND_NEGATIVE, &found))
		return -EBADMSG;
	if (found.number > INT64_MAX) {
		*r = before;
		return -EBADMSG;
	}
	*value = (int64_t)(found.kind == CBOR_KIND_UINT ? found.number
							: ~found.number);
	return 0;
}

int cbor_take_bool(struct cbor_reader *r, bool *value)
{
	struct cbor_found found;
	int err = cbor_take(r, CBOR_KIND_BOOL, &found);

	if (!err)
		*value = found.number;
	return err;
}

int cbor_take_text(struct cbor_reader *r, const char **text, size_t *len)
{
	struct cbor_found found;
	int err = cbor_take(r, CBOR_KIND_TEXT, &found);

	if (!err) {
		*text = (const char *)found.bytes;
		*len = (size_t)found.number;
	}
	return err;
}

int cbor_take_bytes(struct cbor_reader *r, const void **bytes, size_t *len)
{
	struct cbor_found found;
	int err = cbor_take(r, CBOR_KIND_BYTES, &found);

	if (!err) {
		*bytes = found.bytes;
		*len = (size_t)found.number;
	}
	return err;
}

int cbor_take_array(struct cbor_reader *r, uint64_t *count)
{
	struct cbor_found found;
	int err = cbor_take(r, CBOR_KIND_ARRAY, &found);

	if (!err)
		*count = found.number;
	return err;
}

bool cbor_take_null(struct cbor_reader *r)
{
	struct cbor_found found;

	return !cbor_take(r, CBOR_KIND_NULL, &found);
}
