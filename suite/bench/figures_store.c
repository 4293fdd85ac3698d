// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The store: a file for each run, and an index that is only added to. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "suite/bench/figures.h"

#define STORE_INDEX "index.jsonl"

enum { STORE_LINE_MAX = 1024, STORE_TRIES = 1000 };

/* A name that makes a file name and nothing else. */
static bool store_name_fits(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-+";

	return name[0] && name[0] != '.' && strlen(name) <= 100 &&
	       strspn(name, allowed) == strlen(name);
}

/* A file that is new, named by run and time. */
static FILE *store_create(const char *store, const char *name,
			  struct strbuf *file)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];
	FILE *out = NULL;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int n = 1; n < STORE_TRIES && !out; n++) {
		struct strbuf path = STRBUF_INIT;

		strbuf_reset(file);
		strbuf_addf(file, "%s.%s", name, stamp);
		if (n > 1)
			strbuf_addf(file, "-%d", n);
		strbuf_add(file, ".json");
		strbuf_addf(&path, "%s/%s", store, strbuf_text(file));
		out = fopen(strbuf_text(&path), "wxe");
		strbuf_free(&path);
		if (!out && errno != EEXIST)
			break;
	}
	return out;
}

static int store_index(const struct figures *f, const char *store,
		       const char *file)
{
	struct strbuf path = STRBUF_INIT;
	json_t *line = json_pack("{s:s, s:s, s:s, s:s}", "name", f->name,
				 "when", f->when, "version", f->version, "file",
				 file);
	FILE *out;
	int err = 0;

	strbuf_addf(&path, "%s/" STORE_INDEX, store);
	out = fopen(strbuf_text(&path), "ae");
	strbuf_free(&path);
	if (!out || json_dumpf(line, out, JSON_COMPACT) ||
	    fputc('\n', out) == EOF)
		err = -errno;
	if (out && fclose(out))
		err = -errno;
	json_decref(line);
	return err;
}

int figures_save(const struct figures *f, const char *store, char **path,
		 struct strbuf *error)
{
	struct strbuf file = STRBUF_INIT, whole = STRBUF_INIT;
	json_t *json;
	FILE *out;
	int err = 0;

	if (!store_name_fits(f->name)) {
		strbuf_addf(error,
			    "--save '%s': a name has letters, digits and "
			    ". _ - +, at most 100",
			    f->name);
		return -EINVAL;
	}
	if (mkdir(store, 0777) && errno != EEXIST) {
		strbuf_addf(error, "--store '%s': %s", store, strerror(errno));
		return -errno;
	}
	out = store_create(store, f->name, &file);
	json = figures_json(f);
	if (!out || json_dumpf(json, out, JSON_INDENT(1)))
		err = -errno;
	if (out && fclose(out))
		err = -errno;
	json_decref(json);
	if (!err)
		err = store_index(f, store, strbuf_text(&file));
	strbuf_addf(&whole, "%s/%s", store, strbuf_text(&file));
	if (err)
		strbuf_addf(error, "'%s': %s", strbuf_text(&whole),
			    strerror(-err));
	else
		*path = strbuf_detach(&whole);
	strbuf_free(&whole);
	strbuf_free(&file);
	return err;
}

static int store_load_file(const char *path, struct figures **out,
			   struct strbuf *error)
{
	struct strbuf why = STRBUF_INIT;
	json_error_t fault;
	struct stat st;
	json_t *json;
	int err;

	if (stat(path, &st)) {
		strbuf_addf(error, "'%s': %s", path, strerror(errno));
		return -errno;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > FIGURES_FILE_MAX) {
		strbuf_addf(error, "'%s': no file of at most 8 MiB", path);
		return -EBADMSG;
	}
	json = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
	if (!json) {
		strbuf_addf(error, "'%s': line %d: %s", path, fault.line,
			    fault.text);
		return -EBADMSG;
	}
	err = figures_read(json, out, &why);
	if (err)
		strbuf_addf(error, "'%s': %s", path, strbuf_text(&why));
	strbuf_free(&why);
	json_decref(json);
	return err;
}

/* The files of that name, oldest first, the last @most of them. */
static uint32_t store_list(const char *store, const char *name, uint32_t most,
			   char **files)
{
	struct strbuf path = STRBUF_INIT;
	char line[STORE_LINE_MAX];
	uint32_t count = 0;
	FILE *in;

	strbuf_addf(&path, "%s/" STORE_INDEX, store);
	in = fopen(strbuf_text(&path), "re");
	strbuf_free(&path);
	while (in && fgets(line, sizeof(line), in)) {
		json_t *json = json_loads(line, 0, NULL);
		const char *is =
			json_string_value(json_object_get(json, "name"));
		const char *file =
			json_string_value(json_object_get(json, "file"));

		if (is && file && strcmp(is, name) == 0 && !strchr(file, '/')) {
			if (count == most) {
				free(files[0]);
				memmove(files, files + 1,
					(most - 1) * sizeof(*files));
				count--;
			}
			files[count++] = strdup(file);
		}
		json_decref(json);
	}
	if (in)
		fclose(in);
	return count;
}

int figures_load_last(const char *store, const char *name, uint32_t most,
		      struct figures ***out, uint32_t *count,
		      struct strbuf *error)
{
	char **files = calloc(most, sizeof(*files));
	uint32_t found = 0, got = 0;
	int err = 0;

	*out = calloc(most, sizeof(**out));
	if (!files || !*out)
		abort();
	found = store_list(store, name, most, files);
	for (uint32_t i = 0; i < found; i++) {
		struct strbuf path = STRBUF_INIT;

		strbuf_addf(&path, "%s/%s", store, files[i]);
		if (!err)
			err = store_load_file(strbuf_text(&path), &(*out)[got],
					      error);
		if (!err)
			got++;
		strbuf_free(&path);
		free(files[i]);
	}
	free(files);
	*count = got;
	if (!err)
		return 0;
	while (got > 0)
		figures_free((*out)[--got]);
	free(*out);
	return err;
}

int figures_load(const char *store, const char *name, struct figures **out,
		 struct strbuf *error)
{
	struct figures **list;
	struct stat st;
	uint32_t count;
	int err;

	if (strchr(name, '/') || stat(name, &st) == 0)
		return store_load_file(name, out, error);
	err = figures_load_last(store, name, 1, &list, &count, error);
	if (err)
		return err;
	if (count == 0) {
		strbuf_addf(error,
			    "'%s': no such file, and no run of that name in "
			    "'%s'; keep one with 'verbatim bench --save %s'",
			    name, store, name);
		err = -ENOENT;
	} else {
		*out = list[0];
	}
	free(list);
	return err;
}
