// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whatever the other side of a traffic program says: refused with a reason, or
 * words within what was sent, and structs that are encoded to the same bytes
 * again.
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/remote.h"
#include "suite/end/traffic_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The struct within is what stands at the end of the note. */
static void note_fuzz_same(const struct schema *s, const void *value,
			   const struct traffic_note *note)
{
	struct strbuf out = STRBUF_INIT;
	size_t len = (size_t)(note->rest.end - note->rest.at);

	schema_encode(s, value, &out);
	assert(out.len == len && memcmp(out.text, note->rest.at, len) == 0);
	strbuf_free(&out);
}

static void note_fuzz_struct(const struct traffic_note *note)
{
	static struct traffic_live live;
	static struct traffic_result result;
	struct strbuf error = STRBUF_INIT;
	int err;

	if (note->kind == TRAFFIC_LIVE) {
		err = traffic_note_live(note, &live, &error);
		if (!err)
			note_fuzz_same(end_live_schema, &live, note);
	} else {
		err = traffic_note_result(note, &result, &error);
		if (!err)
			note_fuzz_same(end_command_run_traffic()->answer,
				       &result, note);
	}
	assert(err == 0 || err == -EBADMSG);
	assert((err != 0) == (error.len > 0));
	strbuf_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf error = STRBUF_INIT;
	struct traffic_note note;
	int err = traffic_note_read(data, size, &note, &error);

	assert(err == 0 || err == -EBADMSG);
	assert((err != 0) == (error.len > 0));
	strbuf_free(&error);
	if (err)
		return 0;
	if (note.kind == TRAFFIC_WORDS) {
		const uint8_t *words = note.words;

		assert(words >= data && note.words_len <= TRAFFIC_WORDS_MAX);
		assert(words + note.words_len == data + size);
	} else if (note.kind == TRAFFIC_LIVE || note.kind == TRAFFIC_ANSWER) {
		note_fuzz_struct(&note);
	}
	return 0;
}
