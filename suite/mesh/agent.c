// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loop of an agent: the relay on one side, its ends on the other. */
#include "suite/mesh/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "suite/bench/session.h"

enum { AGENT_WELCOME_MS = 120 * 1000 };

int mesh_agent_open(struct mesh_agent *a, int fd, struct strbuf *error)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct mesh_message *m = malloc(sizeof(*m));
	int err;

	if (!m)
		abort();
	*a = (struct mesh_agent){ .fd = fd };
	(void)poll(&wait, 1, AGENT_WELCOME_MS);
	err = mesh_receive(fd, m);
	if (err >= 0 && m->head.kind != MESH_WELCOME)
		err = -EBADMSG;
	if (err < 0)
		strbuf_addf(error,
			    "the launcher's MPI does not answer: %s; is this "
			    "program started by the mpirun of the MPI that it "
			    "was built with?",
			    strerror(-err));
	a->rank = m->head.rank;
	a->ranks = m->head.pair;
	free(m);
	return err < 0 ? err : 0;
}

void mesh_agent_send(struct mesh_agent *a, enum mesh_kind kind, uint32_t to,
		     uint32_t pair, uint32_t offset, const void *body,
		     uint32_t len)
{
	const struct mesh_head head = {
		.kind = kind, .rank = to, .pair = pair, .offset = offset
	};

	if (!a->cut && mesh_send(a->fd, &head, body, len))
		a->cut = true;
}

static struct mesh_end *agent_find(struct mesh_agent *a, uint32_t pair)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->ends[i].pair == pair)
			return &a->ends[i];
	return NULL;
}

/* @start is of the judge, and the same program as it knows. */
static void agent_start(struct mesh_agent *a, uint32_t pair,
			struct mesh_start *start)
{
	struct traffic_program *p = &start->program;
	struct strbuf error = STRBUF_INIT;
	struct mesh_end *more;

	memcpy(p->device, a->own->device, sizeof(p->device));
	p->port = a->own->port;
	p->gid_index = a->own->gid_index;
	p->mtu = a->own->mtu;
	more = realloc(a->ends, (a->count + 1) * sizeof(*more));
	if (!more)
		abort();
	a->ends = more;
	if (mesh_end_start(start, pair, a->fd, &more[a->count], &error) == 0) {
		a->count++;
	} else {
		log_error("rank %u: %s", a->rank, strbuf_text(&error));
		/* As of a process that ended with status 1. */
		mesh_agent_send(a, MESH_DONE, 0, pair, 1 << 8, NULL, 0);
	}
	strbuf_free(&error);
}

static void agent_take(struct mesh_agent *a, const struct mesh_message *m,
		       uint32_t len)
{
	struct mesh_end *e = agent_find(a, m->head.pair);
	struct mesh_start start;

	switch ((enum mesh_kind)m->head.kind) {
	case MESH_START:
		if (len != sizeof(start) || e)
			break;
		memcpy(&start, m->body, sizeof(start));
		agent_start(a, m->head.pair, &start);
		break;
	case MESH_GO:
	case MESH_MEET:
	case MESH_BARRIER:
		/* Gone already: the judge knows. */
		if (e)
			(void)!mesh_send(e->fd, &m->head, m->body, len);
		break;
	case MESH_ABORT:
		if (e)
			mesh_end_abort(e);
		break;
	case MESH_END:
		a->ended = true;
		break;
	default:
		if (a->judge)
			a->judge(a->arg, m, len);
		break;
	}
}

/* False: there is nothing more. */
static bool agent_from_relay(struct mesh_agent *a, struct mesh_message *m)
{
	int len = mesh_receive(a->fd, m);

	if (len >= 0)
		agent_take(a, m, (uint32_t)len);
	else if (len != -EAGAIN && len != -EBADMSG)
		a->cut = true;
	return len >= 0;
}

static void agent_from_end(struct mesh_agent *a, struct mesh_end *e,
			   struct mesh_message *m)
{
	int len;

	while ((len = mesh_receive(e->fd, m)) >= 0)
		/* What is for the other end goes to where that is. */
		mesh_agent_send(a, m->head.kind,
				m->head.kind == MESH_READY ? 0 : m->head.rank,
				e->pair, 0, m->body, (uint32_t)len);
}

