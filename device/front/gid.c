// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The GID and P_Key tables: see the header. */
#include "device/front/gid.h"

#include <arpa/inet.h>
#include <string.h>

#include "device/front/limits.h"
#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"

enum { GID_PORT = 1 };

#define GID_PKEY_DEFAULT 0xffff

static int gid_read(struct ibv_context *context, uint32_t port, uint32_t index,
		    struct ibv_gid_entry *entry)
{
	struct soft_context *c = soft_context_cast(context);

	if (port != GID_PORT || index >= LIMIT_gid_entries)
		return -EINVAL;
	if (index != 0 && !MUTANT_ACTS(M48, true))
		return -ENODATA;
	memset(entry, 0, sizeof(*entry));
	memcpy(entry->gid.raw, sd_adapter_gid(c->adapter), 16);
	entry->gid_index = index;
	entry->port_num = port;
	entry->gid_type = IBV_GID_TYPE_ROCE_V2;
	return 0;
}

int soft_query_gid_ex(struct ibv_context *context, uint32_t port,
		      uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_bytes)
{
	struct ibv_gid_entry full;
	int err;

	if (flags)
		return -EOPNOTSUPP;
	err = gid_read(context, port, index, &full);
	if (err)
		return err;
	/* A caller with a larger entry than ours knows fields that we do
	 * not: zero. */
	memset(entry, 0, entry_bytes);
	memcpy(entry, &full,
	       entry_bytes < sizeof(full) ? entry_bytes : sizeof(full));
	return 0;
}

ssize_t soft_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t entries_max,
			     uint32_t flags, size_t entry_bytes)
{
	int err;

	if (flags)
		return -EOPNOTSUPP;
	if (entries_max < 1)
		return -EINVAL;
	err = soft_query_gid_ex(context, GID_PORT, 0, entries, 0, entry_bytes);
	return err ? err : 1;
}

/* By tradition of the call an empty entry is a zero GID. */
int soft_query_gid(struct ibv_context *context, uint8_t port, int index,
		   union ibv_gid *gid)
{
	struct ibv_gid_entry entry;
	int err = gid_read(context, port, (uint32_t)index, &entry);

	if (err == -ENODATA) {
		memset(gid, 0, sizeof(*gid));
		return 0;
	}
	if (err)
		return err;
	*gid = entry.gid;
	return 0;
}

/* By tradition of the call an empty entry is of the oldest type. */
int soft_query_gid_type(struct ibv_context *context, uint8_t port,
			unsigned int index, enum soft_gid_type_sysfs *type)
{
	struct ibv_gid_entry entry;
	int err = gid_read(context, port, index, &entry);

	if (err && err != -ENODATA)
		return err;
	*type = err ? SOFT_GID_SYSFS_IB_ROCE_V1 : SOFT_GID_SYSFS_ROCE_V2;
	return 0;
}

int soft_query_pkey(struct ibv_context *context, uint8_t port, int index,
		    __be16 *pkey)
{
	if (port != GID_PORT || index < 0 || index >= LIMIT_pkey_entries)
		return -EINVAL;
	*pkey = htons(GID_PKEY_DEFAULT);
	return 0;
}

int soft_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	if (port != GID_PORT || pkey != htons(GID_PKEY_DEFAULT))
		return -EINVAL;
	return 0;
}
