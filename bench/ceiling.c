// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the links could do at best on this host at this moment: the same
 * transfer without any of RDMA around it, between two processes.
 *
 *	ceiling shm-bw|shm-lat|udp-bw|udp-lat BYTES SECONDS CORE CORE
 *
 * Bandwidth: messages of BYTES are copied from one buffer of the sender into
 * a ring in shared memory and out of it into one buffer of the receiver, as
 * perftest's are (it too uses the same buffer again and again); or go over
 * loopback with UDP_SEGMENT and UDP_GRO.  Either way they travel in packets of
 * 4096 bytes of payload and a header, because what is compared does, and the
 * receiver looks at each header to know where the payload goes.  What was
 * received is printed, in MB (2^20 bytes) a second.  Latency: BYTES go there
 * and back, and half of the typical (median) time is printed, in us.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"

enum {
	RING_BYTES = 1 << 20,
	BYTES_MAX = RING_BYTES / 4,
	LINE = 64,
	PACKET_BYTES = 4140, /* of which 4096 are payload */
	PAYLOAD_BYTES = 4096,
	/* A packet in the ring: a line with its number, the payload, and what
	 * a checksum makes it longer. */
	SLOT_BYTES = LINE + PAYLOAD_BYTES + LINE,
	SLOTS = RING_BYTES / SLOT_BYTES,
	/* Packets shown to the other side at a time. */
	SLOTS_SHOWN = 4,
	RUN_PACKETS = 15, /* that many fit into a datagram of 64 KiB */
	RUNS = 8,
	SAMPLES = 20000,
	/* Turns of waiting after which the core is offered to the other. */
	SPINS = 200,
};

/* Shared by both processes, at the same address. */
struct shared {
	alignas(LINE) _Atomic uint64_t head;
	alignas(LINE) _Atomic uint64_t tail;
	alignas(LINE) _Atomic uint64_t there;
	alignas(LINE) _Atomic uint64_t back;
	alignas(LINE) _Atomic uint64_t received; /* bytes */
	alignas(LINE) _Atomic uint32_t ready;
	alignas(LINE) uint8_t there_bytes[BYTES_MAX];
	alignas(LINE) uint8_t back_bytes[BYTES_MAX];
	alignas(LINE) uint8_t ring[RING_BYTES];
};

static struct shared *shared;
static size_t bytes, packet_bytes;
static uint64_t run_ns;

