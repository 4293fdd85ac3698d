// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a packet socket sees of the UDP link: the identification that the
 * sender foretold for each segment of a run is the one on the wire, so every
 * ICRC is right to a receiver who reads headers, as kernel drivers do.
 *
 * In a network namespace of its own, whose loopback device refuses runs: so
 * the kernel has to cut them up.  Skipped where that is not allowed.
 */
#include "pair.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "device/wire/bytes.h"
#include "device/wire/icrc.h"

enum { PACKETS = 40, FRAME_MAX = 14 + 20 + 8 + WIRE_PACKET_MAX };

static uint8_t wire_bytes[PACKETS][WIRE_PACKET_MAX];
static int wire_fd = -1;

static int wire_loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = ioctl(fd, SIOCSIFFLAGS, &request);

	close(fd);
	return rc;
}

/* ip link set lo gso_max_segs 1 */
static int wire_loopback_single(void)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg link;
		struct rtattr attribute;
		uint32_t segments;
	} request = {
		.head = { .nlmsg_len = sizeof(request),
			  .nlmsg_type = RTM_SETLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.link = { .ifi_index = (int)if_nametoindex("lo") },
		.attribute = { .rta_len = RTA_LENGTH(sizeof(uint32_t)),
			       .rta_type = IFLA_GSO_MAX_SEGS },
		.segments = 1,
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		uint8_t rest[256];
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int rc = -1;

	if (send(fd, &request, sizeof(request), 0) == sizeof(request) &&
	    recv(fd, &answer, sizeof(answer), 0) > 0 &&
	    answer.head.nlmsg_type == NLMSG_ERROR)
		rc = answer.error.error;
	close(fd);
	return rc;
}

static void wire_frame_check(const uint8_t *frame, size_t frame_len,
			     const struct link_packet *sent, uint16_t ip_id)
{
	const uint8_t *ip = frame + 14;
	const uint8_t *udp = ip + 20;
	struct icrc_path path = {
		.sport = bytes_get_be16(udp),
		.dport = bytes_get_be16(udp + 2),
		.ip_id = bytes_get_be16(ip + 4),
		.dont_fragment = ip[6] & 0x40,
	};

	assert_int_equal(frame_len, 14 + 20 + 8 + sent->len);
	assert_int_equal(path.sport, WIRE_UDP_PORT);
	assert_int_equal(path.dport, WIRE_UDP_PORT);
	assert_true(path.dont_fragment);
	assert_int_equal(path.ip_id, ip_id);
	memcpy(path.saddr, ip + 12, 4);
	memcpy(path.daddr, ip + 16, 4);
	assert_memory_equal(udp + 8, sent->bytes, sent->len);
	assert_true(icrc_check(&path, udp + 8, sent->len));
}

/* Every second frame on loopback is the same one, coming in. */
static bool wire_frame_next(int fd, uint8_t *frame, size_t *len)
{
	struct sockaddr_ll from;
	socklen_t from_len = sizeof(from);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	assert_int_equal(poll(&p, 1, PAIR_PATIENCE_MS), 1);
	n = recvfrom(fd, frame, FRAME_MAX, MSG_TRUNC, (struct sockaddr *)&from,
		     &from_len);
	assert_true(n > 0);
	*len = (size_t)n;
	return from.sll_pkttype == PACKET_OUTGOING;
}

static void test_identification(void **state)
{
	/* Runs of 15 (65000 bytes), 15 and 4 with a shorter end; then two. */
	static const uint16_t ids[PACKETS] = {
		0,  1,	2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 0,	1, 2, 3, 4, 5, 6, 7, 8, 9,  10, 11, 12,
		13, 14, 0, 1, 2, 3, 4, 0, 1, 2, 3,  4,
	};
	struct link_address a_address, b_address;
	struct link_packet packets[PACKETS], got[PACKETS];
	uint8_t frame[FRAME_MAX];
	struct link *a, *b;
	struct prng r;
	unsigned i, n = 0;

	a = pair_open(&a_address);
	b = pair_open(&b_address);
	prng_seed(&r, 0x1d);
	for (i = 0; i < PACKETS; i++)
		packets[i] = pair_packet(&r, &b_address,
					 i < 34	   ? WIRE_PAYLOAD_MAX
					 : i == 34 ? 1000
						   : 256,
					 wire_bytes[i]);
	assert_int_equal(a->ops->send(a, packets, PACKETS), PACKETS);
	for (i = 0; i < PACKETS;) {
		size_t len;

		if (!wire_frame_next(wire_fd, frame, &len))
			continue;
		wire_frame_check(frame, len, &packets[i], ids[i]);
		i++;
	}
	while (n < PACKETS) {
		pair_wait(b);
		n += b->ops->receive(b, got, PACKETS);
	}
	assert_int_equal(n, PACKETS);
	assert_int_equal(b->counters.bad_icrc, 0);
	close(wire_fd);
	a->ops->close(a);
	b->ops->close(b);
}

/* Sees every frame of loopback, each twice: it needs room for all. */
static int wire_socket_open(void)
{
	int room = 8 << 20;

	wire_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (wire_fd < 0)
		return -1;
	return setsockopt(wire_fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
			  sizeof(room));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identification),
	};
	const char *why = NULL;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		why = "no network namespace allowed";
	else if (wire_loopback_up())
		why = "loopback cannot be brought up";
	else if (wire_loopback_single())
		why = "gso_max_segs of loopback cannot be set";
	else if (wire_socket_open())
		why = "no packet socket with enough room allowed";
	if (why) {
		printf("skipped: %s\n", why);
		return 77;
	}
	return cmocka_run_group_tests_name("link/udp_wire", tests, NULL, NULL);
}
