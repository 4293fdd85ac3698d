// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Captures as tshark reads them: every opcode is dissected as RoCEv2 with no
 * complaint and a right ICRC; several writers and killed ones leave a file
 * that is whole.
 */
#include "pair.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/compiler.h"
#include "device/link/path.h"
#include "device/wire/bytes.h"

static char capture_folder[] = "/tmp/capture_test.XXXXXX";
static char capture_path[64];
/* The bytes of the packet made last. */
static uint8_t capture_bytes[WIRE_PACKET_MAX];
static size_t capture_len;

static int capture_setup(void **state)
{
	snprintf(capture_path, sizeof(capture_path), "%s/c.pcapng",
		 capture_folder);
	return 0;
}

static int capture_teardown(void **state)
{
	char errors[64];

	unlink(capture_path);
	snprintf(errors, sizeof(errors), "%s/stderr", capture_folder);
	unlink(errors);
	return 0;
}

/* Walk over the blocks of the capture; returns the packets, -1 when the file
 * is not a row of whole blocks that begins with a section. */
static int capture_count(void)
{
	static uint8_t file[8 << 20];
	uint32_t type, bytes, again;
	size_t len, at = 0;
	int packets = 0;
	FILE *f = fopen(capture_path, "rb");

	assert_non_null(f);
	len = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_true(len < sizeof(file));
	while (at + 12 <= len) {
		memcpy(&type, file + at, 4);
		memcpy(&bytes, file + at + 4, 4);
		if (bytes < 12 || bytes % 4 || bytes > len - at)
			return -1;
		memcpy(&again, file + at + bytes - 4, 4);
		if (again != bytes || (!at && type != 0x0a0d0d0a))
			return -1;
		packets += type == 6;
		at += bytes;
	}
	return at == len ? packets : -1;
}

/* A packet with @op as an engine would send it. */
static struct link_packet capture_make(enum wire_opcode op, bool ipv6,
				       uint16_t sport)
{
	struct wire_packet p = {
		.opcode = op,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = 0x11,
		.psn = psn_make(0xfffffe + op),
		.ack_request = true,
		.aeth = { WIRE_AETH_ACK_UNLIMITED, 7 },
		.reth = { 0x10000, 0x1234, 16 },
		.atomic = { 0x10000, 0x1234, 5, 6 },
		.deth = { 0x11111111, 0, 0x12 },
		.payload_len = wire_opcode_has_payload(op) ? 16 : 0,
		.payload = (const uint8_t *)"\x05 ordinary text",
	};
	struct link_packet l = {
		.from = pair_ipv4(10, 0, 0, 1),
		.to = pair_ipv4(10, 0, 0, 2),
		.sport = sport,
		.bytes = capture_bytes,
		.len = (uint32_t)wire_packet_encode(&p, capture_bytes),
	};

	if (ipv6) {
		l.from = (struct link_address){ { 0xfd, [15] = 1 } };
		l.to = (struct link_address){ { 0xfd, [15] = 2 } };
	}
	link_put_icrc(&l);
	capture_len = l.len;
	return l;
}

static const enum wire_opcode capture_opcodes[] = {
#define WIRE_OPCODE(value, name, headers, properties) WIRE_##name,
#include "device/wire/opcodes.def"
#undef WIRE_OPCODE
};

/* tshark 4.0 names these, but goes no further. */
static bool capture_is_dissected(enum wire_opcode op)
{
	return op != WIRE_RC_FLUSH && op != WIRE_RC_ATOMIC_WRITE &&
	       op != WIRE_CNP;
}

/* The line that tshark is to print of the @i-th packet of the test below. */
static void capture_expect(unsigned i, char *text, size_t size)
{
	enum wire_opcode op = capture_opcodes[i / 2];
	char icrc[16] = "";
	uint32_t v;

	capture_make(op, i % 2, (uint16_t)(0xc000 + i));
	v = bytes_get_be32(capture_bytes + capture_len - WIRE_ICRC_BYTES);
	if (capture_is_dissected(op))
		snprintf(icrc, sizeof(icrc), "0x%08x", v);
	snprintf(text, size, "1700000000.%09u|RRoCE|%u|%u|%s|%s||\n", i * 1000,
		 op, psn_make(0xfffffe + op).v, i % 2 ? "" : "0x0000", icrc);
}

static void test_every_opcode(void **state)
{
	char command[512], text[512], expected[512];
	struct capture *c;
	unsigned i = 0, n = 2 * ARRAY_SIZE(capture_opcodes);
	FILE *f;

	if (system("tshark --version >/dev/null 2>&1"))
		skip();
	assert_int_equal(capture_open(capture_path, &c), 0);
	for (i = 0; i < n; i++) {
		struct link_packet l = capture_make(
			capture_opcodes[i / 2], i % 2, (uint16_t)(0xc000 + i));

		capture_packet(c, &l, 1700000000000000000ull + i * 1000);
	}
	capture_close(c);
	assert_int_equal(capture_count(), n);

	snprintf(command, sizeof(command),
		 "HOME=%s tshark -n -r %s -o udp.check_checksum:TRUE "
		 "-o ip.check_checksum:TRUE -T fields -E 'separator=|' "
		 "-e frame.time_epoch -e _ws.col.Protocol "
		 "-e infiniband.bth.opcode -e infiniband.bth.psn -e ip.id "
		 "-e infiniband.invariant.crc -e _ws.malformed "
		 "-e _ws.expert.message 2>%s/stderr",
		 capture_folder, capture_path, capture_folder);
	f = popen(command, "r");
	assert_non_null(f);
	for (i = 0; fgets(text, sizeof(text), f); i++) {
		assert_true(i < n);
		capture_expect(i, expected, sizeof(expected));
		assert_string_equal(text, expected);
	}
	assert_int_equal(pclose(f), 0);
	assert_int_equal(i, n);
}

