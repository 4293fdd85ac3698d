// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which cases, in which order, and what their verdicts come to. */
#include "suite/mutants/hunt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "suite/report/text.h"
#include "suite/runner/registry.h"

static const char *const hunt_folders[] = { "named", "related", "rest" };

/* --- Which cases ----------------------------------------------------------- */

static bool hunt_named_by_any(const struct mutants *m, const char *id)
{
	for (size_t i = 0; i < m->rows.count; i++)
		if (rows_name(m->rows.row[i], id))
			return true;
	return false;
}

static bool hunt_takes(const struct hunt *h, size_t n)
{
	const struct vb_case *c = registry_at(n);
	const struct softdv_mutant *row = h->job->row;

	if (h->ran[n])
		return false;
	if (row && h->stage == HUNT_NAMED)
		return rows_name(row, c->id);
	if (c->dimension == VB_SOAK || c->dimension == VB_META)
		return false;
	if (!row)
		return h->stage == HUNT_REST &&
		       (!h->mutants->fast ||
			hunt_named_by_any(h->mutants, c->id));
	if (h->mutants->fast)
		return false;
	/* What has been seen to fail needs no second proof. */
	if (h->kill && h->mutants->tripped[n])
		return false;
	return h->stage == HUNT_REST || rows_concern(row, c);
}

/* The ids of this stage; free() it. */
static const char **hunt_choose(struct hunt *h, size_t *count)
{
	const char **ids = calloc(registry_count() + 1, sizeof(*ids));

	if (!ids)
		abort();
	*count = 0;
	for (size_t n = 0; n < registry_count(); n++) {
		if (!hunt_takes(h, n))
			continue;
		ids[(*count)++] = registry_at(n)->id;
		h->ran[n] = true;
	}
	return ids;
}

/* --- Runs -------------------------------------------------------------------- */

/* The folder of the job, and a file or folder in it. */
static void hunt_path(const struct hunt *h, const char *name,
		      struct strbuf *out)
{
	strbuf_reset(out);
	if (h->job->row)
		strbuf_addf(out, "%s/%s", h->mutants->dir, h->job->row->id);
	else
		strbuf_addf(out, "%s/control-%" PRIu64, h->mutants->dir,
			    h->job->seed);
	if (name)
		strbuf_addf(out, "/%s", name);
}

static int hunt_start(struct hunt *h, const char *const *ids, size_t count,
		      char **error)
{
	struct strbuf acted = STRBUF_INIT, dir = STRBUF_INIT;
	const struct softdv_mutant *row = h->job->row;
	struct child_order order = {
		.mutant = row ? row->id : NULL,
		.cases = ids,
		.case_count = count,
		.seed = h->job->seed,
		.patience = h->mutants->patience,
	};
	int err;

	hunt_path(h, "acted", &acted);
	hunt_path(h, hunt_folders[h->stage], &dir);
	order.acted = strbuf_text(&acted);
	order.dir = strbuf_text(&dir);
	h->stage_cases = 0;
	err = child_start(&h->child, &order, error);
	strbuf_free(&acted);
	strbuf_free(&dir);
	return err;
}

/* The next stage that has cases, if any: its run is begun. */
static int hunt_next(struct hunt *h, char **error)
{
	int err = 0;

	for (; h->stage < HUNT_OVER; h->stage++) {
		size_t count;
		const char **ids = hunt_choose(h, &count);

		if (count)
			err = hunt_start(h, ids, count, error);
		free(ids);
		if (count)
			return err;
	}
	return 0;
}

/* Has the mutant done its harm in any of the processes? */
static bool hunt_acted(const struct hunt *h)
{
	struct strbuf path = STRBUF_INIT;
	bool acted;

	hunt_path(h, "acted", &path);
	acted = access(strbuf_text(&path), F_OK) == 0;
	strbuf_free(&path);
	return acted;
}

int hunt_begin(struct hunt *h, struct mutants *m, struct mutants_job *job,
	       char **error)
{
	struct strbuf path = STRBUF_INIT;
	int err = 0;

	*h = (struct hunt){
		.mutants = m,
		.job = job,
		.started_ns = clock_now_ns(),
		.ran = calloc(registry_count() + 1, sizeof(bool)),
		.tripped = json_array(),
	};
	if (!h->ran)
		abort();
	hunt_path(h, NULL, &path);
	if (mkdir(strbuf_text(&path), 0777) && errno != EEXIST) {
		err = -errno;
		strbuf_addf(&path, ": %s", strerror(-err));
		*error = strbuf_detach(&path);
	}
	if (!err) {
		hunt_path(h, "acted", &path);
		unlink(strbuf_text(&path));
		err = hunt_next(h, error);
	}
	strbuf_free(&path);
	if (err)
		hunt_break(h);
	return err;
}

/* --- Verdicts ---------------------------------------------------------------- */

static void hunt_trip(struct hunt *h, const char *id, const char *finding)
{
	json_t *trip = json_object();

	json_object_set_new(trip, "case", text_json(id));
	json_object_set_new(trip, "finding", text_json(finding));
	json_array_append_new(h->tripped, trip);
	for (size_t n = 0; h->job->row && n < registry_count(); n++)
		if (!strcmp(registry_at(n)->id, id))
			h->mutants->tripped[n] = true;
}

/* This mutant, by this case, in this way. */
static bool hunt_foretold(const struct hunt *h, const char *id,
			  const json_t *event)
{
	const struct vb_case *c = registry_find(id);
	const struct softdv_mutant *row = h->job->row;

	return row && c && rows_expect(row, c) &&
	       !strcmp(mutants_text(event, "verdict"), "fail") &&
	       rows_foretell(row, mutants_text(event, "finding"),
			     mutants_text(event, "reason"));
}

