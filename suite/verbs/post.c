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

int verbs_post_send(const struct verbs_at *at, struct ibv_qp *qp,
		    struct ibv_send_wr *list, struct ibv_send_wr **bad)
{
	const struct ibv_send_wr *wr;
	int ret, err;

	*bad = NULL;
	errno = 0;
	ret = ibv_post_send(qp, list, bad);
	err = verbs_result(ret);
	for (wr = list; wr; wr = wr->next) {
		struct recorder_record r = {
			.call = RECORDER_POST_SEND,
			.object = qp->qp_num,
			.args = { wr->wr_id, wr->opcode, wr->send_flags,
				  verbs_post_len(wr->sg_list, wr->num_sge),
				  (uint64_t)wr->num_sge },
		};
		bool refused = err && (!*bad || wr == *bad);

		verbs_record(at, &r, refused ? ret : 0, refused ? err : 0);
		if (refused)
			break;
	}
	return err;
}

int verbs_post_recv(const struct verbs_at *at, struct ibv_qp *qp,
		    struct ibv_recv_wr *list, struct ibv_recv_wr **bad)
{
	const struct ibv_recv_wr *wr;
	int ret, err;

	*bad = NULL;
	errno = 0;
	ret = ibv_post_recv(qp, list, bad);
	err = verbs_result(ret);
	for (wr = list; wr; wr = wr->next) {
		struct recorder_record r = {
			.call = RECORDER_POST_RECV,
			.object = qp->qp_num,
			.args = { wr->wr_id,
				  verbs_post_len(wr->sg_list, wr->num_sge),
				  (uint64_t)wr->num_sge },
		};
		bool refused = err && (!*bad || wr == *bad);

		verbs_record(at, &r, refused ? ret : 0, refused ? err : 0);
		if (refused)
			break;
	}
	return err;
}
