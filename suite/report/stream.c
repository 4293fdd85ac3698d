// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stream: one writer, a file, and those who read along. */
#include "suite/report/stream.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/report/reporter.h"

const char *event_text(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return text ? text : "";
}

uint64_t event_number(const json_t *event, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(event, key));
}

enum vb_verdict stream_verdict(const char *name)
{
	for (int v = VB_PASS; v <= VB_DEVIATION; v++)
		if (strcmp(vb_verdict_name((enum vb_verdict)v), name) == 0)
			return (enum vb_verdict)v;
	return VB_NONE;
}

int stream_exit_status(const struct tally *t)
{
	return t->of[VB_FAIL] || t->of[VB_BROKEN] ? 1 : 0;
}

void stream_add_reporter(struct stream *s, struct reporter *r)
{
	assert(s->reporter_count < STREAM_REPORTERS_MAX);
	s->reporters[s->reporter_count++] = r;
}

/* What does not get out is noticed at once: a disk fills up in mid run. */
static void stream_flush(struct stream *s, FILE *out)
{
	int *error = out == stdout ? &s->stdout_error : &s->file_error;

	if ((fflush(out) || ferror(out)) && !*error)
		*error = errno ? errno : EIO;
}

static void stream_report(struct stream *s, const json_t *event)
{
	const char *kind = event_text(event, "event");

	if (strcmp(kind, "case_end") == 0)
		s->tally.of[stream_verdict(event_text(event, "verdict"))]++;
	for (unsigned i = 0; i < s->reporter_count; i++) {
		struct reporter *r = s->reporters[i];

		errno = 0;
		r->type->event(r, kind, event);
		if (r->out)
			stream_flush(s, r->out);
	}
}

void stream_emit(struct stream *s, json_t *event)
{
	if (!event)
		abort();
	if (s->file) {
		errno = 0;
		json_dumpf(event, s->file, JSON_COMPACT);
		fputc('\n', s->file);
		stream_flush(s, s->file);
	}
	stream_report(s, event);
	json_decref(event);
}

/* One line of the file; false: it is no event. */
static bool stream_replay_line(struct stream *s, const char *text, char *open,
			       size_t size)
{
	json_t *event = json_loads(text, 0, NULL);
	const char *kind = event_text(event, "event");

	if (!json_is_object(event) || !kind[0]) {
		json_decref(event);
		return false;
	}
	if (strcmp(kind, "case_start") == 0)
		snprintf(open, size, "%s", event_text(event, "id"));
	else if (strcmp(kind, "case_end") == 0)
		open[0] = '\0';
	stream_report(s, event);
	json_decref(event);
	return true;
}

int stream_replay(struct stream *s, const char *path, char *open, size_t size,
		  unsigned *line, uint64_t *kept)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	if (!file)
		return -errno;
	open[0] = '\0';
	*line = 0;
	*kept = 0;
	while (!err && (len = getline(&text, &room, file)) > 0) {
		if (text[len - 1] != '\n')
			break;
		++*line;
		*kept += (uint64_t)len;
		if (!stream_replay_line(s, text, open, size))
			err = -EBADMSG;
	}
	free(text);
	fclose(file);
	return err;
}

void stream_close(struct stream *s)
{
	for (unsigned i = 0; i < s->reporter_count; i++) {
		int err = reporter_close(s->reporters[i]);

		if (err && !s->file_error)
			s->file_error = -err;
	}
	s->reporter_count = 0;
}
