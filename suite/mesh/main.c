// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbatim-mesh PROGRAM ARGUMENT...: the relay of a rank, and the only program
 * that knows MPI.  It starts PROGRAM, the agent, and carries its messages to
 * the agents of other ranks and theirs to it.  "verbatim mesh" becomes this
 * program; see suite/mesh/message.h.
 */
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "suite/mesh/message.h"
#include "suite/runner/exit.h"

enum {
	RELAY_TAG = 1,
	/* There is no descriptor that tells of an MPI message. */
	RELAY_LOOK_MS = 1,
	RELAY_PARTING_S = 10,
	/* From the end of the run to that of the agent. */
	RELAY_AGENT_S = 3,
};

/* A message on its way; its memory is MPI's until it is done. */
struct relay_out {
	struct relay_out *next;
	MPI_Request request;
	unsigned char bytes[];
};

struct relay {
	int fd;	     /* to the agent */
	pid_t agent; /* 0: gone */
	int status;  /* of the agent, as waitpid() has it */
	int rank, ranks;
	struct relay_out *out;
	bool ended; /* the judge has said so */
	uint64_t ended_ns;
};

static pid_t relay_start(int fds[2], char **argv)
{
	pid_t parent = getpid(), pid = fork();
	char number[16];

	if (pid)
		return pid;
	/* The launcher's SIGTERM reaches the agent as well; but should this
	 * process be killed, nobody would tell it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	/* Its copy has to live through exec. */
	snprintf(number, sizeof(number), "%d", dup(fds[1]));
	setenv(MESH_FD_VARIABLE, number, 1);
	execv(argv[0], argv);
	log_error("program '%s': %s", argv[0], strerror(errno));
	_exit(EXIT_ABSENT);
}

static void relay_forget(struct relay *r)
{
	struct relay_out **at = &r->out;

	while (*at) {
		struct relay_out *o = *at;
		int done = 0;

		/* What cannot be sent any more is no longer waited for. */
		if (MPI_Test(&o->request, &done, MPI_STATUS_IGNORE) ==
			    MPI_SUCCESS &&
		    !done) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		free(o);
	}
}

static void relay_to_agent(struct relay *r, const struct mesh_message *m,
			   int bytes)
{
	/* Gone: nobody needs it. */
	if (r->agent)
		(void)!mesh_send(r->fd, &m->head, m->body,
				 (uint32_t)bytes - sizeof(m->head));
	if (m->head.kind == MESH_END && !r->ended) {
		r->ended = true;
		r->ended_ns = clock_now_ns();
	}
}

static void relay_send(struct relay *r, struct mesh_message *m, int bytes)
{
	uint32_t to = m->head.rank;
	struct relay_out *o;

	m->head.rank = (uint32_t)r->rank;
	if (to == (uint32_t)r->rank)
		relay_to_agent(r, m, bytes);
	if (to == (uint32_t)r->rank || to >= (uint32_t)r->ranks)
		return;
	o = malloc(sizeof(*o) + (size_t)bytes);
	if (!o)
		abort();
	memcpy(o->bytes, m, (size_t)bytes);
	if (MPI_Isend(o->bytes, bytes, MPI_BYTE, (int)to, RELAY_TAG,
		      MPI_COMM_WORLD, &o->request) != MPI_SUCCESS) {
		log_error("rank %u cannot be told anything", to);
		free(o);
		return;
	}
	o->next = r->out;
	r->out = o;
}

static void relay_tell(struct relay *r, enum mesh_kind kind, uint32_t to,
		       uint32_t value)
{
	struct mesh_message m;

	m.head = (struct mesh_head){ .kind = kind, .rank = to, .pair = value };
	relay_send(r, &m, sizeof(m.head));
}

/* Everything that the agent has said; false: it says no more. */
static bool relay_from_agent(struct relay *r)
{
	static struct mesh_message m;

	for (;;) {
		int len = mesh_receive(r->fd, &m);

		if (len < 0)
			return len == -EAGAIN || len == -EBADMSG;
		relay_send(r, &m, (int)sizeof(m.head) + len);
	}
}

