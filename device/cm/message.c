// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages between the ends of a connection: see the header. */
#include "device/cm/message.h"

#include <string.h>

#define MESSAGE_MAGIC UINT32_C(0x31636d73)

enum {
	MESSAGE_QPN_MAX = 0xffffff,
	MESSAGE_MTU_MIN = 256,
	MESSAGE_MTU_MAX = 4096,
	MESSAGE_RETRY_MAX = 7,
};

static const uint8_t message_private_max[] = {
#define MESSAGE_ROW(name, bytes) [CM_##name] = bytes,
	CM_MESSAGES(MESSAGE_ROW)
#undef MESSAGE_ROW
};

uint8_t cm_message_private_max(enum cm_message_kind kind)
{
	return message_private_max[kind];
}

struct cm_message cm_message_make(enum cm_message_kind kind)
{
	struct cm_message m = { .magic = MESSAGE_MAGIC, .kind = kind };

	return m;
}

static bool message_address_ok(const struct cm_address *a)
{
	return a->family == CM_INET || a->family == CM_INET6;
}

bool cm_message_get(const void *bytes, size_t len, struct cm_message *m)
{
	struct cm_message in;
	bool asks;

	if (len != sizeof(in))
		return false;
	memcpy(&in, bytes, sizeof(in));
	if (in.magic != MESSAGE_MAGIC || in.kind == CM_MESSAGE_NONE ||
	    in.kind >= ARRAY_SIZE(message_private_max))
		return false;
	if (in.qpn > MESSAGE_QPN_MAX || in.psn > MESSAGE_QPN_MAX)
		return false;
	asks = in.kind == CM_REQ || in.kind == CM_SIDR_REQ;
	if (asks &&
	    (!message_address_ok(&in.from) || !message_address_ok(&in.to)))
		return false;
	if ((asks || in.kind == CM_REP) &&
	    (in.mtu < MESSAGE_MTU_MIN || in.mtu > MESSAGE_MTU_MAX))
		return false;
	if (in.retry_count > MESSAGE_RETRY_MAX ||
	    in.rnr_retry_count > MESSAGE_RETRY_MAX)
		return false;
	*m = in;
	return true;
}
