/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses as IP headers have them, for the modules of this folder. */
#ifndef DEVICE_LINK_PATH_H
#define DEVICE_LINK_PATH_H

#include <stdbool.h>

#include "device/link/link.h"
#include "device/wire/icrc.h"

/* The first 12 bytes of an IPv4 address mapped into IPv6. */
extern const uint8_t path_mapped_prefix[12];

bool path_is_ipv4(const struct link_address *a);

/*
 * What the ICRC of a packet covers of IP and UDP: its addresses and source
 * port, IPv4 identification 0, no fragments.  @packet->to tells the family.
 */
struct icrc_path path_of(const struct link_packet *packet);

#endif
