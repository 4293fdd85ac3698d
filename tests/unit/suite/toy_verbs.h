/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The toy device's calls of libibverbs, which the linker takes before the
 * library's.  Only for toy_device.h, whose second half it is.
 */
#ifndef TESTS_UNIT_SUITE_TOY_VERBS_H
#define TESTS_UNIT_SUITE_TOY_VERBS_H

#include "toy_device.h"

struct ibv_device **ibv_get_device_list(int *count)
{
	static struct ibv_device *list[] = { &toy_dev, NULL };

	if (count)
		*count = 1;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	unsigned n = toy_opened++ % 2;
	struct ibv_context *c = &toy_ctx[n];

	if (pipe2(toy_pipe[n], O_NONBLOCK | O_CLOEXEC))
		return NULL;
	*c = (struct ibv_context){
		.device = device,
		.async_fd = toy_pipe[n][0],
		.cmd_fd = -1,
		.num_comp_vectors = 1,
		.ops = { .poll_cq = toy_poll,
			 .req_notify_cq = toy_arm,
			 .post_send = toy_post_send,
			 .post_recv = toy_post_recv,
			 .post_srq_recv = toy_post_srq_recv },
	};
	/* Always readable: whether an event is there, the call says. */
	assert_int_equal(write(toy_pipe[n][1], "", 1), 1);
	return c;
}

int ibv_close_device(struct ibv_context *c)
{
	unsigned n = c == &toy_ctx[1];

	close(toy_pipe[n][0]);
	close(toy_pipe[n][1]);
	return 0;
}

int ibv_query_device(struct ibv_context *c, struct ibv_device_attr *a)
{
	*a = (struct ibv_device_attr){ .max_qp_wr = TOY_DEPTH,
				       .max_cqe = TOY_DEPTH * 4,
				       .max_sge = TOY_SGES,
				       .max_srq = TOY_QPS,
				       .atomic_cap = IBV_ATOMIC_HCA,
				       .max_qp_rd_atom = 1,
				       .max_qp_init_rd_atom = 1 };
	return 0;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *c, uint8_t port,
		   struct _compat_ibv_port_attr *compat)
{
	struct ibv_port_attr *a = (struct ibv_port_attr *)compat;

	a->state = IBV_PORT_ACTIVE;
	a->max_mtu = a->active_mtu = IBV_MTU_1024;
	a->gid_tbl_len = 1;
	a->link_layer = IBV_LINK_LAYER_ETHERNET;
	return 0;
}

int _ibv_query_gid_ex(struct ibv_context *c, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *e, uint32_t flags, size_t size)
{
	*e = (struct ibv_gid_entry){ .gid_type = IBV_GID_TYPE_ROCE_V2 };
	e->gid.raw[10] = e->gid.raw[11] = 0xff;
	e->gid.raw[15] = 1;
	return index ? ENODATA : 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *c)
{
	struct ibv_pd *pd = calloc(1, sizeof(*pd));

	pd->context = c;
	return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	return 0;
}

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	static uint32_t key = 0x100;
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	*mr = (struct ibv_mr){ .pd = pd,
			       .addr = addr,
			       .length = len + (toy_defect == TOY_MR_LENGTH),
			       .lkey = key,
			       .rkey = key + 1 };
	key += 2;
	return mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t len,
				uint64_t iova, unsigned int access)
{
	return ibv_reg_mr(pd, addr, len, (int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *c)
{
	struct ibv_comp_channel *ch = calloc(1, sizeof(*ch));
	int fds[2];

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC))
		abort();
	*ch = (struct ibv_comp_channel){ .context = c,
					 .fd = fds[0],
					 .refcnt = fds[1] };
	return ch;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *ch)
{
	if (toy_channel_users[ch->context == &toy_ctx[1]])
		return EBUSY;
	close(ch->fd);
	close(ch->refcnt);
	free(ch);
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *ch, struct ibv_cq **cq,
		     void **cookie)
{
	if (read(ch->fd, cq, sizeof(*cq)) < 0)
		return -1;
	*cookie = (*cq)->cq_context;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
}

