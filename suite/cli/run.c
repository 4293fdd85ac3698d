// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* run and replay: choose device and cases, then hand over to the runner. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/options.h"
#include "suite/cli/peer.h"
#include "suite/peer/facts.h"
#include "suite/report/rundir.h"
#include "suite/runner/registry.h"
#include "suite/runner/run.h"

enum { RUN_CLOCK_SEEDS = 1000000000 };

uint64_t command_clock_seed(void)
{
	return hash_mix64(clock_wall_ns() ^ (uint64_t)getpid()) %
		       RUN_CLOCK_SEEDS +
	       1;
}

static bool run_needs_device(const struct selection *cases)
{
	for (size_t i = 0; i < cases->count; i++)
		if (!(cases->cases[i]->needs & VB_NEED_NOTHING))
			return true;
	return false;
}

/* Fills @target and says in the options what was left to us. */
static int run_find_target(struct command_call *call,
			   const struct selection *cases, struct target *target)
{
	struct vb_options *o = &call->options;
	static char gid_index[16];
	int err;

	if (!run_needs_device(cases))
		return 0;
	err = answer_target(call, target);
	if (err)
		return err;
	snprintf(gid_index, sizeof(gid_index), "%u", target->gid_index);
	o->gid_index = gid_index;
	o->mtu = target->mtu;
	o->connect = target->by_cm ? "cm" : "oob";
	return 0;
}

static int run_find_peer(struct command_call *call, struct run *run,
			 struct target *target, struct peer **peer)
{
	bool mtu_given = json_object_get(run->options_given, "mtu");
	int status;

	if (!target->present)
		return EXIT_FINE;
	status = peer_find(&call->options, target, mtu_given, peer);
	run->peer = *peer ? peer_run(*peer) : NULL;
	return status;
}

static struct reporter_style run_style(const struct vb_options *o,
				       const char *dir)
{
	bool human = strcmp(o->format, "human") == 0;

	return (struct reporter_style){
		.verbose = o->verbose,
		.quiet = o->quiet,
		.live = human && !o->quiet && isatty(STDERR_FILENO),
		.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
		.dir = dir,
	};
}

static int run_with_target(struct command_call *call, struct run *run)
{
	struct vb_options *o = &call->options;
	struct deviation *deviations = NULL;
	char *error = NULL, *dir = NULL;
	int status, dir_fd;

	status = deviations_gather(o->deviations, run->target->device.kind,
				   run->peer ? run->peer->kind : NULL,
				   &deviations, &run->deviation_count, &error);
	if (status)
		return answer_error(error, EXIT_USAGE);
	if (rundir_make(o->out, &dir, &dir_fd, &error)) {
		deviations_free(deviations, run->deviation_count);
		return answer_error(error, EXIT_ABSENT);
	}
	run->deviations = deviations;
	run->options = o;
	run->dir = dir;
	run->format = reporter_find(o->format);
	run->style = run_style(o, dir);
	status = answer_metrics(o, &run->metrics);
	if (!status)
		status = answer_metrics_end(o, run->metrics, run_all(run));
	close(dir_fd);
	free(dir);
	deviations_free(deviations, run->deviation_count);
	return status;
}

int command_run_cases(struct command_call *call, const char *const *selectors,
		      int count)
{
	struct vb_options *o = &call->options;
	struct target *target = calloc(1, sizeof(*target));
	struct run run = { .target = target };
	struct peer *peer = NULL;
	json_t *here = NULL;
	char *error = NULL;
	int status;

	if (!target)
		abort();
	if (select_cases(selectors, (size_t)count, &run.cases, &error)) {
		free(target);
		return answer_error(error, EXIT_USAGE);
	}
	/* What takes minutes is run when it is asked for. */
	if (!count)
		select_drop(&run.cases, VB_SOAK);
	if (!o->seed)
		o->seed = command_clock_seed();
	run.options_given = options_given(o);
	/* It stands beside the options, whether given or not. */
	json_object_del(run.options_given, "seed");
	status = run_find_target(call, &run.cases, target);
	if (!status)
		status = run_find_peer(call, &run, target, &peer);
	if (!status && target->present && !peer)
		run.here = here = peer_facts_make(target);
	if (!status)
		status = run_with_target(call, &run);
	if (peer)
		peer_close(peer);
	json_decref(here);
	json_decref(run.options_given);
	select_free(&run.cases);
	free(target);
	return status;
}

int command_run(struct command_call *call)
{
	return command_run_cases(call, (const char *const *)call->operands,
				 call->count);
}
