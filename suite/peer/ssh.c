// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ssh as a child of a process of its own, the relay, which whoever needs a
 * connection calls by a socket of this host. */
#include "suite/peer/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "suite/peer/relay.h"
#include "suite/runner/process.h"

enum { SSH_NOISE_MAX = 65536, SSH_END_MS = 2000, SSH_BACKLOG = 16 };

/* Shared with the relay's process, for what it has to tell. */
struct ssh {
	pid_t relay;
	char host[256];
	char command[512];
	int status;	 /* of ssh, by wait(); -1: it has not ended */
	bool talks;	 /* a server has answered through it */
	char noise[160]; /* what it printed instead */
};

static void ssh_exec(const struct vb_options *o, const char *host,
		     const int to[2], const int from[2])
{
	struct strbuf line = STRBUF_INIT;
	sigset_t none;

	/* An interrupt is for the run, which still needs its peer. */
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
		_exit(126);
	/* The command may have words of its own: a shell takes it apart. */
	setenv("VERBATIM_PEER_HOST", host, 1);
	strbuf_addf(&line, "exec %s \"$VERBATIM_PEER_HOST\" %s serve --stdio",
		    o->ssh_command, o->peer_program);
	if (o->peer_device) {
		setenv("VERBATIM_PEER_DEVICE_", o->peer_device, 1);
		strbuf_add(&line, " --device \"$VERBATIM_PEER_DEVICE_\"");
	}
	execl("/bin/sh", "sh", "-c", strbuf_text(&line), (char *)NULL);
	_exit(126);
}

/* Skip what a login prints, up to the server's first word. */
static bool ssh_greeted(struct ssh *s, int fd)
{
	static const char magic[] = RELAY_MAGIC;
	size_t matched = 0, noise = 0, read_so_far = 0;
	unsigned char byte;

	while (matched < sizeof(magic) - 1 && read_so_far++ < SSH_NOISE_MAX) {
		if (read(fd, &byte, 1) != 1)
			return false;
		if (byte == (unsigned char)magic[matched]) {
			matched++;
			continue;
		}
		matched = byte == (unsigned char)magic[0];
		if (!matched && noise < sizeof(s->noise) - 1)
			s->noise[noise++] =
				byte >= 0x20 && byte < 0x7f ? (char)byte : ' ';
	}
	return matched == sizeof(magic) - 1;
}

/* The relay's process, to its end. */
static void ssh_relay(struct ssh *s, const struct vb_options *o, int listener)
{
	struct relay r = { .listener = listener, .signals = -1 };
	struct strbuf error = STRBUF_INIT;
	int to[2], from[2], status = 0;
	pid_t child;

	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		_exit(1);
	child = fork();
	if (child < 0)
		_exit(1);
	if (!child)
		ssh_exec(o, s->host, to, from);
	close(to[0]);
	close(from[1]);
	r.in = from[0];
	r.out = to[1];
	s->talks = ssh_greeted(s, r.in);
	if (s->talks && relay_run(&r, &error))
		log_error("peer 'ssh:%s': %s", s->host, strbuf_text(&error));
	/* Its input ends, and with it the server and ssh. */
	close(to[1]);
	close(from[0]);
	if (process_wait(child, clock_now_ns() + SSH_END_MS * NS_PER_MS,
			 &status)) {
		kill(child, SIGTERM);
		(void)!process_wait(child,
				    clock_now_ns() + SSH_END_MS * NS_PER_MS,
				    &status);
	}
	s->status = status;
	_exit(0);
}

static int ssh_listen(struct address *address, int *out, struct strbuf *error)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	uint64_t chance = 0;
	socklen_t size;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		abort();
	address->kind = ADDRESS_LOCAL;
	snprintf(address->host, sizeof(address->host), "verbatim-%d-%016llx",
		 (int)getpid(), (unsigned long long)chance);
	memcpy(un.sun_path + 1, address->host, strlen(address->host));
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(address->host));
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, size) ||
	    listen(fd, SSH_BACKLOG)) {
		int err = -errno;

		strbuf_addf(error, "a socket for ssh: %s", strerror(-err));
		if (fd >= 0)
			close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

int ssh_open(const struct vb_options *options, struct address *address,
	     struct ssh **out, struct strbuf *error)
{
	struct ssh *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid();
	int listener = -1, err;

	if (s == MAP_FAILED)
		return -ENOMEM;
	memcpy(s->host, address->host, sizeof(s->host));
	s->status = -1;
	err = ssh_listen(address, &listener, error);
	if (err)
		goto err_unmap;
	fflush(NULL);
	s->relay = fork();
	if (s->relay < 0) {
		err = -errno;
		close(listener);
		goto err_unmap;
	}
	if (!s->relay) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		ssh_relay(s, options, listener);
	}
	close(listener);
	*out = s;
	return 0;

err_unmap:
	munmap(s, sizeof(*s));
	return err;
}

void ssh_explain(struct ssh *s, struct strbuf *error)
{
	char text[PROCESS_DEATH_MAX];
	int status;

	/* The relay ends with ssh; then it is known how. */
	(void)!process_wait(s->relay, clock_now_ns() + SSH_END_MS * NS_PER_MS,
			    &status);
	s->relay = 0;
	if (s->talks || s->status == -1)
		return;
	strbuf_reset(error);
	if (!WIFEXITED(s->status))
		strbuf_addf(error, "ssh %s", process_death(s->status, text));
	else if (WEXITSTATUS(s->status) == 127)
		strbuf_add(error,
			   "no verbatim there, or not where ssh looks for "
			   "commands: install it, or say where by "
			   "--peer-program");
	else if (WEXITSTATUS(s->status) == 255)
		strbuf_add(error, "ssh does not get there: see what it said");
	else
		strbuf_addf(error,
			    "ssh left with status %d before a server "
			    "answered",
			    WEXITSTATUS(s->status));
	if (s->noise[0])
		strbuf_addf(error, "; it printed: %s", s->noise);
}

void ssh_close(struct ssh *s)
{
	int status;

	if (s->relay > 0) {
		kill(s->relay, SIGTERM);
		(void)!process_wait(s->relay,
				    clock_now_ns() + SSH_END_MS * NS_PER_MS,
				    &status);
	}
	munmap(s, sizeof(*s));
}
