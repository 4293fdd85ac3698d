// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One loop over two pipes and the sockets of this side. */
#include "suite/peer/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum relay_what { RELAY_BEGIN = 1, RELAY_BYTES, RELAY_END };

enum {
	RELAY_HEAD = 7,
	RELAY_PIECE = 32768,
	RELAY_KEPT_MAX = 32 << 20,
};

/* What waits to be written. */
struct relay_kept {
	unsigned char *bytes;
	size_t from, len, room;
};

struct relay_stream {
	int fd; /* -1: free */
	uint16_t id;
	struct relay_kept kept;
	bool ending; /* to be closed when `kept` is out */
};

struct relay_loop {
	const struct relay *r;
	struct relay_stream streams[RELAY_STREAMS];
	struct relay_kept pipe; /* to `out` */
	unsigned char in[RELAY_HEAD + RELAY_PIECE];
	size_t in_len;
	uint16_t next;
	bool over;
};

static bool kept_add(struct relay_kept *k, const void *bytes, size_t len)
{
	if (k->from && k->from + k->len + len > k->room) {
		memmove(k->bytes, k->bytes + k->from, k->len);
		k->from = 0;
	}
	if (k->len + len > RELAY_KEPT_MAX)
		return false;
	if (k->len + len > k->room) {
		size_t room = 2 * (k->len + len);
		unsigned char *more = realloc(k->bytes, room);

		if (!more)
			return false;
		k->bytes = more;
		k->room = room;
	}
	memcpy(k->bytes + k->from + k->len, bytes, len);
	k->len += len;
	return true;
}

/* As much as goes; false: it cannot go any more. */
static bool kept_write(struct relay_kept *k, int fd)
{
	while (k->len) {
		ssize_t n = write(fd, k->bytes + k->from, k->len);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		k->from += (size_t)n;
		k->len -= (size_t)n;
	}
	k->from = 0;
	return true;
}

static void relay_say(struct relay_loop *l, enum relay_what what, uint16_t id,
		      const void *bytes, size_t len)
{
	unsigned char head[RELAY_HEAD] = {
		(unsigned char)what,	    (unsigned char)(id >> 8),
		(unsigned char)id,	    (unsigned char)(len >> 24),
		(unsigned char)(len >> 16), (unsigned char)(len >> 8),
		(unsigned char)len,
	};

	if (!kept_add(&l->pipe, head, sizeof(head)) ||
	    (len && !kept_add(&l->pipe, bytes, len)) ||
	    !kept_write(&l->pipe, l->r->out))
		l->over = true;
}

static struct relay_stream *relay_find(struct relay_loop *l, uint16_t id)
{
	for (size_t i = 0; i < RELAY_STREAMS; i++)
		if (l->streams[i].fd >= 0 && l->streams[i].id == id)
			return &l->streams[i];
	return NULL;
}

static void relay_drop(struct relay_stream *s)
{
	close(s->fd);
	free(s->kept.bytes);
	*s = (struct relay_stream){ .fd = -1 };
}

static void relay_add(struct relay_loop *l, int fd, uint16_t id)
{
	for (size_t i = 0; i < RELAY_STREAMS; i++) {
		if (l->streams[i].fd >= 0)
			continue;
		(void)!fcntl(fd, F_SETFL, O_NONBLOCK);
		l->streams[i] = (struct relay_stream){ .fd = fd, .id = id };
		return;
	}
	close(fd);
	relay_say(l, RELAY_END, id, NULL, 0);
}

/* The socket has something: to the pipe. */
static void relay_take(struct relay_loop *l, struct relay_stream *s)
{
	unsigned char bytes[RELAY_PIECE];
	ssize_t n = recv(s->fd, bytes, sizeof(bytes), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		relay_say(l, RELAY_END, s->id, NULL, 0);
		relay_drop(s);
		return;
	}
	relay_say(l, RELAY_BYTES, s->id, bytes, (size_t)n);
}

static void relay_put(struct relay_loop *l, struct relay_stream *s,
		      const void *bytes, size_t len)
{
	if (kept_add(&s->kept, bytes, len) && kept_write(&s->kept, s->fd))
		return;
	relay_say(l, RELAY_END, s->id, NULL, 0);
	relay_drop(s);
}

static void relay_message(struct relay_loop *l, enum relay_what what,
			  uint16_t id, const void *bytes, size_t len)
{
	struct relay_stream *s = relay_find(l, id);
	int fd;

	if (what == RELAY_BEGIN && !s && l->r->begin) {
		fd = l->r->begin(l->r->arg);
		if (fd < 0)
			relay_say(l, RELAY_END, id, NULL, 0);
		else
			relay_add(l, fd, id);
	} else if (what == RELAY_BYTES && s) {
		relay_put(l, s, bytes, len);
	} else if (what == RELAY_END && s) {
		s->ending = true;
		if (!s->kept.len)
			relay_drop(s);
	}
}

