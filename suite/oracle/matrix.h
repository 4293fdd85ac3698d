/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The status matrix (rules/status_matrix.tsv): for a scenario, which statuses
 * each end may see and in which states it may be afterwards.
 */
#ifndef SUITE_ORACLE_MATRIX_H
#define SUITE_ORACLE_MATRIX_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "base/verbs_names.h"

#define MATRIX_STATE_BIT(state) (1u << (state))
/* Statuses of a cell that says "any error". */
#define MATRIX_ANY_ERROR (UINT32_MAX & ~VERBS_STATUS_BIT(IBV_WC_SUCCESS))

/* What may come of one work request. */
struct matrix_accept {
	uint32_t statuses; /* VERBS_STATUS_BIT() each; UINT32_MAX: any */
	/* Statuses that the table names under a condition ("SRQ: ..."). */
	uint32_t conditional;
	bool post_error;     /* the post itself may be refused */
	bool none;	     /* no completion may be right */
	bool not_applicable; /* "n/a": there is no such work request */
};

struct matrix_states {
	unsigned states; /* MATRIX_STATE_BIT() each */
	bool unchanged;	 /* the state before is right, whatever it was */
	bool any;
	bool not_applicable;
};

struct matrix_row {
	const char *id; /* "S02" */
	const char *scenario;
	unsigned types;		    /* 1u << enum ibv_qp_type */
	struct matrix_accept canon; /* what to report as the usual answer */
	struct matrix_accept requester;
	struct matrix_accept responder; /* of the posted receive */
	struct matrix_states requester_after;
	struct matrix_states responder_after;
	const char *note;
};

uint32_t matrix_count(void);
/* Row @index of the table: 0, or -EINVAL with *@error a text for people
 * (freed by the caller; may be NULL when not wanted). */
int matrix_parse(uint32_t index, struct matrix_row *row, char **error) MUST_USE;
/* The row named @id, e.g. "S02"; -ENOENT when there is none. */
int matrix_row(const char *id, struct matrix_row *row) MUST_USE;

/* Is @status right there?  Conditional statuses do not count. */
bool matrix_accepts(const struct matrix_accept *accept,
		    enum ibv_wc_status status);
/*
 * The requester's @statuses as iWARP has them: a SEND is complete when it has
 * been handed to TCP, and what the peer refuses it tells by a Terminate message,
 * which ends the connection and flushes what is outstanding (RFC 5040, 5.1 and
 * 7.2).  SUCCESS of a WRITE is not added, for its bytes are accounted as there:
 * it stands in the lists of deviations.
 */
uint32_t matrix_iwarp(enum ibv_wr_opcode opcode, uint32_t statuses);
/* Is @after right, for a QP that was in @before? */
bool matrix_state_fits(const struct matrix_states *states,
		       enum ibv_qp_state before, enum ibv_qp_state after);
/* "SUCCESS, LOC_LEN_ERR or none" appended. */
void matrix_accept_print(const struct matrix_accept *accept,
			 struct strbuf *out);

#endif
