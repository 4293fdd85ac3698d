// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two UDP links of one process: every size arrives, in order and whole, with
 * runs cut up by the kernel and without; what is damaged is dropped and
 * counted; an address has one owner.
 */
#include "pair.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "device/link/udp_private.h"

enum { BATCH = 96 };

static uint8_t udp_bytes[BATCH][WIRE_PACKET_MAX];

struct udp_pair {
	struct link *a, *b;
	struct link_address a_address, b_address;
	struct prng r;
};

static void udp_pair_open(struct udp_pair *p, uint64_t seed)
{
	p->a = pair_open(&p->a_address);
	p->b = pair_open(&p->b_address);
	prng_seed(&p->r, seed);
}

static void udp_pair_close(struct udp_pair *p)
{
	p->a->ops->close(p->a);
	p->b->ops->close(p->b);
}

static void udp_assert_arrived(const struct udp_pair *p,
			       const struct link_packet *sent,
			       const struct link_packet *got)
{
	assert_memory_equal(&got->from, &p->a_address, sizeof(got->from));
	assert_memory_equal(&got->to, &p->b_address, sizeof(got->to));
	assert_int_equal(got->sport, WIRE_UDP_PORT);
	assert_int_equal(sent->sport, WIRE_UDP_PORT);
	assert_int_equal(got->len, sent->len);
	assert_memory_equal(got->bytes, sent->bytes, sent->len);
}

/* Send packets[0..n) from a, receive them at b @chunk at a time. */
static void udp_exchange(struct udp_pair *p, struct link_packet *packets,
			 unsigned n, unsigned chunk)
{
	struct link_packet got[BATCH];
	unsigned sent = 0, received = 0;

	while (received < n) {
		unsigned k, fetched;

		sent += p->a->ops->send(p->a, packets + sent, n - sent);
		pair_wait(p->b);
		do {
			fetched = p->b->ops->receive(p->b, got, chunk);
			for (k = 0; k < fetched; k++, received++) {
				assert_true(received < sent);
				udp_assert_arrived(p, &packets[received],
						   &got[k]);
			}
		} while (fetched == chunk);
	}
	assert_int_equal(sent, n);
	assert_int_equal(p->b->ops->receive(p->b, got, BATCH), 0);
}

static void udp_all_sizes(bool gso, unsigned chunk)
{
	struct udp_pair p;
	struct link_packet packets[BATCH];
	uint32_t size = 0;
	uint64_t bytes = 0;
	unsigned count = 0, n, i;

	udp_pair_open(&p, 0xa11);
	container_of(p.a, struct udp_link, link)->gso = gso;
	while (size <= WIRE_PAYLOAD_MAX) {
		/* Runs of one length, of falling and of rising ones. */
		n = (unsigned)prng_range(&p.r, 1, BATCH);
		for (i = 0; i < n; i++) {
			packets[i] = pair_packet(&p.r, &p.b_address, size,
						 udp_bytes[i]);
			bytes += packets[i].len;
			if (!prng_below(&p.r, 8))
				size++;
			if (size > WIRE_PAYLOAD_MAX)
				size = 0, n = i + 1;
		}
		udp_exchange(&p, packets, n, chunk);
		count += n;
		size += 40;
	}
	assert_true(count > 1000);
	assert_int_equal(p.a->counters.sent_packets, count);
	assert_int_equal(p.a->counters.sent_bytes, bytes);
	assert_int_equal(p.b->counters.received_packets, count);
	assert_int_equal(p.b->counters.received_bytes, bytes);
	assert_int_equal(p.a->counters.send_errors, 0);
	assert_int_equal(p.b->counters.bad_icrc, 0);
	assert_int_equal(container_of(p.a, struct udp_link, link)->gso, gso);
	udp_pair_close(&p);
}

static void test_all_sizes(void **state)
{
	udp_all_sizes(true, BATCH);
}

static void test_all_sizes_one_by_one(void **state)
{
	udp_all_sizes(true, 1);
}

