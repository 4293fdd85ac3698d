// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Frames to bytes and back.  The length is judged before anything is kept, so
 * that no peer makes us hold more than one frame of the permitted size.
 */
#include "suite/control/frames.h"

#include <errno.h>
#include <string.h>

/* The offending input goes into the message, so that it can be recognised;
 * what is not printable is shown as dots. */
static void frame_quote(const unsigned char *bytes, size_t len,
			struct strbuf *error)
{
	char shown[25];
	size_t i;

	for (i = 0; i < len && i < sizeof(shown) - 1; i++)
		shown[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i]
							       : '.';
	shown[i] = '\0';
	strbuf_addf(error, ": \"%s%s\"", shown, i < len ? "..." : "");
}

static size_t frame_depth(const json_t *value, size_t limit)
{
	size_t deepest = 0, i;
	const char *key;
	json_t *item;

	if (limit == 0)
		return 1;
	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, item)
		{
			size_t d = frame_depth(item, limit - 1);

			deepest = d > deepest ? d : deepest;
		}
		return deepest + 1;
	}
	if (json_is_array(value)) {
		json_array_foreach(value, i, item)
		{
			size_t d = frame_depth(item, limit - 1);

			deepest = d > deepest ? d : deepest;
		}
		return deepest + 1;
	}
	return 0;
}

/* Is it an object of ours? */
static int frame_judge(const json_t *object, struct strbuf *error)
{
	const json_t *version = json_object_get(object, "verbatim");
	const json_t *type = json_object_get(object, "type");

	if (!json_is_object(object)) {
		strbuf_add(error, "a frame that is not a JSON object");
		return -EBADMSG;
	}
	if (!json_is_integer(version)) {
		strbuf_add(error, "a frame without \"verbatim\": version; "
				  "the peer is no verbatim");
		return -EBADMSG;
	}
	if (json_integer_value(version) != FRAME_VERSION) {
		strbuf_addf(error,
			    "the peer speaks version %lld of the protocol, we "
			    "speak %d; use the same verbatim on both sides",
			    (long long)json_integer_value(version),
			    FRAME_VERSION);
		return -EBADMSG;
	}
	if (!json_is_string(type) || !json_string_length(type)) {
		strbuf_add(error, "a frame without a \"type\"");
		return -EBADMSG;
	}
	if (frame_depth(object, FRAME_DEPTH_MAX + 1) > FRAME_DEPTH_MAX) {
		strbuf_addf(error, "a frame nested deeper than %d levels",
			    FRAME_DEPTH_MAX);
		return -EBADMSG;
	}
	return 0;
}

int frame_parse(const void *bytes, size_t len, size_t *used, json_t **object,
		struct strbuf *error)
{
	const unsigned char *at = bytes;
	json_error_t where;
	json_t *found;
	uint32_t text;
	int err;

	if (len < FRAME_HEAD)
		return -EAGAIN;
	text = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
	if (text == 0 || text > FRAME_LEN_MAX) {
		strbuf_addf(error, "a frame of %u bytes, allowed are 1 to %d",
			    text, FRAME_LEN_MAX);
		frame_quote(at, len < 24 ? len : 24, error);
		return -EBADMSG;
	}
	if (len - FRAME_HEAD < text)
		return -EAGAIN;
	found = json_loadb((const char *)at + FRAME_HEAD, text,
			   JSON_REJECT_DUPLICATES, &where);
	if (!found) {
		strbuf_addf(error, "a frame that is not JSON, %s", where.text);
		frame_quote(at + FRAME_HEAD, text, error);
		return -EBADMSG;
	}
	err = frame_judge(found, error);
	if (err) {
		json_decref(found);
		return err;
	}
	*used = FRAME_HEAD + text;
	*object = found;
	return 0;
}

const char *frame_type(const json_t *object)
{
	return json_string_value(json_object_get(object, "type"));
}

json_t *frame_make(const char *type)
{
	return json_pack("{s:i, s:s}", "verbatim", FRAME_VERSION, "type", type);
}

int frame_encode(const json_t *object, struct strbuf *out, struct strbuf *error)
{
	size_t len = json_dumpb(object, NULL, 0, JSON_COMPACT);
	unsigned char head[FRAME_HEAD];
	char *text;

	if (len == 0 || len > FRAME_LEN_MAX) {
		strbuf_addf(error, "a frame of %zu bytes, allowed are 1 to %d",
			    len, FRAME_LEN_MAX);
		return -EMSGSIZE;
	}
	text = json_dumps(object, JSON_COMPACT);
	if (!text) {
		strbuf_add(error, "no memory for a frame");
		return -ENOMEM;
	}
	head[0] = (unsigned char)(len >> 24);
	head[1] = (unsigned char)(len >> 16);
	head[2] = (unsigned char)(len >> 8);
	head[3] = (unsigned char)len;
	strbuf_add_bytes(out, head, sizeof(head));
	strbuf_add_bytes(out, text, len);
	free(text);
	return 0;
}
