/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel would ask of a process before it lets a verb do something. */
#ifndef DEVICE_FRONT_PRIVILEGE_H
#define DEVICE_FRONT_PRIVILEGE_H

#include <stdbool.h>

/* Has the calling thread CAP_NET_RAW, as privileged Q_Keys need? */
bool privilege_net_raw(void);

#endif
