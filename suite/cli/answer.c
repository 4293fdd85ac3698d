// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Choosing a device, and the two ways to answer. */
#include "suite/cli/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "suite/cli/soft.h"

int answer_error(char *error, int status)
{
	log_error("%s", error);
	free(error);
	return status;
}

void answer_json(json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
}

static const struct target_device *
answer_best_device(const struct target_list *list, bool down_too)
{
	const struct target_device *best = NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct target_device *d = &list->devices[i];

		if (soft_is(d->name) || (!d->active && !down_too))
			continue;
		if (!best || (d->active && !best->active))
			best = d;
	}
	return best;
}

static int answer_default_device(const char **out, bool down_too, char **error)
{
	static char name[sizeof(((struct target_device *)0)->name)] = "soft0";
	struct target_list *list = calloc(1, sizeof(*list));
	const struct target_device *best;
	int err;

	if (!list)
		abort();
	err = target_list(list, error);
	best = err ? NULL : answer_best_device(list, down_too);
	if (best)
		memcpy(name, best->name, sizeof(name));
	*out = name;
	free(list);
	return err;
}

int answer_device(struct command_call *call, bool down_too)
{
	struct vb_options *o = &call->options;
	char *error = NULL;

	if (!o->device && answer_default_device(&o->device, down_too, &error))
		return answer_error(error, EXIT_ABSENT);
	if (soft_is(o->device) && soft_require(call->argv, &error))
		return answer_error(error, EXIT_ABSENT);
	return EXIT_FINE;
}

int answer_target(struct command_call *call, struct target *target)
{
	char *error = NULL;
	int err = answer_device(call, false);

	if (err)
		return err;
	err = target_probe(&call->options, target, &error);
	if (err)
		return answer_error(error,
				    err == -EINVAL ? EXIT_USAGE : EXIT_ABSENT);
	return EXIT_FINE;
}

int answer_metrics(const struct vb_options *o, struct metrics **out)
{
	struct strbuf error = STRBUF_INIT;
	int err;

	*out = NULL;
	if (!o->metrics)
		return EXIT_FINE;
	err = metrics_open(o->metrics, out, &error);
	if (err)
		log_error("%s", strbuf_text(&error));
	strbuf_free(&error);
	if (!err)
		return EXIT_FINE;
	return err == -EINVAL ? EXIT_USAGE : EXIT_ABSENT;
}

int answer_metrics_end(const struct vb_options *o, struct metrics *m,
		       int status)
{
	int err = metrics_close(m);

	if (!err)
		return status;
	log_error("--metrics '%s': %s: the last of them are not in it",
		  o->metrics, strerror(-err));
	return status == EXIT_FINE ? EXIT_ABSENT : status;
}
