// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The list of devices: what the real library finds, then ours.  A list that we
 * gave out is remembered, because freeing it means to free the real one too.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/log.h"
#include "device/front/context.h"
#include "device/front/environment.h"
#include "device/front/facts.h"
#include "device/front/objects.h"
#include "device/front/real.h"

struct device_list {
	LIST_ENTRY(device_list) link;
	struct ibv_device **real;     /* NULL: the real library had none */
	struct ibv_device *devices[]; /* NULL at the end */
};

static LIST_HEAD(, device_list)
	device_lists = LIST_HEAD_INITIALIZER(device_lists);

static struct soft_device soft_device = {
	.verbs = {
		.node_type = IBV_NODE_CA,
		.transport_type = IBV_TRANSPORT_IB,
		.name = SOFT_NAME,
		.dev_name = SOFT_UVERBS,
		.dev_path = SOFT_SYSFS_DEV,
		.ibdev_path = SOFT_SYSFS,
	},
};

struct ibv_device *soft_device_get(void)
{
	return &soft_device.verbs;
}

bool soft_is_ours(const struct ibv_context *context)
{
	return context && context->device == &soft_device.verbs;
}

uint64_t soft_node_guid(void)
{
	/* Of the process that asks first: those that it forks keep it, for
	 * librdmacm knows devices by it that it found before. */
	static _Atomic(pid_t) named;
	pid_t pid = named;

	if (!pid && atomic_compare_exchange_strong(&named, &pid, getpid()))
		pid = named;
	/* EUI-64 of a locally administered number: two programs of one host
	 * never have the same at the same time. */
	return htobe64(UINT64_C(0x020000fffe000000) |
		       ((uint64_t)pid & 0xffffff));
}

static struct device_list *device_list_make(struct ibv_device **real,
					    int real_count)
{
	size_t count = (size_t)real_count + 1;
	struct device_list *list;

	list = calloc(1, sizeof(*list) + (count + 1) * sizeof(void *));
	if (!list)
		return NULL;
	list->real = real;
	if (real_count)
		memcpy(list->devices, real,
		       (size_t)real_count * sizeof(void *));
	list->devices[real_count] = &soft_device.verbs;
	front_lock();
	LIST_INSERT_HEAD(&device_lists, list, link);
	front_unlock();
	return list;
}

EXPORTED struct ibv_device **ibv_get_device_list(int *count)
{
	const struct real_verbs *real = real_verbs();
	struct ibv_device **real_list = NULL;
	struct device_list *list;
	struct sd_settings settings;
	int real_count = 0;
	int err;

	if (count)
		*count = 0;
	err = environment_read(&settings);
	if (err)
		return verbs_ptr(err, NULL);
	/* No kernel support is an error there, and no hindrance here. */
	if (real->get_device_list)
		real_list = real->get_device_list(&real_count);
	if (!real_list)
		real_count = 0;
	list = device_list_make(real_list, real_count);
	if (!list) {
		if (real_list)
			real->free_device_list(real_list);
		return verbs_ptr(-ENOMEM, NULL);
	}
	if (count)
		*count = real_count + 1;
	return list->devices;
}

EXPORTED void ibv_free_device_list(struct ibv_device **devices)
{
	struct device_list *list;

	if (!devices)
		return;
	front_lock();
	LIST_FOREACH (list, &device_lists, link) {
		if (list->devices == devices)
			break;
	}
	if (list)
		LIST_REMOVE(list, link);
	front_unlock();
	/* One that we did not give out came from the real library. */
	if (!list || list->real)
		real_verbs()->free_device_list(list ? list->real : devices);
	free(list);
}

EXPORTED const char *ibv_get_device_name(struct ibv_device *device)
{
	if (device == &soft_device.verbs)
		return soft_device.verbs.name;
	if (device && real_verbs()->get_device_name)
		return real_verbs()->get_device_name(device);
	return NULL;
}

EXPORTED __be64 ibv_get_device_guid(struct ibv_device *device)
{
	if (device == &soft_device.verbs)
		return soft_node_guid();
	if (device && real_verbs()->get_device_guid)
		return real_verbs()->get_device_guid(device);
	return 0;
}

/* The kernel numbers its devices; ours is none of them. */
EXPORTED int ibv_get_device_index(struct ibv_device *device)
{
	if (device && device != &soft_device.verbs &&
	    real_verbs()->get_device_index)
		return real_verbs()->get_device_index(device);
	return -1;
}

EXPORTED struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context = NULL;
	int err;

	if (!device)
		return verbs_ptr(-EINVAL, NULL);
	if (device == &soft_device.verbs) {
		err = soft_open_device(&context);
		return verbs_ptr(err, context);
	}
	if (!real_verbs()->open_device)
		return verbs_ptr(-EOPNOTSUPP, NULL);
	return real_verbs()->open_device(device);
}

/* This one says -1 when it fails. */
EXPORTED int ibv_close_device(struct ibv_context *context)
{
	if (!context)
		return verbs_status(-EINVAL);
	if (soft_is_ours(context))
		return verbs_status(soft_close_device(context));
	if (!real_verbs()->close_device)
		return verbs_status(-EOPNOTSUPP);
	return real_verbs()->close_device(context);
}
