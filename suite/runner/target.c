// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Listing and probing devices, and the names of what they say. */
#include "suite/runner/target.h"

#include <stdio.h>
#include <string.h>

#include "suite/runner/target_ask.h"
#include "suite/runner/target_call.h"

int target_list(struct target_list *out, char **error)
{
	const struct target_call call = {
		.ask = target_ask_list,
		.bytes = sizeof(*out),
		.patience = 1,
	};

	return target_call(&call, out, error);
}

int target_probe(const struct vb_options *options, struct target *out,
		 char **error)
{
	const struct target_call call = {
		.ask = target_ask_probe,
		.arg = options,
		.bytes = sizeof(*out),
		.patience = options->patience,
	};

	return target_call(&call, out, error);
}

const char *target_lack(const struct target *t, const struct vb_case *record)
{
	if (record->needs & VB_NEED_NOTHING)
		return NULL;
	for (unsigned bit = 0; bit < ARRAY_SIZE(t->lack_reason); bit++)
		if (record->needs & t->lacks & (1u << bit))
			return t->lack_reason[bit];
	return NULL;
}

const char *target_gid_type_name(uint32_t type)
{
	switch (type) {
	case IBV_GID_TYPE_IB:
		return "IB";
	case IBV_GID_TYPE_ROCE_V1:
		return "RoCEv1";
	case IBV_GID_TYPE_ROCE_V2:
		return "RoCEv2";
	}
	return "unknown";
}

/* Vendor ids of drivers whose devices may bear any name. */
static const struct {
	uint32_t vendor_id;
	const char *kind;
} target_vendors[] = {
	{ 0xffffff, "rxe" }, { 0x626d74, "siw" },   { 0x02c9, "mlx5" },
	{ 0x15b3, "mlx5" },  { 0x14e4, "bnxt_re" }, { 0x8086, "irdma" },
	{ 0x1d0f, "efa" },   { 0x19e5, "hns" },
};

void target_kind(const char *name, const struct ibv_device_attr *attr,
		 char *out, size_t size)
{
	size_t letters = strcspn(name, "0123456789");

	if (strncmp(name, "soft", 4) == 0) {
		snprintf(out, size, "soft");
		return;
	}
	if (strncmp(name, "mlx4", 4) == 0 || strncmp(name, "mlx5", 4) == 0) {
		snprintf(out, size, "%.4s", name);
		return;
	}
	for (size_t i = 0; attr && i < ARRAY_SIZE(target_vendors); i++) {
		if (target_vendors[i].vendor_id != attr->vendor_id)
			continue;
		snprintf(out, size, "%s", target_vendors[i].kind);
		return;
	}
	snprintf(out, size, "%.*s", (int)letters, name);
}
