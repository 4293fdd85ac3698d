/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame: what two processes of the suite say to each other at a time.
 *
 *	0               4                        4 + length
 *	| length (BE)   | one JSON object, UTF-8, no NUL |
 *
 * The object has the member "verbatim" with the version of this protocol, and
 * "type" with a word; all else is the type's.  Everything here came from a
 * peer that may be broken or hostile: it is judged, never asserted.
 */
#ifndef SUITE_CONTROL_FRAMES_H
#define SUITE_CONTROL_FRAMES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

enum {
	FRAME_VERSION = 1,
	FRAME_HEAD = 4,
	/* Of the JSON text, in bytes. */
	FRAME_LEN_MAX = 64 * 1024,
	/* Of values within values. */
	FRAME_DEPTH_MAX = 16,
};

/*
 * Read the frame that @bytes begins with.  0: *@object is its object (drop it
 * with json_decref()) and *@used the bytes that it took.  -EAGAIN: the frame
 * is not whole yet.  -EBADMSG: it is none, and @error says why; nothing that
 * follows can be trusted.
 */
int frame_parse(const void *bytes, size_t len, size_t *used, json_t **object,
		struct strbuf *error) MUST_USE;

/* The word of its "type", never NULL for an object out of frame_parse(). */
const char *frame_type(const json_t *object);

/* A new object of that type, to be filled and sent. */
json_t *frame_make(const char *type);

/* Append @object as a frame.  -EMSGSIZE (and @error) when it is too long. */
int frame_encode(const json_t *object, struct strbuf *out,
		 struct strbuf *error) MUST_USE;

#endif
