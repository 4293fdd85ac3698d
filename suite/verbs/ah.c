// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address handles. */
#include <endian.h>
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

/* @ah: as the verb returned it, with errno when it is NULL. */
static int verbs_ah_made(const struct verbs_at *at, struct recorder_record *r,
			 const struct ibv_ah *ah)
{
	int err = ah ? 0 : verbs_errno();

	if (ah)
		r->object = ah->handle;
	verbs_record(at, r, err ? -1 : 0, err);
	return err;
}

int verbs_ah_create(const struct verbs_at *at, struct ibv_pd *pd,
		    struct ibv_ah_attr *attr, struct ibv_ah **ah)
{
	const union ibv_gid *gid = &attr->grh.dgid;
	struct recorder_record r = {
		.call = RECORDER_CREATE_AH,
		.args = { attr->port_num, attr->grh.sgid_index,
			  be64toh(gid->global.subnet_prefix),
			  be64toh(gid->global.interface_id), attr->dlid },
	};

	errno = 0;
	*ah = ibv_create_ah(pd, attr);
	return verbs_ah_made(at, &r, *ah);
}

int verbs_ah_create_from_wc(const struct verbs_at *at, struct ibv_pd *pd,
			    struct ibv_wc *wc, struct ibv_grh *grh,
			    uint8_t port, struct ibv_ah **ah)
{
	struct recorder_record r = { .call = RECORDER_CREATE_AH,
				     .args = { port } };

	errno = 0;
	*ah = ibv_create_ah_from_wc(pd, wc, grh, port);
	return verbs_ah_made(at, &r, *ah);
}

int verbs_ah_destroy(const struct verbs_at *at, struct ibv_ah *ah)
{
	struct recorder_record r = { .call = RECORDER_DESTROY_AH,
				     .object = ah->handle };
	int ret, err;

	errno = 0;
	ret = ibv_destroy_ah(ah);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}
