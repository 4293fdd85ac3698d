// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scenes of anybody: read or refused with a line, and nothing else happens. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/report/scene_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf error = STRBUF_INIT;
	json_t *pairs = json_array();
	int err = scene_explain((const char *)data, size, pairs, &error);

	assert(!err == !error.len);
	assert(err || json_array_size(pairs) > 0);
	json_decref(pairs);
	strbuf_free(&error);
	return 0;
}
