// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames over a connected socket; ports are ephemeral, writes never SIGPIPE. */
#include "suite/control/connection.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

static int connection_fault(const char *what, struct strbuf *error)
{
	int err = errno;

	strbuf_addf(error, "%s: %s", what, strerror(err));
	return -err;
}

static struct sockaddr_in connection_loopback(unsigned port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

int connection_open(struct connection *c, int fd, struct strbuf *error)
{
	int flags = fcntl(fd, F_GETFL), yes = 1;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return connection_fault("control connection", error);
	/* A frame is a whole message: it goes at once.  Sockets of other
	 * families have no such delay, and no such option. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	c->fd = fd;
	c->len = 0;
	return 0;
}

void connection_close(struct connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int connection_listen(int *out, unsigned *port, struct strbuf *error)
{
	struct sockaddr_in at = connection_loopback(0);
	socklen_t size = sizeof(at);
	int fd, err;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return connection_fault("control socket", error);
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(fd, 4) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &size) < 0) {
		err = connection_fault("listening on 127.0.0.1", error);
		close(fd);
		return err;
	}
	*port = ntohs(at.sin_port);
	*out = fd;
	return 0;
}

int connection_call(unsigned port, int *out, struct strbuf *error)
{
	struct sockaddr_in at = connection_loopback(port);
	int fd, err;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return connection_fault("control socket", error);
	/* The listener is on this host: the kernel answers at once. */
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
		err = -errno;
		strbuf_addf(error, "connecting to 127.0.0.1 port %u: %s", port,
			    strerror(-err));
		close(fd);
		return err;
	}
	*out = fd;
	return 0;
}

/* 0: ready; -EAGAIN: not within the time. */
static int connection_wait(int fd, short events, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n = poll(&p, 1, wait_ms);

	return n > 0 ? 0 : -EAGAIN;
}

int connection_accept(int listener, int wait_ms, int *fd, struct strbuf *error)
{
	int err = connection_wait(listener, POLLIN, wait_ms);

	if (err)
		return err;
	*fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	return *fd < 0 ? connection_fault("accepting the peer", error) : 0;
}

int connection_send(struct connection *c, const json_t *object, int wait_ms,
		    struct strbuf *error)
{
	uint64_t deadline_ns = clock_now_ns() + (uint64_t)wait_ms * NS_PER_MS;
	struct strbuf frame = STRBUF_INIT;
	size_t sent = 0;
	int err;

	err = frame_encode(object, &frame, error);
	while (!err && sent < frame.len) {
		ssize_t n = send(c->fd, frame.text + sent, frame.len - sent,
				 MSG_NOSIGNAL);

		if (n >= 0) {
			sent += (size_t)n;
		} else if (errno == EAGAIN) {
			(void)connection_wait(c->fd, POLLOUT, 10);
			if (clock_now_ns() < deadline_ns)
				continue;
			strbuf_addf(error, "the peer takes no data for %d ms",
				    wait_ms);
			err = -ETIMEDOUT;
		} else if (errno != EINTR) {
			err = connection_fault("sending to the peer", error);
		}
	}
	strbuf_free(&frame);
	return err;
}

/* Take what has arrived into the buffer; -EAGAIN when that is nothing. */
static int connection_fill(struct connection *c, int wait_ms,
			   struct strbuf *error)
{
	ssize_t n;

	/* A full buffer holds a whole frame, and that has been taken out. */
	assert(c->len < sizeof(c->bytes));
	if (connection_wait(c->fd, POLLIN, wait_ms))
		return -EAGAIN;
	n = recv(c->fd, c->bytes + c->len, sizeof(c->bytes) - c->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (n <= 0) {
		strbuf_addf(error, "the peer has gone: %s",
			    n < 0    ? strerror(errno)
			    : c->len ? "connection closed within a frame"
				     : "connection closed");
		return -EPIPE;
	}
	c->len += (size_t)n;
	return 0;
}

int connection_receive(struct connection *c, int wait_ms, json_t **object,
		       struct strbuf *error)
{
	uint64_t deadline_ns = clock_now_ns() + (uint64_t)wait_ms * NS_PER_MS;
	uint64_t now_ns;
	size_t used;
	int err;

	for (;;) {
		err = frame_parse(c->bytes, c->len, &used, object, error);
		if (!err) {
			c->len -= used;
			memmove(c->bytes, c->bytes + used, c->len);
			return 0;
		}
		if (err != -EAGAIN)
			return err;
		now_ns = clock_now_ns();
		err = connection_fill(
			c,
			now_ns < deadline_ns
				? (int)((deadline_ns - now_ns) / NS_PER_MS)
				: 0,
			error);
		if (err == -EAGAIN && clock_now_ns() < deadline_ns)
			continue;
		if (err)
			return err;
	}
}
