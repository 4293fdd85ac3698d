// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rounds of a mesh: starting pairs, hearing of them, giving them up. */
#include "suite/mesh/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/process.h"

enum {
	JUDGE_LOOK_MS = 100,
	JUDGE_OPEN_S = 60,
	/* A pair that is counted, not timed, as long as it goes on at all. */
	JUDGE_COUNTED_S = 3600,
};

/* What an end of a job has told. */
struct judge_end {
	uint32_t rank;
	bool ready, done;
	int status;
	unsigned char *bytes; /* of its result */
};

/* A pair that runs a program. */
struct judge_job {
	struct mesh_cell *cell;
	const struct traffic_program *program;
	struct judge_end ends[2];
	bool over;
	uint64_t deadline_ns;
	uint32_t aborts;
	char ended[256]; /* why the judge did that; empty: it did not */
};

struct judge {
	struct mesh_agent *agent;
	struct mesh_matrix *m;
	struct judge_job *jobs; /* of this round */
	uint32_t count;
	struct traffic_result *results[2];
};

static void judge_tell(struct judge *j, const struct judge_job *job,
		       enum mesh_kind kind)
{
	uint32_t pair = (uint32_t)(job->cell - j->m->cell);

	for (int end = 0; end < 2; end++)
		if (!job->ends[end].done)
			mesh_agent_send(j->agent, kind, job->ends[end].rank,
					pair, 0, NULL, 0);
}

static void judge_abort(struct judge *j, struct judge_job *job)
{
	judge_tell(j, job, MESH_ABORT);
	job->aborts++;
	/* To a harder word, and from that to giving it up. */
	job->deadline_ns = clock_now_ns() + job->program->patience_ns;
}

/* Both are ready; from now on it may take so long. */
static void judge_go(struct judge *j, struct judge_job *job)
{
	const struct traffic_program *p = job->program;
	uint64_t limit_ns = p->warm_up_ns + p->duration_ns + 4 * p->patience_ns;

	if (p->messages)
		limit_ns = JUDGE_COUNTED_S * NS_PER_S;
	job->deadline_ns = clock_now_ns() + limit_ns;
	judge_tell(j, job, MESH_GO);
}

/* --- what comes ---------------------------------------------------------- */

static void judge_lose(struct judge *j, uint32_t rank, const char *why)
{
	struct mesh_rank *r = &j->m->rank[rank];

	if (!r->lost)
		snprintf(r->why, sizeof(r->why), "%s", why);
	r->lost = true;
	for (uint32_t i = 0; i < j->count; i++) {
		struct judge_job *job = &j->jobs[i];
		struct strbuf text = STRBUF_INIT;

		for (int end = 0; end < 2; end++) {
			if (job->over || job->ends[end].rank != rank ||
			    job->ends[end].done)
				continue;
			job->ends[end].done = true;
			mesh_rank_text(j->m, rank, &text);
			if (!job->ended[0])
				snprintf(job->ended, sizeof(job->ended),
					 "%s %s", strbuf_text(&text), r->why);
			judge_abort(j, job);
		}
		strbuf_free(&text);
	}
}

static void judge_gone(struct judge *j, uint32_t rank, int status)
{
	char why[PROCESS_DEATH_MAX];

	judge_lose(j, rank, process_death(status, why));
}

static void judge_piece(struct judge_job *job, struct judge_end *e,
			const struct mesh_message *m, uint32_t len)
{
	uint32_t all = mesh_result_bytes(job->program->qps);

	if (m->head.offset > all || len > all - m->head.offset)
		return;
	if (!e->bytes)
		e->bytes = calloc(1, all);
	if (!e->bytes)
		abort();
	memcpy(e->bytes + m->head.offset, m->body, len);
}

static void judge_of_job(struct judge *j, struct judge_job *job,
			 struct judge_end *e, const struct mesh_message *m,
			 uint32_t len)
{
	if (job->over || e->done)
		return;
	switch (m->head.kind) {
	case MESH_READY:
		e->ready = true;
		if (job->ends[0].ready && job->ends[1].ready && !job->aborts)
			judge_go(j, job);
		break;
	case MESH_RESULT:
		judge_piece(job, e, m, len);
		break;
	case MESH_DONE:
		e->done = true;
		e->status = (int)m->head.offset;
		/* The other one would wait for it in vain. */
		if (e->status && !job->aborts)
			judge_abort(j, job);
		break;
	default:
		break;
	}
}

static void judge_facts(struct judge *j, const struct mesh_message *m,
			uint32_t len)
{
	struct mesh_rank *r = &j->m->rank[m->head.rank];
	json_t *facts = json_loadb((const char *)m->body, len,
				   JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(facts) && !r->facts)
		r->facts = json_incref(facts);
	json_decref(facts);
}

