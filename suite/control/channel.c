// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames over a stream; a frame is sent whole and received whole. */
#include "suite/control/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/control/tls.h"

enum {
	CHANNEL_ROOM = 16384, /* of the buffer at first */
	/* An answer mostly comes sooner than a sleep and a wake-up take. */
	CHANNEL_SPIN_NS = 10000,
	CHANNEL_IDLE_S = 10, /* then the kernel asks whether the peer lives */
	CHANNEL_ASK_S = 5,
	CHANNEL_ASKS = 3,
};

static int channel_fault(const char *what, struct strbuf *error)
{
	int err = errno;

	strbuf_addf(error, "%s: %s", what, strerror(err));
	return -err;
}

/* A peer's host that has vanished is noticed; other families than TCP have no
 * such options, and need none. */
static void channel_tune(int fd)
{
	int yes = 1, idle = CHANNEL_IDLE_S, ask = CHANNEL_ASK_S;
	int asks = CHANNEL_ASKS;
	unsigned lost_ms = 1000 * (CHANNEL_IDLE_S + CHANNEL_ASK_S);

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &ask, sizeof(ask));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &asks, sizeof(asks));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &lost_ms,
			 sizeof(lost_ms));
}

int channel_open(struct channel *c, int fd, struct strbuf *error)
{
	int flags = fcntl(fd, F_GETFL);

	*c = (struct channel){ .fd = -1, .limit = CHANNEL_GREETING_MAX };
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return channel_fault("channel", error);
	channel_tune(fd);
	c->bytes = malloc(CHANNEL_ROOM);
	if (!c->bytes) {
		strbuf_add(error, "no memory for a channel");
		return -ENOMEM;
	}
	c->room = CHANNEL_ROOM;
	c->fd = fd;
	return 0;
}

void channel_close(struct channel *c)
{
	if (c->tls)
		tls_close(c->tls);
	if (c->fd >= 0)
		close(c->fd);
	free(c->bytes);
	strbuf_free(&c->out);
	*c = (struct channel){ .fd = -1 };
}

struct strbuf *channel_begin(struct channel *c)
{
	static const char head[FRAME_HEAD];

	strbuf_reset(&c->out);
	strbuf_add_bytes(&c->out, head, sizeof(head));
	return &c->out;
}

