// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mesh: every pair of ranks of an MPI job.  The launcher starts this on each
 * rank; it becomes verbatim-mesh, which starts it again as the rank's agent.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "suite/bench/session.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/program.h"
#include "suite/cli/sizes.h"
#include "suite/mesh/judge.h"
#include "suite/peer/facts.h"

#define MESH_RELAY "verbatim-mesh"

enum {
	MESH_GATHER_S = 120,
	MESH_STEP_MS = 1000,
	/* Of a round trip, when the sizes name none. */
	MESH_ECHO_BYTES = 64,
};

/* Become the relay, which lies beside this program. */
static int mesh_become_relay(char **argv)
{
	char exe[PATH_MAX], path[PATH_MAX + sizeof(MESH_RELAY)];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int count = 0;
	char **more;

	exe[len < 0 ? 0 : len] = '\0';
	snprintf(path, sizeof(path), "%.*s" MESH_RELAY,
		 (int)(strrchr(exe, '/') ? strrchr(exe, '/') + 1 - exe : 0),
		 exe);
	while (argv[count])
		count++;
	more = calloc((size_t)count + 2, sizeof(*more));
	if (!more)
		abort();
	more[0] = path;
	more[1] = exe;
	memcpy(more + 2, argv + 1, (size_t)count * sizeof(*more));
	if (access(path, X_OK))
		log_error("'verbatim mesh' needs " MESH_RELAY
			  ", which is built where MPI is found (Debian: "
			  "libopenmpi-dev), and lies beside this program: %s: "
			  "%s",
			  path, strerror(errno));
	else if (execv(path, more))
		log_error("program '%s': %s", path, strerror(errno));
	free(more);
	return EXIT_ABSENT;
}

static void mesh_progress(uint32_t round, uint32_t rounds, uint32_t pairs,
			  enum mesh_leg leg)
{
	fprintf(stderr, "\r\033[Kround %u of %u, %u pairs: %s", round + 1,
		rounds, pairs, leg == MESH_LATENCY ? "latency" : "throughput");
	fflush(stderr);
}

static void mesh_plan(const struct traffic_program *p, struct mesh_plan *plan)
{
	struct traffic_program *echo = &plan->programs[MESH_LATENCY];
	uint32_t bytes = p->sizes.kind == VB_SIZES_LIST ? p->sizes.bytes[0]
							: MESH_ECHO_BYTES;

	plan->programs[MESH_THROUGHPUT] = *p;
	*echo = *p;
	echo->direction = TRAFFIC_ECHO;
	echo->qps = 1;
	echo->inflight = 1;
	echo->rq_depth = 2;
	echo->signal_every = 1;
	memset(echo->mix, 0, sizeof(echo->mix));
	program_take_size(echo, bytes);
	plan->progress = isatty(STDERR_FILENO) ? mesh_progress : NULL;
}

static void mesh_header(const struct mesh_matrix *m,
			const struct traffic_program *p)
{
	struct strbuf sizes = STRBUF_INIT;
	uint32_t rounds = mesh_round_count(m->ranks, m->disjoint);

	sizes_text(&p->sizes, &sizes);
	printf("mesh of %u ranks: %u pairs, %s (%u round%s); seed %lu\n"
	       "of each pair: %u qps x %u in flight, %s bytes, %s; then one "
	       "message at a time\n\n",
	       m->ranks, mesh_pair_count(m->ranks),
	       m->disjoint ? "disjoint" : "all at once", rounds,
	       rounds == 1 ? "" : "s", (unsigned long)p->seed, p->qps,
	       p->inflight, strbuf_text(&sizes),
	       p->verify ? "every byte verified" : "nothing verified");
	mesh_show_ranks(m, stdout);
	fflush(stdout);
	strbuf_free(&sizes);
}

static int mesh_answer(const struct mesh_matrix *m, json_t *settings, bool json,
		       FILE *svg)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (json)
		answer_json(mesh_json(m, settings));
	else
		mesh_show(m, stdout);
	fflush(stdout);
	if (svg)
		mesh_svg(m, svg);
	if (svg && (fflush(svg) || ferror(svg))) {
		log_error("--svg: %s", strerror(errno));
		return EXIT_ABSENT;
	}
	return mesh_count(m, VB_PASS) == mesh_pair_count(m->ranks)
		       ? EXIT_FINE
		       : EXIT_FAILED;
}

