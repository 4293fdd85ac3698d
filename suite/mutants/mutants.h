/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The score of the suite on the seeded defects of the software device.  Each
 * mutant is hunted by runs of this very program, in stages:
 *
 *	named	  the cases that its row names
 *	related	  those that say that they kill it, or check the same rule
 *	rest	  all others, but the soak
 *
 * until a case of the first two fails with the finding that the row foretells:
 * it is killed.  Anything else that fails ends the hunt too, as a kill for
 * another reason.  The unmodified device is hunted in the same way: what fails
 * there is a false alarm.
 *
 * What is known of a mutant is a JSON object, a line in mutants.jsonl:
 *
 *	mutant, name, rule, expected, verdict, case, finding, reason, acted,
 *	cases, duration_ms, tripped: [{case, finding}...]
 *
 * of a run of the unmodified device: control (its seed), cases, duration_ms,
 * tripped, and of the whole, as the first line: seed, version.
 */
#ifndef SUITE_MUTANTS_MUTANTS_H
#define SUITE_MUTANTS_MUTANTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "suite/mutants/rows.h"

/* One hunt, done or to be done. */
struct mutants_job {
	const struct softdv_mutant *row; /* NULL: the device as it is */
	uint64_t seed;
	json_t *result; /* NULL: not yet */
};

struct mutants {
	const char *dir; /* of all files; it is there */
	uint64_t seed;
	double patience;
	unsigned parallel; /* hunts at a time */
	bool fast;   /* the named cases alone; of controls, those of all rows */
	bool checks; /* go on behind a kill: what trips at all? */
	bool live;   /* a line on the terminal, of what is going on */
	struct rows rows;
	struct mutants_job *jobs; /* controls first, then the rows in order */
	size_t job_count;
	/* By the number of the case in the registry: some mutant trips it. */
	bool *tripped;
	FILE *file; /* mutants.jsonl, open at its end */
};

/*
 * Make the jobs: @control of the device as it is, and the rows.  With
 * @again, what the file in the folder says is taken over, and its seed.  0, or
 * a negative errno and *@error (free() it).
 */
int mutants_open(struct mutants *m, uint64_t control, bool again,
		 char **error) MUST_USE;
/* Do the jobs that are not done; @told is given each result.  False: the user
 * has ended it before its time. */
bool mutants_run(struct mutants *m, void (*told)(const json_t *result));
void mutants_close(struct mutants *m);

/* --- What has come of it ------------------------------------------------- */

enum mutants_verdict {
	MUTANTS_KILLED,
	MUTANTS_WRONG_REASON,
	MUTANTS_SURVIVED,
	MUTANTS_NOT_TRIGGERED, /* its situation has not come up */
	MUTANTS_VERDICTS,
};

const char *mutants_verdict_word(enum mutants_verdict v);
/* MUTANTS_VERDICTS: it has none. */
enum mutants_verdict mutants_verdict_of(const json_t *result);
/* "" for what is not there. */
const char *mutants_text(const json_t *object, const char *key);

/* All killed, and no false alarm. */
bool mutants_perfect(const struct mutants *m);

/* A line about one, the sums, the whole as JSON or as a table for a page. */
void mutants_show_one(const json_t *result);
void mutants_show_sums(const struct mutants *m);
void mutants_show_table(const struct mutants *m);
json_t *mutants_json(const struct mutants *m) MUST_USE;
/* The cases, and the kinds of findings, that no mutant has tripped; only
 * after a run with @checks. */
void mutants_show_idle(const struct mutants *m);
json_t *mutants_idle_cases(const struct mutants *m) MUST_USE;
json_t *mutants_idle_findings(const struct mutants *m) MUST_USE;

#endif
