// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets of the shared memory link, and the life of it and its channels. */
#include "device/link/shm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "device/link/shm_private.h"
#include "device/wire/packet.h"

struct shm_channel *shm_channel_new(struct shm_link *s, bool incoming)
{
	struct shm_channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->owner = s;
	c->fd = -1;
	c->incoming = incoming;
	if (incoming) {
		TAILQ_INSERT_TAIL(&s->ins, c, link);
		s->in_count++;
	} else {
		TAILQ_INSERT_TAIL(&s->outs, c, link);
		s->out_count++;
	}
	return c;
}

void shm_channel_free(struct shm_channel *c)
{
	struct shm_link *s = c->owner;

	if (c->dirty)
		TAILQ_REMOVE(&s->dirty, c, dirty_link);
	if (c->incoming) {
		if (s->next_in == c)
			s->next_in = NULL;
		TAILQ_REMOVE(&s->ins, c, link);
		s->in_count--;
	} else {
		TAILQ_REMOVE(&s->outs, c, link);
		s->out_count--;
	}
	if (c->map)
		munmap(c->map, SHM_MAP_BYTES);
	shm_socket_close(c);
	free(c);
}

/* A peer that is merely not scheduled comes back sooner. */
enum { SHM_STALL_NS = 100 * 1000 * 1000 };

uint8_t *link_shm_begin(struct shm_channel *c, size_t len_max)
{
	bool broken = false;
	uint8_t *at;

	if (c->broken)
		return NULL;
	at = shm_writer_begin(&c->writer, len_max, &broken);
	if (at)
		return at;
	/* Full: perhaps for good, which only the flush may find out, because
	 * the caller holds the channel. */
	if (broken)
		c->broken = true;
	if (!c->dirty) {
		c->dirty = true;
		TAILQ_INSERT_TAIL(&c->owner->dirty, c, dirty_link);
	}
	return NULL;
}

bool link_shm_stalled(struct shm_channel *c, uint64_t now_ns)
{
	if (!c->stalled_since_ns || c->stalled_tail != c->writer.tail) {
		c->stalled_since_ns = now_ns;
		c->stalled_tail = c->writer.tail;
	}
	return now_ns - c->stalled_since_ns > SHM_STALL_NS;
}

static void shm_show(struct shm_channel *c)
{
	if (shm_writer_show(&c->writer) && !shm_socket_poke(c))
		c->broken = true;
}

void link_shm_end(struct shm_channel *c, const struct link_packet *packet)
{
	struct link_counters *counters = &c->owner->link.counters;

	if (shm_writer_end(&c->writer, packet))
		shm_show(c);
	if (!c->dirty) {
		c->dirty = true;
		TAILQ_INSERT_TAIL(&c->owner->dirty, c, dirty_link);
	}
	counters->sent_packets++;
	counters->sent_bytes += packet->len;
}

/* A ring that stays full may be that of a peer which has ended. */
static bool shm_is_full(const struct shm_channel *c)
{
	return c->writer.head - c->writer.tail >
	       SHM_RING_BYTES - 2 * WIRE_PACKET_MAX;
}

void link_shm_flush(struct link *l)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c;

	while ((c = TAILQ_FIRST(&s->dirty))) {
		TAILQ_REMOVE(&s->dirty, c, dirty_link);
		c->dirty = false;
		shm_show(c);
		if (unlikely(c->broken ||
			     (shm_is_full(c) && !shm_socket_alive(c))))
			shm_peer_lose(c);
	}
}

static unsigned shm_send(struct link *l, struct link_packet *packets,
			 unsigned n)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	unsigned taken;

	for (taken = 0; taken < n; taken++) {
		struct link_packet p = packets[taken];
		struct shm_channel *c = link_shm_channel(l, &p.to);

		packets[taken].from = s->address;
		if (!c) {
			l->counters.send_errors++;
			continue;
		}
		p.bytes = link_shm_begin(c, p.len);
		if (!p.bytes)
			break;
		memcpy(p.bytes, packets[taken].bytes, p.len);
		link_shm_end(c, &p);
	}
	link_shm_flush(l);
	return taken;
}

/* A peer that writes what is no packet gets no second chance on that ring. */
static void shm_refuse(struct shm_channel *c)
{
	log_warn("shared memory: a peer's ring holds no packets, it is closed");
	c->broken = true;
}

static unsigned shm_receive_channel(struct shm_link *s, struct shm_channel *c,
				    struct link_packet *packets, unsigned n)
{
	struct link_counters *counters = &s->link.counters;
	unsigned got = 0;
	bool damaged;