static ssize_t channel_write(struct channel *c, const char *bytes, size_t len)
{
	ssize_t n;

	if (c->tls)
		return tls_send(c->tls, bytes, len);
	n = send(c->fd, bytes, len, MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static bool channel_wait(struct channel *c, short events, int wait_ms)
{
	struct pollfd p = { .fd = c->fd, .events = events };

	return poll(&p, 1, wait_ms) > 0;
}

static int channel_flush(struct channel *c, int wait_ms, struct strbuf *error)
{
	uint64_t deadline_ns = clock_now_ns() + (uint64_t)wait_ms * NS_PER_MS;
	size_t sent = 0;

	while (sent < c->out.len) {
		ssize_t n =
			channel_write(c, c->out.text + sent, c->out.len - sent);

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (n != -EAGAIN && n != -EINTR) {
			strbuf_addf(error, "sending to the peer: %s",
				    strerror((int)-n));
			return -EPIPE;
		}
		if (clock_now_ns() >= deadline_ns) {
			strbuf_addf(error, "the peer takes no data for %d ms",
				    wait_ms);
			return -ETIMEDOUT;
		}
		(void)channel_wait(c, POLLOUT, 10);
	}
	return 0;
}

int channel_send(struct channel *c, int wait_ms, struct strbuf *error)
{
	size_t len = c->out.len - FRAME_HEAD;
	unsigned char *head = (unsigned char *)c->out.text;

	if (len == 0 || len > c->limit) {
		strbuf_addf(error, "a frame of %zu bytes, allowed are 1 to %zu",
			    len, c->limit);
		return -EMSGSIZE;
	}
	head[0] = (unsigned char)(len >> 24);
	head[1] = (unsigned char)(len >> 16);
	head[2] = (unsigned char)(len >> 8);
	head[3] = (unsigned char)len;
	return channel_flush(c, wait_ms, error);
}

int channel_send_json(struct channel *c, json_t *object, int wait_ms,
		      struct strbuf *error)
{
	int err;

	strbuf_reset(&c->out);
	err = frame_encode(object, &c->out, error);
	return err ? err : channel_flush(c, wait_ms, error);
}

/* --- Receiving ------------------------------------------------------------ */

/* A length that a peer of another kind would have sent. */
static const char *channel_guess(const unsigned char *head)
{
	if (head[0] == 0x16 && head[1] == 0x03)
		return "; the peer speaks TLS: this side has no --key-file";
	if (memcmp(head, "SSH-", 4) == 0 || memcmp(head, "GET ", 4) == 0 ||
	    memcmp(head, "HTTP", 4) == 0)
		return "; the peer is another program";
	return "";
}

/* 1: a whole frame is there, *@len its payload's; 0: not yet. */
static int channel_whole(const struct channel *c, size_t *len,
			 struct strbuf *error)
{
	const unsigned char *at = c->bytes + c->from;

	if (c->len < FRAME_HEAD)
		return 0;
	*len = (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 |
	       at[3];
	if (*len == 0 || *len > c->limit) {
		strbuf_addf(error,
			    "a frame of %zu bytes, allowed are 1 to "
			    "%zu%s",
			    *len, c->limit, channel_guess(at));
		return -EBADMSG;
	}
	return c->len - FRAME_HEAD >= *len;
}

/* Room behind what is there, for more of the frame that it begins. */
static int channel_make_room(struct channel *c, struct strbuf *error)
{
	size_t len = 0, want = CHANNEL_ROOM;
	unsigned char *more;

	if (c->len >= FRAME_HEAD && channel_whole(c, &len, error) >= 0)
		want = FRAME_HEAD + len > want ? FRAME_HEAD + len : want;
	if (c->from) {
		memmove(c->bytes, c->bytes + c->from, c->len);
		c->from = 0;
	}
	if (c->room >= want && c->room > c->len)
		return 0;
	more = realloc(c->bytes, want);
	if (!more) {
		strbuf_add(error, "no memory for a frame");
		return -ENOMEM;
	}
	c->bytes = more;
	c->room = want;
	return 0;
}

/* -EAGAIN: nothing now. */
static int channel_fill(struct channel *c, struct strbuf *error)
{
	unsigned char *to;
	ssize_t n;
	int err = channel_make_room(c, error);

	if (err)
		return err;
	to = c->bytes + c->len;
	if (c->tls) {
		n = tls_receive(c->tls, to, c->room - c->len);
	} else {
		n = recv(c->fd, to, c->room - c->len, 0);
		n = n < 0 ? -errno : n;
	}
	if (n == -EAGAIN || n == -EINTR)
		return -EAGAIN;
	if (n <= 0) {
		strbuf_addf(error, "the peer has gone: %s",
			    n < 0    ? strerror((int)-n)
			    : c->len ? "connection closed within a frame"
				     : "connection closed");
		return -EPIPE;
	}
	c->len += (size_t)n;
	return 0;
}

/* Nothing is there: until something is, or @deadline_ns. */
static int channel_await(struct channel *c, uint64_t since_ns,
			 uint64_t deadline_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= deadline_ns)
		return -EAGAIN;
	if (now_ns - since_ns < CHANNEL_SPIN_NS)
		return 0;
	(void)channel_wait(
		c, POLLIN,
		(int)((deadline_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS));
	return 0;
}

int channel_receive(struct channel *c, int wait_ms,
		    const unsigned char **payload, size_t *len,
		    struct strbuf *error)
{
	uint64_t since_ns = clock_now_ns();
	uint64_t deadline_ns = since_ns + (uint64_t)wait_ms * NS_PER_MS;
	int whole, err;

	for (;;) {
		whole = channel_whole(c, len, error);
		if (whole < 0)
			return whole;
		if (whole)
			break;
		err = channel_fill(c, error);
		if (err == -EAGAIN)
			err = channel_await(c, since_ns, deadline_ns);
		if (err)
			return err;
	}
	*payload = c->bytes + c->from + FRAME_HEAD;
	c->from += FRAME_HEAD + *len;
	c->len -= FRAME_HEAD + *len;
	return 0;
}

int channel_receive_json(struct channel *c, int wait_ms, json_t **object,
			 struct strbuf *error)
{
	const unsigned char *payload;
	size_t len = 0, used;
	int err = channel_receive(c, wait_ms, &payload, &len, error);

	if (err)
		return err;
	/* The length stands before it, as a frame has it. */
	return frame_parse(payload - FRAME_HEAD, len + FRAME_HEAD, &used,
			   object, error);
}

bool channel_ready(struct channel *c)
{
	struct strbuf error = STRBUF_INIT;
	size_t len = 0;
	bool ready = channel_whole(c, &len, &error) != 0;

	if (!ready && channel_fill(c, &error) != -EAGAIN) {
		/* Bytes, or an end that the next call will find again. */
		ready = error.len || channel_whole(c, &len, &error) != 0;
	}
	strbuf_free(&error);
	return ready;
}
