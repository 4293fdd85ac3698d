/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each work request opcode is and becomes on the wire (operations.def). */
#ifndef DEVICE_ENGINE_OPERATION_H
#define DEVICE_ENGINE_OPERATION_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "device/wire/opcode.h"

/* Does this type of queue pair have that operation? */
bool operation_allowed(enum ibv_wr_opcode op, enum ibv_qp_type type);
enum ibv_wc_opcode operation_wc(enum ibv_wr_opcode op);
/* The packet at that place; @type has the operation. */
enum wire_opcode operation_wire(enum ibv_wr_opcode op, enum ibv_qp_type type,
				bool first, bool last);

bool operation_is_send(enum ibv_wr_opcode op);
bool operation_is_read(enum ibv_wr_opcode op);
bool operation_is_atomic(enum ibv_wr_opcode op);
/* Without a packet: binding and invalidating. */
bool operation_is_local(enum ibv_wr_opcode op);
/* READ or atomic: answered with data, limited in number. */
bool operation_is_fetch(enum ibv_wr_opcode op);
/* The solicited flag means something. */
bool operation_solicits(enum ibv_wr_opcode op);

#endif
