/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A report for people: one HTML file that needs nothing else.  What a run left
 * is gathered into one JSON object, and the page draws itself from that:
 *
 *	verbatim_report  1
 *	version, made    of this program; when
 *	runs     [{name, start, end, cases: [case_end, with title, notes,
 *		  scene_text], open, cut}]
 *	soaks    [{name, start, samples, seconds_each, end}]
 *	sweeps   [sweep.json, with name]
 *	benches  [a file of 'verbatim bench --save', with label]
 *	compares [{a, b, verdict, text, figures} or {a, b, refused}]
 *
 * Whatever stands in it is data: it gets into the page as text, never as
 * markup.
 */
#ifndef SUITE_REPORT_HTML_H
#define SUITE_REPORT_HTML_H

#include <jansson.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/strbuf.h"

enum {
	HTML_RUNS_MAX = 64,
	/* Of one file that is read. */
	HTML_FILE_MAX = 256 << 20,
	/* Of a scene's text; what is left out is said. */
	HTML_SCENE_MAX = 256 << 10,
	HTML_SAMPLES_MAX = 2000,
};

/* Empty; a time stamp of now. */
json_t *html_data_new(void) MUST_USE;
/*
 * Add what the folder at @path holds (events.jsonl, soak.jsonl, sweep.json), or
 * that one file.  0; -ENOENT: there is no such path; -EBADMSG: it holds none of
 * these, or a malformed one; @error says what and where.
 */
int html_data_add(json_t *data, const char *path,
		  struct strbuf *error) MUST_USE;
/* The page; the caller looks at ferror(). */
void html_write(const json_t *data, FILE *out);

/* A regular file of at most HTML_FILE_MAX; the sizes of others are no limit to
 * us.  0, or a negative errno and @error. */
int html_file_check(const char *path, struct strbuf *error) MUST_USE;
/* soak.jsonl as an object. */
int html_soak_read(const char *path, json_t **out,
		   struct strbuf *error) MUST_USE;
/* events.jsonl of the folder @dir, with the scenes. */
int html_events_read(const char *dir, json_t **out,
		     struct strbuf *error) MUST_USE;

#endif
