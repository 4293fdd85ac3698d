// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starting both ends and watching over them; how they meet: session_child.c,
 * what came of them: session_end.c. */
#include "suite/bench/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/bench/session_inner.h"

static const struct session_far *session_far;
static volatile sig_atomic_t session_signal_count;

static void session_signal(int number)
{
	session_signal_count++;
}

void session_catch_signals(void)
{
	/* Without SA_RESTART: who waits shall see it. */
	struct sigaction act = { .sa_handler = session_signal };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}

unsigned session_signals(void)
{
	return (unsigned)session_signal_count;
}

void session_set_far(const struct session_far *far)
{
	session_far = far;
}

/* A process that stands for an end elsewhere. */
static NO_RETURN void session_far_child(struct session_shared *shared, int fd,
					pid_t parent)
{
	int err;

	session_child_settle(parent);
	err = session_far->carry(session_far, shared, fd);
	_exit(err ? EXIT_FAILURE : EXIT_SUCCESS);
}

static int session_fork(struct session *s, uint32_t end, int fds[2],
			struct strbuf *error)
{
	struct session_shared *shared = s->inner;
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		strbuf_addf(error, "starting an end: %s", strerror(errno));
		return -errno;
	}
	if (pid == 0) {
		if (shared->program.threads)
			session_child_threads(shared, fds, parent);
		close(fds[!end]);
		if (s->far && s->far->side == end)
			session_far_child(shared, fds[end], parent);
		session_child(shared, end, fds[end], parent);
	}
	s->pids[end] = pid;
	return 0;
}

/* What is shared, and the way between the ends. */
static int session_make(const struct traffic_program *p, struct session *s,
			int fds[2], struct strbuf *error)
{
	struct session_shared *shared;
	int err = traffic_program_check(p, error);

	if (err)
		return err;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
		strbuf_addf(error, "a channel between the ends: %s",
			    strerror(errno));
		return -errno;
	}
	*s = (struct session){ .inner = shared };
	shared->program = *p;
	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		s->live[end] = &shared->live[end];
		s->results[end] = &shared->results[end];
		/* Until an end says otherwise. */
		shared->results[end].err = -ECHILD;
	}
	return 0;
}

int session_start(const struct traffic_program *p, struct session *s,
		  struct strbuf *error)
{
	struct session_shared *shared;
	int fds[2], err = session_make(p, s, fds, error);

	if (err)
		return err;
	shared = s->inner;
	if (session_far)
		err = session_far->begin(session_far, error);
	if (!err)
		s->far = session_far;
	for (uint32_t end = 0; end < (p->threads ? 1 : SESSION_ENDS); end++)
		if (!err)
			err = session_fork(s, end, fds, error);
	close(fds[0]);
	close(fds[1]);
	if (err) {
		struct strbuf ignored = STRBUF_INIT;

		shared->abort = true;
		(void)!session_end(s, 0, &ignored);
		strbuf_free(&ignored);
		session_free(s);
	}
	return err;
}

int session_start_half(const struct traffic_program *p, uint32_t end,
		       struct session *s, int *fd, struct strbuf *error)
{
	int fds[2], err = session_make(p, s, fds, error);

	if (err)
		return err;
	err = session_fork(s, end, fds, error);
	close(fds[end]);
	*fd = fds[!end];
	if (err) {
		close(*fd);
		session_free(s);
	}
	return err;
}

/* Take those who have gone. */
static bool session_reap(struct session *s)
{
	struct session_shared *shared = s->inner;
	bool left = false;

	for (uint32_t end = 0; end < SESSION_ENDS; end++) {
		int status;

		if (s->pids[end] == 0)
			continue;
		if (waitpid(s->pids[end], &status, WNOHANG) != s->pids[end]) {
			left = true;
			continue;
		}
		s->pids[end] = 0;
		shared->status[end] = status;
		if (!status)
			continue;
		if (!__atomic_load_n(&shared->abort, __ATOMIC_RELAXED))
			shared->first = end;
		/* The other one would wait for it in vain. */
		__atomic_store_n(&shared->abort, true, __ATOMIC_RELAXED);
	}
	return !left;
}

bool session_wait(struct session *s, int wait_ms)
{
	uint64_t until_ns = clock_now_ns() + (uint64_t)wait_ms * NS_PER_MS;
	unsigned signals = session_signals();

	while (!session_reap(s)) {
		if (clock_now_ns() >= until_ns || session_signals() != signals)
			return false;
		/* There is no descriptor that tells: look now and then. */
		(void)poll(NULL, 0, wait_ms < 10 ? wait_ms : 10);
	}
	return true;
}

void session_stop(struct session *s)
{
	struct session_shared *shared = s->inner;

	if (__atomic_exchange_n(&shared->stop, true, __ATOMIC_RELAXED))
		__atomic_store_n(&shared->abort, true, __ATOMIC_RELAXED);
}

void session_free(struct session *s)
{
	munmap(s->inner, sizeof(struct session_shared));
	s->inner = NULL;
}

int session_run(const struct traffic_program *p,
		struct traffic_result *results[SESSION_ENDS],
		struct strbuf *error)
{
	int limit_ms =
		(int)((p->duration_ns + p->warm_up_ns + 3 * p->patience_ns) /
		      NS_PER_MS) +
		30000;
	unsigned signals = session_signals();
	struct session s;
	int err = session_start(p, &s, error);

	if (err)
		return err;
	/* By messages: as long as it takes, while it goes on at all. */
	if (p->messages)
		limit_ms = 3600 * 1000;
	while (limit_ms > 0 && !session_wait(&s, 100)) {
		limit_ms -= 100;
		if (session_signals() != signals)
			session_stop(&s);
	}
	err = session_end(&s, 0, error);
	for (uint32_t end = 0; end < SESSION_ENDS; end++)
		memcpy(results[end], s.results[end], sizeof(*results[end]));
	session_free(&s);
	return err;
}
