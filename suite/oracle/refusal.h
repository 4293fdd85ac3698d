/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why a modify call may have been refused: the verb says EINVAL, whichever of
 * a dozen attributes it was.  Names the first that cannot be (refusal.def), or
 * that the transition misses or does not take.
 */
#ifndef SUITE_ORACLE_REFUSAL_H
#define SUITE_ORACLE_REFUSAL_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Of device and port. */
struct refusal_limits {
	bool ethernet;
	uint8_t ports;
	uint32_t pkeys, gids;
	enum ibv_mtu active_mtu;
	uint32_t max_init_rd_atomic, max_rd_atomic;
};

/* "; pkey_index 7: the P_Key table has 1 entries" appended, or nothing when
 * all looks right; then the state or the device is to blame. */
void refusal_explain(enum ibv_qp_type type, enum ibv_qp_state from,
		     const struct ibv_qp_attr *attr, unsigned mask,
		     const struct refusal_limits *limits, struct strbuf *out);

#endif
