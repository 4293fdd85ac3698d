/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A datagram to oneself and back: the first thing to try with an address. */
#ifndef SUITE_CHECK_PING_H
#define SUITE_CHECK_PING_H

struct ibv_context;
struct check_facts;

/* Fills in what has come of it. */
void check_ping(struct ibv_context *context, struct check_facts *f);

#endif
