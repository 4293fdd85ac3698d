/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hunt of one mutant: stage after stage, until there is a verdict. */
#ifndef SUITE_MUTANTS_HUNT_H
#define SUITE_MUTANTS_HUNT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/mutants/child.h"
#include "suite/mutants/mutants.h"

enum hunt_stage { HUNT_NAMED, HUNT_RELATED, HUNT_REST, HUNT_OVER };

struct hunt {
	struct mutants *mutants;
	struct mutants_job *job; /* NULL: no hunt is on */
	enum hunt_stage stage;
	struct child child;
	uint64_t started_ns;
	bool *ran;	 /* by the number in the registry */
	json_t *tripped; /* array, in order */
	json_t *kill;	 /* the case_end as foretold; NULL: none yet */
	json_t *other;	 /* the first of another kind */
	unsigned cases;	 /* that came to an end */
	unsigned stage_cases;
	char current[96]; /* the case that runs */
};

/* 0, or a negative errno and *@error (free() it). */
int hunt_begin(struct hunt *h, struct mutants *m, struct mutants_job *job,
	       char **error) MUST_USE;
/* Its child has something to say; true when the job has its result, and the
 * hunt is free again. */
bool hunt_hear(struct hunt *h);
/* The user has no more time: no result. */
void hunt_break(struct hunt *h);

#endif
