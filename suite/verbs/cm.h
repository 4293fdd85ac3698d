/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * librdmacm, observed as the verbs are.  The library is loaded when it is
 * asked for and not linked: a program that never connects through it runs
 * where it is not installed.  Nothing here blocks but what librdmacm itself
 * waits for (the kernel's answer to a command).
 */
#ifndef SUITE_VERBS_CM_H
#define SUITE_VERBS_CM_H

#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/verbs/verbs.h"

/* Load the library, once in a process; 0, or a negative errno and @why. */
int verbs_cm_load(char *why, size_t size) MUST_USE;

/*
 * Before descriptors are counted: have what it opens for good in this process
 * opened.  And behind the last use: with the library go the devices that it
 * has opened.
 */
void verbs_cm_warm_up(const char *device, uint8_t port);
void verbs_cm_unload(void);

/* The channel's descriptor does not block. */
int verbs_cm_open(const struct verbs_at *at,
		  struct rdma_event_channel **channel) MUST_USE;
void verbs_cm_close(const struct verbs_at *at,
		    struct rdma_event_channel *channel);

/* Where a port of a device is, for the CM. */
struct verbs_cm_place {
	const char *device;
	uint8_t port;
	union ibv_gid gid;
};

/*
 * A connection id bound to an address of the device, any free port: that of
 * the GID if it is one of the Internet's, else the first of the host that the
 * CM says to be the device's.  -EADDRNOTAVAIL: there is none.
 */
int verbs_cm_bind(const struct verbs_at *at, struct rdma_event_channel *channel,
		  const struct verbs_cm_place *place,
		  struct rdma_cm_id **id) MUST_USE;
/* The same for one address, whose port stays as it is. */
int verbs_cm_try_bind(const struct verbs_at *at,
		      struct rdma_event_channel *channel,
		      const struct verbs_cm_place *place,
		      const struct sockaddr *address,
		      struct rdma_cm_id **out) MUST_USE;
int verbs_cm_destroy(const struct verbs_at *at, struct rdma_cm_id *id);
/* The address that the id is bound to; returns its length. */
size_t verbs_cm_address(const struct rdma_cm_id *id, struct sockaddr_in6 *out);
/* Before the address of the peer is resolved: a local ACK timeout. */
int verbs_cm_timeout(const struct verbs_at *at, struct rdma_cm_id *id,
		     uint8_t code) MUST_USE;
int verbs_cm_resolve(const struct verbs_at *at, struct rdma_cm_id *id,
		     const struct sockaddr_in6 *peer, int ms) MUST_USE;

enum verbs_cm_act {
	VERBS_CM_LISTEN,
	VERBS_CM_ROUTE,
	VERBS_CM_CONNECT,
	VERBS_CM_ACCEPT,
	VERBS_CM_ESTABLISH,
	VERBS_CM_DISCONNECT,
};

/* @param: of CONNECT and ACCEPT. */
int verbs_cm_act(const struct verbs_at *at, struct rdma_cm_id *id,
		 enum verbs_cm_act act, struct rdma_conn_param *param) MUST_USE;
/* What the CM has for the step to attr->qp_state. */
int verbs_cm_attr(const struct verbs_at *at, struct rdma_cm_id *id,
		  struct ibv_qp_attr *attr, unsigned *mask) MUST_USE;

struct verbs_cm_event {
	enum rdma_cm_event_type type;
	int status;
	struct rdma_cm_id *id; /* of CONNECT_REQUEST: a new one */
	uint32_t qpn;	       /* of the peer, where it is told */
};

/* "ROUTE_RESOLVED"; "?" is none of them. */
const char *verbs_cm_event_name(unsigned type);

/* Take one and acknowledge it; -EAGAIN: there is none. */
int verbs_cm_take(const struct verbs_at *at, struct rdma_event_channel *channel,
		  struct verbs_cm_event *event) MUST_USE;

#endif
