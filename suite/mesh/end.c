// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starting the process of an end, and what is left of it; its life: child.c. */
#include "suite/mesh/end.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite/mesh/child.h"

static void end_settle(pid_t parent)
{
	/* The agent decides what an interrupt means. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

static int end_fork(struct mesh_end *e, int fds[2], int relay)
{
	pid_t parent = getpid();

	fflush(NULL);
	e->pid = fork();
	if (e->pid < 0)
		return -errno;
	if (e->pid == 0) {
		end_settle(parent);
		close(fds[0]);
		close(relay);
		_exit(mesh_child(e->shared, e->pair, fds[1]) ? 1 : 0);
	}
	return 0;
}

int mesh_end_start(const struct mesh_start *start, uint32_t pair, int relay,
		   struct mesh_end *out, struct strbuf *error)
{
	struct mesh_end e = { .pair = pair };
	int fds[2], err;

	e.shared = mmap(NULL, sizeof(*e.shared), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (e.shared == MAP_FAILED) {
		err = -errno;
		goto tell;
	}
	e.shared->start = *start;
	/* Until it says otherwise. */
	e.shared->result.err = -ECHILD;
	e.shared->result.end = start->end;
	e.shared->result.qps = start->program.qps;
	err = mesh_message_pair(fds);
	if (err)
		goto unmap;
	err = end_fork(&e, fds, relay);
	close(fds[1]);
	if (err)
		goto close_own;
	e.fd = fds[0];
	*out = e;
	return 0;
close_own:
	close(fds[0]);
unmap:
	munmap(e.shared, sizeof(*e.shared));
tell:
	strbuf_addf(error, "starting an end: %s", strerror(-err));
	return err;
}

void mesh_end_abort(struct mesh_end *e)
{
	__atomic_store_n(&e->shared->abort, true, __ATOMIC_RELAXED);
	if (e->aborts++)
		kill(e->pid, SIGKILL);
}

bool mesh_end_gone(struct mesh_end *e, bool wait, int *status)
{
	return waitpid(e->pid, status, wait ? 0 : WNOHANG) == e->pid;
}

void mesh_end_free(struct mesh_end *e)
{
	close(e->fd);
	munmap(e->shared, sizeof(*e->shared));
}
