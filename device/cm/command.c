// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Commands of the connection manager's device: see the header. */
#include "device/cm/command.h"

#include <errno.h>
#include <string.h>

struct command_row {
	const char *name;
	int refusal; /* 0: it is served */
	uint16_t in_min;
	uint16_t in_max;
	uint16_t out_min;
	int16_t response_at; /* offset in the body; -1: no answer */
};

static const struct command_row command_rows[] = {
#define CM_COMMAND(code, name, in_min, out_min)                                \
	[RDMA_USER_CM_CMD_##code] = { #code,   0,                              \
				      in_min,  sizeof(struct rdma_ucm_##name), \
				      out_min, -1 },
#define CM_ANSWERED(code, name, in_min, out_min)                    \
	[RDMA_USER_CM_CMD_##code] = {                               \
		#code,	 0,                                         \
		in_min,	 sizeof(struct rdma_ucm_##name),            \
		out_min, offsetof(struct rdma_ucm_##name, response) \
	},
#define CM_REFUSED(code, err) [RDMA_USER_CM_CMD_##code] = { #code, err },
#include "device/cm/command.def"
#undef CM_COMMAND
#undef CM_ANSWERED
#undef CM_REFUSED
};

static const struct command_row *command_row(uint32_t code)
{
	if (code >= ARRAY_SIZE(command_rows) || !command_rows[code].name)
		return NULL;
	return &command_rows[code];
}

const char *cm_command_name(uint32_t code)
{
	const struct command_row *row = command_row(code);

	return row ? row->name : NULL;
}

int cm_command_parse(const void *bytes, size_t len, struct cm_command *command)
{
	struct rdma_ucm_cmd_hdr header;
	const struct command_row *row;
	const uint8_t *body = (const uint8_t *)bytes + sizeof(header);
	struct cm_command c = { 0 };
	size_t in;

	if (len < sizeof(header))
		return -EINVAL;
	memcpy(&header, bytes, sizeof(header));
	row = command_row(header.cmd);
	if (!row || header.in > len - sizeof(header))
		return -EINVAL;
	if (row->refusal)
		return -row->refusal;
	if (header.in < row->in_min)
		return -EINVAL;
	if (header.out < row->out_min)
		return -ENOSPC;
	in = header.in < row->in_max ? header.in : row->in_max;
	memcpy(&c.body, body, in);
	c.code = header.cmd;
	c.room_bytes = header.out;
	if (row->response_at >= 0)
		memcpy(&c.response, (uint8_t *)&c.body + row->response_at,
		       sizeof(c.response));
	*command = c;
	return 0;
}
