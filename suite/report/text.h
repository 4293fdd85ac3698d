/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts on their way into formats that accept less than C strings do. */
#ifndef SUITE_REPORT_TEXT_H
#define SUITE_REPORT_TEXT_H

#include <jansson.h>

#include "base/strbuf.h"

/*
 * Valid UTF-8 without control characters except tab and newline: any other
 * byte becomes '?'.
 */
void text_add_clean(struct strbuf *out, const char *text);
/* A JSON string of the cleaned @text; null for NULL. */
json_t *text_json(const char *text) MUST_USE;
/* An array of the cleaned @words, which end with NULL; NULL: an empty one. */
json_t *text_json_words(const char *const *words) MUST_USE;
/* For XML content and attribute values. */
void text_add_xml(struct strbuf *out, const char *text);
/* For the description of a TAP test point: one line, '#' escaped. */
void text_add_tap(struct strbuf *out, const char *text);
/* A double-quoted YAML scalar. */
void text_add_yaml(struct strbuf *out, const char *text);

#endif
