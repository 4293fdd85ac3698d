// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cleaning and escaping of texts. */
#include "suite/report/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at @s; 0: it is not one. */
static size_t text_utf8_len(const unsigned char *s)
{
	uint32_t code, min;
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0) {
		len = 2;
		code = s[0] & 0x1f;
		min = 0x80;
	} else if (s[0] >= 0xe0 && s[0] < 0xf0) {
		len = 3;
		code = s[0] & 0x0f;
		min = 0x800;
	} else if (s[0] >= 0xf0 && s[0] < 0xf5) {
		len = 4;
		code = s[0] & 0x07;
		min = 0x10000;
	} else {
		return 0;
	}
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	/* Surrogates, U+FFFE and U+FFFF are no characters of XML. */
	if (code < min || code > 0x10ffff || code == 0xfffe || code == 0xffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return len;
}

void text_add_clean(struct strbuf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = text_utf8_len(s);

		if (len == 1 && (*s < 0x20 || *s == 0x7f) && *s != '\t' &&
		    *s != '\n')
			len = 0;
		if (len)
			strbuf_add_bytes(out, s, len);
		else
			strbuf_add(out, "?");
		s += len ? len : 1;
	}
}

json_t *text_json(const char *text)
{
	struct strbuf clean = STRBUF_INIT;
	json_t *string;

	if (!text)
		return json_null();
	text_add_clean(&clean, text);
	string = json_string(strbuf_text(&clean));
	strbuf_free(&clean);
	if (!string)
		abort();
	return string;
}

json_t *text_json_words(const char *const *words)
{
	json_t *list = json_array();

	for (size_t i = 0; words && words[i]; i++)
		if (json_array_append_new(list, text_json(words[i])))
			abort();
	return list;
}

void text_add_xml(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	text_add_clean(&clean, text);
	for (const char *s = strbuf_text(&clean); *s; s++) {
		switch (*s) {
		case '&':
			strbuf_add(out, "&amp;");
			break;
		case '<':
			strbuf_add(out, "&lt;");
			break;
		case '>':
			strbuf_add(out, "&gt;");
			break;
		case '"':
			strbuf_add(out, "&quot;");
			break;
		/* In attributes these would be read as spaces. */
		case '\n':
		case '\t':
			strbuf_addf(out, "&#%d;", *s);
			break;
		default:
			strbuf_add_bytes(out, s, 1);
		}
	}
	strbuf_free(&clean);
}

void text_add_tap(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	text_add_clean(&clean, text);
	for (const char *s = strbuf_text(&clean); *s; s++) {
		if (*s == '#' || *s == '\\')
			strbuf_add(out, "\\");
		strbuf_add_bytes(out, *s == '\n' ? " " : s, 1);
	}
	strbuf_free(&clean);
}

void text_add_yaml(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	text_add_clean(&clean, text);
	strbuf_add(out, "\"");
	for (const char *s = strbuf_text(&clean); *s; s++) {
		if (*s == '\n')
			strbuf_add(out, "\\n");
		else if (*s == '\t')
			strbuf_add(out, "\\t");
		else if (*s == '"' || *s == '\\')
			strbuf_addf(out, "\\%c", *s);
		else
			strbuf_add_bytes(out, s, 1);
	}
	strbuf_add(out, "\"");
	strbuf_free(&clean);
}
