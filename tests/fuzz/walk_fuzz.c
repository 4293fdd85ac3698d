// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parser of walks: whatever the text, it is taken or refused with one
 * line; what is taken is written, and read back, as the same.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/oracle/walk_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

static void fuzz_read_back(const struct walk_script *s)
{
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
	struct walk_script back;
	char *error = NULL;

	walk_script_print(s, &text);
	fuzz_require(!walk_script_parse(strbuf_text(&text), &back, &error));
	walk_script_print(&back, &again);
	fuzz_require(!strcmp(strbuf_text(&text), strbuf_text(&again)));
	walk_script_free(&back);
	strbuf_free(&text);
	strbuf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct walk_script s;
	char *error = NULL;
	int err;

	if (!text)
		abort();
	err = walk_script_parse(text, &s, &error);
	if (err) {
		fuzz_require(err == -ENOMEM || (error && error[0]));
		fuzz_require(!error || !strchr(error, '\n'));
	} else {
		fuzz_require(!error && s.count > 0);
		for (uint32_t i = 0; i < s.count; i++)
			fuzz_require(s.steps[i].kind < WALK_KINDS);
		fuzz_read_back(&s);
	}
	free(error);
	walk_script_free(&s);
	free(text);
	return 0;
}