NO_RETURN static void ceiling_die(const char *what)
{
	fprintf(stderr, "ceiling: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void ceiling_wait(unsigned *spins)
{
	if (++*spins % SPINS == 0)
		sched_yield();
	__builtin_ia32_pause();
}

static void ceiling_pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		ceiling_die("sched_setaffinity");
}

static void shm_bw_receive(void)
{
	uint8_t *buffer = aligned_alloc(LINE, BYTES_MAX);
	uint64_t tail = 0, head = 0, offset;
	unsigned spins = 0;

	for (;;) {
		while ((head = atomic_load_explicit(
				&shared->head, memory_order_acquire)) == tail)
			ceiling_wait(&spins);
		for (; tail != head; tail++) {
			const uint8_t *slot =
				shared->ring + tail % SLOTS * SLOT_BYTES;

			memcpy(&offset, slot, sizeof(offset));
			memcpy(buffer + offset, slot + LINE, packet_bytes);
		}
		atomic_store_explicit(&shared->tail, tail,
				      memory_order_release);
		atomic_store_explicit(&shared->received, tail * packet_bytes,
				      memory_order_relaxed);
	}
}

static void shm_bw_send(uint64_t end_ns)
{
	uint8_t *buffer = aligned_alloc(LINE, BYTES_MAX);
	uint64_t head = 0, offset = 0;
	unsigned spins = 0;

	memset(buffer, 0x5a, BYTES_MAX);
	while (offset || clock_now_ns() < end_ns) {
		uint8_t *slot = shared->ring + head % SLOTS * SLOT_BYTES;

		while (head - atomic_load_explicit(&shared->tail,
						   memory_order_acquire) ==
		       SLOTS)
			ceiling_wait(&spins);
		memcpy(slot, &offset, sizeof(offset));
		memcpy(slot + LINE, buffer + offset, packet_bytes);
		head++;
		offset = (offset + packet_bytes) % bytes;
		if (offset == 0 || head % SLOTS_SHOWN == 0)
			atomic_store_explicit(&shared->head, head,
					      memory_order_release);
	}
}

static void shm_lat_receive(void)
{
	uint8_t *buffer = aligned_alloc(LINE, BYTES_MAX);
	unsigned spins = 0;

	for (uint64_t n = 1;; n++) {
		while (atomic_load_explicit(&shared->there,
					    memory_order_acquire) < n)
			ceiling_wait(&spins);
		memcpy(buffer, shared->there_bytes, bytes);
		memcpy(shared->back_bytes, buffer, bytes);
		atomic_store_explicit(&shared->back, n, memory_order_release);
	}
}

static int ceiling_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void ceiling_print_latency(uint64_t *ns, unsigned count)
{
	qsort(ns, count, sizeof(ns[0]), ceiling_compare);
	printf("%.3f\n", (double)ns[count / 2] / 2000);
}

static void shm_lat_send(uint64_t end_ns)
{
	static uint64_t ns[SAMPLES];
	uint8_t *buffer = aligned_alloc(LINE, BYTES_MAX);
	unsigned spins = 0, count = 0;

	memset(buffer, 0x5a, BYTES_MAX);
	for (uint64_t n = 1; count < SAMPLES && clock_now_ns() < end_ns; n++) {
		uint64_t start_ns = clock_now_ns();

		memcpy(shared->there_bytes, buffer, bytes);
		atomic_store_explicit(&shared->there, n, memory_order_release);
		while (atomic_load_explicit(&shared->back,
					    memory_order_acquire) < n)
			ceiling_wait(&spins);
		memcpy(buffer, shared->back_bytes, bytes);
		ns[count++] = clock_now_ns() - start_ns;
	}
	ceiling_print_latency(ns, count);
}

static int udp_fd[2]; /* of the sender and of the receiver */
static struct sockaddr_in udp_at[2];

static void udp_open(void)
{
	for (int i = 0; i < 2; i++) {
		socklen_t len = sizeof(udp_at[i]);
		int room = 32 << 20, one = 1;

		udp_fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
		udp_at[i].sin_family = AF_INET;
		udp_at[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (udp_fd[i] < 0 ||
		    bind(udp_fd[i], (struct sockaddr *)&udp_at[i], len) ||
		    getsockname(udp_fd[i], (struct sockaddr *)&udp_at[i], &len))
			ceiling_die("socket");
		if (setsockopt(udp_fd[i], SOL_SOCKET, SO_RCVBUFFORCE, &room,
			       sizeof(room)))
			setsockopt(udp_fd[i], SOL_SOCKET, SO_RCVBUF, &room,
				   sizeof(room));
		if (setsockopt(udp_fd[i], IPPROTO_UDP, UDP_GRO, &one,
			       sizeof(one)))
			ceiling_die("UDP_GRO");
	}
}

static void udp_bw_receive(void)
{
	static uint8_t buffer[RUNS][65536];
	struct mmsghdr m[RUNS] = { 0 };
	struct iovec iov[RUNS];
	unsigned spins = 0;

	for (int i = 0; i < RUNS; i++) {
		iov[i] = (struct iovec){ buffer[i], sizeof(buffer[i]) };
		m[i].msg_hdr.msg_iov = &iov[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	for (;;) {
		int n = recvmmsg(udp_fd[1], m, RUNS, MSG_DONTWAIT, NULL);
		uint64_t got = 0;

		if (n <= 0)
			ceiling_wait(&spins);
		for (int i = 0; i < n; i++)
			got += m[i].msg_len / PACKET_BYTES * PAYLOAD_BYTES;
		atomic_fetch_add(&shared->received, got);
	}
}

static void udp_bw_send(uint64_t end_ns)
{
	static uint8_t buffer[RUN_PACKETS * PACKET_BYTES];
	struct iovec iov = { buffer, sizeof(buffer) };
	struct msghdr m = {
		.msg_name = &udp_at[1],
		.msg_namelen = sizeof(udp_at[1]),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	int segment = PACKET_BYTES;
	uint64_t sent = 0;
	unsigned spins = 0;

	if (setsockopt(udp_fd[0], IPPROTO_UDP, UDP_SEGMENT, &segment,
		       sizeof(segment)))
		ceiling_die("UDP_SEGMENT");
	while (clock_now_ns() < end_ns) {
		/* What is lost was not worth the sending: stay near. */
		while (sent - atomic_load(&shared->received) > 2u << 20 &&
		       clock_now_ns() < end_ns)
			ceiling_wait(&spins);
		if (sendmsg(udp_fd[0], &m, 0) > 0)
			sent += RUN_PACKETS * PAYLOAD_BYTES;
	}
}

static void udp_lat_receive(void)
{
	static uint8_t buffer[65536];
	unsigned spins = 0;

	for (;;) {
		ssize_t n =
			recv(udp_fd[1], buffer, sizeof(buffer), MSG_DONTWAIT);

		if (n < 0)
			ceiling_wait(&spins);
		else
			sendto(udp_fd[1], buffer, (size_t)n, 0,
			       (struct sockaddr *)&udp_at[0],
			       sizeof(udp_at[0]));
	}
}

static void udp_lat_send(uint64_t end_ns)
{
	static uint64_t ns[SAMPLES];
	static uint8_t buffer[65536];
	unsigned count = 0, spins = 0;

	while (count < SAMPLES && clock_now_ns() < end_ns) {
		uint64_t start_ns = clock_now_ns();

		sendto(udp_fd[0], buffer, bytes, 0,
		       (struct sockaddr *)&udp_at[1], sizeof(udp_at[1]));
		while (recv(udp_fd[0], buffer, sizeof(buffer), MSG_DONTWAIT) <
		       0)
			ceiling_wait(&spins);
		ns[count++] = clock_now_ns() - start_ns;
	}
	ceiling_print_latency(ns, count);
}

static const struct {
	const char *name;
	bool latency, udp;
	void (*receive)(void);
	void (*send)(uint64_t end_ns);
} modes[] = {
	{ "shm-bw", false, false, shm_bw_receive, shm_bw_send },
	{ "shm-lat", true, false, shm_lat_receive, shm_lat_send },
	{ "udp-bw", false, true, udp_bw_receive, udp_bw_send },
	{ "udp-lat", true, true, udp_lat_receive, udp_lat_send },
};

static void ceiling_run(size_t mode, const int *cores)
{
	uint64_t start_ns, from;
	pid_t pid;

	if (modes[mode].udp)
		udp_open();
	pid = fork();
	if (pid < 0)
		ceiling_die("fork");
	ceiling_pin(cores[pid == 0]);
	if (pid == 0) {
		atomic_store(&shared->ready, 1);
		modes[mode].receive();
	}
	while (!atomic_load(&shared->ready))
		sched_yield();
	start_ns = clock_now_ns();
	from = atomic_load(&shared->received);
	modes[mode].send(start_ns + run_ns);
	if (!modes[mode].latency)
		printf("%.1f\n",
		       (double)(atomic_load(&shared->received) - from) /
			       (1 << 20) /
			       ((double)(clock_now_ns() - start_ns) / 1e9));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int cores[2];

	if (argc != 6) {
		fprintf(stderr,
			"usage: ceiling shm-bw|shm-lat|udp-bw|udp-lat BYTES SECONDS CORE CORE\n");
		return 2;
	}
	bytes = strtoul(argv[2], NULL, 10);
	packet_bytes = bytes < PAYLOAD_BYTES ? bytes : PAYLOAD_BYTES;
	run_ns = (uint64_t)(strtod(argv[3], NULL) * 1e9);
	cores[0] = atoi(argv[4]);
	cores[1] = atoi(argv[5]);
	if (bytes == 0 || bytes > BYTES_MAX || RING_BYTES % bytes) {
		fprintf(stderr,
			"ceiling: %zu bytes: a power of two up to %d is needed\n",
			bytes, BYTES_MAX);
		return 2;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		ceiling_die("mmap");
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(argv[1], modes[i].name))
			continue;
		ceiling_run(i, cores);
		return 0;
	}
	fprintf(stderr, "ceiling: \"%s\" is none of the modes\n", argv[1]);
	return 2;
}
