// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The case around walks: draws them, runs each in a process of its own, and
 * makes the one that diverges small enough to be read.
 */
#include "verbatim/walk.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "suite/end/walk.h"
#include "suite/oracle/walk_shrink.h"
#include "suite/runner/trial.h"

enum {
	WALK_LIMIT_MS = 20000, /* of one walk, and 2 ms a step more */
	WALK_SLACK_MS = 2000,
	/* While shrinking: most of what does not come is known not to. */
	WALK_SLACK_SHORT_MS = 300,
	WALK_TRIES = 800,
	WALK_SHRINK_MS = 60000,
	WALK_AGAIN = 3, /* runs in which a divergence is to come again */
	WALK_FILE_MAX = 1 << 20,
	WALK_SHOWN = 24, /* steps that are noted */
};

_Static_assert((int)VB_WALK_RC == (int)WALK_MIX_RC &&
		       (int)VB_WALK_BUILDER == (int)WALK_MIX_BUILDER,
	       "a case says what the oracle draws");

struct walk_case {
	struct vb_test *t;
	struct trial first;		  /* of the walk as it was drawn */
	struct trial again;		  /* of what is made of it */
	struct trial *trial;		  /* the one run last */
	const struct walk_script *script; /* in hand */
	_Atomic uint32_t *at; /* the step that the last run came to; shared */
	unsigned slack_ms;
	/* What is being shrunk: the finding, until when, how often. */
	enum vb_verdict verdict;
	enum vb_finding finding;
	uint64_t until_ns;
	unsigned tries;
};

static void walk_inside(struct vb_test *t, void *arg)
{
	const struct walk_case *c = arg;
	struct walk w = { .t = t,
			  .script = c->script,
			  .slack_ms = c->slack_ms,
			  .shown = c->at };

	(void)vb_a(t);
	(void)vb_b(t);
	walk_take(&w);
}

static void walk_run(struct walk_case *c, struct trial *trial,
		     const struct walk_script *s, unsigned slack_ms)
{
	c->script = s;
	c->slack_ms = slack_ms;
	c->trial = trial;
	trial_run(trial, c->t, s->seed, walk_inside, c,
		  WALK_LIMIT_MS + 2 * s->count);
}

/* --- Shrinking ----------------------------------------------------------- */

static bool walk_same(const struct walk_case *c)
{
	const struct result *r = &c->trial->result;

	return r->verdict == c->verdict &&
	       (r->verdict != VB_FAIL || r->finding == c->finding);
}

static bool walk_fails(void *arg, const struct walk_script *s)
{
	struct walk_case *c = arg;

	/* Twice, lest chance lead to what does not come again. */
	for (unsigned i = 0; i < 2; i++) {
		c->tries++;
		walk_run(c, &c->again, s, WALK_SLACK_SHORT_MS);
		if (!walk_same(c))
			return false;
	}
	return true;
}

static bool walk_go_on(void *arg)
{
	const struct walk_case *c = arg;

	return c->tries < WALK_TRIES && clock_now_ns() < c->until_ns;
}

/* Once more as at first, with all patience. */
static bool walk_comes_again(struct walk_case *c, const struct walk_script *s)
{
	for (unsigned i = 0; i < WALK_AGAIN; i++) {
		walk_run(c, &c->again, s, WALK_SLACK_MS);
		if (walk_same(c))
			return true;
	}
	return false;
}

/* Where the script was written, or NULL. */
static char *walk_keep(const struct walk_case *c, const struct walk_script *s)
{
	const char *folder = trial_folder(c->t);
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	bool kept = false;
	FILE *file;

	if (!folder)
		return NULL;
	strbuf_addf(&path, "%s/walk", folder);
	if (mkdir(strbuf_text(&path), 0777) && errno != EEXIST)
		goto free_path;
	strbuf_addf(&path, "/%s-%llu.walk", strrchr(s->id, '/') + 1,
		    (unsigned long long)s->seed);
	file = fopen(strbuf_text(&path), "we");
	if (!file)
		goto free_path;
	walk_script_print(s, &text);
	kept = fputs(strbuf_text(&text), file) >= 0;
	kept &= !fclose(file);
	strbuf_free(&text);
	if (kept)
		return strbuf_detach(&path);
free_path:
	strbuf_free(&path);
	return NULL;
}

