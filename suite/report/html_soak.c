// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A soak for the report: all its samples, or, of a long one, so many that a
 * plot can show them.  Samples put together keep their peaks: rates are
 * averaged, of everything else the largest stands.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/report/html.h"
#include "suite/report/stream.h"

/* Of these the mean; of all others the largest. */
static bool html_soak_mean(const char *key)
{
	size_t len = strlen(key);

	return strcmp(key, "poll_batch") == 0 ||
	       (len > 6 && strcmp(key + len - 6, "_per_s") == 0);
}

/* Enter @sample as the n-th of those that make up @sum. */
static void html_soak_put(json_t *sum, json_t *sample, size_t n)
{
	const char *key;
	json_t *value;

	json_object_foreach(sample, key, value)
	{
		json_t *old = json_object_get(sum, key);
		double was = json_number_value(old);
		double is = json_number_value(value);

		if (json_is_object(old) && json_is_object(value))
			html_soak_put(old, value, n);
		else if (json_is_number(old) && html_soak_mean(key))
			json_object_set_new(
				sum, key,
				json_real(was + (is - was) / (double)n));
		else if (json_is_number(old) && is > was)
			json_object_set(sum, key, value);
	}
}

/* At most HTML_SAMPLES_MAX of them; how many are one now. */
static size_t html_soak_thin(json_t **samples)
{
	size_t count = json_array_size(*samples), i;
	size_t each = (count + HTML_SAMPLES_MAX - 1) / HTML_SAMPLES_MAX;
	json_t *thin, *sample;

	if (each <= 1)
		return 1;
	thin = json_array();
	json_array_foreach(*samples, i, sample)
	{
		size_t at = i / each;

		if (i % each == 0)
			json_array_append_new(thin, json_deep_copy(sample));
		else
			html_soak_put(json_array_get(thin, at), sample,
				      i % each + 1);
	}
	json_decref(*samples);
	*samples = thin;
	return each;
}

/* One line; false: it is none of a soak. */
static bool html_soak_line(const char *text, json_t *soak, json_t *samples)
{
	json_t *line = json_loads(text, 0, NULL);
	const char *kind = event_text(line, "event");
	bool good = true;

	if (strcmp(kind, "soak_start") == 0)
		json_object_set(soak, "start", line);
	else if (strcmp(kind, "soak_end") == 0)
		json_object_set(soak, "end", line);
	else if (strcmp(kind, "sample") == 0)
		json_array_append(samples, line);
	else
		good = json_is_object(line) && kind[0];
	json_decref(line);
	return good;
}

static int html_soak_lines(FILE *file, const char *path, json_t *soak,
			   json_t *samples, struct strbuf *error)
{
	unsigned number = 0;
	char *text = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&text, &room, file)) > 0) {
		number++;
		/* A writer that died leaves half a line. */
		if (text[len - 1] != '\n')
			break;
		if (!html_soak_line(text, soak, samples)) {
			strbuf_addf(error, "'%s': line %u is no event", path,
				    number);
			err = -EBADMSG;
		}
	}
	free(text);
	if (!err && !json_object_get(soak, "start")) {
		strbuf_addf(error,
			    "'%s': it has no soak_start event; it is no file "
			    "of 'verbatim soak'",
			    path);
		err = -EBADMSG;
	}
	return err;
}

int html_soak_read(const char *path, json_t **out, struct strbuf *error)
{
	json_t *soak = json_object(), *samples = json_array();
	int err = html_file_check(path, error);
	FILE *file = err ? NULL : fopen(path, "re");

	if (!err && !file) {
		err = -errno;
		strbuf_addf(error, "'%s': %s", path, strerror(errno));
	}
	if (!err)
		err = html_soak_lines(file, path, soak, samples, error);
	if (file)
		fclose(file);
	if (err) {
		json_decref(samples);
		json_decref(soak);
		return err;
	}
	json_object_set_new(soak, "seconds_each",
			    json_integer((json_int_t)html_soak_thin(&samples)));
	json_object_set_new(soak, "samples", samples);
	*out = soak;
	return 0;
}
