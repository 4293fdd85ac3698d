// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A scene's .jsonl: first the verdict, then a record a line. */
#include "suite/report/scene_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/report/stream.h"
#include "suite/report/text.h"

enum { SCENE_ENDS = 2, SCENE_TOLD = 4 };

/* What the record says of one end. */
struct scene_end {
	unsigned long long records, completions, flushes;
	json_t *error;	 /* its first completion that is no success or flush */
	json_t *refusal; /* its first call that failed */
	json_t *waiting; /* posts without a completion, by wr_id */
	json_t *states;	 /* the last one queried, by queue pair */
};

struct scene_reader {
	json_t *pairs, *head;
	struct scene_end end[SCENE_ENDS];
	unsigned long long line;
	bool cut;
	struct strbuf *error;
};

static void scene_pair(struct scene_reader *r, const char *name,
		       const char *text)
{
	if (text && text[0])
		json_array_append_new(r->pairs, json_pack("[s,o]", name,
							  text_json(text)));
}

static int scene_wrong(struct scene_reader *r, const char *what)
{
	strbuf_addf(r->error, "line %llu: %s", r->line, what);
	return -EINVAL;
}

/* --- The lines ----------------------------------------------------------- */

static int scene_take_head(struct scene_reader *r, json_t *line)
{
	if (strcmp(event_text(line, "event"), "scene") != 0)
		return scene_wrong(r, "the head of a scene is expected: give "
				      "the .jsonl that a run leaves in its "
				      "scene/ folder");
	if (!event_text(line, "id")[0])
		return scene_wrong(r, "a scene without the id of its case");
	r->head = json_incref(line);
	return 0;
}

static void scene_take_completion(struct scene_end *end, json_t *line)
{
	const char *status = event_text(line, "status");

	end->completions++;
	json_object_del(end->waiting, event_text(line, "wr_id"));
	if (!strcmp(status, "WR_FLUSH_ERR"))
		end->flushes++;
	else if (strcmp(status, "SUCCESS") != 0 && !end->error)
		end->error = json_incref(line);
}

static void scene_take_state(struct scene_end *end, json_t *line)
{
	char number[32];

	snprintf(number, sizeof(number), "qp 0x%llx",
		 (unsigned long long)event_number(line, "object_id"));
	json_object_set(end->states, number, json_object_get(line, "state"));
}

static int scene_take_record(struct scene_reader *r, json_t *line)
{
	const char *side = event_text(line, "end");
	const char *call = event_text(line, "call");
	struct scene_end *end;

	if (!json_is_integer(json_object_get(line, "record")) || !call[0])
		return scene_wrong(r, "a record is expected: it has a number "
				      "and a call");
	if (strcmp(side, "a") != 0 && strcmp(side, "b") != 0)
		return 0;
	end = &r->end[side[0] - 'a'];
	end->records++;
	if (!strcmp(call, "completion"))
		scene_take_completion(end, line);
	else if (json_integer_value(json_object_get(line, "errno")) &&
		 !end->refusal)
		end->refusal = json_incref(line);
	else if (!strncmp(call, "post_", 5) && event_text(line, "wr_id")[0])
		json_object_set(end->waiting, event_text(line, "wr_id"), line);
	else if (!strcmp(call, "query_qp") && event_text(line, "state")[0])
		scene_take_state(end, line);
	return 0;
}

static int scene_take_line(struct scene_reader *r, const char *text, size_t len,
			   bool whole)
{
	json_error_t why;
	json_t *line;
	int err;

	r->line++;
	if (len > SCENE_LINE_MAX)
		return scene_wrong(r, "longer than 1 MiB");
	line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!line && !whole && r->head) {
		r->cut = true;
		return 0;
	}
	if (!json_is_object(line)) {
		json_decref(line);
		return scene_wrong(r, "a JSON object is expected");
	}
	err = r->head ? scene_take_record(r, line) : scene_take_head(r, line);
	json_decref(line);
	return err;
}

