// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Public functions of libibverbs that know no device, and go to it as they
 * come: who has looked libibverbs up by dlopen() finds them here (loader.c).
 */
#include "device/front/real.h"

#define PASSING(type, name, params, args, missing) \
	EXPORTED type ibv_##name params;           \
	EXPORTED type ibv_##name params            \
	{                                          \
		if (!real_verbs()->name)           \
			return missing;            \
		return real_verbs()->name args;    \
	}

PASSING(const char *, node_type_str, (enum ibv_node_type type), (type),
	"unknown")
PASSING(const char *, port_state_str, (enum ibv_port_state state), (state),
	"unknown")
PASSING(const char *, event_type_str, (enum ibv_event_type type), (type),
	"unknown")
PASSING(const char *, wc_status_str, (enum ibv_wc_status status), (status),
	"unknown")
PASSING(int, rate_to_mult, (enum ibv_rate rate), (rate), -1)
PASSING(int, rate_to_mbps, (enum ibv_rate rate), (rate), -1)
PASSING(int, fork_init, (void), (), verbs_int(-EOPNOTSUPP))
PASSING(enum ibv_fork_status, is_fork_initialized, (void), (),
	IBV_FORK_DISABLED)
PASSING(const char *, get_sysfs_path, (void), (), "/sys")
PASSING(struct ibv_context *, import_device, (int fd), (fd),
	verbs_ptr(-EOPNOTSUPP, NULL))

EXPORTED enum ibv_rate mult_to_ibv_rate(int mult)
{
	return real_verbs()->mult_to_rate ? real_verbs()->mult_to_rate(mult)
					  : IBV_RATE_MAX;
}

EXPORTED enum ibv_rate mbps_to_ibv_rate(int mbps)
{
	return real_verbs()->mbps_to_rate ? real_verbs()->mbps_to_rate(mbps)
					  : IBV_RATE_MAX;
}