struct ibv_cq *ibv_create_cq(struct ibv_context *c, int cqe, void *cookie,
			     struct ibv_comp_channel *ch, int vector)
{
	struct toy_cq *cq;

	errno = EINVAL;
	if (cqe < 1 || cqe > TOY_DEPTH * 4 || vector)
		return NULL;
	cq = calloc(1, sizeof(*cq));
	cq->cq = (struct ibv_cq){
		.context = c, .channel = ch, .cq_context = cookie, .cqe = cqe
	};
	toy_channel_users[c == &toy_ctx[1]] += !!ch;
	return &cq->cq;
}

int ibv_destroy_cq(struct ibv_cq *ibcq)
{
	struct toy_cq *cq = (struct toy_cq *)ibcq;

	if (cq->users)
		return EBUSY;
	toy_channel_users[ibcq->context == &toy_ctx[1]] -= !!ibcq->channel;
	free(cq);
	return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
	static uint32_t qpn = 0x11;
	struct toy_qp *q;

	errno = EINVAL;
	if (init->cap.max_send_wr > TOY_DEPTH || toy_qps_count == TOY_QPS)
		return NULL;
	q = calloc(1, sizeof(*q));
	q->qp = (struct ibv_qp){ .context = pd->context,
				 .qp_context = init->qp_context,
				 .send_cq = init->send_cq,
				 .recv_cq = init->recv_cq,
				 .srq = init->srq,
				 .qp_type = init->qp_type,
				 .qp_num = qpn++ };
	q->srq = (struct toy_srq *)init->srq;
	q->cap = init->cap;
	q->sig_all = init->sq_sig_all;
	q->attr.qp_state = IBV_QPS_RESET;
	((struct toy_cq *)init->send_cq)->users++;
	((struct toy_cq *)init->recv_cq)->users++;
	toy_qps[toy_qps_count++] = q;
	return &q->qp;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	if (toy_defect == TOY_DESTROY_REFUSED)
		return EBUSY;
	for (unsigned i = 0; i < toy_qps_count; i++)
		if (toy_qps[i] == (struct toy_qp *)qp)
			toy_qps[i] = NULL;
	((struct toy_cq *)qp->send_cq)->users--;
	((struct toy_cq *)qp->recv_cq)->users--;
	free(qp);
	return 0;
}

