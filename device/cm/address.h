/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet addresses of connection ids.  All adapters of one host (one network
 * namespace) share its port space, as its sockets do:
 *
 *	0.0.0.0, ::		any adapter of the host
 *	an adapter's own	that adapter; every process has one of its own
 *	127.0.0.1, any other	the host, by that name
 *	 address of the host
 *
 * A listener is found under the address it is bound to, or under every address
 * of the host when it is bound to "any"; the exact one comes first.  Where an
 * adapter really is comes with the messages of the connection.
 */
#ifndef DEVICE_CM_ADDRESS_H
#define DEVICE_CM_ADDRESS_H

#include <linux/in6.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The numbers that Linux has for them; AF_IB is what we refuse. */
enum { CM_INET = 2, CM_INET6 = 10, CM_IB = 27 };

struct cm_address {
	uint8_t ip[16];	 /* an IPv4 one in its mapped form */
	uint16_t port;	 /* host order; 0: none yet */
	uint16_t family; /* CM_INET or CM_INET6: how the program wrote it */
};

/* From the @len bytes of a sockaddr: -EINVAL when cut short, -EAFNOSUPPORT,
 * -EADDRNOTAVAIL for AF_IB. */
int cm_address_get(const void *sockaddr, size_t len,
		   struct cm_address *address) MUST_USE;
/* As a sockaddr of either family; all zeroes when there is no family. */
void cm_address_put(const struct cm_address *address,
		    struct sockaddr_in6 *sockaddr);
bool cm_address_is_any(const struct cm_address *address);
/* 127.0.0.1 in the family of @like. */
struct cm_address cm_address_loopback(const struct cm_address *like);

/* Under which a listener waits; returns its length, below CM_NAME_BYTES. */
enum { CM_NAME_BYTES = 64 };
size_t cm_address_name(const struct cm_address *address, uint16_t port_space,
		       char name[CM_NAME_BYTES]);

#endif
