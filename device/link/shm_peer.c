// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who is reached by shared memory, who is not, and when to try again. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "device/link/path.h"
#include "device/link/shm_private.h"

static struct shm_bucket *shm_peer_bucket(struct shm_link *s,
					  const struct link_address *a)
{
	uint64_t tail;

	memcpy(&tail, a->gid + sizeof(a->gid) - sizeof(tail), sizeof(tail));
	return &s->peers[hash_mix64(tail) % SHM_PEER_BUCKETS];
}

/* Nobody's memory may grow by addresses that are merely named: when there are
 * too many, those that are not reached are forgotten. */
static void shm_peer_forget_lost(struct shm_link *s)
{
	for (unsigned i = 0; i < SHM_PEER_BUCKETS; i++) {
		struct shm_bucket kept = SLIST_HEAD_INITIALIZER(kept);
		struct shm_peer *p;

		while ((p = SLIST_FIRST(&s->peers[i]))) {
			SLIST_REMOVE_HEAD(&s->peers[i], link);
			if (p->channel) {
				SLIST_INSERT_HEAD(&kept, p, link);
			} else {
				free(p);
				s->peer_count--;
			}
		}
		s->peers[i] = kept;
	}
}

/* The one to that address, made if there is none; NULL: no room. */
static struct shm_peer *shm_peer_get(struct shm_link *s,
				     const struct link_address *address)
{
	struct shm_bucket *bucket = shm_peer_bucket(s, address);
	struct shm_peer *p;

	SLIST_FOREACH (p, bucket, link) {
		if (!memcmp(&p->address, address, sizeof(*address)))
			return p;
	}
	if (s->peer_count == SHM_PEERS_MAX)
		shm_peer_forget_lost(s);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->address = *address;
	SLIST_INSERT_HEAD(bucket, p, link);
	s->peer_count++;
	return p;
}

void shm_peer_lose(struct shm_channel *c)
{
	struct shm_peer *p;

	SLIST_FOREACH (p, shm_peer_bucket(c->owner, &c->peer), link) {
		if (p->channel == c)
			p->channel = NULL;
	}
	shm_channel_free(c);
}

void shm_peer_free_all(struct shm_link *s)
{
	for (unsigned i = 0; i < SHM_PEER_BUCKETS; i++) {
		struct shm_peer *p;

		while ((p = SLIST_FIRST(&s->peers[i]))) {
			SLIST_REMOVE_HEAD(&s->peers[i], link);
			free(p);
		}
	}
}

static bool shm_peer_worth_trying(const struct shm_link *s,
				  const struct link_address *to)
{
	return s->any_address || (path_is_ipv4(to) && to->gid[12] == 127);
}

struct shm_channel *link_shm_channel(struct link *l,
				     const struct link_address *to)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_peer *p;
	uint64_t now_ns;

	if (!shm_peer_worth_trying(s, to))
		return NULL;
	p = shm_peer_get(s, to);
	if (!p)
		return NULL;
	if (likely(p->channel))
		return p->channel;
	now_ns = clock_now_ns();
	if (now_ns < p->retry_ns)
		return NULL;
	if (shm_socket_connect(s, to, &p->channel)) {
		p->channel = NULL;
		p->retry_ns = now_ns + SHM_RETRY_NS;
	}
	return p->channel;
}
