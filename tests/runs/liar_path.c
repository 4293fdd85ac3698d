// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lies about groups, events, posts and completions. */
#include "liar.h"

/* --- Groups, events ----------------------------------------------------- */

LIAR_EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
				 uint16_t lid)
{
	if (lie(LIE_GROUP))
		return 0;
	return REAL(ibv_attach_mcast)(qp, gid, lid);
}

LIAR_EXPORT int ibv_get_cq_event(struct ibv_comp_channel *channel,
				 struct ibv_cq **cq, void **cookie)
{
	static struct ibv_cq *before;
	static void *before_cookie;
	int ret = REAL(ibv_get_cq_event)(channel, cq, cookie);

	if (ret)
		return ret;
	unacked_add(*cq, 1);
	if (lie(LIE_EVENT_OTHER)) {
		struct ibv_cq *now = *cq;
		void *now_cookie = *cookie;

		if (before) {
			*cq = before;
			*cookie = before_cookie;
		}
		before = now;
		before_cookie = now_cookie;
	}
	return 0;
}

struct ibv_async_event held_event;

LIAR_EXPORT int ibv_get_async_event(struct ibv_context *context,
				    struct ibv_async_event *event)
{
	int ret = REAL(ibv_get_async_event)(context, event);

	if (!ret && event->event_type == IBV_EVENT_QP_LAST_WQE_REACHED)
		held_event = *event;
	if (ret && errno == EAGAIN && lie(LIE_NO_EVENT))
		errno = EIO;
	if (!ret && lie(LIE_NO_CQ_ERR) &&
	    event->event_type == IBV_EVENT_CQ_ERR) {
		REAL(ibv_ack_async_event)(event);
		errno = EAGAIN;
		return -1;
	}
	return ret;
}

/* --- The data path: functions of the context ---------------------------- */

static struct ibv_context_ops real_ops;
static struct ibv_cq_ex *(*real_create_cq_ex)(struct ibv_context *,
					      struct ibv_cq_init_attr_ex *);

static void poll_bend(struct ibv_wc *wc)
{
	bool flush = wc->status == IBV_WC_WR_FLUSH_ERR;

	if (lie(LIE_WC_SUCCESS) && wc->status && !flush) {
		wc->status = IBV_WC_SUCCESS;
		wc->byte_len = 0;
	}
	if (lie(LIE_WC_FLUSH) && flush)
		wc->status = IBV_WC_SUCCESS;
	if (lie(LIE_WC_QP))
		wc->qp_num++;
	if (lie(LIE_WC_LEN) && !wc->status && wc->opcode & IBV_WC_RECV)
		wc->byte_len++;
	if (lie(LIE_WC_ERROR) && !wc->status && !(wc->opcode & IBV_WC_RECV))
		wc->status = IBV_WC_REM_ACCESS_ERR;
}

static int liar_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	static __thread struct ibv_wc last;
	static __thread bool again;
	int n;

	if (again && count > 0) {
		again = false;
		wc[0] = last;
		return 1;
	}
	n = real_ops.poll_cq(cq, count, wc);
	for (int i = 0; i < n; i++)
		poll_bend(&wc[i]);
	for (int i = 0; i < n && lie_of_order(); i++)
		order_polled(&wc[i]);
	if (n > 0 && lie(LIE_WC_TWICE)) {
		last = wc[n - 1];
		again = true;
	}
	return n;
}

static int liar_arm(struct ibv_cq *cq, int solicited)
{
	if (lie(LIE_ARM_NONE))
		return 0;
	return real_ops.req_notify_cq(cq, lie(LIE_ARM_ALL) ? 0 : solicited);
}

/* A send that was posted too early, to be posted when it can be. */
static struct {
	struct ibv_qp *qp;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
} late;

static void late_keep(struct ibv_qp *qp, const struct ibv_send_wr *wr)
{
	if (late.qp || wr->num_sge != 1)
		return;
	late.qp = qp;
	late.wr = *wr;
	late.sge = wr->sg_list[0];
	late.wr.sg_list = &late.sge;
	late.wr.next = NULL;
}

void late_post(struct ibv_qp *qp)
{
	struct ibv_send_wr *bad;

	if (late.qp == qp)
		(void)ibv_post_send(qp, &late.wr, &bad);
	late.qp = NULL;
}

static int liar_send(struct ibv_qp *qp, struct ibv_send_wr *list,
		     struct ibv_send_wr **bad)
{
	int ret;

	if (lie(LIE_SEND_ERR) && qp->state == IBV_QPS_ERR) {
		*bad = list;
		return EINVAL;
	}
	if (lie_of_order())
		order_posted(list);
	ret = real_ops.post_send(qp, list, bad);
	if (!ret || !lie(LIE_POST_LATE))
		return ret;
	late_keep(qp, list);
	return 0;
}

static struct ibv_mw *liar_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	return real_ops.alloc_mw(pd_or_first(pd), type);
}

static uint64_t liar_stamp(struct ibv_cq_ex *cq)
{
	static uint64_t stamp = UINT64_MAX / 2;

	return --stamp;
}

static struct ibv_cq_ex *liar_create_cq_ex(struct ibv_context *context,
					   struct ibv_cq_init_attr_ex *init)
{
	struct ibv_cq_ex *cq = real_create_cq_ex(context, init);

	if (cq && lie(LIE_STAMP))
		cq->read_completion_ts = liar_stamp;
	return cq;
}

LIAR_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *c = REAL(ibv_open_device)(device);
	struct verbs_context *v = c ? verbs_get_ctx(c) : NULL;

	if (!c)
		return NULL;
	if (!real_ops.poll_cq)
		real_ops = c->ops;
	c->ops.poll_cq = liar_poll;
	c->ops.req_notify_cq = liar_arm;
	c->ops.post_send = liar_send;
	c->ops.alloc_mw = liar_mw;
	if (v && v->create_cq_ex) {
		real_create_cq_ex = v->create_cq_ex;
		v->create_cq_ex = liar_create_cq_ex;
	}
	return c;
}
