// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The public names.  A call about our device goes to soft_*() and comes back
 * in the form that verbs promise; any other goes to the real library as it
 * came.  An object that is NULL is refused here, the real library would crash.
 *
 * Not here: functions that take no context (passing.c), and those that only the
 * real library's providers call.
 */
#include "device/front/event.h"
#include "device/front/gid.h"
#include "device/front/objects.h"
#include "device/front/real.h"

/* The real ones may be missing in an old library. */
#define FORWARD_OR(missing, name, args)                 \
	do {                                            \
		if (real_verbs()->name)                 \
			return real_verbs()->name args; \
		return missing;                         \
	} while (0)

#define CONTEXT_OF(object) ((object) ? (object)->context : NULL)

#define ENTRY_INT(name, context, params, args)                  \
	EXPORTED int ibv_##name params;                         \
	EXPORTED int ibv_##name params                          \
	{                                                       \
		const struct ibv_context *owner = context;      \
                                                                \
		if (!owner)                                     \
			return verbs_int(-EINVAL);              \
		if (soft_is_ours(owner))                        \
			return verbs_int(soft_##name args);     \
		FORWARD_OR(verbs_int(-EOPNOTSUPP), name, args); \
	}

#define ENTRY_STATUS(name, context, params, args)                  \
	EXPORTED int ibv_##name params;                            \
	EXPORTED int ibv_##name params                             \
	{                                                          \
		const struct ibv_context *owner = context;         \
                                                                   \
		if (!owner)                                        \
			return verbs_status(-EINVAL);              \
		if (soft_is_ours(owner))                           \
			return verbs_status(soft_##name args);     \
		FORWARD_OR(verbs_status(-EOPNOTSUPP), name, args); \
	}

#define ENTRY_PTR(type, name, context, params, args)                          \
	EXPORTED type *ibv_##name params;                                     \
	EXPORTED type *ibv_##name params                                      \
	{                                                                     \
		const struct ibv_context *owner = context;                    \
		type *object = NULL;                                          \
		int err;                                                      \
                                                                              \
		if (!owner)                                                   \
			return verbs_ptr(-EINVAL, NULL);                      \
		if (!soft_is_ours(owner))                                     \
			FORWARD_OR(verbs_ptr(-EOPNOTSUPP, NULL), name, args); \
		err = soft_##name(UNPACK args, &object);                      \
		return verbs_ptr(err, object);                                \
	}

#define ENTRY_VOID(name, context, params, args)            \
	EXPORTED void ibv_##name params;                   \
	EXPORTED void ibv_##name params                    \
	{                                                  \
		const struct ibv_context *owner = context; \
                                                           \
		if (soft_is_ours(owner))                   \
			soft_##name args;                  \
		else if (owner && real_verbs()->name)      \
			real_verbs()->name args;           \
	}

#define NONE_INT(name, context, params, args)                   \
	EXPORTED int ibv_##name params;                         \
	EXPORTED int ibv_##name params                          \
	{                                                       \
		const struct ibv_context *owner = context;      \
                                                                \
		if (!owner)                                     \
			return verbs_int(-EINVAL);              \
		if (soft_is_ours(owner))                        \
			return verbs_int(-EOPNOTSUPP);          \
		FORWARD_OR(verbs_int(-EOPNOTSUPP), name, args); \
	}

#define NONE_STATUS(name, context, params, args)                   \
	EXPORTED int ibv_##name params;                            \
	EXPORTED int ibv_##name params                             \
	{                                                          \
		const struct ibv_context *owner = context;         \
                                                                   \
		if (!owner)                                        \
			return verbs_status(-EINVAL);              \
		if (soft_is_ours(owner))                           \
			return verbs_status(-EOPNOTSUPP);          \
		FORWARD_OR(verbs_status(-EOPNOTSUPP), name, args); \
	}

#define NONE_PTR(type, name, context, params, args)                   \
	EXPORTED type *ibv_##name params;                             \
	EXPORTED type *ibv_##name params                              \
	{                                                             \
		const struct ibv_context *owner = context;            \
                                                                      \
		if (!owner)                                           \
			return verbs_ptr(-EINVAL, NULL);              \
		if (soft_is_ours(owner))                              \
			return verbs_ptr(-EOPNOTSUPP, NULL);          \
		FORWARD_OR(verbs_ptr(-EOPNOTSUPP, NULL), name, args); \
	}

#define NONE_VOID(name, context, params, args)                           \
	EXPORTED void ibv_##name params;                                 \
	EXPORTED void ibv_##name params                                  \
	{                                                                \
		const struct ibv_context *owner = context;               \
                                                                         \
		if (owner && !soft_is_ours(owner) && real_verbs()->name) \
			real_verbs()->name args;                         \
	}

#define ENTRY_OTHER(type, name, params)

#include "device/front/entry_points.def"

EXPORTED int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd,
			  void *addr, size_t length, int access)
{
	if (!mr)
		return verbs_int(-EINVAL);
	if (!soft_is_ours(mr->context))
		FORWARD_OR(verbs_int(-EOPNOTSUPP), rereg_mr,
			   (mr, flags, pd, addr, length, access));
	return soft_rereg_mr(mr, flags, pd, addr, length, access);
}

EXPORTED int ibv_query_qp_data_in_order(struct ibv_qp *qp,
					enum ibv_wr_opcode op, uint32_t flags)
{
	if (!qp || soft_is_ours(qp->context))
		return 0;
	FORWARD_OR(0, query_qp_data_in_order, (qp, op, flags));
}

/* Where an event is not about an object, there is nothing to ack. */
static struct ibv_context *entry_event_context(const struct ibv_async_event *e)
{
	switch (e->event_type) {
	case IBV_EVENT_CQ_ERR:
		return CONTEXT_OF(e->element.cq);
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return CONTEXT_OF(e->element.qp);
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return CONTEXT_OF(e->element.srq);
	case IBV_EVENT_WQ_FATAL:
		return CONTEXT_OF(e->element.wq);
	default:
		return NULL;
	}
}

EXPORTED void ibv_ack_async_event(struct ibv_async_event *event)
{
	const struct ibv_context *owner;

	if (!event)
		return;
	owner = entry_event_context(event);
	if (soft_is_ours(owner))
		soft_ack_async_event(event);
	else if (real_verbs()->ack_async_event)
		real_verbs()->ack_async_event(event);
}

EXPORTED int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port,
			       uint32_t index, struct ibv_gid_entry *entry,
			       uint32_t flags, size_t entry_bytes)
{
	if (!context)
		return verbs_int(-EINVAL);
	if (soft_is_ours(context))
		return verbs_int(soft_query_gid_ex(context, port, index, entry,
						   flags, entry_bytes));
	FORWARD_OR(verbs_int(-EOPNOTSUPP), query_gid_ex,
		   (context, port, index, entry, flags, entry_bytes));
}

/* This one returns a count or a negative errno by itself. */
EXPORTED ssize_t _ibv_query_gid_table(struct ibv_context *context,
				      struct ibv_gid_entry *entries,
				      size_t entries_max, uint32_t flags,
				      size_t entry_bytes)
{
	if (!context)
		return -EINVAL;
	if (soft_is_ours(context))
		return soft_query_gid_table(context, entries, entries_max,
					    flags, entry_bytes);
	FORWARD_OR(-EOPNOTSUPP, query_gid_table,
		   (context, entries, entries_max, flags, entry_bytes));
}
