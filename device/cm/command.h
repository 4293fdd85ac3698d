/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What librdmacm writes to /dev/infiniband/rdma_cm (ABI 4): a header and the
 * body of one command.  Anybody may write anything there, so this parser takes
 * bytes and has no effect; what it lets through has all its fields.
 */
#ifndef DEVICE_CM_COMMAND_H
#define DEVICE_CM_COMMAND_H

#include <rdma/rdma_user_cm.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

union cm_command_body {
#define CM_COMMAND(code, name, in_min, out_min) struct rdma_ucm_##name name;
#define CM_ANSWERED				CM_COMMAND
#define CM_REFUSED(code, err)
#include "device/cm/command.def"
#undef CM_COMMAND
#undef CM_ANSWERED
#undef CM_REFUSED
};

struct cm_command {
	uint32_t code;	     /* RDMA_USER_CM_CMD_* */
	uint16_t room_bytes; /* at @response */
	uint64_t response;   /* address for the answer; 0: it has none */
	union cm_command_body body;
};

/* The longest that a command needs to be; what is behind it says nothing. */
enum {
	CM_COMMAND_BYTES_MAX =
		sizeof(struct rdma_ucm_cmd_hdr) + sizeof(union cm_command_body)
};

/*
 * Take apart @bytes, the first of a command of @len in all: as many of them
 * are there as CM_COMMAND_BYTES_MAX and @len allow.  -EINVAL: cut short, or no
 * such command; -ENOSPC: no room for the answer; or the refusal of command.def.
 */
int cm_command_parse(const void *bytes, size_t len,
		     struct cm_command *command) MUST_USE;
/* "CONNECT"; NULL when there is no such command. */
const char *cm_command_name(uint32_t code);

#endif
