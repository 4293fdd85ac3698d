/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A text that grows.  Start from STRBUF_INIT (or all zeroes); @text is a valid
 * string at any time after the first strbuf_*() call, and strbuf_text() is one
 * even before.  Running out of memory ends the process: a text is never cut.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/compiler.h"

struct strbuf {
	char *text;
	size_t len;  /* without the final NUL */
	size_t room; /* bytes allocated; 0: nothing yet */
};

#define STRBUF_INIT        \
	{                  \
		NULL, 0, 0 \
	}

void strbuf_addf(struct strbuf *b, const char *format, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *b, const char *format, va_list args);
void strbuf_add(struct strbuf *b, const char *text);
void strbuf_add_bytes(struct strbuf *b, const void *bytes, size_t len);
void strbuf_reset(struct strbuf *b);
void strbuf_free(struct strbuf *b);
/* Hand the text over; free() it.  The buffer is empty afterwards. */
char *strbuf_detach(struct strbuf *b) MUST_USE;

static inline const char *strbuf_text(const struct strbuf *b)
{
	return b->text ? b->text : "";
}

#endif
