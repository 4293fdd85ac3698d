/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of verbs constants, both ways: IBV_WC_RNR_RETRY_EXC_ERR is
 * "RNR_RETRY_EXC_ERR" (rows: verbs_names.def).
 *
 * verbs_*_name() gives a literal, never NULL; a value without a row is "?".
 * verbs_*_parse() takes the name with or without its prefix (IBV_WC_...), a
 * status also without its "_ERR"; 0 and *@value set, or -EINVAL.
 *
 * Only constants of <infiniband/verbs.h> are used: no call, no library.
 */
#ifndef BASE_VERBS_NAMES_H
#define BASE_VERBS_NAMES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

const char *verbs_wc_status_name(enum ibv_wc_status status);
const char *verbs_wc_opcode_name(enum ibv_wc_opcode opcode);
const char *verbs_wr_opcode_name(enum ibv_wr_opcode opcode);
const char *verbs_qp_state_name(enum ibv_qp_state state);
const char *verbs_qp_type_name(enum ibv_qp_type type);
const char *verbs_event_name(enum ibv_event_type event);
const char *verbs_port_state_name(enum ibv_port_state state);

int verbs_wc_status_parse(const char *name, enum ibv_wc_status *value) MUST_USE;
int verbs_qp_state_parse(const char *name, enum ibv_qp_state *value) MUST_USE;
int verbs_qp_type_parse(const char *name, enum ibv_qp_type *value) MUST_USE;

/* 1024 for IBV_MTU_1024; 0 for no MTU. */
unsigned verbs_mtu_bytes(enum ibv_mtu mtu);
/* -EINVAL unless @bytes is one of 256, 512, 1024, 2048, 4096. */
int verbs_mtu_from_bytes(unsigned bytes, enum ibv_mtu *mtu) MUST_USE;

/* The opcode that a send work request of @opcode completes with (CMP-11). */
enum ibv_wc_opcode verbs_wc_opcode_of(enum ibv_wr_opcode opcode);
/* Does @opcode use up a receive at the peer? */
bool verbs_wr_takes_recv(enum ibv_wr_opcode opcode);
/* Does @opcode carry an immediate? */
bool verbs_wr_has_imm(enum ibv_wr_opcode opcode);

/* What an event is about, and so which member of its element has a value. */
enum verbs_about {
	VERBS_ABOUT_DEVICE, /* none has; nor of an event without a row */
	VERBS_ABOUT_PORT,
	VERBS_ABOUT_CQ,
	VERBS_ABOUT_QP,
	VERBS_ABOUT_SRQ,
	VERBS_ABOUT_WQ,
};
enum verbs_about verbs_event_about(enum ibv_event_type event);

/* A set of statuses, one bit each. */
#define VERBS_STATUS_BIT(status) (UINT32_C(1) << (status))

/* "SUCCESS,WR_FLUSH_ERR" into @text, at most @room bytes with the NUL (cut
 * when longer); "none" for no bit.  Returns @text. */
const char *verbs_status_set_text(uint32_t set, char *text, size_t room);

#endif
