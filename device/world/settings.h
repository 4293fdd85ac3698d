/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the user chose for the adapter: front reads it from the environment
 * (device/front/environment.def) and hands it down when the adapter is made.
 */
#ifndef DEVICE_WORLD_SETTINGS_H
#define DEVICE_WORLD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* By which links packets travel. */
enum sd_links {
	/* To our own address handed over directly; to other processes of this
	 * host, in 127.0.0.0/8, through shared memory; else by UDP. */
	SD_LINKS_AUTO,
	SD_LINKS_DIRECT, /* as auto, without shared memory */
	SD_LINKS_UDP,	 /* all by UDP, those to our own address too */
	/* All that can go through shared memory does: also to our own address,
	 * also to other addresses of this host; else by UDP. */
	SD_LINKS_SHM,
};

enum { SD_SETTINGS_MTU_MAX = 4096 };

struct sd_settings {
	bool has_address;
	uint8_t address[4]; /* SOFT_ADDR, network order; else one is found */
	/* SOFT_MTU: active_mtu, 256 to 4096; 0: the largest that fits. */
	uint32_t mtu_bytes;
	const char *pcap_path;	 /* SOFT_PCAP; NULL: no capture */
	uint64_t seed;		 /* SOFT_SEED */
	enum sd_links links;	 /* SOFT_LINK */
	const char *faults;	 /* SOFT_FAULTS; NULL: no rules */
	const char *mutants;	 /* SOFT_MUTANTS; NULL: none */
	const char *mutants_log; /* SOFT_MUTANTS_LOG; NULL: none */
};

#endif