/* --- What comes of them -------------------------------------------------- */

/* "likely cause: A (id, ...); seen: ...; next: ...; or else: B ...": each part
 * on a line of its own. */
static void scene_causes(struct scene_reader *r)
{
	static const char *const marks[] = { "likely cause: ", "; seen: ",
					     "; next: ", "; or else: " };
	static const char *const names[] = { "likely cause", "  seen", "  next",
					     "or else" };
	const char *at = event_text(r->head, "diagnosis");
	size_t kind = 0, i;

	if (!at[0]) {
		scene_pair(r, "likely cause",
			   "none is kept in this file; see the first errors");
		return;
	}
	if (!strncmp(at, marks[0], strlen(marks[0])))
		at += strlen(marks[0]);
	while (at) {
		const char *next = NULL, *found;
		size_t which = 0;
		char *part;

		for (i = 1; i < ARRAY_SIZE(marks); i++) {
			found = strstr(at, marks[i]);
			if (!found || (next && found > next))
				continue;
			next = found;
			which = i;
		}
		part = strndup(at, next ? (size_t)(next - at) : strlen(at));
		if (!part)
			abort();
		scene_pair(r, names[kind], part);
		free(part);
		at = next ? next + strlen(marks[which]) : NULL;
		kind = which;
	}
}

static void scene_error_text(const struct scene_end *end, struct strbuf *out)
{
	if (end->error)
		strbuf_addf(out, "%s completed with %s (record %llu)",
			    event_text(end->error, "wr_id"),
			    event_text(end->error, "status"),
			    (unsigned long long)event_number(end->error,
							     "record"));
	if (end->refusal)
		strbuf_addf(
			out, "%s%s failed with errno %llu (record %llu)",
			out->len ? "; " : "", event_text(end->refusal, "call"),
			(unsigned long long)event_number(end->refusal, "errno"),
			(unsigned long long)event_number(end->refusal,
							 "record"));
	if (!out->len)
		strbuf_add(out, "none");
}

static void scene_waiting_text(const struct scene_end *end, struct strbuf *out)
{
	size_t told = 0, all = json_object_size(end->waiting);
	const char *wr_id;
	json_t *post;

	json_object_foreach(end->waiting, wr_id, post)
	{
		if (told++ == SCENE_TOLD)
			break;
		strbuf_addf(out, "%s%s", told > 1 ? ", " : "", wr_id);
	}
	if (all > SCENE_TOLD)
		strbuf_addf(out, " and %zu more", all - SCENE_TOLD);
	if (!all)
		strbuf_add(out, "nothing");
}

static void scene_states_text(const struct scene_end *end, struct strbuf *out)
{
	size_t told = 0;
	const char *qp;
	json_t *state;

	json_object_foreach(end->states, qp, state)
	{
		if (told++ == SCENE_TOLD)
			break;
		strbuf_addf(out, "%s%s %s", told > 1 ? ", " : "", qp,
			    json_string_value(state));
	}
	if (json_object_size(end->states) > SCENE_TOLD)
		strbuf_addf(out, " and %zu more",
			    json_object_size(end->states) - SCENE_TOLD);
}

static void scene_end_told(struct scene_reader *r, unsigned side)
{
	static void (*const texts[])(const struct scene_end *,
				     struct strbuf *) = { scene_error_text,
							  scene_waiting_text,
							  scene_states_text };
	static const char *const names[] = { "first error of", "waits at",
					     "states of" };
	const struct scene_end *end = &r->end[side];
	struct strbuf text = STRBUF_INIT;
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		strbuf_reset(&text);
		texts[i](end, &text);
		snprintf(name, sizeof(name), "%s %c", names[i],
			 'a' + (int)side);
		scene_pair(r, name, strbuf_text(&text));
	}
	strbuf_reset(&text);
	strbuf_addf(&text,
		    "%llu records, %llu completions, %llu of them flushed",
		    end->records, end->completions, end->flushes);
	snprintf(name, sizeof(name), "in all at %c", 'a' + (int)side);
	scene_pair(r, name, strbuf_text(&text));
	strbuf_free(&text);
}

