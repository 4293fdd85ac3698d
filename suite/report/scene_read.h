/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading a scene's .jsonl again, after the run: the verdict, the causes one
 * by one, and what the record of both ends says around them.  Files come from
 * anywhere: nothing in them is trusted.
 */
#ifndef SUITE_REPORT_SCENE_READ_H
#define SUITE_REPORT_SCENE_READ_H

#include <jansson.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/strbuf.h"

enum {
	SCENE_LINE_MAX = 1 << 20,
	SCENE_BYTES_MAX = 64 << 20,
};

/*
 * Explain @text of @len bytes: [name, text] pairs are appended to @pairs.  0;
 * or -EINVAL with what is wrong in which line in @error.  A last line without
 * its end, as a full disk leaves it, is told and no error.
 */
int scene_explain(const char *text, size_t len, json_t *pairs,
		  struct strbuf *error) MUST_USE;
/* The same of a file; or a negative errno and @error. */
int scene_explain_file(const char *path, json_t *pairs,
		       struct strbuf *error) MUST_USE;

#endif