static void test_all_sizes_without_runs(void **state)
{
	udp_all_sizes(false, BATCH);
}

/* Packets for two receivers, alternating and in bursts. */
static void test_two_destinations(void **state)
{
	struct udp_pair p;
	struct link_address c_address;
	struct link *c = pair_open(&c_address);
	struct link_packet packets[BATCH], got[BATCH];
	unsigned i, b_next = 0, c_next = 0, to_c = 0;
	bool is_c[BATCH];

	udp_pair_open(&p, 0x2de);
	for (i = 0; i < BATCH; i++) {
		is_c[i] = prng_below(&p.r, 4) == 0;
		to_c += is_c[i];
		packets[i] = pair_packet(&p.r,
					 is_c[i] ? &c_address : &p.b_address,
					 512, udp_bytes[i]);
	}
	assert_int_equal(p.a->ops->send(p.a, packets, BATCH), BATCH);
	while (b_next + c_next < BATCH) {
		bool at_c = b_next == BATCH - to_c;
		struct link *l = at_c ? c : p.b;
		unsigned *next = at_c ? &c_next : &b_next;
		unsigned k, fetched, seen;

		pair_wait(l);
		fetched = l->ops->receive(l, got, BATCH);
		for (k = 0; k < fetched; k++, (*next)++) {
			for (i = 0, seen = 0; i < BATCH; i++)
				if (is_c[i] == at_c && seen++ == *next)
					break;
			assert_true(i < BATCH);
			assert_memory_equal(got[k].bytes, packets[i].bytes,
					    packets[i].len);
		}
	}
	c->ops->close(c);
	udp_pair_close(&p);
}

/*
 * As the adapter sends: one packet behind the other in memory, payloads summed
 * when they were put there, or not; and of those that a fault strikes none
 * arrives.
 */
static void udp_back_to_back(uint32_t payload)
{
	static uint8_t box[BATCH * WIRE_PACKET_MAX];
	struct link_packet packets[BATCH], got[BATCH];
	unsigned struck = 0, kept = 0, received = 0;
	struct udp_pair p;
	size_t used = 0;

	udp_pair_open(&p, 0xb0c5 + payload);
	for (unsigned i = 0; i < BATCH; i++) {
		struct link_packet *q = &packets[i];
		uint8_t *to = box + used + WIRE_BTH_BYTES;

		*q = pair_packet(&p.r, &p.b_address, payload, udp_bytes[i]);
		memcpy(box + used, q->bytes, q->len);
		if (prng_below(&p.r, 4))
			(void)!icrc_copy(to, q->bytes + WIRE_BTH_BYTES, payload,
					 &q->sum);
		q->bytes = box + used;
		used += q->len;
		if (i % 7 == 3) {
			q->turn = 1 + (uint32_t)prng_below(&p.r, q->len * 8);
			struck++;
		}
	}
	assert_int_equal(p.a->ops->send(p.a, packets, BATCH), BATCH);
	while (received < BATCH - struck) {
		unsigned fetched;

		pair_wait(p.b);
		fetched = p.b->ops->receive(p.b, got, BATCH);
		for (unsigned k = 0; k < fetched; k++, received++, kept++) {
			while (packets[kept].turn)
				kept++;
			udp_assert_arrived(&p, &packets[kept], &got[k]);
		}
	}
	while (p.b->counters.bad_icrc < struck) {
		pair_wait(p.b);
		assert_int_equal(p.b->ops->receive(p.b, got, BATCH), 0);
	}
	assert_int_equal(p.b->counters.received_packets, BATCH - struck);
	udp_pair_close(&p);
}

static void test_back_to_back(void **state)
{
	for (uint32_t payload = 256; payload <= WIRE_PAYLOAD_MAX; payload *= 2)
		udp_back_to_back(payload);
}

