// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A run of the matrix for the report: its event stream read again, and the
 * scenes beside it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite/report/html.h"
#include "suite/report/reporter.h"
#include "suite/report/stream.h"
#include "suite/report/text.h"

enum { HTML_ID_MAX = 256 };

/* What the events have told so far; the reporter's state. */
struct html_events {
	const char *dir;
	json_t *run;
	json_t *begun; /* the case_start without its case_end, or NULL */
	json_t *notes; /* of that case */
};

/* A name that stays inside the run's folder: it was read from a file. */
static bool html_scene_fits(const char *name)
{
	return strncmp(name, "scene/", 6) == 0 && !strstr(name, "..");
}

/* Beginning and end of what is longer than a page can bear. */
static void html_scene_cut(FILE *file, off_t size, struct strbuf *out)
{
	const size_t half = HTML_SCENE_MAX / 2;
	char *part = malloc(half);
	size_t got;

	if (!part)
		abort();
	got = fread(part, 1, half, file);
	strbuf_add_bytes(out, part, got);
	if (size > HTML_SCENE_MAX) {
		strbuf_addf(out, "\n\n... %lld bytes are left out here ...\n\n",
			    (long long)size - HTML_SCENE_MAX);
		fseeko(file, -(off_t)half, SEEK_END);
	}
	got = fread(part, 1, half, file);
	strbuf_add_bytes(out, part, got);
	free(part);
}

/* The text of a scene; NULL: it is not there, or is none of this run. */
static json_t *html_scene_read(const char *dir, const char *name)
{
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	json_t *json = NULL;
	struct stat st;
	FILE *file;
	int fd;

	if (!html_scene_fits(name))
		return NULL;
	strbuf_addf(&path, "%s/%s", dir, name);
	/* What it is stays what it was, and a pipe is not waited for. */
	fd = open(strbuf_text(&path),
		  O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	strbuf_free(&path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	file = fdopen(fd, "r");
	if (!file)
		abort();
	html_scene_cut(file, st.st_size, &text);
	json = text_json(strbuf_text(&text));
	strbuf_free(&text);
	fclose(file);
	return json;
}

static void html_set(json_t *object, const char *key, json_t *value)
{
	if (value && json_object_set_new(object, key, value))
		abort();
}

static void html_case_end(struct html_events *e, const json_t *event)
{
	json_t *one = json_copy((json_t *)event);
	const char *scene = event_text(event, "scene");

	json_object_del(one, "event");
	if (e->begun)
		html_set(one, "title",
			 text_json(event_text(e->begun, "title")));
	html_set(one, "notes", json_incref(e->notes));
	if (scene[0])
		html_set(one, "scene_text", html_scene_read(e->dir, scene));
	json_array_append_new(json_object_get(e->run, "cases"), one);
	json_decref(e->begun);
	e->begun = NULL;
}

static void html_events_event(struct reporter *r, const char *kind,
			      const json_t *event)
{
	struct html_events *e = r->state;
	json_t *copy = json_deep_copy(event);

	if (strcmp(kind, "run_start") == 0) {
		html_set(e->run, "start", json_incref(copy));
	} else if (strcmp(kind, "run_end") == 0) {
		html_set(e->run, "end", json_incref(copy));
	} else if (strcmp(kind, "case_start") == 0) {
		json_decref(e->begun);
		json_decref(e->notes);
		e->begun = json_incref(copy);
		e->notes = json_array();
	} else if (strcmp(kind, "note") == 0) {
		json_array_append_new(e->notes,
				      text_json(event_text(event, "text")));
	} else if (strcmp(kind, "case_end") == 0) {
		html_case_end(e, event);
	}
	json_decref(copy);
}

static const struct reporter_type reporter_page = {
	.name = "page",
	.event = html_events_event,
};

/* The whole stream; its verdicts are counted by the stream itself. */
static int html_events_replay(struct html_events *e, const char *path,
			      struct strbuf *error)
{
	struct reporter *r = reporter_open(&reporter_page, stderr, false, NULL);
	struct stream stream = { 0 };
	char open[HTML_ID_MAX];
	unsigned line;
	uint64_t kept;
	int err;

	r->state = e;
	stream_add_reporter(&stream, r);
	err = stream_replay(&stream, path, open, sizeof(open), &line, &kept);
	stream_close(&stream);
	if (err == -EBADMSG)
		strbuf_addf(error, "'%s': line %u is no event", path, line);
	else if (err)
		strbuf_addf(error, "'%s': %s", path, strerror(-err));
	if (err)
		return err;
	if (!json_object_get(e->run, "start")) {
		strbuf_addf(error,
			    "'%s': it has no run_start event; it is no stream "
			    "of 'verbatim run'",
			    path);
		return -EBADMSG;
	}
	html_set(e->run, "open", text_json(open[0] ? open : NULL));
	return 0;
}

int html_events_read(const char *dir, json_t **out, struct strbuf *error)
{
	struct html_events e = {
		.dir = dir,
		.run = json_pack("{s:[]}", "cases"),
		.notes = json_array(),
	};
	struct strbuf path = STRBUF_INIT;
	int err;

	strbuf_addf(&path, "%s/events.jsonl", dir);
	err = html_file_check(strbuf_text(&path), error);
	if (!err)
		err = html_events_replay(&e, strbuf_text(&path), error);
	strbuf_free(&path);
	json_decref(e.begun);
	json_decref(e.notes);
	if (err)
		json_decref(e.run);
	else
		*out = e.run;
	return err;
}
