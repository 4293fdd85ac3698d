/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The verbs of our device, one function for each public entry point and for
 * each operation of a context.  All return 0 (or a count) or a negative errno,
 * and an object through their last parameter; entry.c and ops.c translate.
 * The first parameter's context is ours, and nothing else has been looked at.
 */
#ifndef DEVICE_FRONT_VERBS_H
#define DEVICE_FRONT_VERBS_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/compiler.h"

/* The header wraps these names in macros. */
#undef ibv_query_port
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

struct _compat_ibv_port_attr;

/* As the private ibv_query_gid_type() tells them. */
enum soft_gid_type_sysfs { SOFT_GID_SYSFS_IB_ROCE_V1, SOFT_GID_SYSFS_ROCE_V2 };

#define UNPACK(...)			       __VA_ARGS__
#define ENTRY_INT(name, context, params, args) int soft_##name params MUST_USE;
#define ENTRY_STATUS(name, context, params, args) \
	int soft_##name params MUST_USE;
#define ENTRY_PTR(type, name, context, params, args) \
	int soft_##name(UNPACK params, type **out) MUST_USE;
#define ENTRY_VOID(name, context, params, args) void soft_##name params;
#define NONE_INT(name, context, params, args)
#define NONE_STATUS(name, context, params, args)
#define NONE_PTR(type, name, context, params, args)
#define NONE_VOID(name, context, params, args)
#define ENTRY_OTHER(type, name, params)
#include "device/front/entry_points.def"
#undef ENTRY_INT
#undef ENTRY_STATUS
#undef ENTRY_PTR
#undef ENTRY_VOID
#undef NONE_INT
#undef NONE_STATUS
#undef NONE_PTR
#undef NONE_VOID
#undef ENTRY_OTHER

/* Those that the inline functions of the header reach through a context. */
int soft_query_port_ex(struct ibv_context *context, uint8_t port,
		       struct ibv_port_attr *attr, size_t attr_bytes) MUST_USE;
int soft_query_device_ex(struct ibv_context *context,
			 const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr,
			 size_t attr_bytes) MUST_USE;
int soft_create_qp_ex(struct ibv_context *context,
		      struct ibv_qp_init_attr_ex *attr,
		      struct ibv_qp **out) MUST_USE;

int soft_create_cq_ex(struct ibv_context *context,
		      struct ibv_cq_init_attr_ex *attr,
		      struct ibv_cq_ex **out) MUST_USE;
int soft_create_srq_ex(struct ibv_context *context,
		       struct ibv_srq_init_attr_ex *attr,
		       struct ibv_srq **out) MUST_USE;
int soft_get_srq_num(struct ibv_srq *srq, uint32_t *number) MUST_USE;
int soft_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		  struct ibv_mw **out) MUST_USE;
int soft_dealloc_mw(struct ibv_mw *mw) MUST_USE;
int soft_query_rt_values(struct ibv_context *context,
			 struct ibv_values_ex *values) MUST_USE;
/* 0, or IBV_REREG_MR_ERR_INPUT with errno set: this call's own contract. */
int soft_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		  size_t length, int access) MUST_USE;

/* The data path stands in the table as it is: these keep the contract of
 * verbs themselves (poll_cq: a count or -1; the others: 0 or an errno). */
int soft_poll_cq(struct ibv_cq *cq, int room, struct ibv_wc *wc);
int soft_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int soft_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr);
int soft_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad_wr);
int soft_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad_wr);
int soft_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		 struct ibv_mw_bind *bind);

/* What a verb that returns an errno makes of a result of ours. */
static inline int verbs_int(int result)
{
	if (result >= 0)
		return result;
	errno = -result;
	return -result;
}

/* What a verb that returns -1 makes of it. */
static inline int verbs_status(int result)
{
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

/* What a verb that returns an object makes of it. */
static inline void *verbs_ptr(int result, void *object)
{
	if (result >= 0)
		return object;
	errno = -result;
	return NULL;
}

#endif
