/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device under test, as it describes itself, and what it can do.  It is
 * asked in a process of its own: the runner itself never opens a device, so
 * that no thread or lock of a provider is carried into the cases' processes,
 * and a device that does not answer is an error and not a hang.
 */
#ifndef SUITE_RUNNER_TARGET_H
#define SUITE_RUNNER_TARGET_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "verbatim/case.h"

enum { TARGET_DEVICES_MAX = 64, TARGET_PORTS_MAX = 4 };

struct target_port {
	uint8_t number;
	struct ibv_port_attr attr;
};

struct target_device {
	char name[64];
	char kind[32];	/* "rxe", "siw", "mlx5", "soft": names deviations */
	int open_errno; /* why it cannot be opened, or 0 */
	struct ibv_device_attr attr;
	uint8_t port_count; /* of ports[] */
	struct target_port ports[TARGET_PORTS_MAX];
	/* Some port is ACTIVE. */
	bool active;
};

struct target_list {
	uint32_t count;
	struct target_device devices[TARGET_DEVICES_MAX];
};

/* What a run knows of its device. */
struct target {
	bool present; /* false: only cases without a device */
	struct target_device device;
	uint8_t port;
	uint32_t gid_index;
	union ibv_gid gid;
	uint32_t gid_type; /* enum ibv_gid_type */
	uint32_t mtu;	   /* bytes; of the connections */
	/* Connections go through librdmacm, from this address, because that
	 * was asked for or because there is no other way. */
	bool by_cm, by_cm_alone;
	char cm_address[64];
	/* enum vb_need bits that it does not have, with the reason for each
	 * by number of the bit. */
	unsigned lacks;
	char lack_reason[VB_NEEDS][128];
};

/* All devices of this process, soft ones included if the software device is
 * loaded.  0, or a negative errno and *@error (free() it). */
int target_list(struct target_list *out, char **error) MUST_USE;

/*
 * Ask the device that @options name.  0, or a negative errno and *@error: no
 * such device, port or GID, no permission, no answer.
 */
int target_probe(const struct vb_options *options, struct target *out,
		 char **error) MUST_USE;

/* NULL if @t has all that @record needs, or the reason to skip it. */
const char *target_lack(const struct target *t, const struct vb_case *record);

/* The kind of device that is called @name. */
void target_kind(const char *name, const struct ibv_device_attr *attr,
		 char *out, size_t size);
const char *target_gid_type_name(uint32_t type);

#endif