static void walk_show(struct walk_case *c, const struct walk_script *s)
{
	struct strbuf line = STRBUF_INIT;

	for (uint32_t i = 0; i < s->count && i < WALK_SHOWN; i++) {
		walk_step_print(&s->steps[i], &line);
		vb_note(c->t, "%u. %s", i + 1, strbuf_text(&line));
		strbuf_reset(&line);
	}
	if (s->count > WALK_SHOWN)
		vb_note(c->t, "and %u more steps", s->count - WALK_SHOWN);
	if (atomic_load(c->at) >= s->count)
		vb_note(c->t, "then what must complete is waited for, and all "
			      "queue pairs are moved to ERR");
	strbuf_free(&line);
}

static void walk_diverged(struct walk_case *c, struct walk_script *s) NO_RETURN;

static void walk_diverged(struct walk_case *c, struct walk_script *s)
{
	struct walk_shrink shrink = { .fails = walk_fails,
				      .go_on = walk_go_on,
				      .arg = c };
	struct walk_script small = { .count = 0 };
	uint32_t steps = s->count;
	const char *how = "";
	char *path;

	c->verdict = c->first.result.verdict;
	c->finding = c->first.result.finding;
	c->until_ns = vb_deadline(c->t, WALK_SHRINK_MS);
	if (walk_script_copy(&small, s))
		vb_broken(c->t, "no memory to shrink a walk");
	/* What it had not come to has nothing to do with it. */
	if (atomic_load(c->at) + 1 < small.count)
		small.count = atomic_load(c->at) + 1;
	if (!walk_fails(c, &small))
		small.count = s->count;
	if (walk_shrink(&shrink, &small))
		vb_broken(c->t, "no memory to shrink a walk");
	if (walk_comes_again(c, &small)) {
		s = &small;
	} else if (!walk_comes_again(c, s)) {
		c->trial = &c->first;
		how = ", and does not each time";
	}
	walk_show(c, s);
	vb_note(c->t, "shrunk by %u runs", c->tries);
	path = walk_keep(c, s);
	trial_adopt(c->trial, c->t,
		    "; a walk of %u steps does it%s (%u before, seed %llu)%s%s",
		    s->count, how, steps, (unsigned long long)s->seed,
		    path ? ": --script " : "", path ? path : "");
}

/* --- The case ------------------------------------------------------------ */

static char *walk_read_file(struct vb_test *t, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, WALK_FILE_MAX + 1);
	size_t len;

	if (!text)
		vb_broken(t, "no memory for a script");
	if (!file)
		vb_broken(t, "--script \"%s\": %s", path, strerror(errno));
	len = fread(text, 1, WALK_FILE_MAX, file);
	if (ferror(file) || len == WALK_FILE_MAX)
		vb_broken(t,
			  "--script \"%s\": it cannot be read, or is longer "
			  "than %d bytes",
			  path, WALK_FILE_MAX);
	fclose(file);
	return text;
}

static void walk_script(struct walk_case *c, const char *path)
{
	struct walk_script s;
	char *text = walk_read_file(c->t, path), *error = NULL;

	if (walk_script_parse(text, &s, &error))
		vb_broken(c->t, "--script \"%s\": %s", path,
			  error ? error : "no memory");
	free(text);
	if (strcmp(s.id, c->t->record->id))
		vb_skip(c->t, "--script \"%s\" is one of case %s", path, s.id);
	walk_run(c, &c->first, &s, WALK_SLACK_MS);
	trial_count(&c->first, c->t);
	if (c->first.result.verdict != VB_PASS) {
		walk_show(c, &s);
		trial_adopt(&c->first, c->t, "; by --script \"%s\"", path);
	}
	walk_script_free(&s);
}

void vb_walk(struct vb_test *t, unsigned mix)
{
	const struct vb_options *o = t->options;
	struct walk_case c = { .t = t };
	struct walk_script s;

	c.at = mmap(NULL, sizeof(*c.at), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c.at == MAP_FAILED || trial_open(&c.first) || trial_open(&c.again))
		vb_broken(t, "no memory for trials");
	if (o->script) {
		walk_script(&c, o->script);
		goto close_trial;
	}
	for (uint64_t i = 0; i < o->walks; i++) {
		uint64_t seed = hash_mix64(t->seed + i) >> 11;

		if (walk_generate(&s, t->record->id, mix, seed,
				  (uint32_t)o->steps))
			vb_broken(t, "no memory for a walk");
		walk_run(&c, &c.first, &s, WALK_SLACK_MS);
		trial_count(&c.first, t);
		if (c.first.result.verdict != VB_PASS)
			walk_diverged(&c, &s);
		walk_script_free(&s);
	}
	vb_note(t, "%llu walks of %llu steps", (unsigned long long)o->walks,
		(unsigned long long)o->steps);
close_trial:
	trial_close(&c.first);
	trial_close(&c.again);
	munmap(c.at, sizeof(*c.at));
}
