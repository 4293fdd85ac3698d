// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* P_Key table entries and multicast groups. */
#include <endian.h>
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_pkey_query(const struct verbs_at *at, struct ibv_context *context,
		     uint8_t port, uint32_t index, uint16_t *pkey)
{
	struct recorder_record r = { .call = RECORDER_QUERY_PKEY,
				     .object = port,
				     .args = { index } };
	__be16 value = 0;
	int ret, err;

	errno = 0;
	ret = ibv_query_pkey(context, port, (int)index, &value);
	err = verbs_result(ret);
	*pkey = be16toh(value);
	r.args[1] = *pkey;
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_mcast(const struct verbs_at *at, struct ibv_qp *qp,
		const union ibv_gid *group, bool leave)
{
	struct recorder_record r = { .call = leave ? RECORDER_DETACH_MCAST
						   : RECORDER_ATTACH_MCAST,
				     .object = qp->qp_num };
	int ret, err;

	errno = 0;
	ret = leave ? ibv_detach_mcast(qp, group, 0)
		    : ibv_attach_mcast(qp, group, 0);
	err = verbs_result(ret);
	r.args[0] = be64toh(group->global.interface_id);
	verbs_record(at, &r, ret, err);
	return err;
}
