/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Message sizes as text: "64", "0,1,4K", "1-64K", "random". */
#ifndef SUITE_CLI_SIZES_H
#define SUITE_CLI_SIZES_H

#include "base/compiler.h"
#include "base/strbuf.h"
#include "verbatim/options.h"

/* The longest message that a port may carry. */
#define SIZES_BYTES_MAX 2147483648u

/* 0, or -EINVAL and a line in @error; @where as in options_set(). */
int sizes_parse(const char *text, const char *where, struct vb_sizes *out,
		struct strbuf *error) MUST_USE;
void sizes_text(const struct vb_sizes *s, struct strbuf *out);

#endif
