// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address handles: where a datagram goes, judged when the handle is made. */
#include "device/front/ah.h"

#include <stdlib.h>
#include <string.h>

#include "base/idtable.h"
#include "device/front/gid.h"
#include "device/front/limits.h"
#include "device/front/verbs.h"
#include "device/world/adapter.h"

enum {
	AH_HANDLE_BITS = 31,
	/* Where the IPv4 header is within the 40 bytes before a datagram. */
	AH_IPV4_AT = 20,
	AH_HOP_LIMIT = 0xff,
	AH_VLAN_NONE = 0xffff,
};

/* Under the adapter lock. */
static struct idtable_slot ah_slots[LIMIT_max_ah];
static struct idtable ah_table;

static struct idtable *ah_handles(void)
{
	if (!ah_table.slots)
		idtable_init(&ah_table, ah_slots, LIMIT_max_ah, AH_HANDLE_BITS);
	return &ah_table;
}

struct soft_ah *soft_ah_find(const struct ibv_ah *verbs)
{
	struct soft_ah *ah = idtable_find(ah_handles(), verbs->handle);

	return ah && &ah->verbs == verbs ? ah : NULL;
}

bool soft_gid_reachable(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

/* RoCE has no address but a GID, and only entry 0 of our table is one. */
static int ah_judge(const struct ibv_ah_attr *attr)
{
	if (attr->port_num != 1 || !attr->is_global ||
	    attr->grh.sgid_index != 0)
		return -EINVAL;
	return soft_gid_reachable(&attr->grh.dgid) ? 0 : -EHOSTUNREACH;
}

int soft_create_ah(struct ibv_pd *verbs_pd, struct ibv_ah_attr *attr,
		   struct ibv_ah **out)
{
	struct soft_pd *pd;
	struct soft_ah *ah;
	int err;

	if (!attr)
		return -EINVAL;
	if ((err = ah_judge(attr)))
		return err;
	if ((err = soft_pd_get(verbs_pd, &pd)))
		return err;
	ah = calloc(1, sizeof(*ah));
	if (!ah) {
		err = -ENOMEM;
		goto err_pd;
	}
	ah->pd = pd;
	ah->path.traffic_class = attr->grh.traffic_class;
	ah->path.hop_limit = attr->grh.hop_limit;
	memcpy(ah->path.gid, attr->grh.dgid.raw, sizeof(ah->path.gid));
	ah->verbs.context = verbs_pd->context;
	ah->verbs.pd = verbs_pd;
	sd_adapter_lock(pd->context->adapter);
	err = ah_handles()->used < limit_max_ah()
		      ? idtable_add(ah_handles(), ah, &ah->verbs.handle)
		      : -ENOSPC;
	sd_adapter_unlock(pd->context->adapter);
	if (err) {
		err = -ENOMEM;
		goto err_free;
	}
	*out = &ah->verbs;
	return 0;

err_free:
	free(ah);
err_pd:
	soft_pd_put(pd);
	return err;
}

int soft_destroy_ah(struct ibv_ah *verbs)
{
	struct soft_context *c;
	struct soft_ah *ah;
	int err;

	err = soft_context_get(verbs->context, &c);
	if (err)
		return err;
	sd_adapter_lock(c->adapter);
	ah = soft_ah_find(verbs);
	if (ah)
		idtable_remove(ah_handles(), verbs->handle);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	if (!ah)
		return -EINVAL;
	soft_pd_put(ah->pd);
	free(ah);
	return 0;
}

/* The way back to who sent a datagram: its header tells, as the receive buffer
 * holds it (the last 20 of 40 bytes are the IPv4 header). */
int soft_init_ah_from_wc(struct ibv_context *context, uint8_t port,
			 struct ibv_wc *wc, struct ibv_grh *grh,
			 struct ibv_ah_attr *attr)
{
	const uint8_t *own =
		sd_adapter_gid(soft_context_cast(context)->adapter);
	const uint8_t *ip;

	if (port != 1 || !wc || !(wc->wc_flags & IBV_WC_GRH) || !grh)
		return -EINVAL;
	ip = (const uint8_t *)grh + AH_IPV4_AT;
	/* Version 4, five words; and sent to the address that we are. */
	if (ip[0] != 0x45 || memcmp(ip + 16, own + 12, 4))
		return -EINVAL;
	*attr = (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = port,
		.sl = wc->sl,
		.dlid = wc->slid,
		.src_path_bits = wc->dlid_path_bits,
		.grh = { .hop_limit = AH_HOP_LIMIT, .traffic_class = ip[1] },
	};
	attr->grh.dgid.raw[10] = attr->grh.dgid.raw[11] = 0xff;
	memcpy(attr->grh.dgid.raw + 12, ip + 12, 4);
	return 0;
}

int soft_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc,
			   struct ibv_grh *grh, uint8_t port,
			   struct ibv_ah **out)
{
	struct ibv_ah_attr attr;
	int err = soft_init_ah_from_wc(pd->context, port, wc, grh, &attr);

	return err ? err : soft_create_ah(pd, &attr, out);
}

/* Loopback has neither MACs nor VLANs; of other interfaces the kernel knows
 * the neighbours, and we have no need to. */
int soft_resolve_eth_l2_from_gid(struct ibv_context *context,
				 struct ibv_ah_attr *attr, uint8_t mac[6],
				 uint16_t *vid)
{
	const union ibv_gid *gid = &attr->grh.dgid;
	const uint8_t *own =
		sd_adapter_gid(soft_context_cast(context)->adapter);
	int err = ah_judge(attr);

	if (err)
		return err;
	if (gid->raw[12] != 127 && memcmp(gid->raw, own, sizeof(gid->raw)))
		return -EOPNOTSUPP;
	memset(mac, 0, 6);
	if (vid)
		*vid = AH_VLAN_NONE;
	return 0;
}

void soft_ah_reap(struct soft_context *context)
{
	struct soft_ah *ah;
	uint32_t slot = 0;

	sd_adapter_lock(context->adapter);
	while ((ah = idtable_next(ah_handles(), &slot))) {
		if (ah->pd->context == context)
			idtable_remove(ah_handles(), ah->verbs.handle);
	}
	sd_adapter_unlock(context->adapter);
}
