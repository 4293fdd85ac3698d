// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a program may write to the connection manager's device, and what a peer
 * may send: the first byte says which.  Whatever it is, it is taken or refused,
 * and what is taken has all its fields in range.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/cm/command.h"
#include "device/cm/message.h"
#include "device/cm/qp_attr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

/* The addresses in a command, as the manager reads them. */
static void fuzz_address(const void *bytes, size_t len)
{
	char name[CM_NAME_BYTES];
	struct cm_address a;
	struct sockaddr_in6 back;

	if (cm_address_get(bytes, len, &a))
		return;
	fuzz_require(a.family == CM_INET || a.family == CM_INET6);
	fuzz_require(cm_address_name(&a, RDMA_PS_TCP, name) < sizeof(name));
	cm_address_put(&a, &back);
	fuzz_require(!memcmp(&back, bytes, sizeof(a.family)));
}

static void fuzz_command(const uint8_t *data, size_t size)
{
	struct ib_uverbs_qp_attr attr;
	struct cm_path path = { .known = true };
	struct cm_command c;

	if (cm_command_parse(data, size, &c))
		return;
	fuzz_require(cm_command_name(c.code) != NULL);
	fuzz_require(size >= sizeof(struct rdma_ucm_cmd_hdr));
	switch (c.code) {
	case RDMA_USER_CM_CMD_BIND_IP:
		fuzz_address(&c.body.bind_ip.addr, sizeof(c.body.bind_ip.addr));
		break;
	case RDMA_USER_CM_CMD_RESOLVE_IP:
		fuzz_address(&c.body.resolve_ip.dst_addr,
			     sizeof(c.body.resolve_ip.dst_addr));
		break;
	case RDMA_USER_CM_CMD_INIT_QP_ATTR:
		if (!cm_path_attr(&path, c.body.init_qp_attr.qp_state, &attr))
			fuzz_require(attr.qp_state <= IBV_QPS_RTS);
		break;
	}
}

static void fuzz_message(const uint8_t *data, size_t size)
{
	struct cm_message m;

	if (!cm_message_get(data, size, &m))
		return;
	fuzz_require(size == sizeof(m));
	fuzz_require(m.qpn < 1 << 24 && m.psn < 1 << 24);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] & 1)
		fuzz_message(data + 1, size - 1);
	else
		fuzz_command(data + 1, size - 1);
	return 0;
}
