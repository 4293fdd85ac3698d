// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * End b in a process of its own, forked before any device is opened, with a
 * TCP connection between the two.
 *
 * The first verdict of either process stands for the case (the runner's
 * record is shared); what is left to find out here is the death of one of
 * them: the kernel ends the second when the first dies, and the first looks
 * for the second's end in every wait.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "suite/control/connection.h"
#include "suite/control/exchange.h"
#include "suite/end/cm.h"
#include "suite/end/ends.h"
#include "suite/runner/inside.h"

enum {
	PEER_WAIT_MS = 10000,
	PEER_SLICE_MS = 20,
	PEER_SEND_MS = 1000,
	PEER_LAST_MS = 300
};

struct vb_peer {
	struct vb_test *t;
	pid_t child; /* 0: this is the second process */
	bool over;   /* the child has been seen to end */
	struct connection link;
};

static void peer_broken(struct vb_peer *p, struct strbuf *error) NO_RETURN;

static void peer_broken(struct vb_peer *p, struct strbuf *error)
{
	uint64_t deadline = vb_deadline(p->t, PEER_LAST_MS);

	/* If the other side has come to a verdict, or died, that is the cause.
	 * Its connection closes a moment before its end can be seen. */
	while (p->child && !p->over && vb_waiting(p->t, deadline)) {
		ends_peer_look(p);
		(void)poll(NULL, 0, 1);
	}
	(void)vb_waiting(p->t, 0);
	vb_broken(p->t, "the two processes of the case: %s",
		  strbuf_text(error));
}

/* The child has ended: is that well? */
static void peer_judge(struct vb_peer *p, int status)
{
	char text[PROCESS_DEATH_MAX];

	p->over = true;
	/* It left with a verdict of its own: then this process leaves too. */
	(void)vb_waiting(p->t, 0);
	process_death(status, text);
	if (WIFSIGNALED(status))
		vb_fail(p->t, VB_FIND_CRASH, "the process of end b %s", text);
	if (WEXITSTATUS(status))
		vb_broken(p->t, "the process of end b %s", text);
}

bool ends_peer_dead(const struct vb_peer *p)
{
	return p->child && p->over;
}

bool ends_peer_stopped(const struct vb_peer *p)
{
	return p->child && !p->over && process_stopped(p->child);
}

void ends_peer_look(struct vb_peer *p)
{
	int status;

	if (!p->child || p->over)
		return;
	if (waitpid(p->child, &status, WNOHANG) == p->child)
		peer_judge(p, status);
}

static void peer_child(struct vb_peer *p, unsigned port, pid_t parent,
		       void (*fn)(struct vb_test *t,
				  struct vb_peer *p)) NO_RETURN;

static void peer_child(struct vb_peer *p, unsigned port, pid_t parent,
		       void (*fn)(struct vb_test *t, struct vb_peer *p))
{
	struct strbuf error = STRBUF_INIT;
	struct vb_test *t = p->t;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It may have died before that took effect. */
	if (getppid() != parent)
		_exit(1);
	p->child = 0;
	if (connection_call(port, &fd, &error) ||
	    connection_open(&p->link, fd, &error))
		peer_broken(p, &error);
	fn(t, p);
	vb_peer_barrier(p, "end");
	vb_ends_close(t);
	inside_leave();
}

struct vb_peer *vb_peer_start(struct vb_test *t,
			      void (*fn)(struct vb_test *t, struct vb_peer *p))
{
	struct strbuf error = STRBUF_INIT;
	struct ends *e = ends_of(t);
	struct vb_peer *p = calloc(1, sizeof(*p));
	uint64_t deadline = vb_deadline(t, PEER_WAIT_MS);
	pid_t parent = getpid();
	int listener, fd, err;
	unsigned port;

	if (!p)
		vb_broken(t, "no memory for a second process");
	if (e->end[0] || e->end[1])
		vb_broken(t, "vb_peer_start() after the first use of an end");
	p->t = t;
	p->link.fd = -1;
	if (connection_listen(&listener, &port, &error))
		peer_broken(p, &error);
	e->peer = p;
	p->child = fork();
	if (p->child < 0)
		vb_broken(t, "a second process: %s", strerror(errno));
	if (p->child == 0) {
		close(listener);
		peer_child(p, port, parent, fn);
	}
	do {
		ends_peer_look(p);
		err = connection_accept(listener, PEER_SLICE_MS, &fd, &error);
	} while (err == -EAGAIN && vb_waiting(t, deadline));
	close(listener);
	if (err == -EAGAIN)
		strbuf_add(&error, "the process of end b has not called");
	if (err || connection_open(&p->link, fd, &error))
		peer_broken(p, &error);
	return p;
}

