// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A host's facts in one line. */
#include "suite/report/host.h"

#include "suite/report/stream.h"

void host_print(FILE *out, const char *end, const json_t *facts)
{
	const char *firmware = event_text(facts, "firmware");

	fprintf(out,
		"end %s: %.64s, kernel %.64s, rdma-core %.32s, %.64s (%.32s, "
		"firmware %.64s) port %llu, %.16s, MTU %llu, GID %llu %.16s "
		"%.48s\n",
		end, event_text(facts, "host"), event_text(facts, "kernel"),
		event_text(facts, "rdma_core"), event_text(facts, "device"),
		event_text(facts, "kind"), firmware[0] ? firmware : "-",
		(unsigned long long)event_number(facts, "port"),
		event_text(facts, "link_layer"),
		(unsigned long long)event_number(facts, "active_mtu"),
		(unsigned long long)event_number(facts, "gid_index"),
		event_text(facts, "gid_type"), event_text(facts, "gid"));
}
