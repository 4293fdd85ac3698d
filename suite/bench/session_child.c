// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The process of an end: it meets the other one by frames over a socket. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/bench/session_inner.h"
#include "suite/bench/traffic_end.h"
#include "suite/control/connection.h"

enum { CHILD_WAIT_MS = 100, CHILD_OPEN_MS = 60000 };

struct child {
	struct session_shared *shared;
	uint32_t end;
	struct connection connection;
};

/* The next frame; the other end may take as long as it opens its device. */
static int child_receive(struct child *c, json_t **object, struct strbuf *error)
{
	uint64_t limit_ns =
		c->shared->program.patience_ns + CHILD_OPEN_MS * NS_PER_MS;
	uint64_t until_ns = clock_now_ns() + limit_ns;
	int err;

	do {
		err = connection_receive(&c->connection, CHILD_WAIT_MS, object,
					 error);
		if (err != -EAGAIN)
			return err;
	} while (clock_now_ns() < until_ns &&
		 !__atomic_load_n(&c->shared->abort, __ATOMIC_RELAXED));
	strbuf_add(error, "the other end does not come");
	return -ETIMEDOUT;
}

static int child_send(struct child *c, json_t *object, struct strbuf *error)
{
	int err = connection_send(&c->connection, object, CHILD_OPEN_MS, error);

	json_decref(object);
	return err;
}

/* One by one, so that no buffer has to hold them all. */
static int child_meet(void *arg, const struct exchange_params *own,
		      struct exchange_params *peer, uint32_t count,
		      struct strbuf *error)
{
	struct child *c = arg;
	json_t *object;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		err = child_send(c, exchange_hello_make(&own[i]), error);
		if (!err)
			err = child_receive(c, &object, error);
		if (err)
			break;
		err = exchange_hello_read(object, &peer[i], error);
		json_decref(object);
		if (!err && peer[i].qp_index != i) {
			strbuf_addf(error, "the peer tells of QP %u, not %u",
				    peer[i].qp_index, i);
			err = -EBADMSG;
		}
	}
	return err;
}

static int child_barrier(void *arg, const char *name, struct strbuf *error)
{
	struct child *c = arg;
	json_t *object;
	int err = child_send(c, exchange_barrier_make(name), error);

	if (!err)
		err = child_receive(c, &object, error);
	if (err)
		return err;
	err = exchange_barrier_read(object, name, error);
	json_decref(object);
	return err;
}

static int child_life(struct child *c)
{
	struct session_shared *shared = c->shared;
	struct traffic_result *r = &shared->results[c->end];
	const struct traffic_control control = {
		.meet = child_meet,
		.barrier = child_barrier,
		.arg = c,
		.stop = &shared->stop,
		.abort = &shared->abort,
	};
	struct strbuf error = STRBUF_INIT;
	struct traffic_end *e;

	r->end = c->end;
	r->err = traffic_end_open(&shared->program, c->end,
				  &shared->live[c->end], &e, &error);
	snprintf(r->error, sizeof(r->error), "%s", strbuf_text(&error));
	strbuf_free(&error);
	if (r->err)
		return r->err;
	return traffic_end_finish(e, &control, r);
}

void session_child_settle(pid_t parent)
{
	/* The one who looks on decides what an interrupt means. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
}

static struct child *child_make(struct session_shared *shared, uint32_t end,
				int fd)
{
	struct child *c = calloc(1, sizeof(*c));
	struct strbuf error = STRBUF_INIT;

	if (!c || connection_open(&c->connection, fd, &error))
		abort();
	c->shared = shared;
	c->end = end;
	return c;
}

void session_child(struct session_shared *shared, uint32_t end, int fd,
		   pid_t parent)
{
	struct child *c = child_make(shared, end, fd);
	int err;

	session_child_settle(parent);
	err = child_life(c);
	connection_close(&c->connection);
	free(c);
	_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void *child_thread(void *arg)
{
	struct child *c = arg;

	/* The other one would wait for it in vain. */
	if (child_life(c))
		__atomic_store_n(&c->shared->abort, true, __ATOMIC_RELAXED);
	connection_close(&c->connection);
	return NULL;
}

void session_child_threads(struct session_shared *shared, int fds[2],
			   pid_t parent)
{
	struct child *children[SESSION_ENDS];
	pthread_t threads[SESSION_ENDS];
	int err = 0;

	session_child_settle(parent);
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		children[end] = child_make(shared, end, fds[end]);
		if (pthread_create(&threads[end], NULL, child_thread,
				   children[end]))
			abort();
	}
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		pthread_join(threads[end], NULL);
		free(children[end]);
		err |= shared->results[end].err;
	}
	_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}
