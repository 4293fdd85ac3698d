// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The texts that programs read about a device through libibverbs instead of
 * calling verbs.  The paths of ours exist nowhere but here.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/front/facts.h"
#include "device/front/real.h"
#include "device/front/sysfs.h"

/* Which commands the connection manager's device (device/cm) takes. */
#define SYSFS_CM_ABI "4"

struct sysfs_text {
	const char *path;
	const char *text;
};

static const struct sysfs_text sysfs_texts[] = {
	{ "fw_ver", SOFT_FW_VERSION },
	{ "hw_rev", "1" },
	{ "hca_type", SOFT_BOARD },
	{ "board_id", SOFT_BOARD },
	{ "node_type", "1: CA" },
	{ "node_desc", SOFT_NAME },
	{ "ports/1/state", "4: ACTIVE" },
	{ "ports/1/phys_state", "5: LinkUp" },
	{ "ports/1/link_layer", "Ethernet" },
	{ "ports/1/rate", "40 Gb/sec (4X QDR)" },
	{ "ports/1/lid", "0x0" },
	{ "ports/1/pkeys/0", "0xffff" },
	{ "ports/1/gid_attrs/types/0", "RoCE v2" },
};

static int sysfs_copy(const char *text, char *to, size_t room)
{
	size_t len = strlen(text);

	if (room == 0)
		return -EINVAL;
	if (len > room - 1)
		len = room - 1;
	memcpy(to, text, len);
	to[len] = '\0';
	return (int)len;
}

static int sysfs_read_ours(const char *path, char *to, size_t room)
{
	uint64_t guid = be64toh(soft_node_guid());
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(sysfs_texts); i++) {
		if (!strcmp(path, sysfs_texts[i].path))
			return sysfs_copy(sysfs_texts[i].text, to, room);
	}
	if (!strcmp(path, "node_guid") || !strcmp(path, "sys_image_guid")) {
		snprintf(text, sizeof(text),
			 "%04" PRIx64 ":%04" PRIx64 ":%04" PRIx64 ":%04" PRIx64,
			 guid >> 48, guid >> 32 & 0xffff, guid >> 16 & 0xffff,
			 guid & 0xffff);
		return sysfs_copy(text, to, room);
	}
	return -ENOENT;
}

static const char sysfs_ours[] = SOFT_SYSFS "/";

bool sysfs_is_ours(const char *path)
{
	return !strncmp(path, sysfs_ours, sizeof(sysfs_ours) - 1);
}

int sysfs_text(const char *path, char *to, size_t room)
{
	if (!sysfs_is_ours(path))
		return -ENOENT;
	return sysfs_read_ours(path + sizeof(sysfs_ours) - 1, to, room);
}

EXPORTED int ibv_read_sysfs_file(const char *dir, const char *file, char *text,
				 size_t room);
EXPORTED int ibv_read_sysfs_file(const char *dir, const char *file, char *text,
				 size_t room)
{
	char path[2 * IBV_SYSFS_PATH_MAX];
	int len;

	if (!dir || !file || !text)
		return verbs_status(-EINVAL);
	len = snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (len > 0 && (size_t)len < sizeof(path) && sysfs_is_ours(path))
		return verbs_status(sysfs_text(path, text, room));
	if (!strcmp(file, "class/misc/rdma_cm/abi_version"))
		return sysfs_copy(SYSFS_CM_ABI, text, room);
	if (!real_verbs()->read_sysfs_file)
		return verbs_status(-ENOENT);
	return real_verbs()->read_sysfs_file(dir, file, text, room);
}
