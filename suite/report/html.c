// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Putting the page together: template, style, data, library, scripts.
 *
 * A script element ends at the first "</script", whatever its language thinks;
 * and "<!--" begins a state of its own.  The data is JSON in which every '<',
 * '>' and '&' is written as an escape, so that neither can occur.
 */
#include "suite/report/html.h"

#include <stdlib.h>
#include <string.h>

#include "suite/report/html_assets.h"

static void html_write_asset(struct html_asset a, FILE *out)
{
	fwrite(a.text, 1, a.len, out);
}

/* Code that has "</script" in a string would end its element there. */
static void html_write_code(struct html_asset a, FILE *out)
{
	static const char ends[] = "</script";
	const size_t len = sizeof(ends) - 1;

	while (a.len) {
		const char *at = memmem(a.text, a.len, ends, len);
		size_t before = at ? (size_t)(at - a.text) : a.len;

		fwrite(a.text, 1, before, out);
		if (at) {
			fputs("<\\/script", out);
			before += len;
		}
		a.text += before;
		a.len -= before;
	}
}

static int html_write_json(const char *bytes, size_t len, void *arg)
{
	FILE *out = arg;

	for (size_t i = 0; i < len; i++) {
		if (strchr("<>&", bytes[i]) && bytes[i])
			fprintf(out, "\\u%04x", (unsigned char)bytes[i]);
		else
			fputc(bytes[i], out);
	}
	return 0;
}

static void html_write_text(struct html_asset a, FILE *out)
{
	for (size_t i = 0; i < a.len; i++) {
		if (a.text[i] == '<')
			fputs("&lt;", out);
		else if (a.text[i] == '&')
			fputs("&amp;", out);
		else
			fputc(a.text[i], out);
	}
}

static void html_write_part(const char *name, size_t len, const json_t *data,
			    FILE *out)
{
	struct html_asset script;
	size_t at = 0;

	if (strncmp(name, "style", len) == 0) {
		html_write_asset(html_asset_style(), out);
	} else if (strncmp(name, "data", len) == 0) {
		json_dump_callback(data, html_write_json, out, JSON_COMPACT);
	} else if (strncmp(name, "library", len) == 0) {
		html_write_code(html_asset_library(), out);
	} else if (strncmp(name, "licence", len) == 0) {
		html_write_text(html_asset_library_licence(), out);
	} else if (strncmp(name, "scripts", len) == 0) {
		for (;;) {
			script = html_asset_script(&at);
			if (script.len == 0)
				break;
			html_write_code(script, out);
		}
	}
}

/* The template has "@@name@@" where a part goes. */
void html_write(const json_t *data, FILE *out)
{
	struct html_asset page = html_asset_page();
	const char *end = page.text + page.len, *at = page.text;

	while (at < end) {
		const char *mark = memmem(at, (size_t)(end - at), "@@", 2);
		const char *close = mark ? memmem(mark + 2,
						  (size_t)(end - mark) - 2,
						  "@@", 2)
					 : NULL;

		if (!close) {
			fwrite(at, 1, (size_t)(end - at), out);
			return;
		}
		fwrite(at, 1, (size_t)(mark - at), out);
		html_write_part(mark + 2, (size_t)(close - mark) - 2, data,
				out);
		at = close + 2;
	}
}
