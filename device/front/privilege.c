// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/front/privilege.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

bool privilege_net_raw(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[0].effective & (1u << CAP_NET_RAW);
}