	while (got < n && !c->broken) {
		struct link_packet *p = &packets[got];
		int found = shm_reader_next(&c->reader, p, &damaged);

		if (found < 0)
			shm_refuse(c);
		if (found <= 0)
			break;
		if (damaged) {
			counters->bad_icrc++;
			continue;
		}
		p->from = c->peer;
		p->to = s->address;
		counters->received_packets++;
		counters->received_bytes += p->len;
		got++;
	}
	return got;
}

static unsigned shm_receive(struct link *l, struct link_packet *packets,
			    unsigned n)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c;
	unsigned got = 0;

	link_shm_release(l); /* which may free channels */
	c = s->next_in ? s->next_in : TAILQ_FIRST(&s->ins);
	for (unsigned i = 0; c && i < s->in_count && got < n; i++) {
		if (c->map)
			got += shm_receive_channel(s, c, packets + got,
						   n - got);
		c = TAILQ_NEXT(c, link) ? TAILQ_NEXT(c, link)
					: TAILQ_FIRST(&s->ins);
	}
	/* Who was served last comes last in the next round. */
	s->next_in = c;
	if (got) {
		s->idle = 0;
	} else if (++s->idle == SHM_IDLE_TO_ATTEND) {
		s->idle = 0;
		shm_socket_attend(s);
	}
	return got;
}

bool link_shm_ready(const struct link *l)
{
	const struct shm_link *s = container_of(l, struct shm_link, link);
	const struct shm_channel *c;

	TAILQ_FOREACH (c, &s->ins, link) {
		if (c->map && shm_reader_ready(&c->reader))
			return true;
	}
	return false;
}

void link_shm_release(struct link *l)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c, *next;

	for (c = TAILQ_FIRST(&s->ins); c; c = next) {
		next = TAILQ_NEXT(c, link);
		if (!c->map)
			continue;
		shm_reader_give(&c->reader);
		if (unlikely(c->broken ||
			     (c->fd < 0 && !shm_reader_ready(&c->reader))))
			shm_channel_free(c);
	}
}

void link_shm_attend(struct link *l)
{
	shm_socket_attend(container_of(l, struct shm_link, link));
}

void link_shm_rest(struct link *l)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c, *next;

	link_shm_flush(l);
	while ((c = TAILQ_FIRST(&s->outs)))
		shm_peer_lose(c);
	/* Our own other ends among them: all that is to be known of them is
	 * here already. */
	for (unsigned i = 0; i < SHM_TURNS_TO_REST; i++)
		if (!shm_socket_attend(s))
			break;
	for (c = TAILQ_FIRST(&s->ins); c; c = next) {
		next = TAILQ_NEXT(c, link);
		if (c->fd < 0)
			shm_channel_free(c);
	}
}

bool link_shm_sleep(struct link *l)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c;
	bool quiet = true;

	TAILQ_FOREACH (c, &s->ins, link) {
		if (!c->map)
			continue;
		atomic_store(&c->reader.header->sleeps, 1);
		if (shm_reader_ready(&c->reader) || c->fd < 0)
			quiet = false;
	}
	if (!quiet)
		link_shm_awake(l);
	return quiet;
}

void link_shm_awake(struct link *l)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c;

	TAILQ_FOREACH (c, &s->ins, link) {
		if (c->map)
			atomic_store_explicit(&c->reader.header->sleeps, 0,
					      memory_order_relaxed);
	}
}

static int shm_fd(struct link *l)
{
	return container_of(l, struct shm_link, link)->epoll_fd;
}

static void shm_close(struct link *l)
{
	struct shm_link *s = container_of(l, struct shm_link, link);
	struct shm_channel *c;

	while ((c = TAILQ_FIRST(&s->ins)))
		shm_channel_free(c);
	while ((c = TAILQ_FIRST(&s->outs)))
		shm_channel_free(c);
	shm_peer_free_all(s);
	close(s->listen_fd);
	close(s->epoll_fd);
	free(s);
}

static const struct link_ops shm_ops = {
	.send = shm_send,
	.receive = shm_receive,
	.fd = shm_fd,
	.close = shm_close,
};

int link_shm_open(const struct link_address *address, bool any_address,
		  struct link **out)
{
	struct shm_link *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->link.ops = &shm_ops;
	s->link.room = UINT64_MAX;
	s->address = *address;
	s->any_address = any_address;
	TAILQ_INIT(&s->ins);
	TAILQ_INIT(&s->outs);
	TAILQ_INIT(&s->dirty);
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0) {
		err = -errno;
		goto err_free;
	}
	err = shm_socket_listen(s);
	if (err)
		goto err_close_epoll;
	*out = &s->link;
	return 0;

err_close_epoll:
	close(s->epoll_fd);
err_free:
	free(s);
	return err;
}
