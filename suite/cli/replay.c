// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay: a case again, with the device, seed and options of a kept run. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "suite/cli/command.h"
#include "suite/cli/options.h"
#include "suite/report/stream.h"
#include "suite/runner/registry.h"
#include "suite/runner/select.h"

/* A pipe or device of that name would be read for ever. */
static FILE *replay_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	FILE *file;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return NULL;
	}
	file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

/* The first event of the run in folder @dir; NULL: said why. */
static json_t *replay_read(const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	json_t *event = NULL;
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	strbuf_addf(&path, "%s/events.jsonl", dir);
	file = replay_open(strbuf_text(&path));
	if (!file) {
		log_error("run '%s': %s: %s; RUN is a folder that 'verbatim "
			  "run' left",
			  dir, strbuf_text(&path), strerror(errno));
		goto free_path;
	}
	if (getline(&line, &room, file) > 0)
		event = json_loads(line, 0, NULL);
	if (strcmp(event_text(event, "event"), "run_start") ||
	    json_integer_value(json_object_get(event, "seed")) <= 0 ||
	    !json_is_object(json_object_get(event, "options"))) {
		log_error("run '%s': %s does not begin with a run_start event "
			  "that has seed and options",
			  dir, strbuf_text(&path));
		json_decref(event);
		event = NULL;
	}
	free(line);
	fclose(file);
free_path:
	strbuf_free(&path);
	return event;
}

static int replay_set(struct vb_options *o, const char *dir, const char *name,
		      const char *text)
{
	const struct option_row *row = options_find(name);
	struct strbuf error = STRBUF_INIT, where = STRBUF_INIT;
	int err = -EINVAL;

	strbuf_addf(&where, "run '%s': --%s", dir, name);
	if (row)
		err = options_set(o, row, text, strbuf_text(&where), &error);
	else
		strbuf_addf(&error, "%s: this version has no such option",
			    strbuf_text(&where));
	if (err)
		log_error("%s", strbuf_text(&error));
	strbuf_free(&where);
	strbuf_free(&error);
	return err;
}

/* The options of the kept run; those of this command line go before. */
static int replay_options(struct vb_options *o, const char *dir,
			  const json_t *event)
{
	json_t *here = options_given(o), *value;
	const char *device =
		event_text(json_object_get(event, "device"), "name");
	const char *name;
	int err = 0;

	if (device[0] && !json_object_get(here, "device"))
		err = replay_set(o, dir, "device", device);
	if (!json_object_get(here, "seed"))
		o->seed = event_number(event, "seed");
	json_object_foreach(json_object_get(event, "options"), name, value)
	{
		if (!err && !json_object_get(here, name) &&
		    strcmp(name, "device"))
			err = replay_set(o, dir, name,
					 json_is_string(value)
						 ? json_string_value(value)
						 : "");
	}
	json_decref(here);
	return err;
}

/* Says what is wrong with @id; several cases are another thing than one. */
static int replay_check_id(const char *id)
{
	struct selection several;
	char *error = NULL;

	if (registry_find(id))
		return 0;
	if (select_cases(&id, 1, &several, &error)) {
		log_error("%s", error);
		free(error);
	} else {
		log_error("case '%s': these are %zu cases; replay takes the id "
			  "of one",
			  id, several.count);
		select_free(&several);
	}
	return -EINVAL;
}

int command_replay(struct command_call *call)
{
	const char *dir = call->operands[0];
	const char *const id = call->operands[1];
	json_t *event = replay_read(dir);
	int status = EXIT_USAGE;

	if (!event)
		return EXIT_USAGE;
	if (!replay_check_id(id) && !replay_options(&call->options, dir, event))
		status = command_run_cases(call, &id, 1);
	json_decref(event);
	return status;
}
