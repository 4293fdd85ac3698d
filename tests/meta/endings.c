// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cases that do not end well: hangs, deaths, and things left behind. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <verbatim/case.h>

#define META(name, id_text, title_text, limit)                  \
	VB_CASE(name, .id = id_text, .title = title_text,       \
		.dimension = VB_META, .needs = VB_NEED_NOTHING, \
		.limit_ms = limit, .run = run_##name)

static void run_waits(struct vb_test *t)
{
	vb_checked(t);
	/* Its own limit comes before: it could have said what it missed. */
	while (vb_waiting(t, vb_deadline(t, 60000)) || t->seed)
		usleep(1000);
}
META(waits, "ending/hang-waiting", "waits beyond its limit", 300);

static void run_spins(struct vb_test *t)
{
	vb_checked(t);
	for (;;)
		pause();
}
META(spins, "ending/hang-deaf", "hangs and does not listen", 300);

static void run_in_time(struct vb_test *t)
{
	uint64_t deadline_ns = vb_deadline(t, 60000);

	while (vb_waiting(t, deadline_ns))
		usleep(1000);
	vb_fail(t, VB_FIND_LOST, "what it waited for did not come");
}
META(in_time, "ending/late-but-said", "says before its limit what it missed",
     500);

static void run_long(struct vb_test *t)
{
	uint64_t deadline_ns = vb_deadline(t, 60000);

	vb_checked(t);
	while (vb_waiting(t, deadline_ns))
		usleep(1000);
}
META(long, "interrupt/long", "passes after a minute", 120000);

static void run_cut_short(struct vb_test *t)
{
	vb_checked(t);
	pause();
	vb_fail(t, VB_FIND_LOST, "a wait was cut short");
}
META(cut_short, "ending/hang-cut-short",
     "takes the order to stop for a failure of the device", 300);

static void run_segv(struct vb_test *t)
{
	vb_checked(t);
	raise(SIGSEGV);
	/* A sanitizer's handler may return once. */
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}
META(segv, "ending/crash", "dies by SIGSEGV", 5000);

static void run_abort(struct vb_test *t)
{
	vb_checked(t);
	abort();
}
META(abort, "ending/abort", "dies by SIGABRT", 5000);

static void run_killed(struct vb_test *t)
{
	vb_checked(t);
	kill(getpid(), SIGKILL);
	pause();
}
META(killed, "ending/killed", "is killed from outside", 5000);

static void run_leak_fd(struct vb_test *t)
{
	vb_checked(t);
	if (open("/dev/null", O_RDONLY) < 0)
		vb_broken(t, "/dev/null does not open");
}
META(leak_fd, "ending/leak-fd", "leaves a file descriptor open", 5000);

/* Waits to be killed; in a group or session of its own if @escape. */
static void leave_child(struct vb_test *t, bool escape)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		vb_broken(t, "no pipe");
	if (!fork()) {
		if (escape)
			setsid();
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		vb_broken(t, "the child said nothing");
	close(ready[0]);
	close(ready[1]);
	vb_checked(t);
}

static void run_leak_child(struct vb_test *t)
{
	leave_child(t, false);
}
META(leak_child, "ending/leak-child", "leaves a process running", 5000);

static void run_leak_daemon(struct vb_test *t)
{
	leave_child(t, true);
}
META(leak_daemon, "ending/leak-daemon",
     "leaves a process running in a session of its own", 5000);

static void run_long_family(struct vb_test *t)
{
	leave_child(t, true);
	leave_child(t, false);
	run_long(t);
}
META(long_family, "interrupt/long-family",
     "runs for a minute, beside two children", 120000);
