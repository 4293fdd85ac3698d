/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lengths of time as text: "500ms", "30s", "10m", "1h". */
#ifndef SUITE_CLI_TIMES_H
#define SUITE_CLI_TIMES_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

/* Nothing runs longer than four weeks. */
#define TIMES_NS_MAX (UINT64_C(28) * 86400 * 1000000000)

/* 0, or -EINVAL and a line in @error; @where as in options_set(). */
int times_parse(const char *text, const char *where, uint64_t *ns,
		struct strbuf *error) MUST_USE;
/* The shortest of these forms. */
void times_text(uint64_t ns, struct strbuf *out);

#endif
