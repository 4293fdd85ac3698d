// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The parser of fault rules: whatever the text, it is taken whole or refused
 * with one line; what is taken reads back as it was written, and judges a
 * packet without harm.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/link/faults.h"
#include "device/wire/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

/* The rules, joined again, are the text. */
static void fuzz_read_back(const struct faults *f, const char *text)
{
	uint64_t matches, hits;
	const char *rule;

	for (unsigned i = 0; !faults_rule(f, i, &rule, &matches, &hits); i++) {
		size_t len = strlen(rule);

		fuzz_require(!strncmp(text, rule, len));
		fuzz_require(text[len] == ';' || text[len] == '\0');
		fuzz_require(hits <= matches);
		text += len + (text[len] == ';');
	}
	fuzz_require(*text == '\0');
}

static void fuzz_judge(struct faults *f)
{
	uint8_t bytes[WIRE_BTH_BYTES + WIRE_ICRC_BYTES] = { WIRE_RC_SEND_ONLY };

	for (uint64_t now_ns = 1; now_ns < 4; now_ns++) {
		struct link_packet p = { .bytes = bytes, .len = sizeof(bytes) };

		if (faults_judge(f, FAULTS_TX, 0, &p, now_ns) == FAULTS_PASSES)
			fuzz_require(p.turn <= sizeof(bytes) * 8);
		while (faults_take(f, FAULTS_TX, now_ns))
			;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char *error = NULL;
	struct faults *f;
	int err;

	if (!text || faults_open(1, &f))
		abort();
	err = faults_add(f, text, &error);
	if (err) {
		fuzz_require(error && !strchr(error, '\n'));
		fuzz_require(!faults_active(f));
	} else {
		fuzz_require(!error && faults_active(f));
		fuzz_judge(f);
		fuzz_read_back(f, text);
	}
	free(error);
	faults_close(f);
	free(text);
	return 0;
}
