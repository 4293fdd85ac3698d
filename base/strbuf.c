// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void strbuf_grow(struct strbuf *b, size_t more)
{
	size_t need = b->len + more + 1;
	size_t room = b->room ? b->room : 64;

	if (need <= b->room)
		return;
	while (room < need)
		room *= 2;
	b->text = realloc(b->text, room);
	if (!b->text) {
		fprintf(stderr, "out of memory: a text of %zu bytes\n", room);
		abort();
	}
	b->room = room;
	b->text[b->len] = '\0';
}

void strbuf_vaddf(struct strbuf *b, const char *format, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len < 0)
		return;
	strbuf_grow(b, (size_t)len);
	vsnprintf(b->text + b->len, (size_t)len + 1, format, args);
	b->len += (size_t)len;
}

void strbuf_addf(struct strbuf *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(b, format, args);
	va_end(args);
}

void strbuf_add_bytes(struct strbuf *b, const void *bytes, size_t len)
{
	strbuf_grow(b, len);
	memcpy(b->text + b->len, bytes, len);
	b->len += len;
	b->text[b->len] = '\0';
}

void strbuf_add(struct strbuf *b, const char *text)
{
	strbuf_add_bytes(b, text, strlen(text));
}

void strbuf_reset(struct strbuf *b)
{
	b->len = 0;
	if (b->text)
		b->text[0] = '\0';
}

void strbuf_free(struct strbuf *b)
{
	free(b->text);
	*b = (struct strbuf)STRBUF_INIT;
}

char *strbuf_detach(struct strbuf *b)
{
	char *text;

	strbuf_grow(b, 0);
	text = b->text;
	*b = (struct strbuf)STRBUF_INIT;
	return text;
}
