/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of ibv_query_device() and ibv_query_port(), by name. */
#ifndef SUITE_CLI_LIMITS_H
#define SUITE_CLI_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* What a value is. */
enum limit_kind {
	LIMIT_NUMBER, /* of things */
	LIMIT_CODE,   /* bits for machines: in hexadecimal */
	LIMIT_WORD,   /* one of several, each with a word */
	LIMIT_FLAGS,  /* several at once, each bit with a word */
};

struct limit {
	const char *name;
	size_t offset, size; /* of the field */
	enum limit_kind kind;
	/* Of the value or the bit; NULL: the kind has none. */
	const char *(*word)(uint64_t value);
};

extern const struct limit limits_device[], limits_port[];
extern const size_t limits_device_count, limits_port_count;

uint64_t limits_value(const struct limit *l, const void *attr);

#endif
