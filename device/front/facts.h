/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the device says of itself, in calls and in its sysfs texts alike. */
#ifndef DEVICE_FRONT_FACTS_H
#define DEVICE_FRONT_FACTS_H

#include <stdint.h>

#define SOFT_NAME	"soft0"
#define SOFT_UVERBS	"uverbs_" SOFT_NAME
#define SOFT_SYSFS	"/sys/class/infiniband/" SOFT_NAME
#define SOFT_SYSFS_DEV	"/sys/class/infiniband_verbs/" SOFT_UVERBS
#define SOFT_BOARD	"softrdma"
#define SOFT_FW_VERSION VB_VERSION

/* A number that no vendor has: locally administered.  Programs that tune
 * themselves by vendor take their plain path. */
enum { SOFT_VENDOR_ID = 0x02534f, SOFT_PART_ID = 1, SOFT_HW_VERSION = 1 };

/* One node GUID a process, because each is an adapter of its own; network
 * order. */
uint64_t soft_node_guid(void);

#endif
