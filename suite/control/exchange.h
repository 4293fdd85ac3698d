/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What two queue pairs must know of each other before the first packet, and
 * the frames that carry it: "hello" with the parameters, "barrier" with the
 * name of a point that the sender has reached, "figure" with a number that
 * means something to the other side.
 */
#ifndef SUITE_CONTROL_EXCHANGE_H
#define SUITE_CONTROL_EXCHANGE_H

#include <jansson.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

struct exchange_params {
	uint32_t qpn;	   /* 24 bits, not 0 */
	uint32_t psn;	   /* 24 bits: of the sender's first packet */
	uint16_t lid;	   /* 0 on RoCE */
	uint8_t gid_index; /* the sender's own, for the record */
	uint8_t gid[16];   /* as on the wire */
	uint32_t mtu;	   /* bytes: 256 512 1024 2048 4096 */
	uint16_t pkey_index;
	/* Who the sender is in its payloads. */
	uint32_t qp_index;   /* 14 bits */
	uint32_t generation; /* 12 bits */
	uint64_t address;    /* of the memory that the peer may use; or 0 */
	uint32_t rkey;
};

json_t *exchange_hello_make(const struct exchange_params *p);
/* -EBADMSG, and @error names the member, its value and what it may be. */
int exchange_hello_read(const json_t *object, struct exchange_params *p,
			struct strbuf *error) MUST_USE;

json_t *exchange_barrier_make(const char *name);
/* It must be the barrier called @name. */
int exchange_barrier_read(const json_t *object, const char *name,
			  struct strbuf *error) MUST_USE;

/* @value: below 2^63, which is what JSON numbers of ours have. */
json_t *exchange_figure_make(uint64_t value);
int exchange_figure_read(const json_t *object, uint64_t *value,
			 struct strbuf *error) MUST_USE;

#endif
