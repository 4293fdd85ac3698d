// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The shared memory link: packets between two links of this process, sleep and
 * waking, and strangers at the door. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_pair.h"

static void pair_close(struct link *a, struct link *b)
{
	a->ops->close(a);
	b->ops->close(b);
}

/* Receive until there is something or @end_ns has come. */
static unsigned receive_until(struct link *l, struct link_packet *packets,
			      uint64_t end_ns)
{
	unsigned n;

	do {
		n = l->ops->receive(l, packets, SHM_BURST);
		if (!n)
			link_shm_attend(l);
	} while (!n && clock_now_ns() < end_ns);
	return n;
}

static unsigned receive_some(struct link *l, struct link_packet *packets)
{
	unsigned n = receive_until(l, packets,
				   clock_now_ns() + SHM_PATIENCE_S * NS_PER_S);

	assert_true(n > 0);
	return n;
}

static void must_be_same(const struct link_packet *got,
			 const struct link_packet *sent)
{
	assert_int_equal(got->len, sent->len);
	assert_memory_equal(got->bytes, sent->bytes,
			    sent->len - WIRE_ICRC_BYTES);
	assert_memory_equal(&got->from, &sent->from, sizeof(got->from));
	assert_memory_equal(&got->to, &sent->to, sizeof(got->to));
	assert_int_equal(got->traffic_class, sent->traffic_class);
	assert_int_equal(got->hop_limit, sent->hop_limit);
}

static void packets_of_all_sizes_arrive(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);

	for (unsigned i = 0; i < 2000; i++) {
		uint32_t len =
			(uint32_t)prng_below(&prng, WIRE_PAYLOAD_MAX / 4 + 1) *
			4;
		uint8_t bytes[WIRE_PACKET_MAX];
		struct link_packet p = pair_packet(&prng, &at_b, len, bytes);
		struct link_packet got[SHM_BURST];

		p.traffic_class = (uint8_t)i;
		p.hop_limit = (uint8_t)(i + 1);
		assert_int_equal(a->ops->send(a, &p, 1), 1);
		assert_int_equal(receive_some(b, got), 1);
		must_be_same(&got[0], &p);
		link_shm_release(b);
	}
	assert_int_equal(a->counters.sent_packets, 2000);
	assert_int_equal(b->counters.received_packets, 2000);
	assert_int_equal(a->counters.sent_bytes, b->counters.received_bytes);
	pair_close(a, b);
}

static void one_reaches_oneself(void **state)
{
	struct link_address at;
	struct link *l = open_shm(&at);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at, 100, bytes);
	struct link_packet got[SHM_BURST];

	assert_int_equal(l->ops->send(l, &p, 1), 1);
	assert_int_equal(receive_some(l, got), 1);
	must_be_same(&got[0], &p);
	l->ops->close(l);
}

static unsigned descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Who rests has the descriptors that it began with; its last words are heard,
 * and it may speak again. */
static void who_rests_keeps_no_descriptors(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet got[SHM_BURST];
	unsigned before = descriptors();

	for (unsigned i = 0; i < 3; i++) {
		struct link_packet self = pair_packet(&prng, &at_a, 8, bytes);
		struct link_packet p;

		assert_int_equal(a->ops->send(a, &self, 1), 1);
		/* Once it is accepted and read, once it is neither. */
		if (i == 1)
			assert_int_equal(receive_some(a, got), 1);
		p = pair_packet(&prng, &at_b, 100, bytes);
		assert_int_equal(a->ops->send(a, &p, 1), 1);
		assert_true(descriptors() > before);
		link_shm_rest(a);
		assert_int_equal(receive_some(b, got), 1);
		must_be_same(&got[0], &p);
		link_shm_release(b);
		link_shm_rest(b);
		assert_int_equal(descriptors(), before);
	}
	pair_close(a, b);
}

/* The set of sockets is shared with a process that was forked: what is told of
 * the sockets that it has made there concerns nobody here. */
