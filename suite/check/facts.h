/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the preflight knows of a device and its host: plain values, gathered by
 * facts_ask.c and facts_host.c and judged by judge.h, which asks nobody.
 *
 * The facts pass from the process that asked the device to the one that
 * judges, so that there are no pointers in them.  Texts are empty and numbers
 * zero where nothing was to be learnt, unless a field says otherwise.
 */
#ifndef SUITE_CHECK_FACTS_H
#define SUITE_CHECK_FACTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/runner/target.h"

enum {
	CHECK_GIDS_MAX = 128,
	CHECK_PKEYS_MAX = 128,
	CHECK_COUNTERS_MAX = 64,
};

/* A GID table entry that is in use. */
struct check_gid {
	uint32_t index;
	union ibv_gid gid;
	uint32_t type; /* enum ibv_gid_type */
	char interface[32];
};

struct check_pkey {
	uint32_t index;
	uint16_t value; /* host order; 0 entries are left out */
};

/* An error counter that is not zero. */
struct check_counter {
	char name[64];
	uint64_t value;
};

struct check_facts {
	/* --- the host --- */
	char kernel[65]; /* release, as uname(2) has it */
	char rdma_core[32];
	char cpu[96];	   /* its model; "": the system does not tell */
	unsigned cpus;	   /* online */
	uint64_t memlock;  /* bytes; UINT64_MAX: unlimited */
	bool memlock_free; /* CAP_IPC_LOCK: the limit does not count */
	uint64_t huge_pages, huge_pages_free, huge_page_bytes;
	/* --- the device --- */
	struct target_device device;
	bool software; /* in this process, or a kernel driver without
			* hardware: rxe, siw, soft */
	enum ibv_node_type node;
	enum ibv_transport_type transport;
	char driver[64];
	char provider[64]; /* the user library's file */
	uint32_t vectors;
	/* enum vb_need bits, with reasons; as in struct target */
	unsigned lacks;
	char lack_reason[VB_NEEDS][128];
	/* --- its port --- */
	uint8_t port;
	struct ibv_port_attr attr;
	/* Of the network interface of the GID that would be chosen; empty
	 * where there is none. */
	char interface[32];
	uint32_t interface_mtu;
	char interface_state[16]; /* "up", "down", "unknown" */
	uint32_t gid_count;
	struct check_gid gids[CHECK_GIDS_MAX];
	uint32_t pkey_count;
	struct check_pkey pkeys[CHECK_PKEYS_MAX];
	bool counters_known;
	uint32_t counter_count;
	struct check_counter counters[CHECK_COUNTERS_MAX];
	/* A datagram there and one back; empty: both have come. */
	bool ping_tried;
	char ping_failed[128];
	/* --- what the options ask for --- */
	uint32_t mtu; /* bytes; 0: the active one */
	bool gid_auto;
	uint32_t gid_index; /* unless gid_auto */
};

/*
 * Ask device and host.  0, or a negative errno and *@error (free() it):
 * -EINVAL when the options cannot be, anything else when there is no device
 * to be asked.
 */
int check_gather(const struct vb_options *options, struct check_facts *out,
		 char **error) MUST_USE;
/* The parts: of the host, and of the device (arguments as target_call has
 * them). */
void check_gather_host(struct check_facts *f);
/* Files that the kernel keeps about the device. */
void check_gather_files(struct check_facts *f);

/* Does the counter called @name count something that went wrong? */
bool check_counter_is_error(const char *name);
/* The position in gids[] of what a run would take; -1: there is none. */
int check_gid_chosen(const struct check_facts *f);

#endif
