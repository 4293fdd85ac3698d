/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the user chose for the adapter: front reads it from the environment
 * (device/front/environment.def) and hands it down when the adapter is made.
 */
#ifndef DEVICE_WORLD_SETTINGS_H
#define DEVICE_WORLD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* How packets to our own address travel. */
enum sd_self_link {
	SD_SELF_DIRECT, /* handed over within the process */
	SD_SELF_UDP,	/* through the socket, as to any other address */
};

struct sd_settings {
	bool has_address;
	uint8_t address[4];    /* SOFT_ADDR, network order; else one is found */
	uint32_t mtu_bytes;    /* SOFT_MTU: active_mtu, 256 to 4096 */
	const char *pcap_path; /* SOFT_PCAP; NULL: no capture */
	uint64_t seed;	       /* SOFT_SEED */
	enum sd_self_link self_link; /* SOFT_LINK */
};

#endif
