// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A case's process is a session of its own, killed when the worker dies.  What
 * it started and left becomes the worker's child (PR_SET_CHILD_SUBREAPER), so
 * that nothing gets away, whatever group or session it moved to.
 */
#include "suite/runner/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/runner/area.h"
#include "suite/runner/inside.h"
#include "suite/runner/starved.h"

/* From "please stop" to the kill; times --patience. */
enum { PROCESS_GRACE_MS = 1000 };
/* A case that is starved may take so many of its limits more. */
enum { PROCESS_STARVED_LIMITS = 5 };

void process_signal_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

int process_host_open(struct process_host *host, struct area *area, int front)
{
	sigset_t set;
	int err;

	*host = (struct process_host){ .area = area, .front = front };
	process_signal_set(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	host->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (host->signals < 0)
		return -errno;
	if (pipe2(host->capture, O_CLOEXEC)) {
		err = -errno;
		goto close_signals;
	}
	/* Only our end: for the case it is an ordinary, blocking stream. */
	if (fcntl(host->capture[0], F_SETFL, O_NONBLOCK) ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		err = -errno;
		goto close_capture;
	}
	return 0;

close_capture:
	close(host->capture[0]);
	close(host->capture[1]);
close_signals:
	close(host->signals);
	return err;
}

void process_host_close(struct process_host *host)
{
	close(host->capture[0]);
	close(host->capture[1]);
	close(host->signals);
}

static void process_take_signals(struct process_host *host)
{
	struct signalfd_siginfo info;

	while (read(host->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD || host->interrupt)
			continue;
		host->interrupt = info.ssi_signo == SIGINT ? "interrupted"
				  : info.ssi_signo == SIGTERM
					  ? "interrupted by "
					    "SIGTERM"
					  : "interrupted by "
					    "SIGHUP";
	}
}

static void process_take_capture(struct process_host *host)
{
	char bytes[4096];
	ssize_t len;

	while ((len = read(host->capture[0], bytes, sizeof(bytes))) > 0)
		area_add_capture(host->area, bytes, (size_t)len);
}

/* Wait until @deadline_ns or until something has happened, and take it. */
static void process_watch(struct process_host *host, uint64_t deadline_ns)
{
	struct pollfd fds[] = {
		{ .fd = host->signals, .events = POLLIN },
		{ .fd = host->capture[0], .events = POLLIN },
		/* Reported for ever once it is gone: then no longer asked. */
		{ .fd = host->interrupt ? -1 : host->front, .events = POLLIN },
	};
	uint64_t now_ns = clock_now_ns();
	uint64_t wait_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;

	if (wait_ns > NS_PER_S)
		wait_ns = NS_PER_S;
	if (poll(fds, ARRAY_SIZE(fds),
		 (int)((wait_ns + NS_PER_MS - 1) / NS_PER_MS)) <= 0)
		return;
	process_take_signals(host);
	process_take_capture(host);
	if (fds[2].revents && !host->interrupt)
		host->interrupt = "the runner died";
}

bool process_host_interrupted(struct process_host *host)
{
	process_watch(host, 0);
	return host->interrupt;
}

static void process_child(struct process_host *host,
			  const struct vb_case *record,
			  const struct vb_options *options, uint64_t seed,
			  pid_t worker)
{
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != worker)
		_exit(0);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	setsid();
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	inside_run(record, options, seed, host->area, host->capture[1],
		   host->peer);
}

static void process_kill(pid_t pid, int sig)
{
	/* The group exists once the child has come to setsid(). */
	if (kill(-pid, sig))
		kill(pid, sig);
}

/* What the host has kept it from running is not its time; but there is an end
 * to that too. */
static uint64_t process_starved_ns(pid_t pid, uint64_t limit_ns)
{
	uint64_t ns = starved_ns(pid);
	uint64_t most_ns = PROCESS_STARVED_LIMITS * limit_ns;

	return ns < most_ns ? ns : most_ns;
}

/*
 * Watch @pid until it is dead; @out tells whether we had to end it.  One that
 * a call into the kernel holds outlives even SIGKILL: it is given up.
 */
static void process_follow(struct process_host *host, pid_t pid,
			   uint64_t limit_ns, uint64_t grace_ns,
			   struct judge_facts *out)
{
	uint64_t limit_at_ns = clock_now_ns() + limit_ns;
	uint64_t deadline_ns = limit_at_ns;
	enum judge_stop *stop = &out->stop;
	bool killed = false;

	while (waitpid(pid, &out->wait_status, WNOHANG) != pid) {
		bool late = clock_now_ns() >= deadline_ns;

		if (late && *stop == JUDGE_STOP_NONE) {
			deadline_ns =
				limit_at_ns + process_starved_ns(pid, limit_ns);
			late = clock_now_ns() >= deadline_ns;
		}
		if (killed && late) {
			out->stuck = true;
			break;
		}
		if (*stop != JUDGE_STOP_NONE && late) {
			process_kill(pid, SIGKILL);
			killed = true;
			deadline_ns =
				clock_now_ns() + PROCESS_DEATH_MS * NS_PER_MS;
		} else if (*stop == JUDGE_STOP_NONE &&
			   (late || host->interrupt)) {
			*stop = late ? JUDGE_STOP_LIMIT : JUDGE_STOP_INTERRUPT;
			process_kill(pid, SIGTERM);
			deadline_ns = clock_now_ns() + grace_ns;
		}
		process_watch(host, deadline_ns);
	}
}

int process_run(struct process_host *host, const struct vb_case *record,
		const struct vb_options *options, uint64_t seed,
		struct judge_facts *out)
{
	double patience = options->patience;
	uint64_t limit_ms = vb_case_limit_ms(record, options);
	uint64_t grace_ms =
		(uint64_t)(PROCESS_GRACE_MS * (patience > 1 ? patience : 1));
	pid_t worker = getpid(), pid;

	/* Nothing buffered may be written twice. */
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		process_child(host, record, options, seed, worker);
	*out = (struct judge_facts){
		.outcome = &host->area->outcome,
		.limit_ms = limit_ms,
	};
	process_follow(host, pid, limit_ms * NS_PER_MS, grace_ms * NS_PER_MS,
		       out);
	out->left_count = process_sweep(host->left, sizeof(host->left));
	out->left = host->left;
	out->interrupt = host->interrupt;
	/* Whatever holds it will hold the next one too. */
	if (out->stuck && !host->interrupt)
		host->interrupt = "a process that cannot be killed holds the "
				  "device";
	process_take_capture(host);
	return 0;
}