/* Whole messages out of what has come; -EBADMSG: that is none. */
static int relay_parse(struct relay_loop *l)
{
	const unsigned char *at = l->in;
	size_t len;

	while (l->in_len >= RELAY_HEAD) {
		len = (size_t)at[3] << 24 | (size_t)at[4] << 16 |
		      (size_t)at[5] << 8 | at[6];
		if (at[0] < RELAY_BEGIN || at[0] > RELAY_END ||
		    len > RELAY_PIECE)
			return -EBADMSG;
		if (l->in_len < RELAY_HEAD + len)
			break;
		relay_message(l, (enum relay_what)at[0],
			      (uint16_t)(at[1] << 8 | at[2]), at + RELAY_HEAD,
			      len);
		at += RELAY_HEAD + len;
		l->in_len -= RELAY_HEAD + len;
	}
	memmove(l->in, at, l->in_len);
	return 0;
}

static int relay_read(struct relay_loop *l)
{
	ssize_t n =
		read(l->r->in, l->in + l->in_len, sizeof(l->in) - l->in_len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		l->over = true;
		return 0;
	}
	l->in_len += (size_t)n;
	return relay_parse(l);
}

/* Only who may act for this user. */
static void relay_accept(struct relay_loop *l)
{
	int fd = accept4(l->r->listener, NULL, NULL, SOCK_CLOEXEC);
	socklen_t size = sizeof(struct ucred);
	struct ucred who;

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
	    who.uid != geteuid()) {
		close(fd);
		return;
	}
	while (relay_find(l, l->next))
		l->next++;
	relay_say(l, RELAY_BEGIN, l->next, NULL, 0);
	relay_add(l, fd, l->next++);
}

static void relay_socket(struct relay_loop *l, struct relay_stream *s,
			 short events)
{
	if (events & POLLOUT) {
		if (!kept_write(&s->kept, s->fd)) {
			relay_say(l, RELAY_END, s->id, NULL, 0);
			relay_drop(s);
			return;
		}
		if (s->ending && !s->kept.len) {
			relay_drop(s);
			return;
		}
	}
	if (events & (POLLIN | POLLHUP | POLLERR))
		relay_take(l, s);
}

/* In the order of the descriptors below: pipes, the rest, the streams. */
enum { RELAY_IN, RELAY_OUT, RELAY_LISTENER, RELAY_SIGNALS, RELAY_FIXED };

static void relay_poll(struct relay_loop *l, struct pollfd *fds)
{
	fds[RELAY_IN] = (struct pollfd){ .fd = l->r->in, .events = POLLIN };
	fds[RELAY_OUT] = (struct pollfd){ .fd = l->pipe.len ? l->r->out : -1,
					  .events = POLLOUT };
	fds[RELAY_LISTENER] =
		(struct pollfd){ .fd = l->r->listener, .events = POLLIN };
	fds[RELAY_SIGNALS] =
		(struct pollfd){ .fd = l->r->signals, .events = POLLIN };
	for (size_t i = 0; i < RELAY_STREAMS; i++) {
		const struct relay_stream *s = &l->streams[i];
		/* A full pipe stops the sources, and they those behind them. */
		bool take = l->pipe.len < RELAY_KEPT_MAX / 2;

		fds[RELAY_FIXED + i] = (struct pollfd){
			.fd = s->fd,
			.events = (short)((take ? POLLIN : 0) |
					  (s->kept.len ? POLLOUT : 0)),
		};
	}
	(void)!poll(fds, RELAY_FIXED + RELAY_STREAMS, -1);
}

static int relay_turn(struct relay_loop *l)
{
	struct pollfd fds[RELAY_FIXED + RELAY_STREAMS];
	int err = 0;

	relay_poll(l, fds);
	if (fds[RELAY_SIGNALS].revents && !l->r->signalled(l->r->arg))
		l->over = true;
	if (fds[RELAY_OUT].revents && !kept_write(&l->pipe, l->r->out))
		l->over = true;
	for (size_t i = 0; i < RELAY_STREAMS; i++)
		if (fds[RELAY_FIXED + i].revents && l->streams[i].fd >= 0)
			relay_socket(l, &l->streams[i],
				     fds[RELAY_FIXED + i].revents);
	if (fds[RELAY_IN].revents)
		err = relay_read(l);
	if (fds[RELAY_LISTENER].revents)
		relay_accept(l);
	return err;
}

int relay_run(struct relay *r, struct strbuf *error)
{
	struct relay_loop *l = calloc(1, sizeof(*l));
	int flags = fcntl(r->out, F_GETFL), err = 0;

	if (!l)
		return -ENOMEM;
	(void)!fcntl(r->out, F_SETFL, flags | O_NONBLOCK);
	l->r = r;
	for (size_t i = 0; i < RELAY_STREAMS; i++)
		l->streams[i].fd = -1;
	while (!err && !l->over)
		err = relay_turn(l);
	if (err)
		strbuf_add(error, "what comes through the pipe is of no "
				  "verbatim");
	for (size_t i = 0; i < RELAY_STREAMS; i++)
		if (l->streams[i].fd >= 0)
			relay_drop(&l->streams[i]);
	free(l->pipe.bytes);
	free(l);
	return err;
}
