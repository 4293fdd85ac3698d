/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The queue pair's state machine: which transitions are legal, which
 * attributes each needs and takes (rules/qp_states.tsv), and what they do.
 */
#ifndef DEVICE_ENGINE_QP_STATE_H
#define DEVICE_ENGINE_QP_STATE_H

#include "base/compiler.h"
#include "device/engine/qp.h"

/* What the port and the adapter allow, for judging attribute values. */
struct sd_port_limits {
	uint32_t ports;
	uint32_t gid_entries_valid; /* GIDs 0..n-1 are filled */
	uint32_t pkey_entries;
	enum ibv_mtu mtu_max;
	uint32_t rd_atomic_max;
};

/* Read the table once, before any other call. */
void qp_state_init(void);

/*
 * 0: @from to @to is legal for @type with exactly these bits.  -EINVAL: not
 * a legal pair, a required bit missing, or a foreign one set.
 */
int qp_state_check(enum ibv_qp_type type, enum ibv_qp_state from,
		   enum ibv_qp_state to, unsigned mask) MUST_USE;

/*
 * ibv_modify_qp(): judges everything, then changes everything, so that a
 * refusal (-EINVAL) leaves the queue pair as it was.
 */
int qp_state_modify(struct sd_qp *qp, const struct ibv_qp_attr *attr,
		    unsigned mask,
		    const struct sd_port_limits *limits) MUST_USE;

/* ibv_query_qp(): the attributes as they stand now. */
void qp_state_query(const struct sd_qp *qp, struct ibv_qp_attr *attr);

/* Raise SQ_DRAINED when a queue pair in SQD has finished what it had begun. */
void qp_state_check_drained(struct sd_qp *qp);

#endif