/* The identification is the one that the ICRC was made for; a wrong ICRC is
 * kept as it is. */
static void test_identification(void **state)
{
	struct link_packet l =
		capture_make(WIRE_RC_SEND_ONLY, false, WIRE_UDP_PORT);
	struct icrc_path path = path_of(&l);
	uint8_t tail[16 + 20 + 8 + 12 + 16 + 4 + 4];
	struct capture *c;
	FILE *f;
	int wrong;

	for (wrong = 0; wrong < 2; wrong++) {
		path.ip_id = 0x1234;
		icrc_put(&path, l.bytes, l.len - WIRE_ICRC_BYTES);
		l.bytes[20] ^= wrong;
		assert_int_equal(capture_open(capture_path, &c), 0);
		capture_packet(c, &l, 1);
		capture_close(c);
		f = fopen(capture_path, "rb");
		assert_non_null(f);
		assert_int_equal(fseek(f, -(long)sizeof(tail), SEEK_END), 0);
		assert_int_equal(fread(tail, sizeof(tail), 1, f), 1);
		fclose(f);
		assert_int_equal(bytes_get_be16(tail + 16 + 4),
				 wrong ? 0 : 0x1234);
		assert_memory_equal(tail + 16 + 28, l.bytes, l.len);
	}
}

/* More than the buffer holds, all in one instant. */
static void test_burst(void **state)
{
	struct link_packet l = capture_make(WIRE_RC_SEND_ONLY, false, 0xc000);
	struct capture *c;
	unsigned i;

	assert_int_equal(capture_open(capture_path, &c), 0);
	for (i = 0; i < 5000; i++)
		capture_packet(c, &l, 77);
	assert_in_range(capture_count(), 1000, 4999);
	capture_flush(c);
	assert_int_equal(capture_count(), 5000);
	capture_close(c);
	assert_int_equal(capture_count(), 5000);
}

/* Packets that come slowly are in the file at once. */
static void test_slow(void **state)
{
	struct link_packet l = capture_make(WIRE_RC_ACK, true, 0xc000);
	struct capture *c;
	int i;

	assert_int_equal(capture_open(capture_path, &c), 0);
	assert_int_equal(capture_count(), 0);
	for (i = 1; i <= 10; i++) {
		capture_packet(c, &l, (uint64_t)i * 2000000);
		assert_int_equal(capture_count(), i);
	}
	capture_close(c);
}

/* Several processes write one file, and are killed in the midst of it. */
static void test_killed_writers(void **state)
{
	enum { WRITERS = 4, FLUSHED = 300, LOST = 17 };
	pid_t pids[WRITERS];
	unsigned w, i;

	for (w = 0; w < WRITERS; w++) {
		struct link_packet l =
			capture_make(WIRE_RC_SEND_ONLY, w % 2, 0xc000);
		struct capture *c;

		pids[w] = fork();
		assert_true(pids[w] >= 0);
		if (pids[w])
			continue;
		if (capture_open(capture_path, &c))
			_exit(1);
		for (i = 0; i < FLUSHED; i++) {
			capture_packet(c, &l, 5);
			if (i % 7 == w)
				capture_flush(c);
		}
		capture_flush(c);
		for (i = 0; i < LOST; i++)
			capture_packet(c, &l, 5);
		raise(SIGKILL);
	}
	for (w = 0; w < WRITERS; w++) {
		int status;

		assert_int_equal(waitpid(pids[w], &status, 0), pids[w]);
		assert_true(WIFSIGNALED(status));
	}
	assert_int_equal(capture_count(), WRITERS * FLUSHED);
}

static void test_refused(void **state)
{
	static const char text[] = "a letter to be kept\n";
	char kept[64] = "";
	struct capture *c = NULL;
	FILE *f = fopen(capture_path, "wb");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(capture_open(capture_path, &c), -EEXIST);
	f = fopen(capture_path, "rb");
	assert_non_null(fgets(kept, sizeof(kept), f));
	fclose(f);
	assert_string_equal(kept, text);
	assert_int_equal(capture_open("/nonexistent/c.pcapng", &c), -ENOENT);
	assert_int_equal(capture_open("/dev/full", &c), -ENOSPC);
	assert_null(c);
}

#define CAPTURE_TEST(f) \
	cmocka_unit_test_setup_teardown(f, capture_setup, capture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CAPTURE_TEST(test_every_opcode),
		CAPTURE_TEST(test_identification),
		CAPTURE_TEST(test_burst),
		CAPTURE_TEST(test_slow),
		CAPTURE_TEST(test_killed_writers),
		CAPTURE_TEST(test_refused),
	};
	int failed;

	if (!mkdtemp(capture_folder))
		return 1;
	failed = cmocka_run_group_tests_name("link/capture", tests, NULL, NULL);
	rmdir(capture_folder);
	return failed;
}