static void judge_take(void *arg, const struct mesh_message *m, uint32_t len)
{
	struct judge *j = arg;

	if (m->head.rank >= j->m->ranks)
		return;
	if (m->head.kind == MESH_FACTS)
		judge_facts(j, m, len);
	if (m->head.kind == MESH_GONE)
		judge_gone(j, m->head.rank, (int)m->head.pair);
	for (uint32_t i = 0; i < j->count; i++) {
		struct judge_job *job = &j->jobs[i];

		if ((uint32_t)(job->cell - j->m->cell) != m->head.pair)
			continue;
		for (int end = 0; end < 2; end++)
			if (job->ends[end].rank == m->head.rank)
				judge_of_job(j, job, &job->ends[end], m, len);
	}
}

/* --- a round ------------------------------------------------------------- */

/* Whom the wait is for. */
static void judge_late(const struct judge *j, const struct judge_job *job,
		       struct strbuf *out)
{
	bool ready = job->ends[0].ready && job->ends[1].ready;

	strbuf_add(out, ready ? "no end before the deadline by"
			      : "the device was not open in time at");
	for (int end = 0; end < 2; end++) {
		const struct judge_end *e = &job->ends[end];

		if (ready ? e->done : e->ready)
			continue;
		strbuf_add(out, " ");
		mesh_rank_text(j->m, e->rank, out);
	}
}

static void judge_overdue(struct judge *j, struct judge_job *job)
{
	struct strbuf text = STRBUF_INIT;

	if (job->aborts >= 2) {
		for (int end = 0; end < 2; end++)
			if (!job->ends[end].done)
				judge_lose(j, job->ends[end].rank,
					   "does not answer any more");
		return;
	}
	if (!job->aborts && !job->ended[0]) {
		judge_late(j, job, &text);
		snprintf(job->ended, sizeof(job->ended), "%s",
			 strbuf_text(&text));
	}
	judge_abort(j, job);
	strbuf_free(&text);
}

static void judge_settle(struct judge *j, struct judge_job *job,
			 enum mesh_leg leg)
{
	uint32_t qps = job->program->qps;
	struct mesh_found f = { .ended = job->ended[0] ? job->ended : NULL };

	for (int end = 0; end < 2; end++) {
		struct judge_end *e = &job->ends[end];

		memset(j->results[end], 0, sizeof(*j->results[end]));
		j->results[end]->err = -ECHILD;
		if (e->bytes)
			mesh_result_unpack(e->bytes, qps, j->results[end]);
		free(e->bytes);
		e->bytes = NULL;
		f.result[end] = j->results[end];
		f.status[end] = e->status;
		f.ready[end] = e->ready;
	}
	job->over = true;
	mesh_verdict(j->m, &f, leg, job->cell);
}

/* A pair that cannot begin: its ranks are gone, or cannot be connected. */
static bool judge_refuse(struct judge *j, struct mesh_cell *c)
{
	const uint32_t ranks[2] = { c->pair.a, c->pair.b };
	struct strbuf why = STRBUF_INIT;

	for (int end = 0; end < 2 && !why.len; end++) {
		if (!j->m->rank[ranks[end]].lost)
			continue;
		mesh_rank_text(j->m, ranks[end], &why);
		strbuf_addf(&why, " %s before its turn",
			    j->m->rank[ranks[end]].why);
	}
	if (j->agent->cut && !why.len)
		strbuf_add(&why, "the job was ended before its turn");
	for (int i = 0; i < 2 && !why.len; i++) {
		const char *key = i ? "gid_type" : "link_layer";
		const char *a = mesh_fact(j->m, ranks[0], key);
		const char *b = mesh_fact(j->m, ranks[1], key);

		if (strcmp(a, b) == 0)
			continue;
		strbuf_addf(&why, "%s: %.32s at ",
			    i ? "GID type" : "link layer", a);
		mesh_rank_text(j->m, ranks[0], &why);
		strbuf_addf(&why, ", %.32s at ", b);
		mesh_rank_text(j->m, ranks[1], &why);
	}
	if (!why.len)
		return false;
	c->verdict = VB_BROKEN;
	snprintf(c->reason, sizeof(c->reason), "%s", strbuf_text(&why));
	strbuf_free(&why);
	return true;
}

static void judge_start(struct judge *j, struct mesh_cell *c,
			const struct traffic_program *p)
{
	uint32_t pair = (uint32_t)(c - j->m->cell);
	struct judge_job *job = &j->jobs[j->count++];
	struct mesh_start start = { .program = *p };

	*job = (struct judge_job){
		.cell = c,
		.program = p,
		.ends = { { .rank = c->pair.a }, { .rank = c->pair.b } },
		.deadline_ns = clock_now_ns() + JUDGE_OPEN_S * NS_PER_S +
			       p->patience_ns,
	};
	start.program.seed = hash_mix64(p->seed + pair);
	for (uint32_t end = 0; end < 2; end++) {
		start.end = end;
		start.peer = job->ends[!end].rank;
		mesh_agent_send(j->agent, MESH_START, job->ends[end].rank, pair,
				0, &start, sizeof(start));
	}
}

