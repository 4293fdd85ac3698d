// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The operations that the inline functions of the verbs header reach through a
 * context.  None is left empty: some are called without a check.
 */
#include "device/front/context.h"
#include "device/front/verbs.h"

/* Parameters without names are C2x, and common to gcc and clang before. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc2x-extensions"
#endif

#define OP_INT(where, name, params)            \
	static int ops_refuse_##name params    \
	{                                      \
		return verbs_int(-EOPNOTSUPP); \
	}
#define OP_PTR(where, type, name, params)            \
	static type ops_refuse_##name params         \
	{                                            \
		return verbs_ptr(-EOPNOTSUPP, NULL); \
	}
#include "device/front/ops.def"
#undef OP_INT
#undef OP_PTR

static int ops_refuse_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr,
				   struct ibv_ops_wr **bad_wr)
{
	*bad_wr = wr;
	return verbs_int(-EOPNOTSUPP);
}

static int ops_query_port(struct ibv_context *context, uint8_t port,
			  struct ibv_port_attr *attr, size_t attr_bytes)
{
	return verbs_int(soft_query_port_ex(context, port, attr, attr_bytes));
}

static int ops_query_device_ex(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr,
			       size_t attr_bytes)
{
	return verbs_int(
		soft_query_device_ex(context, input, attr, attr_bytes));
}

static int ops_query_device(struct ibv_context *context,
			    struct ibv_device_attr *attr)
{
	return verbs_int(soft_query_device(context, attr));
}

static int ops_query_port_legacy(struct ibv_context *context, uint8_t port,
				 struct _compat_ibv_port_attr *attr)
{
	return verbs_int(soft_query_port(context, port, attr));
}

static struct ibv_qp *ops_create_qp_ex(struct ibv_context *context,
				       struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp = NULL;
	int err = soft_create_qp_ex(context, attr, &qp);

	return verbs_ptr(err, qp);
}

static struct ibv_cq_ex *ops_create_cq_ex(struct ibv_context *context,
					  struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_ex *cq = NULL;
	int err = soft_create_cq_ex(context, attr, &cq);

	return verbs_ptr(err, cq);
}

static struct ibv_srq *ops_create_srq_ex(struct ibv_context *context,
					 struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq *srq = NULL;
	int err = soft_create_srq_ex(context, attr, &srq);

	return verbs_ptr(err, srq);
}

static int ops_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	return verbs_int(soft_get_srq_num(srq, number));
}

static int ops_query_rt_values(struct ibv_context *context,
			       struct ibv_values_ex *values)
{
	return verbs_int(soft_query_rt_values(context, values));
}

static struct ibv_mw *ops_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw = NULL;
	int err = soft_alloc_mw(pd, type, &mw);

	return verbs_ptr(err, mw);
}

static int ops_dealloc_mw(struct ibv_mw *mw)
{
	return verbs_int(soft_dealloc_mw(mw));
}

void context_fill_ops(struct verbs_context *verbs)
{
	struct ibv_context_ops *ops = &verbs->context.ops;

#define OP_INT(where, name, params)	  (where)->name = ops_refuse_##name;
#define OP_PTR(where, type, name, params) (where)->name = ops_refuse_##name;
#include "device/front/ops.def"
#undef OP_INT
#undef OP_PTR
	ops->post_srq_recv = soft_post_srq_recv;
	ops->alloc_mw = ops_alloc_mw;
	ops->dealloc_mw = ops_dealloc_mw;
	ops->bind_mw = soft_bind_mw;
	ops->poll_cq = soft_poll_cq;
	ops->req_notify_cq = soft_req_notify_cq;
	ops->post_send = soft_post_send;
	ops->post_recv = soft_post_recv;
	ops->_compat_query_device = ops_query_device;
	ops->_compat_query_port = ops_query_port_legacy;
	verbs->post_srq_ops = ops_refuse_post_srq_ops;
	verbs->query_port = ops_query_port;
	verbs->query_device_ex = ops_query_device_ex;
	verbs->query_rt_values = ops_query_rt_values;
	verbs->create_qp_ex = ops_create_qp_ex;
	verbs->create_cq_ex = ops_create_cq_ex;
	verbs->create_srq_ex = ops_create_srq_ex;
	verbs->get_srq_num = ops_get_srq_num;
}
