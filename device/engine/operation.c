// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/operation.h"

#include <assert.h>

#include "base/compiler.h"

/* The words of operations.def. */
enum {
	RC = 1 << 0,
	UC = 1 << 1,
	UD = 1 << 2,
	IS_SEND = 1 << 3,
	IS_WRITE = 1 << 4,
	IS_READ = 1 << 5,
	IS_ATOMIC = 1 << 6,
	IS_LOCAL = 1 << 7,
	IS_SOLICITABLE = 1 << 8,
};

static const struct operation {
	unsigned transports; /* 0: none has it */
	enum ibv_wc_opcode wc;
	enum wire_opcode first, last, only;
	unsigned is;
} operations[] = {
#define SD_OPERATION(wr, wc, transports, first, last, only, is)   \
	[IBV_WR_##wr] = { transports,  IBV_WC_##wc, WIRE_##first, \
			  WIRE_##last, WIRE_##only, is },
#include "device/engine/operations.def"
#undef SD_OPERATION
};

/* An opcode from the application may be any number. */
static const struct operation *operation_row(enum ibv_wr_opcode op)
{
	static const struct operation none;

	return (unsigned)op < ARRAY_SIZE(operations) ? &operations[op] : &none;
}

bool operation_allowed(enum ibv_wr_opcode op, enum ibv_qp_type type)
{
	unsigned transport = type == IBV_QPT_RC	  ? RC
			     : type == IBV_QPT_UC ? UC
						  : UD;

	return operation_row(op)->transports & transport;
}

enum ibv_wc_opcode operation_wc(enum ibv_wr_opcode op)
{
	return operation_row(op)->wc;
}

enum wire_opcode operation_wire(enum ibv_wr_opcode op, enum ibv_qp_type type,
				bool first, bool last)
{
	const struct operation *o = operation_row(op);
	unsigned transport = type == IBV_QPT_RC	  ? WIRE_RC
			     : type == IBV_QPT_UC ? WIRE_UC
						  : WIRE_UD;
	unsigned wire;

	if (first && last)
		wire = o->only;
	else if (first)
		wire = o->first;
	else if (last)
		wire = o->last;
	else
		wire = o->first + 1;
	static_assert(WIRE_RC_SEND_MIDDLE == WIRE_RC_SEND_FIRST + 1 &&
			      WIRE_RC_WRITE_MIDDLE == WIRE_RC_WRITE_FIRST + 1,
		      "MIDDLE follows FIRST");
	return (enum wire_opcode)(transport << 5 | wire);
}

bool operation_is_send(enum ibv_wr_opcode op)
{
	return operation_row(op)->is & IS_SEND;
}

bool operation_is_read(enum ibv_wr_opcode op)
{
	return operation_row(op)->is & IS_READ;
}

bool operation_is_atomic(enum ibv_wr_opcode op)
{
	return operation_row(op)->is & IS_ATOMIC;
}

bool operation_is_local(enum ibv_wr_opcode op)
{
	return operation_row(op)->is & IS_LOCAL;
}

bool operation_is_fetch(enum ibv_wr_opcode op)
{
	return operation_row(op)->is & (IS_READ | IS_ATOMIC);
}

bool operation_solicits(enum ibv_wr_opcode op)
{
	return operation_row(op)->is & (IS_SEND | IS_SOLICITABLE);
}
