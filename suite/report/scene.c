// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writing scenes: what a reader needs first stands first. */
#include "suite/report/scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "suite/oracle/dashboard.h"
#include "suite/oracle/recorder.h"
#include "suite/report/rundir.h"
#include "suite/report/stream.h"
#include "suite/report/text.h"
#include "verbatim/case.h"

enum { SCENE_DASHBOARD_ROWS = 16 };

static char *scene_file(const char *id, const char *suffix)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "scene/%s.%s", id, suffix);
	return strbuf_detach(&name);
}

char *scene_name(const char *id)
{
	return scene_file(id, "txt");
}

static void scene_section(struct strbuf *out, const char *title)
{
	strbuf_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < strlen(title); i++)
		strbuf_add(out, "-");
	strbuf_add(out, "\n");
}

static void scene_head(const struct scene *s, struct strbuf *out)
{
	const char *finding = event_text(s->end, "finding");

	strbuf_addf(out, "%s: %s\n%s\n\nverdict: %s%s%s\nreason: %s\n",
		    s->record->id, s->record->title,
		    s->record->spec ? s->record->spec : "",
		    event_text(s->end, "verdict"), finding[0] ? ", " : "",
		    finding, event_text(s->end, "reason"));
	if (s->diagnosis[0])
		strbuf_addf(out, "diagnosis: %s\n", s->diagnosis);
	strbuf_addf(out, "seed: %llu\nchecks that held: %llu\ntook: %llu ms\n",
		    (unsigned long long)event_number(s->end, "seed"),
		    (unsigned long long)event_number(s->end, "checks"),
		    (unsigned long long)event_number(s->end, "duration_ms"));
	if (s->record->rules) {
		strbuf_add(out, "rules:");
		for (size_t i = 0; s->record->rules[i]; i++)
			strbuf_addf(out, " %s", s->record->rules[i]);
		strbuf_add(out, "\n");
	}
	strbuf_addf(out, "replay: verbatim replay %s %s\n", s->run_dir,
		    s->record->id);
}

static void scene_notes(const struct scene *s, struct strbuf *out)
{
	if (!s->notes_made)
		return;
	scene_section(out, "notes");
	for (uint32_t i = 0; i < s->notes_kept; i++) {
		text_add_clean(out, s->notes[i]);
		strbuf_add(out, "\n");
	}
	if (s->notes_made > s->notes_kept)
		strbuf_addf(out, "and %u more\n",
			    s->notes_made - s->notes_kept);
}

static void scene_record(const struct scene *s, struct strbuf *out)
{
	if (!s->recorder || !recorder_written(s->recorder)) {
		strbuf_add(out, "\nno verbs call was recorded\n");
		return;
	}
	scene_section(out, "first errors of each end");
	recorder_print_first_errors(s->recorder, out);
	scene_section(out, "flight recorder, newest last; times are those of "
			   "the returns");
	recorder_print(s->recorder, 0, out);
}

static int scene_write_text(const struct scene *s)
{
	struct strbuf out = STRBUF_INIT;
	char *name = scene_file(s->record->id, "txt");
	FILE *file = rundir_open_deep(s->run_dir, name);
	int err = 0;

	free(name);
	if (!file)
		return -errno;
	scene_head(s, &out);
	scene_notes(s, &out);
	scene_section(&out, "dashboard");
	if (s->dashboard)
		dashboard_print(s->dashboard, SCENE_DASHBOARD_ROWS, &out);
	if (s->captured[0]) {
		scene_section(&out, "what the case printed");
		text_add_clean(&out, s->captured);
	}
	scene_record(s, &out);
	fputs(strbuf_text(&out), file);
	strbuf_free(&out);
	if (fclose(file))
		err = -errno;
	return err;
}

static void scene_put_line(void *arg, const char *json)
{
	fprintf(arg, "%s\n", json);
}

/* First the case_end event with what it lacks, then a record a line. */
static int scene_write_jsonl(const struct scene *s)
{
	char *name = scene_file(s->record->id, "jsonl");
	FILE *file = rundir_open_deep(s->run_dir, name);
	json_t *head = json_copy((json_t *)s->end), *notes = json_array();
	int err = 0;

	free(name);
	if (!file) {
		err = -errno;
		goto put_json;
	}
	for (uint32_t i = 0; i < s->notes_kept; i++)
		json_array_append_new(notes, text_json(s->notes[i]));
	json_object_set_new(head, "event", json_string("scene"));
	json_object_set(head, "notes", notes);
	json_object_set_new(head, "diagnosis", text_json(s->diagnosis));
	json_object_set_new(head, "captured", text_json(s->captured));
	json_dumpf(head, file, JSON_COMPACT);
	fputc('\n', file);
	if (s->recorder)
		recorder_to_jsonl(s->recorder, scene_put_line, file);
	if (fclose(file))
		err = -errno;
put_json:
	json_decref(notes);
	json_decref(head);
	return err;
}

int scene_write(const struct scene *s)
{
	int err = scene_write_text(s);

	return err ? err : scene_write_jsonl(s);
}