static void test_traffic_class(void **state)
{
	struct udp_pair p;
	struct link_packet packets[3], got[3];
	unsigned i, n = 0;

	udp_pair_open(&p, 0x705);
	for (i = 0; i < 3; i++)
		packets[i] = pair_packet(&p.r, &p.b_address, 64, udp_bytes[i]);
	packets[1].traffic_class = 0x68;
	packets[1].hop_limit = 3;
	assert_int_equal(p.a->ops->send(p.a, packets, 3), 3);
	while (n < 3) {
		pair_wait(p.b);
		n += p.b->ops->receive(p.b, got + n, 3 - n);
	}
	assert_int_equal(got[0].traffic_class, 0);
	assert_int_equal(got[0].hop_limit, 64);
	assert_int_equal(got[1].traffic_class, 0x68);
	assert_int_equal(got[1].hop_limit, 3);
	assert_int_equal(got[2].traffic_class, 0);
	assert_int_equal(got[2].hop_limit, 64);
	udp_pair_close(&p);
}

/* A foreign sender: an ordinary socket on a port of its own. */
static int udp_foreigner(const struct link_address *to)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_port = htons(WIRE_UDP_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	memcpy(&sin.sin_addr, to->gid + 12, 4);
	assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	return fd;
}

/* One that numbers its packets as it likes is believed all the same. */
static void test_foreigner(void **state)
{
	struct udp_pair p;
	struct sockaddr_in local;
	socklen_t local_len = sizeof(local);
	struct link_packet sent, got;
	struct icrc_path path;
	int fd;

	udp_pair_open(&p, 0xf0e);
	fd = udp_foreigner(&p.b_address);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&local, &local_len),
			 0);
	sent = pair_packet(&p.r, &p.b_address, 777, udp_bytes[0]);
	sent.from = pair_ipv4(0, 0, 0, 0);
	memcpy(sent.from.gid + 12, &local.sin_addr, 4);
	sent.sport = ntohs(local.sin_port);
	path = path_of(&sent);
	path.ip_id = 0xbeef;
	icrc_put(&path, sent.bytes, sent.len - WIRE_ICRC_BYTES);
	assert_int_equal(send(fd, sent.bytes, sent.len, 0), sent.len);
	pair_wait(p.b);
	assert_int_equal(p.b->ops->receive(p.b, &got, 1), 1);
	assert_int_equal(got.sport, sent.sport);
	assert_memory_equal(&got.from, &sent.from, sizeof(got.from));
	assert_memory_equal(got.bytes, sent.bytes, sent.len);
	close(fd);
	udp_pair_close(&p);
}

/* Damage is dropped, counted, and does not hold up what is behind it. */
static void test_damage(void **state)
{
	static const uint8_t zeroes[64];
	struct udp_pair p;
	struct link_packet packet, got[4];
	unsigned n = 0, len;
	int fd;

	udp_pair_open(&p, 0xbad);
	fd = udp_foreigner(&p.b_address);
	for (len = 1; len <= sizeof(zeroes); len++)
		assert_int_equal(send(fd, zeroes, len, 0), len);
	packet = pair_packet(&p.r, &p.b_address, 100, udp_bytes[0]);
	assert_int_equal(p.a->ops->send(p.a, &packet, 1), 1);
	/* The bytes as they went, one bit off, from an address that is not
	 * the one they were sealed for. */
	packet.bytes[40] ^= 0x10;
	assert_int_equal(send(fd, packet.bytes, packet.len, 0), packet.len);
	packet.bytes[40] ^= 0x10;
	assert_int_equal(p.a->ops->send(p.a, &packet, 1), 1);
	while (n < 2) {
		pair_wait(p.b);
		n += p.b->ops->receive(p.b, got + n, 4 - n);
	}
	assert_int_equal(n, 2);
	assert_int_equal(p.b->counters.bad_icrc, sizeof(zeroes) + 1);
	assert_int_equal(p.b->counters.received_packets, 2);
	assert_memory_equal(got[1].bytes, packet.bytes, packet.len);
	close(fd);
	udp_pair_close(&p);
}

