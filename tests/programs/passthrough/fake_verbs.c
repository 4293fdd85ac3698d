// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A libibverbs.so.1 for the test of passing through: it has one device, and
 * every function only remembers that it was called, and on what.
 */
#include "device/front/verbs.h"

const char *fake_called;
void *fake_object;

static struct ibv_device fake_device = { .name = "fake0" };
static struct ibv_device *fake_list[] = { &fake_device, NULL };

/* The first parameter, whatever its name and type. */
#define FAKE_FIRST(args)	FAKE_FIRST_OF args
#define FAKE_FIRST_OF(one, ...) ((void *)(uintptr_t)(one))

#define FAKE_BODY(name, args) \
	fake_called = #name;  \
	fake_object = FAKE_FIRST(args);

#define ENTRY_INT(name, context, params, args)    \
	int ibv_##name params;                    \
	int ibv_##name params                     \
	{                                         \
		FAKE_BODY(name, (UNPACK args, 0)) \
		return 4711;                      \
	}
#define ENTRY_PTR(type, name, context, params, args) \
	type *ibv_##name params;                     \
	type *ibv_##name params                      \
	{                                            \
		FAKE_BODY(name, (UNPACK args, 0))    \
		return (type *)(uintptr_t)4711;      \
	}
#define ENTRY_VOID(name, context, params, args)   \
	void ibv_##name params;                   \
	void ibv_##name params                    \
	{                                         \
		FAKE_BODY(name, (UNPACK args, 0)) \
	}
#define ENTRY_STATUS ENTRY_INT
#define NONE_INT     ENTRY_INT
#define NONE_STATUS  ENTRY_INT
#define NONE_PTR     ENTRY_PTR
#define NONE_VOID    ENTRY_VOID
#define ENTRY_OTHER(type, name, params)
#include "device/front/entry_points.def"

struct ibv_device **ibv_get_device_list(int *count)
{
	*count = 1;
	return fake_list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	fake_called = list == fake_list ? "free_device_list" : "a wrong free";
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

ENTRY_PTR(struct ibv_context, open_device, , (struct ibv_device * device),
	  (device))
ENTRY_INT(close_device, , (struct ibv_context * context), (context))
ENTRY_INT(rereg_mr, ,
	  (struct ibv_mr * mr, int flags, struct ibv_pd *pd, void *addr,
	   size_t length, int access),
	  (mr))
ENTRY_INT(query_qp_data_in_order, ,
	  (struct ibv_qp * qp, enum ibv_wr_opcode op, uint32_t flags), (qp))

void ibv_ack_async_event(struct ibv_async_event *event)
{
	fake_called = "ack_async_event";
	fake_object = event->element.qp;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port,
		      uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_bytes)
{
	FAKE_BODY(query_gid_ex, (context, 0))
	return 4711;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t entries_max,
			     uint32_t flags, size_t entry_bytes)
{
	FAKE_BODY(query_gid_table, (context, 0))
	return 4711;
}