static void toy_reset(struct toy_qp *q)
{
	struct ibv_wc old = q->old;

	q->comm_told = false;
	q->sq.tail = q->sq.head;
	q->rq.tail = q->rq.head;
	memset(&q->attr, 0, sizeof(q->attr));
	if (toy_defect == TOY_STALE_WC && old.qp_num) {
		toy_complete(q->qp.send_cq, &old);
		q->old_told = true;
	}
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask)
{
	struct toy_qp *q = (struct toy_qp *)qp;
	enum ibv_qp_state from = q->attr.qp_state, to = a->qp_state;
	bool legal = to == IBV_QPS_RESET || to == IBV_QPS_ERR ||
		     (to == from && to == IBV_QPS_RTS) ||
		     (to <= IBV_QPS_RTS && to == from + 1 &&
		      (to != IBV_QPS_INIT || (mask & IBV_QP_PORT)));

	if (!legal && toy_defect != TOY_ILLEGAL_TAKEN) {
		if (toy_defect == TOY_REFUSAL_CHANGES)
			q->attr.qp_state = IBV_QPS_ERR;
		return toy_defect == TOY_REFUSAL_NEGATIVE ? -1 : EINVAL;
	}
	if (to == IBV_QPS_RESET) {
		toy_reset(q);
		return 0;
	}
	if (toy_defect == TOY_STATE_STUCK && to == IBV_QPS_RTS)
		a->qp_state = IBV_QPS_RTR;
#define TOY_SET(bit, field) \
	if (mask & (bit))   \
	q->attr.field = a->field
	TOY_SET(IBV_QP_STATE, qp_state);
	TOY_SET(IBV_QP_PKEY_INDEX, pkey_index);
	TOY_SET(IBV_QP_PORT, port_num);
	TOY_SET(IBV_QP_QKEY, qkey);
	TOY_SET(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	TOY_SET(IBV_QP_AV, ah_attr);
	TOY_SET(IBV_QP_PATH_MTU, path_mtu);
	TOY_SET(IBV_QP_DEST_QPN, dest_qp_num);
	TOY_SET(IBV_QP_RQ_PSN, rq_psn);
	TOY_SET(IBV_QP_SQ_PSN, sq_psn);
	TOY_SET(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	TOY_SET(IBV_QP_TIMEOUT, timeout);
	TOY_SET(IBV_QP_RETRY_CNT, retry_cnt);
	TOY_SET(IBV_QP_RNR_RETRY, rnr_retry);
	TOY_SET(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	TOY_SET(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
#undef TOY_SET
	if (toy_defect == TOY_ATTRIBUTE_WRONG && (mask & IBV_QP_RNR_RETRY))
		q->attr.rnr_retry ^= 1;
	if (to == IBV_QPS_ERR)
		toy_error(q);
	return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct toy_qp *q = (struct toy_qp *)qp;

	*a = q->attr;
	a->cap = q->cap;
	*init = (struct ibv_qp_init_attr){
		.qp_context = toy_defect == TOY_INIT_CONTEXT ? NULL
							     : qp->qp_context,
		.send_cq = toy_defect == TOY_INIT_CQS ? qp->recv_cq
						      : qp->send_cq,
		.recv_cq = qp->recv_cq,
		.srq = toy_defect == TOY_INIT_SRQ ? NULL : qp->srq,
		.cap = q->cap,
		.qp_type = qp->qp_type,
		.sq_sig_all = q->sig_all ^ (toy_defect == TOY_INIT_SIGNALS),
	};
	init->cap.max_send_wr -= toy_defect == TOY_INIT_DEPTH;
	return 0;
}

int ibv_get_async_event(struct ibv_context *c, struct ibv_async_event *e)
{
	struct ibv_async_event *next = &toy_events[toy_events_tail % 16];

	errno = EAGAIN;
	if (toy_events_tail != toy_events_head &&
	    next->element.srq->context == c) {
		*e = *next;
		toy_events_tail++;
		return 0;
	}
	if (toy_event_told || !toy_qps_count || !toy_qps[0] ||
	    toy_qps[0]->moved < TOY_NTH || toy_qps[0]->qp.context != c ||
	    (toy_defect != TOY_EVENT_SPURIOUS &&
	     toy_defect != TOY_EVENT_FOREIGN))
		return -1;
	toy_event_told = true;
	*e = (struct ibv_async_event){ .event_type = IBV_EVENT_SQ_DRAINED };
	e->element.qp = toy_defect == TOY_EVENT_FOREIGN
				? (struct ibv_qp *)toy_qps
				: &toy_qps[0]->qp;
	return 0;
}

void ibv_ack_async_event(struct ibv_async_event *e)
{
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *a)
{
	struct toy_srq *srq = calloc(1, sizeof(*srq));

	srq->srq.context = pd->context;
	if (toy_defect != TOY_SRQ_CONTEXT)
		srq->srq.srq_context = a->srq_context;
	srq->max_wr = a->attr.max_wr;
	return &srq->srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	free(srq);
	return 0;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *a, int mask)
{
	struct toy_srq *s = (struct toy_srq *)srq;

	if (a->srq_limit > s->max_wr)
		return EINVAL;
	if (mask & IBV_SRQ_LIMIT)
		s->limit = a->srq_limit;
	return 0;
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *a)
{
	struct toy_srq *s = (struct toy_srq *)srq;

	*a = (struct ibv_srq_attr){ .max_wr = s->max_wr,
				    .max_sge = TOY_SGES,
				    .srq_limit = s->limit };
	return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = calloc(1, sizeof(*ah));

	ah->context = pd->context;
	return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	free(ah);
	return 0;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	cq->cqe = toy_defect == TOY_CQ_SHRINKS ? cqe - 1 : cqe;
	return 0;
}

#endif
