/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fault rule, between its parser (faults_parse.c) and its use (faults.c). */
#ifndef DEVICE_LINK_FAULTS_PRIVATE_H
#define DEVICE_LINK_FAULTS_PRIVATE_H

#include "base/prng.h"
#include "device/link/faults.h"
#include "device/wire/packet.h"

enum faults_action {
	FAULTS_DROP,
	FAULTS_DUPLICATE,
	FAULTS_DELAY,
	FAULTS_REORDER,
	FAULTS_CORRUPT,
};

typedef bool faults_kind(const struct wire_packet *packet);

struct faults_rule {
	char *text; /* as it was written */
	enum faults_action action;
	unsigned ways; /* bits 1 << enum faults_way */
	bool has_qp, has_op, has_psn, has_rate, has_seed;
	uint32_t qp;
	faults_kind *kind; /* NULL: @opcode exactly */
	enum wire_opcode opcode;
	struct psn psn_first, psn_last;
	uint64_t nth;	/* 0: any */
	uint64_t count; /* 0: without end */
	/* A draw of 64 bits below this one acts; UINT64_MAX: always. */
	uint64_t threshold;
	uint64_t seed;
	uint64_t wait_ns;
	uint32_t by;

	uint64_t matches;
	uint64_t hits;
	struct prng prng;
};

/*
 * Parse one rule, @text[0..len), into *@rule, without its text.  NULL, or what
 * is wrong with it (to be freed).
 */
char *faults_parse(const char *text, size_t len, struct faults_rule *rule);

#endif
