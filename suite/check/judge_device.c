// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Findings about the device as a whole. */
#include "suite/check/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *check_transport_name(enum ibv_transport_type transport)
{
	switch (transport) {
	case IBV_TRANSPORT_IB:
		return "InfiniBand";
	case IBV_TRANSPORT_IWARP:
		return "iWARP";
	case IBV_TRANSPORT_USNIC:
	case IBV_TRANSPORT_USNIC_UDP:
		return "usNIC";
	case IBV_TRANSPORT_UNSPECIFIED:
		return "unspecified";
	case IBV_TRANSPORT_UNKNOWN:
		break;
	}
	return "unknown";
}

void judge_transport(const struct check_facts *f, struct check_finding *out)
{
	const char *node = ibv_node_type_str(f->node);
	const char *name = check_transport_name(f->transport);

	if (f->transport == IBV_TRANSPORT_IWARP)
		check_say(out, CHECK_WARN,
			  "choose a RoCE or InfiniBand device for the whole "
			  "matrix",
			  "%s, %s: connects through librdmacm only, and has no "
			  "UD and no path MTU",
			  node, name);
	else if (f->lacks & VB_NEED_RC)
		check_say(out, CHECK_BAD, "choose a device with RC queue pairs",
			  "%s, %s: %s", node, name,
			  f->lack_reason[__builtin_ctz(VB_NEED_RC)]);
	else if (f->transport == IBV_TRANSPORT_IB)
		check_say(out, CHECK_OK, NULL, "%s, %s", node, name);
	else
		check_say(out, CHECK_WARN,
			  "see which cases are skipped: this transport has its "
			  "own queue pair types",
			  "%s, %s", node, name);
}

void judge_firmware(const struct check_facts *f, struct check_finding *out)
{
	const char *firmware = f->device.attr.fw_ver;

	if (firmware[0])
		check_say(out, CHECK_OK, NULL, "%s", firmware);
	else if (f->software)
		check_say(out, CHECK_OK, NULL, "none: a software device");
	else
		check_say(out, CHECK_WARN,
			  "note the firmware's version yourself", "not told");
}

void judge_features(const struct check_facts *f, struct check_finding *out)
{
	/* By number of the bit; those that are no feature are not named. */
	static const char *const names[VB_NEEDS] = {
		"RC",
		"UC",
		"UD",
		"SRQ",
		"atomics",
		"memory windows",
		"completion channels",
		[8] = "RDMA",
		[9] = "memory windows of type 2",
		[12] = "immediate data",
	};
	char missing[160] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && f->lacks & 1u << i)
			len += (size_t)snprintf(missing + len,
						sizeof(missing) - len, "%s%s",
						len ? ", " : "", names[i]);
	if (len)
		check_say(out, CHECK_OK, NULL, "without %s", missing);
	else
		check_say(out, CHECK_OK, NULL,
			  "RC, UC, UD, RDMA, SRQ, atomics, memory windows, "
			  "completion channels");
}

void judge_vectors(const struct check_facts *f, struct check_finding *out)
{
	if (f->vectors)
		check_say(out, CHECK_OK, NULL, "%u", f->vectors);
	else
		check_say(out, CHECK_BAD,
			  "look at the interrupts of the driver: it found none",
			  "none");
}

void judge_counters(const struct check_facts *f, struct check_finding *out)
{
	char text[sizeof(out->value)] = "";
	size_t len = 0;
	uint32_t left = 0;

	if (!f->counters_known) {
		check_say(out, CHECK_OK, NULL,
			  "the device keeps no files of "
			  "them");
		return;
	}
	for (uint32_t i = 0; i < f->counter_count; i++) {
		/* Room for one more, and for saying how many are left. */
		if (len + sizeof(f->counters[i].name) + 40 > sizeof(text)) {
			left = f->counter_count - i;
			break;
		}
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%s%s %" PRIu64, len ? ", " : "",
					f->counters[i].name,
					f->counters[i].value);
	}
	if (left)
		snprintf(text + len, sizeof(text) - len, ", and %u more", left);
	if (f->counter_count)
		check_say(out, CHECK_WARN,
			  "see whether they grow while the link is idle, and "
			  "note them: they never go back",
			  "%s", text);
	else
		check_say(out, CHECK_OK, NULL, "all zero");
}
