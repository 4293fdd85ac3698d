// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/descriptors.h"

#include <errno.h>
#include <sys/resource.h>

enum { DESCRIPTORS_STEP = 1024 };

bool descriptors_more(int err)
{
	struct rlimit limit;

	if (err != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= limit.rlim_max)
		return false;
	if (limit.rlim_max - limit.rlim_cur < DESCRIPTORS_STEP)
		limit.rlim_cur = limit.rlim_max;
	else
		limit.rlim_cur += DESCRIPTORS_STEP;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}
