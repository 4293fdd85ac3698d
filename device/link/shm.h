/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The link through shared memory, between processes of one host and user.
 *
 * Every adapter listens on an abstract UNIX socket named after its address.
 * The first packet to a peer connects to the peer's, and hands over a memfd
 * with a ring for packets in that one direction; nothing of it has a name in a
 * file system, and all of it is gone with the last process that uses it:
 *
 *	sender                        receiver
 *	writes a packet, moves head   reads it in place, moves tail
 *	head moved and the receiver sleeps: one byte through the socket
 *
 * A peer is not trusted.  Its memory cannot shrink under us (it is sealed), and
 * all that is read from it is judged before it is used; a ring with rubbish in
 * it is closed.  A peer that ends is noticed by its socket, one that merely
 * stops by its ring, which is full from then on.
 *
 * Packets are those of every other link, except that the ICRC is left out.
 */
#ifndef DEVICE_LINK_SHM_H
#define DEVICE_LINK_SHM_H

#include "device/link/link.h"

struct shm_channel;

/*
 * The link of the adapter with that address.  @any_address: try addresses
 * outside 127.0.0.0/8 too, which may be of this host.  0 or a negative errno.
 */
int link_shm_open(const struct link_address *address, bool any_address,
		  struct link **out) MUST_USE;

/*
 * The way to @to, made if need be; NULL when there is none: no such process
 * here, or another user's.  Valid until the next call that may find the peer
 * gone: link_shm_flush(), link_shm_attend(), or this one.
 */
struct shm_channel *link_shm_channel(struct link *l,
				     const struct link_address *to);
/*
 * Room in the ring itself for a packet of at most @len_max bytes, or NULL: it
 * is full at the moment.  link_shm_end() puts the first @packet->len bytes on
 * their way; without it, nothing has happened.
 */
uint8_t *link_shm_begin(struct shm_channel *c, size_t len_max);
/* The ring is full, and has been for long without losing a byte. */
bool link_shm_stalled(struct shm_channel *c, uint64_t now_ns);
void link_shm_end(struct shm_channel *c, const struct link_packet *packet);
/* Show the peers what link_shm_end() has not shown yet, and wake sleepers. */
void link_shm_flush(struct link *l);

/* Would a receive find something?  A look at memory. */
bool link_shm_ready(const struct link *l);
/* The packets of the last receive are done with: give their room back. */
void link_shm_release(struct link *l);

/* Look after the sockets: peers that come and go, bytes that woke us. */
void link_shm_attend(struct link *l);
/*
 * Nobody here sends or receives at the moment: keep no way out, and nothing of
 * peers that have ended.  What was sent still arrives.
 */
void link_shm_rest(struct link *l);
/*
 * From now on whoever sends wakes us, through the link's descriptor.  False:
 * there is something already.  link_shm_awake() ends it.
 */
bool link_shm_sleep(struct link *l) MUST_USE;
void link_shm_awake(struct link *l);

#endif