static void scene_tell(struct scene_reader *r)
{
	json_t *notes = json_object_get(r->head, "notes"), *note;
	size_t i;

	scene_pair(r, "case", event_text(r->head, "id"));
	scene_pair(r, "verdict", event_text(r->head, "verdict"));
	scene_pair(r, "finding", event_text(r->head, "finding"));
	scene_pair(r, "reason", event_text(r->head, "reason"));
	scene_causes(r);
	for (unsigned side = 0; side < SCENE_ENDS; side++)
		if (r->end[side].records)
			scene_end_told(r, side);
	json_array_foreach(notes, i, note)
		scene_pair(r, "note", json_string_value(note));
	if (r->cut)
		scene_pair(r, "file", "broken off in its last line");
}

static void scene_drop(struct scene_reader *r)
{
	for (unsigned i = 0; i < SCENE_ENDS; i++) {
		json_decref(r->end[i].error);
		json_decref(r->end[i].refusal);
		json_decref(r->end[i].waiting);
		json_decref(r->end[i].states);
	}
	json_decref(r->head);
}

int scene_explain(const char *text, size_t len, json_t *pairs,
		  struct strbuf *error)
{
	struct scene_reader r = { .pairs = pairs, .error = error };
	const char *at = text, *over = text + len, *end;
	int err = 0;

	for (unsigned i = 0; i < SCENE_ENDS; i++) {
		r.end[i].waiting = json_object();
		r.end[i].states = json_object();
	}
	while (!err && at < over) {
		end = memchr(at, '\n', (size_t)(over - at));
		err = scene_take_line(&r, at, (size_t)((end ? end : over) - at),
				      end);
		at = end ? end + 1 : over;
	}
	if (!err && !r.head) {
		r.line = 1;
		err = scene_wrong(&r, "the file is empty");
	}
	if (!err)
		scene_tell(&r);
	scene_drop(&r);
	return err;
}

/* Of the two files of a scene the one for people is the one that is shown; what
 * is read stands beside it. */
static FILE *scene_open(const char *path)
{
	size_t len = strlen(path), stem = len > 4 ? len - 4 : 0;
	struct strbuf name = STRBUF_INIT;
	FILE *file = NULL;

	if (stem && !strcmp(path + stem, ".txt")) {
		strbuf_add_bytes(&name, path, stem);
		strbuf_add(&name, ".jsonl");
		file = fopen(strbuf_text(&name), "re");
		strbuf_free(&name);
	}
	return file ? file : fopen(path, "re");
}

int scene_explain_file(const char *path, json_t *pairs, struct strbuf *error)
{
	struct strbuf why = STRBUF_INIT;
	FILE *file = scene_open(path);
	char *text = NULL;
	size_t len = 0, got = 1;
	int err;

	if (!file)
		goto say_errno;
	while (got && len <= SCENE_BYTES_MAX) {
		char *more = realloc(text, len + SCENE_LINE_MAX);

		if (!more)
			abort();
		text = more;
		got = fread(text + len, 1, SCENE_LINE_MAX, file);
		len += got;
	}
	if (ferror(file))
		goto close_file;
	fclose(file);
	if (len > SCENE_BYTES_MAX) {
		err = -EFBIG;
		strbuf_add(&why, "larger than 64 MiB");
	} else {
		err = scene_explain(text, len, pairs, &why);
	}
	free(text);
	if (err)
		strbuf_addf(error, "'%s': %s", path, strbuf_text(&why));
	strbuf_free(&why);
	return err;
close_file:
	err = errno;
	fclose(file);
	errno = err;
say_errno:
	err = -errno;
	free(text);
	strbuf_addf(error, "'%s': %s", path, strerror(-err));
	return err;
}
