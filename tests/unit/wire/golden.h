/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packets of tests/golden/rxe.pcap, which Linux rxe sent: a reader of the
 * classic pcap format, just enough for that file.
 */
#ifndef TESTS_UNIT_WIRE_GOLDEN_H
#define TESTS_UNIT_WIRE_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/wire/bytes.h"
#include "device/wire/icrc.h"

enum {
	GOLDEN_PCAP_BYTES = 24,
	GOLDEN_RECORD_BYTES = 16,
	GOLDEN_ETHERNET_BYTES = 14,
	GOLDEN_FILE_MAX = 1 << 20,
};

struct golden {
	uint8_t file[GOLDEN_FILE_MAX];
	size_t file_len;
	size_t at; /* the next record */

	/* The current packet. */
	struct icrc_path path;
	uint8_t *bytes; /* BTH..ICRC */
	size_t len;
	unsigned number; /* from 1 */
};

/* Fill @path from an IP header and the UDP header behind it; returns where the
 * UDP payload starts. */
static inline const uint8_t *golden_path(const uint8_t *ip,
					 struct icrc_path *path)
{
	const uint8_t *udp;

	memset(path, 0, sizeof(*path));
	path->ipv6 = ip[0] >> 4 == 6;
	if (path->ipv6) {
		memcpy(path->saddr, ip + 8, 16);
		memcpy(path->daddr, ip + 24, 16);
		udp = ip + 40;
	} else {
		memcpy(path->saddr, ip + 12, 4);
		memcpy(path->daddr, ip + 16, 4);
		path->ip_id = bytes_get_be16(ip + 4);
		path->dont_fragment = ip[6] & 0x40;
		udp = ip + 20;
	}
	path->sport = bytes_get_be16(udp);
	path->dport = bytes_get_be16(udp + 2);
	return udp + 8;
}

static inline void golden_open(struct golden *g)
{
	static const char name[] = VB_SOURCE_DIR "/tests/golden/rxe.pcap";
	FILE *f = fopen(name, "rb");
	uint32_t magic;

	memset(g, 0, sizeof(*g));
	if (!f)
		fail_msg("%s: cannot be opened", name);
	g->file_len = fread(g->file, 1, sizeof(g->file), f);
	fclose(f);
	assert_in_range(g->file_len, GOLDEN_PCAP_BYTES, GOLDEN_FILE_MAX - 1);
	memcpy(&magic, g->file, sizeof(magic));
	assert_true(magic == 0xa1b2c3d4 || magic == 0xa1b23c4d);
	g->at = GOLDEN_PCAP_BYTES;
}

/* The next packet; false behind the last.  Every packet must be RoCEv2. */
static inline bool golden_next(struct golden *g)
{
	uint8_t *ip =
		g->file + g->at + GOLDEN_RECORD_BYTES + GOLDEN_ETHERNET_BYTES;
	const uint8_t *payload;
	uint32_t kept;

	if (g->at == g->file_len)
		return false;
	assert_true(g->at + GOLDEN_RECORD_BYTES <= g->file_len);
	memcpy(&kept, g->file + g->at + 8, sizeof(kept));
	g->at += GOLDEN_RECORD_BYTES + kept;
	assert_true(g->at <= g->file_len);

	payload = golden_path(ip, &g->path);
	assert_int_equal(g->path.dport, 4791);
	g->bytes = ip + (payload - ip);
	g->len = bytes_get_be16(payload - 4) - 8u;
	assert_true(g->bytes + g->len <= g->file + g->at);
	g->number++;
	return true;
}

#endif