/* The launcher has ended the job. */
static void judge_cut(struct judge *j)
{
	for (uint32_t i = 0; i < j->count; i++) {
		struct mesh_cell *c = j->jobs[i].cell;

		if (j->jobs[i].over)
			continue;
		j->jobs[i].over = true;
		c->verdict = VB_BROKEN;
		snprintf(c->reason, sizeof(c->reason), "%s",
			 j->jobs[i].ended[0]
				 ? j->jobs[i].ended
				 : "the job was ended while it ran");
		for (int end = 0; end < 2; end++)
			free(j->jobs[i].ends[end].bytes);
	}
}

static void judge_wait(struct judge *j, enum mesh_leg leg)
{
	uint32_t left = j->count;

	while (left && !j->agent->cut) {
		mesh_agent_step(j->agent, JUDGE_LOOK_MS);
		left = 0;
		for (uint32_t i = 0; i < j->count; i++) {
			struct judge_job *job = &j->jobs[i];

			if (!job->over && clock_now_ns() > job->deadline_ns)
				judge_overdue(j, job);
			if (!job->over && job->ends[0].done &&
			    job->ends[1].done)
				judge_settle(j, job, leg);
			left += !job->over;
		}
	}
	judge_cut(j);
	j->count = 0;
}

void mesh_judge(struct mesh_agent *a, const struct mesh_plan *plan,
		struct mesh_matrix *m)
{
	uint32_t rounds = mesh_round_count(m->ranks, m->disjoint);
	uint32_t all = mesh_pair_count(m->ranks);
	struct mesh_pair *pairs = calloc(all, sizeof(*pairs));
	struct judge j = { .agent = a, .m = m };
	uint64_t began_ns = clock_now_ns();

	j.jobs = calloc(all, sizeof(*j.jobs));
	j.results[0] = calloc(1, sizeof(*j.results[0]));
	j.results[1] = calloc(1, sizeof(*j.results[1]));
	if (!pairs || !j.jobs || !j.results[0] || !j.results[1])
		abort();
	a->judge = judge_take;
	a->arg = &j;
	for (uint32_t n = 0; n < rounds * MESH_LEGS; n++) {
		enum mesh_leg leg = (enum mesh_leg)(n % MESH_LEGS);
		uint32_t round = n / MESH_LEGS;
		uint32_t count =
			mesh_round(m->ranks, m->disjoint, round, pairs);

		for (uint32_t i = 0; i < count; i++) {
			struct mesh_cell *c =
				&m->cell[mesh_pair_index(m->ranks, pairs[i])];

			/* What failed in the first is not asked again. */
			if ((leg && c->verdict != VB_PASS) ||
			    judge_refuse(&j, c))
				continue;
			judge_start(&j, c, &plan->programs[leg]);
		}
		if (plan->progress)
			plan->progress(round, rounds, j.count, leg);
		judge_wait(&j, leg);
	}
	m->wall_ns = clock_now_ns() - began_ns;
	a->judge = NULL;
	free(j.results[0]);
	free(j.results[1]);
	free(j.jobs);
	free(pairs);
}

/* --- before it ----------------------------------------------------------- */

static uint32_t judge_silent(const struct mesh_matrix *m)
{
	uint32_t i = 0;

	while (i < m->ranks && m->rank[i].facts)
		i++;
	return i;
}

int mesh_gather(struct mesh_agent *a, struct mesh_matrix *m, uint64_t limit_ms,
		struct strbuf *error)
{
	uint64_t until_ns = clock_now_ns() + limit_ms * NS_PER_MS;
	struct judge j = { .agent = a, .m = m };
	uint32_t first;

	a->judge = judge_take;
	a->arg = &j;
	for (;;) {
		first = judge_silent(m);
		if (first == m->ranks || m->rank[first].lost || a->cut ||
		    clock_now_ns() > until_ns)
			break;
		mesh_agent_step(a, JUDGE_LOOK_MS);
	}
	a->judge = NULL;
	if (first < m->ranks)
		strbuf_addf(error, "rank %u %s", first,
			    m->rank[first].lost ? m->rank[first].why
						: "says nothing");
	for (uint32_t i = 0; i < m->ranks && !error->len; i++)
		if (strcmp(mesh_fact(m, i, "version"), VB_VERSION) != 0) {
			mesh_rank_text(m, i, error);
			strbuf_addf(error,
				    " has version %.32s of this program, rank "
				    "0 has " VB_VERSION,
				    mesh_fact(m, i, "version"));
		}
	return error->len ? -ENODEV : 0;
}