/* What can never be sent is taken, lost and counted, as on a wire. */
static void test_unreachable(void **state)
{
	struct udp_pair p;
	struct link_address ipv6 = { { [15] = 1 } };
	struct link_packet packets[3], got;

	udp_pair_open(&p, 0x404);
	packets[0] = pair_packet(&p.r, &ipv6, 8, udp_bytes[0]);
	packets[1] = pair_packet(&p.r, &p.b_address, 8, udp_bytes[1]);
	packets[2] = pair_packet(&p.r, &ipv6, 8, udp_bytes[2]);
	assert_int_equal(p.a->ops->send(p.a, packets, 3), 3);
	assert_int_equal(p.a->counters.send_errors, 2);
	assert_int_equal(p.a->counters.sent_packets, 1);
	pair_wait(p.b);
	assert_int_equal(p.b->ops->receive(p.b, &got, 1), 1);
	assert_memory_equal(got.bytes, packets[1].bytes, packets[1].len);
	udp_pair_close(&p);
}

static unsigned udp_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void test_one_owner(void **state)
{
	struct link_address address, any = { { 0 } };
	struct link_address any_ipv4 = pair_ipv4(0, 0, 0, 0);
	/* Of a block kept for documentation: nobody has it. */
	struct link_address foreign = pair_ipv4(192, 0, 2, 1);
	unsigned before = udp_open_files(), i;

	for (i = 0; i < 50; i++) {
		struct link *l = pair_open(&address), *second = NULL;

		assert_int_equal(link_udp_open(&address, &second), -EADDRINUSE);
		assert_null(second);
		l->ops->close(l);
		assert_int_equal(link_udp_open(&address, &l), 0);
		l->ops->close(l);
		assert_int_equal(link_udp_open(&any, &second), -EADDRNOTAVAIL);
		assert_int_equal(link_udp_open(&any_ipv4, &second),
				 -EADDRNOTAVAIL);
		assert_int_equal(link_udp_open(&foreign, &second),
				 -EADDRNOTAVAIL);
		assert_null(second);
	}
	assert_int_equal(udp_open_files(), before);
}

/* IPv6 to oneself: there is one loopback address only. */
static void test_ipv6(void **state)
{
	struct link_address self = { { [15] = 1 } };
	struct link_packet packets[20], got[20];
	struct link *l;
	struct prng r;
	unsigned i, n = 0;

	if (link_udp_open(&self, &l))
		skip(); /* no IPv6 here, or it is in use */
	prng_seed(&r, 6);
	for (i = 0; i < 20; i++)
		packets[i] = pair_packet(&r, &self, 1024, udp_bytes[i]);
	packets[19].traffic_class = 0x60;
	packets[19].hop_limit = 9;
	assert_int_equal(l->ops->send(l, packets, 20), 20);
	while (n < 20) {
		pair_wait(l);
		n += l->ops->receive(l, got + n, 20 - n);
		/* Bytes are valid until the next call: compare now. */
		for (i = 0; i < n; i++)
			if (got[i].bytes) {
				assert_memory_equal(got[i].bytes,
						    packets[i].bytes,
						    packets[i].len);
				assert_memory_equal(&got[i].from, &self, 16);
				got[i].bytes = NULL;
			}
	}
	assert_int_equal(got[18].hop_limit, 64);
	assert_int_equal(got[19].traffic_class, 0x60);
	assert_int_equal(got[19].hop_limit, 9);
	assert_int_equal(l->counters.bad_icrc, 0);
	l->ops->close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sizes),
		cmocka_unit_test(test_all_sizes_one_by_one),
		cmocka_unit_test(test_all_sizes_without_runs),
		cmocka_unit_test(test_two_destinations),
		cmocka_unit_test(test_back_to_back),
		cmocka_unit_test(test_traffic_class),
		cmocka_unit_test(test_foreigner),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_one_owner),
		cmocka_unit_test(test_ipv6),
	};

	return cmocka_run_group_tests_name("link/udp", tests, NULL, NULL);
}
