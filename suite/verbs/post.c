// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting.  A list is one call, but each of its requests has a record of its
 * own: those that were accepted say 0, the one that was refused says why, and
 * those behind it have none.
 */
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

static uint64_t verbs_post_len(const struct ibv_sge *sge, int count)
{
	uint64_t len = 0;
	int i;

	for (i = 0; i < count; i++)
		len += sge[i].length;
	return len;
}

/* What goes to the peer's memory, as one number: the address. */
static uint64_t verbs_post_remote(const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		return wr->wr.rdma.remote_addr;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return wr->wr.atomic.remote_addr;
	default:
		return 0;
	}
}

void verbs_send_record(const struct verbs_at *at, uint32_t qp_num,
		       const struct ibv_send_wr *list,
		       const struct ibv_send_wr *bad, int ret, int err)
{
	const struct ibv_send_wr *wr;

	if (!at->recorder)
		return;
	for (wr = list; wr; wr = wr->next) {
		struct recorder_record r = {
			.call = RECORDER_POST_SEND,
			.object = qp_num,
			.args = { wr->wr_id, wr->opcode, wr->send_flags,
				  verbs_post_len(wr->sg_list, wr->num_sge),
				  (uint64_t)wr->num_sge,
				  verbs_post_remote(wr) },
		};
		bool refused = err && (!bad || wr == bad);

		verbs_record(at, &r, refused ? ret : 0, refused ? err : 0);
		if (refused)
			break;
	}
}

void verbs_recv_record(const struct verbs_at *at, unsigned call,
		       uint32_t object, const struct ibv_recv_wr *list,
		       const struct ibv_recv_wr *bad, int ret, int err)
{
	const struct ibv_recv_wr *wr;

	if (!at->recorder)
		return;
	for (wr = list; wr; wr = wr->next) {
		struct recorder_record r = {
			.call = (uint16_t)call,
			.object = object,
			.args = { wr->wr_id,
				  verbs_post_len(wr->sg_list, wr->num_sge),
				  (uint64_t)wr->num_sge },
		};
		bool refused = err && (!bad || wr == bad);

		verbs_record(at, &r, refused ? ret : 0, refused ? err : 0);
		if (refused)
			break;
	}
}

int verbs_post_send(const struct verbs_at *at, struct ibv_qp *qp,
		    struct ibv_send_wr *list, struct ibv_send_wr **bad)
{
	int ret, err;

	*bad = NULL;
	errno = 0;
	ret = ibv_post_send(qp, list, bad);
	err = verbs_result(ret);
	verbs_send_record(at, qp->qp_num, list, *bad, ret, err);
	return err;
}

int verbs_post_recv(const struct verbs_at *at, struct ibv_qp *qp,
		    struct ibv_recv_wr *list, struct ibv_recv_wr **bad)
{
	int ret, err;

	*bad = NULL;
	errno = 0;
	ret = ibv_post_recv(qp, list, bad);
	err = verbs_result(ret);
	verbs_recv_record(at, RECORDER_POST_RECV, qp->qp_num, list, *bad, ret,
			  err);
	return err;
}
