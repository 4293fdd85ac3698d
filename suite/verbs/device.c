// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices, ports and their tables. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_device_open(const struct verbs_at *at, const char *name,
		      struct ibv_context **context)
{
	struct recorder_record r = { .call = RECORDER_OPEN_DEVICE };
	struct ibv_device **list = ibv_get_device_list(NULL);
	int err = -ENODEV, i;

	if (!list)
		return -ENODEV;
	snprintf(r.text, sizeof(r.text), "%s", name);
	for (i = 0; list[i]; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) != 0)
			continue;
		errno = 0;
		*context = ibv_open_device(list[i]);
		err = *context ? 0 : verbs_errno();
		verbs_record(at, &r, err ? -1 : 0, err);
		break;
	}
	ibv_free_device_list(list);
	return err;
}

int verbs_device_close(const struct verbs_at *at, struct ibv_context *context)
{
	struct recorder_record r = { .call = RECORDER_CLOSE_DEVICE };
	int ret, err;

	errno = 0;
	ret = ibv_close_device(context);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_device_query(const struct verbs_at *at, struct ibv_context *context,
		       struct ibv_device_attr *attr)
{
	struct recorder_record r = { .call = RECORDER_QUERY_DEVICE };
	int ret, err;

	errno = 0;
	ret = ibv_query_device(context, attr);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_port_query(const struct verbs_at *at, struct ibv_context *context,
		     uint8_t port, struct ibv_port_attr *attr)
{
	struct recorder_record r = { .call = RECORDER_QUERY_PORT,
				     .object = port };
	int ret, err;

	errno = 0;
	ret = ibv_query_port(context, port, attr);
	err = verbs_result(ret);
	if (!err) {
		r.args[0] = attr->state;
		r.args[1] = attr->active_mtu;
		r.args[2] = (uint64_t)attr->gid_tbl_len;
		r.args[3] = attr->pkey_tbl_len;
		r.args[4] = attr->lid;
	}
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_gid_query(const struct verbs_at *at, struct ibv_context *context,
		    uint8_t port, uint32_t index, struct ibv_gid_entry *entry)
{
	struct recorder_record r = { .call = RECORDER_QUERY_GID,
				     .object = port };
	int ret, err;

	errno = 0;
	ret = ibv_query_gid_ex(context, port, index, entry, 0);
	err = verbs_result(ret);
	r.args[0] = index;
	if (!err) {
		r.args[1] = be64toh(entry->gid.global.subnet_prefix);
		r.args[2] = be64toh(entry->gid.global.interface_id);
	}
	verbs_record(at, &r, ret, err);
	return err;
}