static void a_forked_process_has_its_own_channels(void **state)
{
	struct link_address at, at_b;
	struct link *l = open_shm(&at), *b = open_shm(&at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at, 8, bytes);
	struct link_packet to_b = pair_packet(&prng, &at_b, 8, bytes);
	struct link_packet got[SHM_BURST];
	int ready[2], done[2], status;
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(done), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		bool sent = true;

		/* Whatever it makes lies where the other has no memory. */
		for (unsigned i = 0; i < 20000; i++)
			sent = malloc(sizeof(struct link_packet) * 8) && sent;
		sent = l->ops->send(l, &to_b, 1) == 1 && sent;
		sent = sent && write(ready[1], &byte, 1) == 1;
		close(done[1]);
		sent = sent && read(done[0], &byte, 1) == 0;
		_exit(sent ? 0 : 1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	/* Taken in here, and given up: the other one's socket is at its end. */
	assert_int_equal(receive_some(b, got), 1);
	b->ops->close(b);
	for (unsigned i = 0; i < 3; i++) {
		link_shm_attend(l);
		link_shm_rest(l);
		assert_int_equal(l->ops->send(l, &p, 1), 1);
		assert_int_equal(receive_some(l, got), 1);
		must_be_same(&got[0], &p);
	}
	close(done[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(ready[1]);
	close(done[0]);
	l->ops->close(l);
}

static void a_packet_begun_and_not_ended_is_none(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	struct shm_channel *c = link_shm_channel(a, &at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 8, bytes);
	struct link_packet got[SHM_BURST];

	assert_non_null(c);
	assert_non_null(link_shm_begin(c, 4000));
	p.bytes = link_shm_begin(c, p.len);
	memcpy(p.bytes, bytes, p.len);
	link_shm_end(c, &p);
	link_shm_flush(a);
	assert_int_equal(receive_some(b, got), 1);
	assert_memory_equal(got[0].bytes, bytes, p.len);
	assert_int_equal(b->ops->receive(b, got, SHM_BURST), 0);
	pair_close(a, b);
}

/* The ring takes what it has room for; the rest goes when there is room, and
 * nothing is lost, doubled or out of order. */
static void a_full_ring_takes_fewer(void **state)
{
	enum { PACKETS = 3000 };
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	static uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 4096, bytes);
	struct link_packet got[SHM_BURST];
	uint32_t sent = 0, received = 0;
	bool was_full = false;

	while (received < PACKETS) {
		unsigned n;

		while (sent < PACKETS) {
			memcpy(bytes + WIRE_BTH_BYTES, &sent, sizeof(sent));
			if (!a->ops->send(a, &p, 1)) {
				was_full = true;
				break;
			}
			sent++;
		}
		n = receive_some(b, got);
		for (unsigned i = 0; i < n; i++, received++)
			assert_memory_equal(got[i].bytes + WIRE_BTH_BYTES,
					    &received, sizeof(received));
		link_shm_release(b);
	}
	assert_true(was_full);
	pair_close(a, b);
}

static bool readable(struct link *l, int timeout_ms)
{
	struct pollfd p = { .fd = l->ops->fd(l), .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1;
}

static void a_sleeper_is_woken(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 8, bytes);
	struct link_packet got[SHM_BURST];

	/* The hello wakes anybody. */
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	assert_true(readable(b, PAIR_PATIENCE_MS));
	assert_int_equal(receive_some(b, got), 1);
	link_shm_attend(b);
	assert_false(readable(b, 0));

	/* Who does not sleep is not woken. */
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	assert_false(readable(b, 0));
	assert_false(link_shm_sleep(b));
	assert_int_equal(b->ops->receive(b, got, SHM_BURST), 1);

	assert_true(link_shm_sleep(b));
	assert_false(readable(b, 0));
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	assert_true(readable(b, PAIR_PATIENCE_MS));
	link_shm_awake(b);
	link_shm_attend(b);
	assert_false(readable(b, 0));
	assert_int_equal(b->ops->receive(b, got, SHM_BURST), 1);
	pair_close(a, b);
}

static void who_is_not_there_is_not_reached(void **state)
{
	struct link_address at_a, at_b, outside = pair_ipv4(192, 0, 2, 1);
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 8, bytes);

	b->ops->close(b);
	assert_null(link_shm_channel(a, &at_b));
	assert_null(link_shm_channel(a, &outside));
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	assert_int_equal(a->counters.send_errors, 1);
	a->ops->close(a);
}

/* Many addresses that nobody has must not fill our memory, nor push out one
 * that is reached. */
static void names_alone_cost_little(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	struct shm_channel *c = link_shm_channel(a, &at_b);

	assert_non_null(c);
	for (unsigned i = 0; i < 5000; i++) {
		struct link_address no =
			pair_ipv4(127, 255, (uint8_t)(i >> 8), (uint8_t)i);

		(void)link_shm_channel(a, &no);
	}
	assert_ptr_equal(link_shm_channel(a, &at_b), c);
	pair_close(a, b);
}

static void what_a_closed_peer_left_is_read(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 8, bytes);
	struct link_packet got[SHM_BURST];

	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(a->ops->send(a, &p, 1), 1);
	a->ops->close(a);
	assert_int_equal(receive_some(b, got), 10);
	assert_memory_equal(got[9].bytes, bytes, p.len);
	link_shm_release(b);
	b->ops->close(b);
}

