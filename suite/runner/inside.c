// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The case's process: its signals and streams, the function, and what must
 * hold when the function has returned: a check was made, nothing was left.
 */
#include "suite/runner/inside.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/runner/area.h"
#include "suite/verbs/cm.h"

enum { INSIDE_FDS_MAX = 4096 };

/* By number of the descriptor; those from INSIDE_FDS_MAX on are not looked at. */
struct inside_fds {
	unsigned char open[INSIDE_FDS_MAX];
};

static volatile sig_atomic_t inside_stop;

static void inside_on_term(int sig)
{
	inside_stop = 1;
}

bool inside_told_to_stop(void)
{
	return inside_stop;
}

void inside_leave(void)
{
	fflush(stdout);
	fflush(stderr);
	_exit(0);
}

struct recorder *inside_recorder(const struct vb_test *t)
{
	const struct inside *inside = t->runner;

	return inside ? inside->area->recorder : NULL;
}

struct dashboard *inside_dashboard(const struct vb_test *t)
{
	const struct inside *inside = t->runner;

	return inside ? inside->area->dashboard : NULL;
}

const struct inside_peer *inside_peer(const struct vb_test *t)
{
	const struct inside *inside = t->runner;

	return inside ? inside->peer : NULL;
}

static int inside_list_fds(struct inside_fds *fds)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	memset(fds, 0, sizeof(*fds));
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		long fd = strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		if (fd < INSIDE_FDS_MAX)
			fds->open[fd] = 1;
	}
	closedir(dir);
	return 0;
}

/* Ends the case with a finding if a descriptor is open that was not. */
static void inside_check_fds(struct vb_test *t, const struct inside_fds *before)
{
	static struct inside_fds now;
	char path[64], what[PATH_MAX];
	int count = 0, first = -1;
	ssize_t len;

	if (inside_list_fds(&now))
		return;
	for (int fd = 0; fd < INSIDE_FDS_MAX; fd++) {
		if (!now.open[fd] || before->open[fd])
			continue;
		if (!count++)
			first = fd;
	}
	if (!count)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", first);
	len = readlink(path, what, sizeof(what) - 1);
	what[len < 0 ? 0 : len] = '\0';
	vb_fail(t, VB_FIND_LEAK,
		"%d file descriptor%s left open; the first: %d, %.200s", count,
		count > 1 ? "s" : "", first, what);
}

static void inside_signals(void)
{
	/* Restarting: a call cut short would look like a fault of the device. */
	struct sigaction act = { .sa_handler = inside_on_term,
				 .sa_flags = SA_RESTART };
	sigset_t none;

	sigaction(SIGTERM, &act, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Libraries open what they keep for good at their first use: let them do it
 * before descriptors are counted. */
static void inside_warm_up(const struct vb_case *record,
			   const struct vb_options *options)
{
	struct ibv_device **list;

	if (record->needs & VB_NEED_NOTHING)
		return;
	list = ibv_get_device_list(NULL);
	if (list)
		ibv_free_device_list(list);
	if (!strcmp(options->connect, "cm"))
		verbs_cm_warm_up(options->device, (uint8_t)options->port);
}

void inside_run(const struct vb_case *record, const struct vb_options *options,
		uint64_t seed, struct area *area, int capture,
		const struct inside_peer *peer)
{
	static struct inside_fds before;
	uint64_t limit_ns = vb_case_limit_ms(record, options) * NS_PER_MS;
	struct inside inside = {
		.area = area,
		.peer = peer,
		.end_ns = clock_now_ns() + limit_ns / 10 * 9,
	};
	struct vb_test t = {
		.record = record,
		.options = options,
		.seed = seed,
		.runner = &inside,
	};

	inside_signals();
	if (dup2(capture, STDOUT_FILENO) < 0 ||
	    dup2(capture, STDERR_FILENO) < 0)
		vb_broken(&t, "its output cannot be captured: %s",
			  strerror(errno));
	/* What it prints must not be lost if it dies, nor change its order. */
	setvbuf(stdout, NULL, _IONBF, 0);
	inside_warm_up(record, options);
	if (inside_list_fds(&before))
		vb_broken(&t, "/proc/self/fd: %s; is /proc mounted",
			  strerror(errno));
	record->run(&t);
	if (vb_ends_close)
		vb_ends_close(&t);
	verbs_cm_unload();
	inside_check_fds(&t, &before);
	if (!atomic_load(&area->outcome.checks))
		vb_broken(&t, "it returned without having checked anything");
	outcome_settle(&area->outcome, VB_PASS, VB_FIND_OTHER, "%s", "");
	inside_leave();
}
