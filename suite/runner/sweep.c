// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waiting for processes, and making sure that none is left. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/runner/process.h"

/* Until the killed ones are gone; beyond it they are the kernel's problem. */
enum { SWEEP_LIMIT_MS = 5000 };

int process_wait(pid_t pid, uint64_t deadline_ns, int *status)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int err = 0;

	if (fd < 0)
		return -errno;
	while (waitpid(pid, status, WNOHANG) != pid) {
		uint64_t now_ns = clock_now_ns();

		if (now_ns >= deadline_ns) {
			err = -ETIMEDOUT;
			break;
		}
		poll(&poll_fd, 1,
		     (int)((deadline_ns - now_ns) / NS_PER_MS + 1));
	}
	close(fd);
	return err;
}

/* The parent and the name of process @pid, from /proc/PID/stat. */
static int sweep_stat(const char *pid, long *parent, char *name, size_t size)
{
	char path[64], line[512], *open, *close_at;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	len = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[len] = '\0';
	/* pid (name) state parent ...; the name may hold anything. */
	open = strchr(line, '(');
	close_at = strrchr(line, ')');
	if (!open || !close_at || strlen(close_at) < 4)
		return -EINVAL;
	*close_at = '\0';
	snprintf(name, size, "%s", open + 1);
	*parent = strtol(close_at + 4, NULL, 10);
	return 0;
}

/* Kill each child that /proc shows; the first is described in @first. */
static unsigned sweep_kill(char *first, size_t size)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	unsigned count = 0;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		char name[64];
		long pid = strtol(entry->d_name, NULL, 10);
		long parent = 0;

		if (pid <= 0 ||
		    sweep_stat(entry->d_name, &parent, name, sizeof(name)) ||
		    parent != getpid())
			continue;
		if (!count++ && first)
			snprintf(first, size, "process %ld, %s", pid, name);
		kill((pid_t)pid, SIGKILL);
	}
	closedir(dir);
	return count;
}

/* Until a child has died, but never for long: the signal may be taken. */
static void sweep_wait(void)
{
	const struct timespec limit = { .tv_nsec = 10 * NS_PER_MS };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &limit);
}

unsigned process_sweep(char *first, size_t size)
{
	uint64_t deadline_ns = clock_now_ns() + SWEEP_LIMIT_MS * NS_PER_MS;
	unsigned alive = 0;

	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid > 0)
			continue;
		if (pid < 0 || clock_now_ns() > deadline_ns)
			break;
		/* Those who die hand us their own children: look again. */
		if (!alive)
			alive = sweep_kill(first, size);
		else
			sweep_kill(NULL, 0);
		sweep_wait();
	}
	return alive;
}