static void a_peer_that_closed_is_noticed(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);

	assert_non_null(link_shm_channel(a, &at_b));
	link_shm_attend(b);
	b->ops->close(b);
	assert_true(readable(a, PAIR_PATIENCE_MS));
	link_shm_attend(a);
	assert_null(link_shm_channel(a, &at_b));
	a->ops->close(a);
}

static void a_damaged_packet_is_dropped(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	uint8_t bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 8, bytes);
	struct link_packet got[SHM_BURST];

	p.turn = 77;
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	p.turn = 0;
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	assert_int_equal(receive_some(b, got), 1);
	assert_int_equal(b->counters.bad_icrc, 1);
	assert_int_equal(b->counters.received_packets, 1);
	pair_close(a, b);
}

static int dial(const struct link_address *a)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int n = sprintf(sun.sun_path + 1, "softrdma-2-");

	for (size_t i = 0; i < sizeof(a->gid); i++)
		n += sprintf(sun.sun_path + 1 + n, "%02x", a->gid[i]);
	assert_int_equal(
		connect(fd, (struct sockaddr *)&sun,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				    (size_t)n)),
		0);
	return fd;
}

/* Strangers who say nothing, rubbish, or hand over a descriptor that is no
 * ring are turned away; others are served all the while. */
static void rubbish_at_the_door_is_refused(void **state)
{
	struct link_address at_a, at_b;
	struct link *a = open_shm(&at_a), *b = open_shm(&at_b);
	uint8_t rubbish[48], bytes[WIRE_PACKET_MAX];
	struct link_packet p = pair_packet(&prng, &at_b, 8, bytes);
	struct link_packet got[SHM_BURST];
	uint64_t end_ns = clock_now_ns() + SHM_PATIENCE_S * NS_PER_S;
	int loud, silent = dial(&at_b);
	ssize_t n;

	for (unsigned i = 0; i < 20; i++) {
		loud = dial(&at_b);
		for (size_t k = 0; k < sizeof(rubbish); k++)
			rubbish[k] = (uint8_t)prng_next(&prng);
		assert_int_equal(send(loud, rubbish, sizeof(rubbish), 0),
				 sizeof(rubbish));
		do {
			link_shm_attend(b);
			n = recv(loud, rubbish, 1, MSG_DONTWAIT);
		} while (n < 0 && errno == EAGAIN && clock_now_ns() < end_ns);
		/* Closed, not answered; unread bytes make that a reset. */
		assert_true(n == 0 || (n < 0 && errno == ECONNRESET));
		close(loud);
	}
	assert_int_equal(a->ops->send(a, &p, 1), 1);
	assert_int_equal(receive_some(b, got), 1);
	close(silent);
	pair_close(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_of_all_sizes_arrive),
		cmocka_unit_test(one_reaches_oneself),
		cmocka_unit_test(a_forked_process_has_its_own_channels),
		cmocka_unit_test(who_rests_keeps_no_descriptors),
		cmocka_unit_test(a_packet_begun_and_not_ended_is_none),
		cmocka_unit_test(a_full_ring_takes_fewer),
		cmocka_unit_test(a_sleeper_is_woken),
		cmocka_unit_test(who_is_not_there_is_not_reached),
		cmocka_unit_test(names_alone_cost_little),
		cmocka_unit_test(what_a_closed_peer_left_is_read),
		cmocka_unit_test(a_peer_that_closed_is_noticed),
		cmocka_unit_test(a_damaged_packet_is_dropped),
		cmocka_unit_test(rubbish_at_the_door_is_refused),
	};

	shm_pair_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
