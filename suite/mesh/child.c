// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The process of an end: it meets the other one through agents and relays. */
#include "suite/mesh/child.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "suite/bench/traffic_end.h"
#include "suite/control/exchange.h"

enum {
	CHILD_WAIT_MS = 100,
	CHILD_OPEN_S = 60,
	/* Queue pairs told of in one message. */
	CHILD_BATCH = 32,
};

struct child {
	struct mesh_shared *shared;
	uint32_t pair;
	int fd;
	/* The judge's word may come behind the other end's first one. */
	struct mesh_message message;
	int len;
	bool held;
};

static int child_send(struct child *c, enum mesh_kind kind, const char *text,
		      struct strbuf *error)
{
	const struct mesh_head head = { .kind = kind,
					.rank = c->shared->start.peer,
					.pair = c->pair };
	int err = mesh_send(c->fd, &head, text, (uint32_t)strlen(text));

	if (err)
		strbuf_addf(error, "the agent cannot be told anything: %s",
			    strerror(-err));
	return err;
}

static int child_kept(struct child *c, enum mesh_kind kind,
		      struct strbuf *error)
{
	enum mesh_kind got = c->message.head.kind;

	if (got == kind)
		return c->len;
	if (kind == MESH_GO) {
		c->held = true;
		return -EAGAIN;
	}
	strbuf_addf(error, "the other end sent message %d where %d was due",
		    got, kind);
	return -EBADMSG;
}

/* The next message, which must be @kind, into c->message: its length. */
static int child_receive(struct child *c, enum mesh_kind kind,
			 struct strbuf *error)
{
	uint64_t until_ns = clock_now_ns() + CHILD_OPEN_S * NS_PER_S +
			    c->shared->start.program.patience_ns;
	struct mesh_message late;

	if (c->held && kind != MESH_GO) {
		c->held = false;
		return child_kept(c, kind, error);
	}
	while (!__atomic_load_n(&c->shared->abort, __ATOMIC_RELAXED) &&
	       clock_now_ns() < until_ns) {
		struct pollfd fd = { .fd = c->fd, .events = POLLIN };
		int len;

		(void)poll(&fd, 1, CHILD_WAIT_MS);
		len = mesh_receive(c->fd, c->held ? &late : &c->message);
		if (len == -EAGAIN)
			continue;
		if (len < 0) {
			strbuf_add(error, "the agent is gone");
			return len;
		}
		if (c->held && late.head.kind == kind)
			return len;
		/* The other end waits for an answer to its first word. */
		if (c->held)
			return -EBADMSG;
		c->len = len;
		len = child_kept(c, kind, error);
		if (len != -EAGAIN)
			return len;
	}
	strbuf_add(error, "the other end does not come");
	return -ETIMEDOUT;
}

static int child_tell(struct child *c, const struct exchange_params *own,
		      uint32_t count, struct strbuf *error)
{
	json_t *list = json_array();
	char *text;
	int err;

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, exchange_hello_make(&own[i]));
	text = json_dumps(list, JSON_COMPACT);
	if (!text)
		abort();
	err = child_send(c, MESH_MEET, text, error);
	free(text);
	json_decref(list);
	return err;
}

/* What has come is the peer's for @first and so many more. */
static int child_learn(struct child *c, int len, struct exchange_params *peer,
		       uint32_t first, uint32_t count, struct strbuf *error)
{
	json_t *list =
		json_loadb((const char *)c->message.body, (size_t)len, 0, NULL);
	int err = 0;

	if (json_array_size(list) != count) {
		strbuf_addf(error, "the peer tells of %zu queue pairs, not %u",
			    json_array_size(list), count);
		err = -EBADMSG;
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		err = exchange_hello_read(json_array_get(list, i), &peer[i],
					  error);
		if (!err && peer[i].qp_index != first + i) {
			strbuf_addf(error, "the peer tells of QP %u, not %u",
				    peer[i].qp_index, first + i);
			err = -EBADMSG;
		}
	}
	json_decref(list);
	return err;
}

static int child_meet(void *arg, const struct exchange_params *own,
		      struct exchange_params *peer, uint32_t count,
		      struct strbuf *error)
{
	struct child *c = arg;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i += CHILD_BATCH) {
		uint32_t part = count - i < CHILD_BATCH ? count - i
							: CHILD_BATCH;

		err = child_tell(c, &own[i], part, error);
		if (!err)
			err = child_receive(c, MESH_MEET, error);
		if (err > 0)
			err = child_learn(c, err, &peer[i], i, part, error);
	}
	return err;
}

static int child_barrier(void *arg, const char *name, struct strbuf *error)
{
	struct child *c = arg;
	int len = child_send(c, MESH_BARRIER, name, error);

	if (!len)
		len = child_receive(c, MESH_BARRIER, error);
	if (len < 0)
		return len;
	if ((size_t)len == strlen(name) &&
	    memcmp(c->message.body, name, (size_t)len) == 0)
		return 0;
	strbuf_addf(error, "the other end is not at '%s'", name);
	return -EBADMSG;
}

static int child_open(struct child *c, struct traffic_end **e)
{
	struct mesh_shared *s = c->shared;
	struct strbuf error = STRBUF_INIT;
	int err = traffic_end_open(&s->start.program, s->start.end, &s->live, e,
				   &error);

	if (!err) {
		err = child_send(c, MESH_READY, "", &error);
		if (!err)
			err = child_receive(c, MESH_GO, &error);
		if (err > 0)
			err = 0;
		if (err)
			(void)!traffic_end_close(*e);
	}
	s->result.err = err;
	snprintf(s->result.error, sizeof(s->result.error), "%s",
		 strbuf_text(&error));
	strbuf_free(&error);
	return err;
}

int mesh_child(struct mesh_shared *shared, uint32_t pair, int fd)
{
	static struct child c;
	const struct traffic_control control = {
		.meet = child_meet,
		.barrier = child_barrier,
		.arg = &c,
		.stop = &shared->stop,
		.abort = &shared->abort,
	};
	struct traffic_end *e;
	int err;

	c = (struct child){ .shared = shared, .pair = pair, .fd = fd };
	err = child_open(&c, &e);
	if (err)
		return err;
	return traffic_end_finish(e, &control, &shared->result);
}
