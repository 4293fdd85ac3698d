// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The public names.  A call about our device goes to soft_*() and comes back
 * in the form that verbs promise; any other goes to the real library as it
 * came.  An object that is NULL is refused here, the real library would crash.
 *
 * Not here: functions that take no context (passing.c), and those that only the
 * real library's providers call.
 */
#include "base/verbs_names.h"
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

/* @ours is what our own device answers: 0 or a negative errno, to which @told
 * gives the form that this verb has for it. */
#define FUNCTION_INT(told, ours, name, context, params, args) \
	EXPORTED int ibv_##name params;                       \
	EXPORTED int ibv_##name params                        \
	{                                                     \
		const struct ibv_context *owner = context;    \
                                                              \
		if (!owner)                                   \
			return told(-EINVAL);                 \
		if (soft_is_ours(owner))                      \
			return told(ours);                    \
		FORWARD_OR(told(-EOPNOTSUPP), name, args);    \
	}

/* @ours may fill in @object. */
#define FUNCTION_PTR(ours, type, name, context, params, args)                 \
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
		err = ours;                                                   \
		return verbs_ptr(err, object);                                \
	}

#define FUNCTION_VOID(ours, name, context, params, args)   \
	EXPORTED void ibv_##name params;                   \
	EXPORTED void ibv_##name params                    \
	{                                                  \
		const struct ibv_context *owner = context; \
                                                           \
		if (soft_is_ours(owner))                   \
			ours;                              \
		else if (owner && real_verbs()->name)      \
			real_verbs()->name args;           \
	}

#define ENTRY_INT(name, context, params, args) \
	FUNCTION_INT(verbs_int, soft_##name args, name, context, params, args)
#define ENTRY_STATUS(name, context, params, args)                           \
	FUNCTION_INT(verbs_status, soft_##name args, name, context, params, \
		     args)
#define ENTRY_PTR(type, name, context, params, args)                         \
	FUNCTION_PTR(soft_##name(UNPACK args, &object), type, name, context, \
		     params, args)
#define ENTRY_VOID(name, context, params, args) \
	FUNCTION_VOID(soft_##name args, name, context, params, args)

/* What our device does not have. */
#define NONE_INT(name, context, params, args) \
	FUNCTION_INT(verbs_int, -EOPNOTSUPP, name, context, params, args)
#define NONE_STATUS(name, context, params, args) \
	FUNCTION_INT(verbs_status, -EOPNOTSUPP, name, context, params, args)
#define NONE_PTR(type, name, context, params, args) \
	FUNCTION_PTR(-EOPNOTSUPP, type, name, context, params, args)
#define NONE_VOID(name, context, params, args) \
	FUNCTION_VOID((void)0, name, context, params, args)

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
	switch (verbs_event_about(e->event_type)) {
	case VERBS_ABOUT_CQ:
		return CONTEXT_OF(e->element.cq);
	case VERBS_ABOUT_QP:
		return CONTEXT_OF(e->element.qp);
	case VERBS_ABOUT_SRQ:
		return CONTEXT_OF(e->element.srq);
	case VERBS_ABOUT_WQ:
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
