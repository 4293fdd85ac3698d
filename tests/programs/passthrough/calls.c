// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls every function of libibverbs that takes a context or one of its
 * objects on a device that is not ours: each call must reach the other
 * library with its object, and its answer must come back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/front/verbs.h"

extern const char *fake_called;
extern void *fake_object;

/* Private to rdma-core's own programs, and so in no header. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port,
		       unsigned int index, enum soft_gid_type_sysfs *type);

static int failures;

/* What all these functions look like to the calling convention. */
typedef intptr_t call_fn(void *, intptr_t, intptr_t, intptr_t, intptr_t,
			 intptr_t);

static void call(const char *name, call_fn *fn, void *object, int32_t expected)
{
	int32_t answer;

	fake_called = "nothing";
	fake_object = NULL;
	answer = (int32_t)fn(object, 0, 0, 0, 0, 0);
	if (strcmp(fake_called, name) || fake_object != object ||
	    (expected && answer != expected)) {
		printf("%s: reached %s with %p instead of %p, answer %d\n",
		       name, fake_called, fake_object, object, answer);
		failures++;
	}
}

static void call_all(void)
{
	static struct ibv_device foreign_device = { .name = "foreign" };
	static struct ibv_context foreign = { .device = &foreign_device };
	void *context = &foreign;
	/* Every object begins with its context. */
	static struct {
		void *context;
		uint8_t rest[512];
	} foreign_object;
	void *object = &foreign_object;
	struct ibv_async_event event = { .event_type = IBV_EVENT_QP_FATAL };

	foreign_object.context = context;
#define CONTEXT_OF(any)				   object
#define CALL(name, first)			   call(#name, (call_fn *)ibv_##name, first, 4711);
#define CALL_VOID(name, first)			   call(#name, (call_fn *)ibv_##name, first, 0);
#define ENTRY_INT(name, first, params, args)	   CALL(name, first)
#define ENTRY_STATUS(name, first, params, args)	   CALL(name, first)
#define ENTRY_PTR(type, name, first, params, args) CALL(name, first)
#define ENTRY_VOID(name, first, params, args)	   CALL_VOID(name, first)
#define NONE_INT(name, first, params, args)	   CALL(name, first)
#define NONE_STATUS(name, first, params, args)	   CALL(name, first)
#define NONE_PTR(type, name, first, params, args)  CALL(name, first)
#define NONE_VOID(name, first, params, args)	   CALL_VOID(name, first)
#define ENTRY_OTHER(type, name, params)
#include "device/front/entry_points.def"
	CALL(open_device, &foreign_device)
	CALL(close_device, context)
	CALL(rereg_mr, object)
	CALL(query_qp_data_in_order, object)
	call("query_gid_ex", (call_fn *)_ibv_query_gid_ex, context, 4711);
	call("query_gid_table", (call_fn *)_ibv_query_gid_table, context, 4711);
	event.element.qp = object;
	ibv_ack_async_event(&event);
	if (strcmp(fake_called, "ack_async_event") || fake_object != object) {
		printf("ack_async_event: reached %s\n", fake_called);
		failures++;
	}
}

/* Their device and ours stand in one list, and both open. */
static void list_all(void)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);
	struct ibv_context *ours;

	if (!list || count != 2 || list[2] ||
	    strcmp(ibv_get_device_name(list[0]), "fake0") ||
	    strcmp(ibv_get_device_name(list[1]), "soft0")) {
		printf("device list: %d devices, expected fake0, soft0\n",
		       count);
		failures++;
		return;
	}
	ours = ibv_open_device(list[1]);
	if (!ours || ibv_close_device(ours)) {
		printf("soft0 does not open and close\n");
		failures++;
	}
	if (ibv_open_device(list[0]) != (void *)(uintptr_t)4711) {
		printf("fake0 is not opened by its library\n");
		failures++;
	}
	ibv_free_device_list(list);
	if (strcmp(fake_called, "free_device_list")) {
		printf("their list was freed by %s\n", fake_called);
		failures++;
	}
}

int main(void)
{
	call_all();
	list_all();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
