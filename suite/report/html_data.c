// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is given to report: which of our files is it, and is it one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "suite/report/html.h"
#include "suite/report/text.h"

enum { HTML_SWEEP_VERSION = 1 };

json_t *html_data_new(void)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;
	json_t *data;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	data = json_pack("{s:i, s:s, s:s, s:[], s:[], s:[], s:[], s:[]}",
			 "verbatim_report", 1, "version", VB_VERSION, "made",
			 stamp, "runs", "soaks", "sweeps", "benches",
			 "compares");
	if (!data)
		abort();
	return data;
}

int html_file_check(const char *path, struct strbuf *error)
{
	struct stat st;

	if (stat(path, &st)) {
		int err = -errno;

		strbuf_addf(error, "'%s': %s", path, strerror(errno));
		return err;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > HTML_FILE_MAX) {
		strbuf_addf(error, "'%s': no regular file of at most %d MiB",
			    path, HTML_FILE_MAX >> 20);
		return -EBADMSG;
	}
	return 0;
}

static int html_sweep_read(const char *path, json_t **out, struct strbuf *error)
{
	json_error_t fault;
	json_t *json;
	int err = html_file_check(path, error);

	if (err)
		return err;
	json = json_load_file(path, 0, &fault);
	if (!json) {
		strbuf_addf(error, "'%s': line %d: %s", path, fault.line,
			    fault.text);
		return -EBADMSG;
	}
	if (json_integer_value(json_object_get(json, "verbatim_sweep")) !=
		    HTML_SWEEP_VERSION ||
	    !json_is_array(json_object_get(json, "cells"))) {
		strbuf_addf(error,
			    "'%s': it is no sweep of form %d with cells; this "
			    "program reads no other",
			    path, HTML_SWEEP_VERSION);
		json_decref(json);
		return -EBADMSG;
	}
	*out = json;
	return 0;
}

/* Enter @one, named @name, into a list of @data. */
static void html_data_append(json_t *data, const char *list, const char *name,
			     json_t *one)
{
	if (json_object_set_new(one, "name", text_json(name)) ||
	    json_array_append_new(json_object_get(data, list), one))
		abort();
}

static int html_events_here(const char *dir, const char *file, json_t **out,
			    struct strbuf *error)
{
	return html_events_read(dir, out, error);
}

static int html_soak_here(const char *dir, const char *file, json_t **out,
			  struct strbuf *error)
{
	return html_soak_read(file, out, error);
}

static int html_sweep_here(const char *dir, const char *file, json_t **out,
			   struct strbuf *error)
{
	return html_sweep_read(file, out, error);
}

/* What a folder may hold. */
static const struct {
	const char *file, *list;
	int (*read)(const char *dir, const char *file, json_t **out,
		    struct strbuf *error);
} html_kinds[] = {
	{ "events.jsonl", "runs", html_events_here },
	{ "soak.jsonl", "soaks", html_soak_here },
	{ "sweep.json", "sweeps", html_sweep_here },
};

static int html_data_add_folder(json_t *data, const char *dir,
				struct strbuf *error)
{
	size_t found = 0;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(html_kinds) && !err; i++) {
		struct strbuf path = STRBUF_INIT;
		json_t *one = NULL;

		strbuf_addf(&path, "%s/%s", dir, html_kinds[i].file);
		if (access(strbuf_text(&path), F_OK) == 0) {
			err = html_kinds[i].read(dir, strbuf_text(&path), &one,
						 error);
			found++;
		}
		if (one)
			html_data_append(data, html_kinds[i].list, dir, one);
		strbuf_free(&path);
	}
	if (err || found)
		return err;
	strbuf_addf(error,
		    "run '%s': the folder holds none of events.jsonl, "
		    "soak.jsonl and sweep.json; RUN is what 'verbatim run', "
		    "soak or sweep left, or a file of 'verbatim bench'",
		    dir);
	return -EBADMSG;
}

int html_data_add(json_t *data, const char *path, struct strbuf *error)
{
	const char *slash = strrchr(path, '/'),
		   *file = slash ? slash + 1 : path;
	struct strbuf dir = STRBUF_INIT;
	json_t *one = NULL;
	struct stat st;
	int err = -ENOENT;

	if (stat(path, &st)) {
		err = -errno;
		strbuf_addf(error, "run '%s': %s", path, strerror(errno));
		return err;
	}
	if (S_ISDIR(st.st_mode))
		return html_data_add_folder(data, path, error);
	strbuf_addf(&dir, "%.*s", slash ? (int)(slash - path) : 1,
		    slash ? path : ".");
	err = -EBADMSG;
	for (size_t i = 0; i < ARRAY_SIZE(html_kinds) && !one; i++) {
		if (strcmp(file, html_kinds[i].file))
			continue;
		err = html_kinds[i].read(strbuf_text(&dir), path, &one, error);
		if (!err)
			html_data_append(data, html_kinds[i].list, path, one);
		break;
	}
	if (err && !error->len)
		strbuf_addf(error,
			    "run '%s': none of events.jsonl, soak.jsonl and "
			    "sweep.json",
			    path);
	strbuf_free(&dir);
	return err;
}
