// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a query tells of a queue pair's creation, held against what was asked
 * and written back then.  cur_qp_state is left out: of a query it means nothing
 * (ibv_query_qp(3)).
 */
#include <string.h>

#include "suite/end/ends.h"

/* Sizes may be rounded up in the answer to a query alone (RES-04); the depths
 * that are kept are those that the first query told. */
static bool told_cap_agrees(const struct vb_qp *qp,
			    const struct ibv_qp_cap *told)
{
	const struct ibv_qp_cap *made = &qp->cap;

	return told->max_send_wr == made->max_send_wr &&
	       told->max_send_sge >= made->max_send_sge &&
	       told->max_inline_data >= made->max_inline_data &&
	       /* With an SRQ it has no receive queue (RES-27). */
	       (qp->srq || (told->max_recv_wr == made->max_recv_wr &&
			    told->max_recv_sge >= made->max_recv_sge));
}

static void told_cap(const struct vb_qp *qp, const struct ibv_qp_cap *told)
{
	const struct ibv_qp_cap *made = &qp->cap;

	vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		 told_cap_agrees(qp, told),
		 "end %s qp 0x%x: created with depths %u/%u, SGEs %u/%u, "
		 "inline %u, ibv_query_qp() says %u/%u, %u/%u, %u",
		 ends_side(qp->end), qp->qpn, made->max_send_wr,
		 made->max_recv_wr, made->max_send_sge, made->max_recv_sge,
		 made->max_inline_data, told->max_send_wr, told->max_recv_wr,
		 told->max_send_sge, told->max_recv_sge, told->max_inline_data);
}

static void told_objects(const struct vb_qp *qp, const struct end_queried *told)
{
	uint32_t srq = qp->srq ? qp->srq->id : 0;

	vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		 told->send_cq == qp->send_cq->id &&
			 told->recv_cq == qp->recv_cq->id && told->srq == srq,
		 "end %s qp 0x%x: created with the CQs %u and %u and the SRQ "
		 "%u, ibv_query_qp() names the objects %u, %u and %u",
		 ends_side(qp->end), qp->qpn, qp->send_cq->id, qp->recv_cq->id,
		 srq, told->send_cq, told->recv_cq, told->srq);
	vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE, told->cookie,
		 "end %s qp 0x%x: the qp_context of its creation is not that "
		 "of its handle, or not that which ibv_query_qp() tells",
		 ends_side(qp->end), qp->qpn);
}

void vb_expect_told_init(struct vb_qp *qp)
{
	struct end_object in = { .id = qp->id };
	struct vb_test *t = ends_test(qp);
	struct end_queried told;
	int err = qp->end->ops->query_qp(qp->end->host, &in, &told);

	vb_check(t, VB_FIND_WRONG_RETURN, !err,
		 "end %s qp 0x%x: it cannot be queried: %s", ends_side(qp->end),
		 qp->qpn, strerror(-err));
	told_cap(qp, &told.init.cap);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, told.init.qp_type == qp->type,
		 "end %s qp 0x%x: created with the type %u, ibv_query_qp() "
		 "says %u",
		 ends_side(qp->end), qp->qpn, (unsigned)qp->type,
		 (unsigned)told.init.qp_type);
	told_objects(qp, &told);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 !told.init.sq_sig_all == !qp->sig_all,
		 "end %s qp 0x%x: created with sq_sig_all %d, ibv_query_qp() "
		 "says %d",
		 ends_side(qp->end), qp->qpn, qp->sig_all,
		 told.init.sq_sig_all);
}
