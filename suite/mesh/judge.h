/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The judge of a mesh, at rank 0: has every pair run its programs round by
 * round, with a deadline for each, and comes to a verdict on each.  Every rank
 * and every end may fail, hang or die: the run goes on without it, and what it
 * could not take part in is broken, with that reason.
 */
#ifndef SUITE_MESH_JUDGE_H
#define SUITE_MESH_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/mesh/agent.h"
#include "suite/mesh/matrix.h"

/* What each pair runs, one after the other. */
enum mesh_leg { MESH_THROUGHPUT, MESH_LATENCY, MESH_LEGS };

struct mesh_plan {
	struct traffic_program programs[MESH_LEGS];
	/* Before a round: may be NULL. */
	void (*progress)(uint32_t round, uint32_t rounds, uint32_t pairs,
			 enum mesh_leg leg);
};

/*
 * Gather what the ranks say of themselves into @m.  0; -ENODEV: some rank has
 * none that it could run on, or says nothing; @error names it.
 */
int mesh_gather(struct mesh_agent *a, struct mesh_matrix *m, uint64_t limit_ms,
		struct strbuf *error) MUST_USE;
/* Run it all; each cell has a verdict afterwards. */
void mesh_judge(struct mesh_agent *a, const struct mesh_plan *plan,
		struct mesh_matrix *m);

/*
 * Of one pair's program, when both ends have said what they found; @wc: the
 * status of their processes.  Fills verdict, reason and figures.
 */
struct mesh_found {
	const struct traffic_result *result[2];
	int status[2];
	bool ready[2];	   /* the device was open */
	const char *ended; /* why the judge ended it; NULL: it did not */
};

void mesh_verdict(const struct mesh_matrix *m, const struct mesh_found *f,
		  enum mesh_leg leg, struct mesh_cell *cell);

#endif
