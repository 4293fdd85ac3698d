/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The shared memory link's insides: shm.c (packets), shm_peer.c (who is
 * reached how), shm_socket.c (sockets and what goes through them).
 */
#ifndef DEVICE_LINK_SHM_PRIVATE_H
#define DEVICE_LINK_SHM_PRIVATE_H

#include <sys/queue.h>

#include "device/link/shm.h"
#include "device/link/shm_ring.h"

enum {
	/* Rings at the same time, each way; peers beyond go another way. */
	SHM_CHANNELS_MAX = 256,
	SHM_PEER_BUCKETS = 256,
	/* Peers remembered, those without a ring included. */
	SHM_PEERS_MAX = 1024,
	/* A peer that could not be reached is tried again after so long. */
	SHM_RETRY_NS = 1000 * 1000 * 1000,
	/* Receives that found nothing, after which the sockets are looked at
	 * for those who never sleep. */
	SHM_IDLE_TO_ATTEND = 1024,
	/* Peers may go on waking us: they are not waited for. */
	SHM_TURNS_TO_REST = 64,
};

/* One direction between two adapters. */
struct shm_channel {
	TAILQ_ENTRY(shm_channel) link; /* in ins or outs */
	TAILQ_ENTRY(shm_channel) dirty_link;
	struct shm_link *owner;
	struct link_address peer;
	int fd; /* -1: the peer has closed it */
	bool incoming;
	bool dirty;  /* written to and not shown; in the dirty list */
	bool broken; /* to be closed when nobody looks at its memory */
	/* When the ring was first seen full with this tail; 0: it was not. */
	uint64_t stalled_since_ns;
	uint64_t stalled_tail;
	void *map; /* NULL: an incoming one that has not said hello */
	union {
		struct shm_writer writer;
		struct shm_reader reader;
	};
};

TAILQ_HEAD(shm_channels, shm_channel);

struct shm_peer {
	SLIST_ENTRY(shm_peer) link;
	struct link_address address;
	struct shm_channel *channel; /* NULL: not reached */
	uint64_t retry_ns;	     /* then it is tried again */
};

SLIST_HEAD(shm_bucket, shm_peer);

struct shm_link {
	struct link link;
	struct link_address address;
	bool any_address;
	int epoll_fd; /* all sockets */
	int listen_fd;
	struct shm_channels ins, outs, dirty;
	unsigned in_count, out_count;
	struct shm_channel *next_in; /* whose turn it is; NULL: the first */
	unsigned idle;		     /* receives in a row that found nothing */
	struct shm_bucket peers[SHM_PEER_BUCKETS];
	unsigned peer_count;
};

/* Listen under our name; 0 or a negative errno. */
int shm_socket_listen(struct shm_link *s) MUST_USE;
/* A channel to @to, with its ring handed over; 0 or a negative errno. */
int shm_socket_connect(struct shm_link *s, const struct link_address *to,
		       struct shm_channel **out) MUST_USE;
void shm_socket_close(struct shm_channel *c);
/* Wake the peer; false: it is gone. */
bool shm_socket_poke(struct shm_channel *c);
/* Is the peer still there? */
bool shm_socket_alive(const struct shm_channel *c);
/* True: there was something. */
bool shm_socket_attend(struct shm_link *s);

struct shm_channel *shm_channel_new(struct shm_link *s, bool incoming);
/* Its ring is gone, and what was in it. */
void shm_channel_free(struct shm_channel *c);

/* Outgoing @c is over: the peer is not reached any more. */
void shm_peer_lose(struct shm_channel *c);
void shm_peer_free_all(struct shm_link *s);

#endif
