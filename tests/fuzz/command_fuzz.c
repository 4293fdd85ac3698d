// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whatever a peer sends as a command: refused with a reason, or decoded to
 * values that are encoded to the same bytes again, of which there is one form.
 * The same for each answer, which the other side decodes.
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void command_fuzz_again(const struct end_command *command,
			       const void *in, const uint8_t *data, size_t size)
{
	struct strbuf out = STRBUF_INIT;

	cbor_add_array(&out, 2);
	cbor_add_text(&out, command->name, strlen(command->name));
	schema_encode(command->argument, in, &out);
	assert(out.len == size && memcmp(out.text, data, size) == 0);
	strbuf_free(&out);
}

static void command_fuzz_answer(const struct schema *s, const uint8_t *data,
				size_t size)
{
	struct cbor_reader r = { data, data + size };
	struct strbuf error = STRBUF_INIT, out = STRBUF_INIT;
	struct schema_room room = { 0 };
	void *to = malloc(s->size);

	assert(to);
	if (schema_decode(s, &r, to, &room, &error)) {
		assert(error.len);
	} else {
		assert(!error.len && !room.pieces);
		schema_encode(s, to, &out);
		assert(out.len == (size_t)(r.at - data));
		assert(memcmp(out.text, data, out.len) == 0);
	}
	free(to);
	schema_room_free(&room);
	strbuf_free(&error);
	strbuf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct end_command *command = NULL;
	struct strbuf error = STRBUF_INIT;
	struct schema_room room = { 0 };
	void *in = NULL;
	int err;

	err = end_command_decode(data, size, &command, &in, &room, &error);
	assert(err == 0 || err == -EBADMSG || err == -ENOMEM);
	assert((err != 0) == (error.len > 0));
	if (!err)
		command_fuzz_again(command, in, data, size);
	free(in);
	schema_room_free(&room);
	strbuf_free(&error);
	if (size)
		command_fuzz_answer(
			end_commands[data[0] % end_command_count].answer,
			data + 1, size - 1);
	return 0;
}