static json_t *peer_receive(struct vb_peer *p)
{
	uint64_t begun = clock_now_ns();
	uint64_t deadline = vb_deadline(p->t, PEER_WAIT_MS);
	struct strbuf error = STRBUF_INIT;
	struct ends *e = ends_of(p->t);
	json_t *object;
	int err;

	do {
		/* The ends go on: a peer may be waiting for them. */
		ends_progress(e);
		err = connection_receive(&p->link,
					 e->streams ? 0 : PEER_SLICE_MS,
					 &object, &error);
		if (err == -EAGAIN)
			ends_peer_look(p);
	} while (err == -EAGAIN && vb_waiting(p->t, deadline));
	if (err == -EAGAIN)
		strbuf_addf(&error,
			    "nothing heard from the other side for %llu ms",
			    (clock_now_ns() - begun) / NS_PER_MS);
	if (err)
		peer_broken(p, &error);
	return object;
}

/* Takes @object over. */
static void peer_send(struct vb_peer *p, json_t *object)
{
	struct strbuf error = STRBUF_INIT;
	int err = connection_send(&p->link, object, PEER_SEND_MS, &error);

	json_decref(object);
	if (err)
		peer_broken(p, &error);
}

void vb_peer_exchange(struct vb_peer *p, struct vb_qp *qp)
{
	struct strbuf error = STRBUF_INIT;
	json_t *object;

	if (cm_connects(p->t, qp->type))
		cm_skip(p->t, "two processes connect by hand");
	peer_send(p, exchange_hello_make(&qp->own));
	object = peer_receive(p);
	if (exchange_hello_read(object, &qp->remote, &error))
		peer_broken(p, &error);
	json_decref(object);
	/* The messages of an old life end here. */
	if (qp->out)
		pairing_reset(qp->out);
	qp->introduced = true;
	qp->origin_known = true;
	qp->origin = (struct pattern_origin){
		.end = qp->end->side ? 0 : 1,
		.qp_index = qp->remote.qp_index,
		.generation = qp->remote.generation,
	};
	vb_checked(p->t);
}

void vb_peer_barrier(struct vb_peer *p, const char *name)
{
	struct strbuf error = STRBUF_INIT;
	json_t *object;

	peer_send(p, exchange_barrier_make(name));
	object = peer_receive(p);
	if (exchange_barrier_read(object, name, &error))
		peer_broken(p, &error);
	json_decref(object);
}

uint64_t vb_peer_tell(struct vb_peer *p, uint64_t own)
{
	struct strbuf error = STRBUF_INIT;
	uint64_t other;
	json_t *object;

	peer_send(p, exchange_figure_make(own));
	object = peer_receive(p);
	if (exchange_figure_read(object, &other, &error))
		peer_broken(p, &error);
	json_decref(object);
	return other;
}

void vb_peer_stop(struct vb_peer *p)
{
	int status;

	if (!p->child || p->over)
		return;
	if (kill(p->child, SIGSTOP) ||
	    waitpid(p->child, &status, WUNTRACED) != p->child)
		vb_broken(p->t, "stopping the second process: %s",
			  strerror(errno));
	if (!WIFSTOPPED(status))
		peer_judge(p, status);
}

void vb_peer_continue(struct vb_peer *p)
{
	if (p->child && !p->over && kill(p->child, SIGCONT))
		vb_broken(p->t, "continuing the second process: %s",
			  strerror(errno));
}

void vb_peer_kill(struct vb_peer *p)
{
	if (!p->child || p->over)
		return;
	p->over = true;
	if (kill(p->child, SIGKILL) || waitpid(p->child, NULL, 0) != p->child)
		vb_broken(p->t, "ending the second process: %s",
			  strerror(errno));
	connection_close(&p->link);
}

static bool peer_ended(void *arg)
{
	struct vb_peer *p = arg;

	ends_peer_look(p);
	return p->over;
}

void vb_peer_finish(struct vb_peer *p)
{
	struct vb_test *t = p->t;

	if (!p->child || p->link.fd < 0)
		return;
	vb_peer_barrier(p, "end");
	if (!ends_wait(ends_of(t), vb_deadline(t, PEER_WAIT_MS), peer_ended, p))
		vb_fail(t, VB_FIND_HANG,
			"the process of end b has not ended within %d ms",
			PEER_WAIT_MS);
	connection_close(&p->link);
	vb_checked(t);
}

void ends_peer_close(struct vb_peer *p)
{
	struct ends *e = ends_of(p->t);

	vb_peer_finish(p);
	connection_close(&p->link);
	e->peer = NULL;
	free(p);
}