static void hunt_case_end(struct hunt *h, json_t *event)
{
	const char *verdict = mutants_text(event, "verdict");
	const char *id = mutants_text(event, "id");
	const char *finding = mutants_text(event, "finding");

	h->stage_cases++;
	h->cases++;
	/* Nobody counts on what was cut off by ourselves. */
	if (h->child.stopped ||
	    (strcmp(verdict, "fail") && strcmp(verdict, "broken")))
		return;
	hunt_trip(h, id, finding[0] ? finding : verdict);
	if (hunt_foretold(h, id, event)) {
		if (!h->kill)
			h->kill = json_incref(event);
	} else if (!h->other) {
		h->other = json_incref(event);
	}
	if (h->job->row && !h->mutants->checks &&
	    (h->kill || h->stage == HUNT_REST))
		child_stop(&h->child);
}

static void hunt_told(void *arg, const char *line)
{
	struct hunt *h = arg;
	json_t *event = json_loads(line, 0, NULL);
	const char *kind = mutants_text(event, "event");

	if (!strcmp(kind, "case_start"))
		snprintf(h->current, sizeof(h->current), "%s",
			 mutants_text(event, "id"));
	if (!strcmp(kind, "case_end"))
		hunt_case_end(h, event);
	json_decref(event);
}

/* The run came to no case: the program itself was stopped by the mutant. */
static void hunt_note_no_start(struct hunt *h, int status)
{
	struct strbuf reason = STRBUF_INIT;

	strbuf_addf(&reason,
		    "the run ended with status %d before its first case",
		    status);
	hunt_trip(h, "", "broken");
	if (!h->other) {
		h->other = json_object();
		json_object_set_new(h->other, "verdict", json_string("broken"));
		json_object_set_new(h->other, "reason",
				    text_json(strbuf_text(&reason)));
	}
	strbuf_free(&reason);
}

static enum mutants_verdict hunt_verdict(const struct hunt *h, bool acted)
{
	if (h->kill && acted)
		return MUTANTS_KILLED;
	/* What has failed, then, was no work of the mutant's. */
	if (!acted && (h->kill || h->other))
		return MUTANTS_WRONG_REASON;
	if (!acted)
		return MUTANTS_NOT_TRIGGERED;
	return h->other ? MUTANTS_WRONG_REASON : MUTANTS_SURVIVED;
}

static void hunt_add_row(const struct hunt *h, json_t *result)
{
	const struct softdv_mutant *row = h->job->row;
	const json_t *end = h->kill ? h->kill : h->other;
	const char *finding = mutants_text(end, "finding");
	bool acted = hunt_acted(h);
	struct strbuf expected = STRBUF_INIT;

	strbuf_addf(&expected, "%s in %s", row->finding,
		    row->cases[0] ? row->cases : "no case");
	json_object_set_new(result, "mutant", text_json(row->id));
	json_object_set_new(result, "name", text_json(row->name));
	json_object_set_new(result, "rule", text_json(row->rule));
	json_object_set_new(result, "expected",
			    text_json(strbuf_text(&expected)));
	json_object_set_new(
		result, "verdict",
		json_string(mutants_verdict_word(hunt_verdict(h, acted))));
	json_object_set_new(result, "case",
			    text_json(end ? mutants_text(end, "id") : NULL));
	json_object_set_new(result, "finding",
			    text_json(finding[0] ? finding
				      : end	 ? mutants_text(end, "verdict")
						 : NULL));
	json_object_set_new(result, "reason",
			    text_json(end ? mutants_text(end, "reason")
					  : NULL));
	json_object_set_new(result, "acted", json_boolean(acted));
	strbuf_free(&expected);
}

static void hunt_conclude(struct hunt *h)
{
	json_t *result = json_object();

	if (h->job->row)
		hunt_add_row(h, result);
	else
		json_object_set_new(result, "control",
				    json_integer((json_int_t)h->job->seed));
	json_object_set_new(result, "cases", json_integer(h->cases));
	json_object_set_new(
		result, "duration_ms",
		json_integer((json_int_t)((clock_now_ns() - h->started_ns) /
					  NS_PER_MS)));
	json_object_set(result, "tripped", h->tripped);
	h->job->result = result;
}

static void hunt_free(struct hunt *h)
{
	free(h->ran);
	json_decref(h->tripped);
	json_decref(h->kill);
	json_decref(h->other);
	*h = (struct hunt){ 0 };
}

/* Is it over, or is there another stage to come? */
static bool hunt_decided(const struct hunt *h)
{
	if (h->stage == HUNT_OVER)
		return true;
	return !h->mutants->checks && (h->kill || h->other);
}

bool hunt_hear(struct hunt *h)
{
	char *error = NULL;
	int status;

	if (child_read(&h->child, hunt_told, h))
		return false;
	status = child_end(&h->child);
	if (!h->stage_cases)
		hunt_note_no_start(h, status);
	h->stage++;
	if (!hunt_decided(h) && hunt_next(h, &error)) {
		log_error("%s", error);
		free(error);
		h->stage = HUNT_OVER;
	}
	if (!hunt_decided(h))
		return false;
	hunt_conclude(h);
	hunt_free(h);
	return true;
}

void hunt_break(struct hunt *h)
{
	if (h->child.pid > 0) {
		child_stop(&h->child);
		while (child_read(&h->child, hunt_told, h))
			;
		(void)child_end(&h->child);
	}
	hunt_free(h);
}
