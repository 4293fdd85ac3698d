// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two processes, one of which is killed at random moments: what it had sent
 * arrives whole, nobody waits for it, and nothing of it is left. */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "shm_pair.h"

enum { KILLS = 50 };

static void send_for_ever(const struct link_address *to)
{
	struct link_address at;
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p;
	struct link *l;

	shm_pair_seed();
	l = open_shm(&at);
	p = pair_packet(&prng, to, 4096, bytes);
	for (uint32_t i = 0;;) {
		p.len = i % 3 ? 4112 : 20 + i % 512 / 4 * 4;
		memset(bytes + WIRE_BTH_BYTES, (uint8_t)i,
		       p.len - WIRE_BTH_BYTES);
		memcpy(bytes + WIRE_BTH_BYTES, &i, sizeof(i));
		if (l->ops->send(l, &p, 1))
			i++;
		else
			sched_yield();
	}
}

/* The ICRC is not carried here: what stands in its place says nothing. */
static void must_be_whole(const struct link_packet *p, uint32_t number)
{
	const uint8_t *at = p->bytes + WIRE_BTH_BYTES;
	uint32_t len = p->len - WIRE_BTH_BYTES - WIRE_ICRC_BYTES;

	assert_memory_equal(at, &number, sizeof(number));
	for (uint32_t k = sizeof(number); k < len; k++)
		if (at[k] != (uint8_t)number)
			fail_msg("packet %u, byte %u: %u", number, k, at[k]);
}

static pid_t start(void (*run)(const struct link_address *),
		   const struct link_address *to)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(to);
		_exit(1);
	}
	return pid;
}

static void kill_and_reap(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static unsigned descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* All that a killed sender had shown arrives whole and in order, then its
 * ring is gone. */
static void a_killed_sender_leaves_no_torn_packet(void **state)
{
	struct link_address at;
	struct link *l = open_shm(&at);
	unsigned before = descriptors();

	for (unsigned k = 0; k < KILLS; k++) {
		uint64_t end_ns = clock_now_ns() + SHM_PATIENCE_S * NS_PER_S;
		uint32_t enough = (uint32_t)prng_below(&prng, 3000);
		uint32_t number = 0;
		struct link_packet got[SHM_BURST];
		pid_t pid = start(send_for_ever, &at);
		bool alive = true;
		unsigned n = 1;

		while (alive || descriptors() > before || n) {
			n = l->ops->receive(l, got, SHM_BURST);
			for (unsigned i = 0; i < n; i++)
				must_be_whole(&got[i], number++);
			link_shm_release(l);
			if (!n)
				link_shm_attend(l);
			if (alive && number >= enough) {
				kill_and_reap(pid);
				alive = false;
			}
			assert_true(clock_now_ns() < end_ns);
		}
	}
	l->ops->close(l);
}

static struct link *receiver;

static void receive_for_ever(const struct link_address *unused)
{
	struct link_packet got[SHM_BURST];

	(void)unused;
	for (;;)
		if (!receiver->ops->receive(receiver, got, SHM_BURST))
			link_shm_attend(receiver);
}

/* The receiver lives in the child; here its descriptors are closed, so that
 * its death is seen. */
static pid_t start_receiver(struct link_address *at)
{
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		shm_pair_seed();
		receiver = open_shm(at);
		if (write(pipes[1], at, sizeof(*at)) != sizeof(*at))
			_exit(1);
		receive_for_ever(at);
	}
	assert_int_equal(read(pipes[0], at, sizeof(*at)), sizeof(*at));
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

/* Packets to a killed receiver are lost, and soon known to be. */
static void a_killed_receiver_stops_nobody(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a);
	unsigned before = descriptors();

	for (unsigned k = 0; k < KILLS; k++) {
		pid_t pid = start_receiver(&at_b);
		uint64_t end_ns = clock_now_ns() + SHM_PATIENCE_S * NS_PER_S;
		uint64_t enough = prng_below(&prng, 3000);
		uint64_t errors = a->counters.send_errors;
		uint8_t bytes[WIRE_PACKET_MAX];
		struct link_packet p = pair_packet(&prng, &at_b, 4096, bytes);
		uint64_t sent = 0;
		bool alive = true;

		while (a->counters.send_errors == errors) {
			sent += a->ops->send(a, &p, 1);
			if (alive && sent >= enough) {
				kill_and_reap(pid);
				alive = false;
			}
			assert_true(clock_now_ns() < end_ns);
		}
		assert_false(alive);
		assert_int_equal(descriptors(), before);
	}
	a->ops->close(a);
}

/* Sockets of that name in this system. */
static unsigned named(const char *name)
{
	FILE *f = fopen("/proc/net/unix", "r");
	unsigned found = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		found += strstr(line, name) != NULL;
	fclose(f);
	return found;
}

static void nothing_is_left_behind(void **state)
{
	struct link_address at;
	struct link *l = open_shm(&at);
	char name[64];

	sprintf(name, "softrdma-2-00000000000000000000ffff%02x%02x%02x%02x",
		at.gid[12], at.gid[13], at.gid[14], at.gid[15]);
	assert_int_equal(named(name), 1);
	l->ops->close(l);
	assert_int_equal(named(name), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_sender_leaves_no_torn_packet),
		cmocka_unit_test(a_killed_receiver_stops_nobody),
		cmocka_unit_test(nothing_is_left_behind),
	};

	shm_pair_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