static void relay_from_ranks(struct relay *r)
{
	static struct mesh_message m;
	int there = 0, bytes = 0;
	MPI_Status status;

	for (;;) {
		struct pollfd fd = { .fd = r->fd, .events = POLLOUT };

		/* What the agent cannot take now stays with MPI. */
		if (r->agent && poll(&fd, 1, 0) == 1 &&
		    !(fd.revents & (POLLOUT | POLLHUP)))
			return;
		if (MPI_Iprobe(MPI_ANY_SOURCE, RELAY_TAG, MPI_COMM_WORLD,
			       &there, &status) != MPI_SUCCESS ||
		    !there)
			return;
		if (MPI_Recv(&m, sizeof(m), MPI_BYTE, status.MPI_SOURCE,
			     RELAY_TAG, MPI_COMM_WORLD, &status) != MPI_SUCCESS)
			return;
		MPI_Get_count(&status, MPI_BYTE, &bytes);
		if ((size_t)bytes < sizeof(m.head))
			continue;
		m.head.rank = (uint32_t)status.MPI_SOURCE;
		relay_to_agent(r, &m, bytes);
	}
}

static void relay_agent_gone(struct relay *r)
{
	char text[PROCESS_DEATH_MAX];

	r->agent = 0;
	/* As it should be: nobody is there to be told. */
	if (r->ended)
		return;
	if (r->rank) {
		relay_tell(r, MESH_GONE, 0, (uint32_t)r->status);
		return;
	}
	if (WIFSIGNALED(r->status))
		log_error("rank 0, the judge, %s",
			  process_death(r->status, text));
	/* Without the judge it is over for all. */
	for (int to = 1; to < r->ranks; to++)
		relay_tell(r, MESH_END, (uint32_t)to, 0);
	r->ended = true;
}

static void relay_loop(struct relay *r)
{
	bool heard = true;

	while (r->agent || !r->ended) {
		struct pollfd fd = { .fd = heard ? r->fd : -1,
				     .events = POLLIN };
		bool gone = r->agent &&
			    waitpid(r->agent, &r->status, WNOHANG) == r->agent;

		/* What it said before it went is passed on first. */
		if (heard && !relay_from_agent(r))
			heard = false;
		if (gone)
			relay_agent_gone(r);
		relay_from_ranks(r);
		relay_forget(r);
		if (r->agent && r->ended &&
		    clock_now_ns() - r->ended_ns > RELAY_AGENT_S * NS_PER_S)
			kill(r->agent, SIGKILL);
		(void)poll(&fd, 1, RELAY_LOOK_MS);
	}
}

/* All together, unless one does not come: then the job is ended. */
static void relay_part(struct relay *r, int status)
{
	uint64_t until_ns = clock_now_ns() + RELAY_PARTING_S * NS_PER_S;
	MPI_Request request;
	int all = 0;

	if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, status);
	while (!all || r->out) {
		relay_forget(r);
		if (!all &&
		    MPI_Test(&request, &all, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			break;
		if (clock_now_ns() > until_ns)
			break;
		(void)poll(NULL, 0, RELAY_LOOK_MS);
	}
	if (!all || r->out)
		MPI_Abort(MPI_COMM_WORLD, status);
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	struct relay r = { .rank = 0 };
	int fds[2], status;

	log_setup("verbatim-mesh", LOG_WARN);
	if (argc < 2) {
		log_error("this is a part of 'verbatim mesh'; start that");
		return EXIT_USAGE;
	}
	if (mesh_message_pair(fds)) {
		log_error("a channel to the agent: %s", strerror(errno));
		return EXIT_FAILED;
	}
	/* Before MPI is there: what it holds does not get into the agent. */
	r.agent = relay_start(fds, argv + 1);
	if (r.agent < 0) {
		log_error("starting the agent: %s", strerror(errno));
		return EXIT_FAILED;
	}
	close(fds[1]);
	r.fd = fds[0];
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
	(void)!mesh_send(r.fd,
			 &(struct mesh_head){ .kind = MESH_WELCOME,
					      .rank = (uint32_t)r.rank,
					      .pair = (uint32_t)r.ranks },
			 NULL, 0);
	relay_loop(&r);
	/* The verdict is the judge's; a launcher takes another rank's status
	 * for its death. */
	status = r.rank		       ? EXIT_FINE
		 : WIFEXITED(r.status) ? WEXITSTATUS(r.status)
				       : EXIT_FAILED;
	relay_part(&r, status);
	fflush(NULL);
	/* What MPI leaves behind is none of ours. */
	_exit(status);
}