static void agent_result(struct mesh_agent *a, const struct mesh_end *e)
{
	const struct traffic_result *r = &e->shared->result;
	uint32_t qps = e->shared->start.program.qps;
	size_t flows = qps * sizeof(r->tx[0]);
	size_t fixed = offsetof(struct traffic_result, tx);
	uint32_t all = mesh_result_bytes(qps);
	unsigned char *bytes = malloc(all);

	if (!bytes)
		abort();
	memcpy(bytes, r, fixed);
	memcpy(bytes + fixed, r->tx, flows);
	memcpy(bytes + fixed + flows, r->rx, flows);
	for (uint32_t at = 0; at < all; at += MESH_BODY_MAX)
		mesh_agent_send(a, MESH_RESULT, 0, e->pair, at, bytes + at,
				all - at < MESH_BODY_MAX ? all - at
							 : MESH_BODY_MAX);
	free(bytes);
}

/* True: this one has ended, and the judge was told. */
static bool agent_look(struct mesh_agent *a, struct mesh_end *e,
		       struct mesh_message *m)
{
	int status;
	bool gone = mesh_end_gone(e, false, &status);

	/* In this order: its last words are for the other end. */
	agent_from_end(a, e, m);
	if (!gone)
		return false;
	agent_result(a, e);
	mesh_agent_send(a, MESH_DONE, 0, e->pair, (uint32_t)status, NULL, 0);
	mesh_end_free(e);
	return true;
}

void mesh_agent_step(struct mesh_agent *a, int wait_ms)
{
	static struct mesh_message m;
	uint32_t count = a->count, kept = 0;
	struct pollfd *fds = calloc(count + 1, sizeof(*fds));

	if (!fds)
		abort();
	for (uint32_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = a->ends[i].fd,
					  .events = POLLIN };
	fds[count] = (struct pollfd){ .fd = a->fd, .events = POLLIN };
	(void)poll(fds, count + 1, wait_ms);
	free(fds);
	if (session_signals())
		a->cut = true;
	for (uint32_t i = 0; i < count; i++)
		if (!agent_look(a, &a->ends[i], &m))
			a->ends[kept++] = a->ends[i];
	a->count = kept;
	while (!a->cut && agent_from_relay(a, &m))
		;
}

void mesh_agent_close(struct mesh_agent *a)
{
	int status;

	for (uint32_t i = 0; i < a->count; i++) {
		mesh_end_abort(&a->ends[i]);
		mesh_end_abort(&a->ends[i]);
		(void)mesh_end_gone(&a->ends[i], true, &status);
		mesh_end_free(&a->ends[i]);
	}
	free(a->ends);
	a->ends = NULL;
	a->count = 0;
}

uint32_t mesh_result_bytes(uint32_t qps)
{
	return (uint32_t)(offsetof(struct traffic_result, tx) +
			  2 * qps * sizeof(struct traffic_flow));
}

static void result_bound(struct traffic_flow *f)
{
	if (f->marks_count > TRAFFIC_MARKS)
		f->marks_count = TRAFFIC_MARKS;
}

void mesh_result_unpack(const unsigned char *bytes, uint32_t qps,
			struct traffic_result *out)
{
	size_t flows = qps * sizeof(out->tx[0]);
	size_t fixed = offsetof(struct traffic_result, tx);

	memcpy(out, bytes, fixed);
	memcpy(out->tx, bytes + fixed, flows);
	memcpy(out->rx, bytes + fixed + flows, flows);
	out->qps = qps;
	out->error[sizeof(out->error) - 1] = '\0';
	if (out->findings_count > TRAFFIC_FINDINGS_MAX)
		out->findings_count = TRAFFIC_FINDINGS_MAX;
	for (uint32_t i = 0; i < out->findings_count; i++) {
		struct traffic_finding *f = &out->findings[i];

		f->kind[sizeof(f->kind) - 1] = '\0';
		f->text[sizeof(f->text) - 1] = '\0';
	}
	for (uint32_t i = 0; i < qps; i++) {
		result_bound(&out->tx[i]);
		result_bound(&out->rx[i]);
	}
}
