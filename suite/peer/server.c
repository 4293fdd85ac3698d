// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The server's first process: it accepts, starts, reaps, and touches neither a
 * device nor what strangers send. */
#include "suite/peer/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "suite/oracle/recorder.h"
#include "suite/runner/exit.h"
#include "suite/runner/process.h"

static void *server_share(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int server_open(struct server *s, const struct vb_options *options)
{
	sigset_t set;

	*s = (struct server){
		.options = options, .listener = -1, .ended = -1, .signals = -1
	};
	s->recorder_bytes = recorder_bytes(SERVER_RECORDS);
	s->area = server_share(sizeof(*s->area));
	s->recorder_memory = server_share(s->recorder_bytes);
	s->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	process_signal_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (!s->area || !s->recorder_memory || s->ended < 0 || s->signals < 0) {
		log_error("the server cannot be set up: %s", strerror(errno));
		return -ENOMEM;
	}
	if (!recorder_init(s->recorder_memory, s->recorder_bytes))
		return -ENOMEM;
	/* What is left by a process that dies is ours to end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return 0;
}

void server_close(struct server *s)
{
	if (s->listener >= 0)
		close(s->listener);
	if (s->ended >= 0)
		close(s->ended);
	if (s->signals >= 0)
		close(s->signals);
}

static struct server_child *server_child(struct server *s, pid_t pid)
{
	for (size_t i = 0; i < SERVER_CHILDREN_MAX; i++)
		if (s->children[i].pid == pid)
			return &s->children[i];
	return NULL;
}

static void server_note_end(struct server *s, pid_t pid, int status);

/* A place for one more: that of the oldest who has not said who it is, if
 * there is no other. */
static struct server_child *server_place(struct server *s)
{
	struct server_child *child = server_child(s, 0);
	int status;

	if (child)
		return child;
	for (size_t i = 0; i < SERVER_CHILDREN_MAX; i++)
		if (!atomic_load(&s->area->known[i]) &&
		    (!child || s->children[i].number < child->number))
			child = &s->children[i];
	if (!child)
		return NULL;
	/* It waits for words: nothing keeps it. */
	child->evicted = true;
	kill(child->pid, SIGKILL);
	if (waitpid(child->pid, &status, 0) == child->pid)
		server_note_end(s, child->pid, status);
	return child->pid ? NULL : child;
}

void server_start(struct server *s, int fd, bool trusted)
{
	struct server_child *child = server_place(s);
	pid_t parent = getpid(), pid;
	char from[sizeof(child->from)];

	address_text(fd, true, from, sizeof(from));
	fflush(NULL);
	if (child) {
		s->place = (size_t)(child - s->children);
		atomic_store(&s->area->known[s->place], false);
	}
	pid = child ? fork() : -1;
	if (pid < 0) {
		log_warn("%s: refused: %d connections are all", from,
			 SERVER_CHILDREN_MAX);
		close(fd);
		return;
	}
	if (!pid) {
		sigset_t none;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		prctl(PR_SET_CHILD_SUBREAPER, 0);
		setsid();
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		server_connection(s, fd, trusted, from);
	}
	close(fd);
	child->pid = pid;
	child->number = s->started++;
	child->evicted = false;
	memcpy(child->from, from, sizeof(from));
}

/* A session's cases do not outlive it. */
static void server_end_cases(struct server *s)
{
	for (size_t i = 0; i < SERVER_CASES_MAX; i++) {
		int pid = atomic_load(&s->area->cases[i].process);

		if (pid && server_child(s, pid))
			kill(pid, SIGKILL);
	}
}

static void server_note_end(struct server *s, pid_t pid, int status)
{
	struct server_child *child = server_child(s, pid);
	char text[PROCESS_DEATH_MAX];
	uint64_t one = 1;
	int expected = pid;

	if (child && child->evicted)
		log_warn("%s: refused: %d connections are all, and it had not "
			 "said who it is",
			 child->from, SERVER_CHILDREN_MAX);
	else if (child && WIFSIGNALED(status))
		log_warn("%s: its process %d %s", child->from, pid,
			 process_death(status, text));
	if (child)
		child->pid = 0;
	for (size_t i = 0; i < SERVER_CASES_MAX; i++) {
		expected = pid;
		if (status && atomic_load(&s->area->cases[i].process) == pid)
			atomic_store(&s->area->bad_status, status);
		atomic_compare_exchange_strong(&s->area->cases[i].process,
					       &expected, 0);
	}
	if (atomic_load(&s->area->session) == pid) {
		server_end_cases(s);
		atomic_store(&s->area->session, 0);
	}
	(void)!write(s->ended, &one, sizeof(one));
}

bool server_signals(struct server *s)
{
	struct signalfd_siginfo info;
	bool go_on = true;
	int status;
	pid_t pid;

	while (read(s->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			go_on = false;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		server_note_end(s, pid, status);
	return go_on;
}

void server_end_children(struct server *s)
{
	for (size_t i = 0; i < SERVER_CHILDREN_MAX; i++)
		if (s->children[i].pid)
			kill(s->children[i].pid, SIGTERM);
	process_sweep(NULL, 0);
}

int server_run(struct server *s)
{
	struct pollfd fds[] = {
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = s->listener, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && !server_signals(s))
			break;
		if (fds[1].revents) {
			int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

			if (fd >= 0)
				server_start(s, fd, false);
		}
	}
	server_end_children(s);
	return EXIT_FINE;
}