/* Of rank 0. */
static int mesh_rule(struct mesh_agent *a, const struct vb_options *o,
		     const struct traffic_program *p,
		     const struct target *target)
{
	uint64_t limit_ms = (uint64_t)(o->patience * MESH_GATHER_S * 1000);
	struct mesh_matrix *m = mesh_matrix_new(a->ranks);
	json_t *settings = program_settings(p, target);
	FILE *svg = o->svg ? fopen(o->svg, "we") : NULL;
	struct strbuf error = STRBUF_INIT;
	struct mesh_plan plan;
	int status = EXIT_ABSENT;

	m->disjoint = strcmp(o->pairs, "disjoint") == 0;
	m->seed = p->seed;
	mesh_plan(p, &plan);
	if (o->svg && !svg) {
		log_error("--svg '%s': %s", o->svg, strerror(errno));
	} else if (mesh_gather(a, m, limit_ms, &error)) {
		log_error("%s", strbuf_text(&error));
	} else {
		if (!o->json)
			mesh_header(m, p);
		mesh_judge(a, &plan, m);
		status = mesh_answer(m, settings, o->json, svg);
	}
	if (svg)
		fclose(svg);
	for (uint32_t to = 0; to < a->ranks; to++)
		mesh_agent_send(a, MESH_END, to, 0, 0, NULL, 0);
	json_decref(settings);
	mesh_matrix_free(m);
	strbuf_free(&error);
	return status;
}

static void mesh_introduce(struct mesh_agent *a, const struct target *target)
{
	json_t *facts = peer_facts_make(target);
	char *text;

	json_object_del(facts, "lacks");
	json_object_set_new(facts, "version", json_string(VB_VERSION));
	text = json_dumps(facts, JSON_COMPACT);
	if (!text)
		abort();
	mesh_agent_send(a, MESH_FACTS, 0, 0, 0, text, (uint32_t)strlen(text));
	free(text);
	json_decref(facts);
}

/* How many ranks can be; what is wrong is said once. */
static int mesh_ranks_check(const struct mesh_agent *a,
			    const struct vb_options *o)
{
	bool at_once = strcmp(o->pairs, "all") == 0;
	uint32_t max = at_once ? MESH_RANKS_AT_ONCE_MAX : MESH_RANKS_MAX;

	if (a->ranks >= 2 && a->ranks <= max)
		return 0;
	if (a->rank == 0 && a->ranks < 2)
		log_error("1 rank: a mesh has at least 2; start it by "
			  "'mpirun -np N verbatim mesh' or srun");
	else if (a->rank == 0)
		log_error("%u ranks: at most %u with --pairs %s", a->ranks, max,
			  o->pairs);
	return -EINVAL;
}

static int mesh_take_part(struct command_call *call, int fd,
			  struct traffic_program *p, struct target *target)
{
	struct vb_options *o = &call->options;
	struct strbuf error = STRBUF_INIT;
	struct mesh_agent a;
	int status = program_make(call, "1s", TRAFFIC_BOTH, p, target);

	if (status)
		return status;
	p->messages = o->messages;
	if (p->messages)
		p->duration_ns = 0;
	session_catch_signals();
	if (mesh_agent_open(&a, fd, &error)) {
		log_error("%s", strbuf_text(&error));
		strbuf_free(&error);
		return EXIT_ABSENT;
	}
	if (mesh_ranks_check(&a, o))
		return EXIT_USAGE;
	a.own = p;
	mesh_introduce(&a, target);
	if (a.rank == 0)
		status = mesh_rule(&a, o, p, target);
	else
		while (!a.ended && !a.cut)
			mesh_agent_step(&a, MESH_STEP_MS);
	mesh_agent_close(&a);
	return status;
}

int command_mesh(struct command_call *call)
{
	const char *number = getenv(MESH_FD_VARIABLE);
	struct traffic_program program;
	struct target *target;
	char *end;
	long fd;
	int status;

	if (!number)
		return mesh_become_relay(call->argv);
	fd = strtol(number, &end, 10);
	if (*end || end == number || fd < 0 || fd > INT_MAX) {
		log_error(MESH_FD_VARIABLE "='%s': it is set by " MESH_RELAY
					   " alone",
			  number);
		return EXIT_USAGE;
	}
	target = calloc(1, sizeof(*target));
	if (!target)
		abort();
	status = mesh_take_part(call, (int)fd, &program, target);
	free(target);
	return status;
}
