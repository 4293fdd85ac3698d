// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The sockets of the shared memory link: one that listens, and one for each
 * ring.  Through the latter go the hello with the ring's memfd, bytes that wake
 * the other side, and the news that it has ended.  Nothing here ever blocks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "device/link/shm_private.h"

#define SHM_MAGIC UINT64_C(0x736f66742072696e)

enum {
	SHM_VERSION = 2,
	SHM_BACKLOG = 128,
	SHM_EVENTS = 16,
	SHM_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
};

struct shm_hello {
	uint64_t magic;
	uint32_t version;
	uint32_t ring_bytes;
	struct link_address from;
	struct link_address to;
};

/* Room for one descriptor. */
union shm_control {
	struct cmsghdr align;
	uint8_t bytes[CMSG_SPACE(sizeof(int))];
};

/* An abstract name: it belongs to the socket, not to a file system. */
static socklen_t shm_name(const struct link_address *a, struct sockaddr_un *sun)
{
	int n = 0;

	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	n += snprintf(sun->sun_path + 1, sizeof(sun->sun_path) - 1,
		      "softrdma-%d-", SHM_VERSION);
	for (size_t i = 0; i < sizeof(a->gid); i++)
		n += snprintf(sun->sun_path + 1 + n,
			      sizeof(sun->sun_path) - 1 - (size_t)n, "%02x",
			      a->gid[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

static int shm_socket_new(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
			0);

	return fd < 0 ? -errno : fd;
}

/*
 * A process that was forked shares the set with us, and sockets of its own are
 * in it: an event tells no more than a number, of which we may have one.
 */
static int shm_watch(struct shm_link *s, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

/* Closing alone takes nothing out of a set while a forked process has it open
 * as well. */
void shm_socket_close(struct shm_channel *c)
{
	if (c->fd < 0)
		return;
	epoll_ctl(c->owner->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
	close(c->fd);
	c->fd = -1;
}

int shm_socket_listen(struct shm_link *s)
{
	struct sockaddr_un sun;
	socklen_t len = shm_name(&s->address, &sun);
	int fd = shm_socket_new();
	int err;

	if (fd < 0)
		return fd;
	if (bind(fd, (struct sockaddr *)&sun, len) || listen(fd, SHM_BACKLOG)) {
		err = -errno;
		goto err_close;
	}
	err = shm_watch(s, fd);
	if (err)
		goto err_close;
	s->listen_fd = fd;
	return 0;

err_close:
	close(fd);
	return err;
}

/* Both ends ask: memory is shared only within one user. */
static bool shm_same_user(int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) &&
	       cred.uid == geteuid();
}

static int shm_map(int memfd, void **map)
{
	*map = mmap(NULL, SHM_MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		    memfd, 0);
	return *map == MAP_FAILED ? -errno : 0;
}

/* The memory of a ring, sealed: its size stays, so that no access of the
 * other side can hit a hole. */
static int shm_make(int *memfd, void **map)
{
	int fd = memfd_create("softrdma-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, SHM_MAP_BYTES) || fcntl(fd, F_ADD_SEALS, SHM_SEALS)) {
		err = -errno;
		goto err_close;
	}
	err = shm_map(fd, map);
	if (err)
		goto err_close;
	*memfd = fd;
	return 0;

err_close:
	close(fd);
	return err;
}

static int shm_say_hello(const struct shm_channel *c, int memfd)
{
	struct shm_hello hello = {
		.magic = SHM_MAGIC,
		.version = SHM_VERSION,
		.ring_bytes = SHM_RING_BYTES,
		.from = c->owner->address,
		.to = c->peer,
	};
	struct iovec iov = { &hello, sizeof(hello) };
	union shm_control control = { .bytes = { 0 } };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&m);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(memfd));
	memcpy(CMSG_DATA(cmsg), &memfd, sizeof(memfd));
	if (sendmsg(c->fd, &m, MSG_NOSIGNAL) != (ssize_t)sizeof(hello))
		return errno ? -errno : -EIO;
	return 0;
}

/* The peer need not accept: what is in the ring waits there for it. */
static int shm_dial(const struct link_address *to)
{
	struct sockaddr_un sun;
	socklen_t len = shm_name(to, &sun);
	int fd = shm_socket_new();
	int err;

	if (fd < 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&sun, len)) {
		err = -errno;
		goto err_close;
	}
	if (!shm_same_user(fd)) {
		err = -EPERM;
		goto err_close;
	}
	return fd;

err_close:
	close(fd);
	return err;
}

int shm_socket_connect(struct shm_link *s, const struct link_address *to,
		       struct shm_channel **out)
{
	struct shm_channel *c;
	int memfd = -1;
	int err;

	if (s->out_count == SHM_CHANNELS_MAX)
		return -ENOSPC;
	c = shm_channel_new(s, false);
	if (!c)
		return -ENOMEM;
	c->peer = *to;
	c->fd = shm_dial(to);
	if (c->fd < 0) {
		err = c->fd;
		goto err_free;
	}
	err = shm_make(&memfd, &c->map);
	if (err) {
		c->map = NULL;
		goto err_free;
	}
	shm_writer_init(&c->writer, c->map);
	err = shm_say_hello(c, memfd);
	close(memfd);
	if (!err)
		err = shm_watch(s, c->fd);
	if (err)
		goto err_free;
	*out = c;
	return 0;

err_free:
	shm_channel_free(c);
	return err;
}

bool shm_socket_poke(struct shm_channel *c)
{
	/* EAGAIN: so many bytes wait there that one more is not needed. */
	return c->fd >= 0 && (send(c->fd, "", 1, MSG_NOSIGNAL) == 1 ||
			      errno == EAGAIN || errno == EINTR);
}

/* What has come is left there, except by shm_drain(). */
bool shm_socket_alive(const struct shm_channel *c)
{
	uint8_t byte;
	ssize_t n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Take the bytes that woke us; false: the peer is gone. */
static bool shm_drain(const struct shm_channel *c)
{
	uint8_t byte;
	ssize_t n;

	for (unsigned i = 0; i < SHM_BACKLOG; i++) {
		n = recv(c->fd, &byte, sizeof(byte), MSG_DONTWAIT);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
	}
	return true;
}

static void shm_accept(struct shm_link *s)
{
	struct shm_channel *c;
	int fd =
		accept4(s->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (s->in_count == SHM_CHANNELS_MAX || !shm_same_user(fd)) {
		close(fd);
		return;
	}
	c = shm_channel_new(s, true);
	if (!c) {
		close(fd);
		return;
	}
	c->fd = fd;
	if (shm_watch(s, fd))
		shm_channel_free(c);
}

/* The descriptor that came with a message, or -1. */
static int shm_descriptor(struct msghdr *m)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(m);
	int fd;

	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET ||
	    cmsg->cmsg_type != SCM_RIGHTS ||
	    cmsg->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

static bool shm_memfd_is_right(int memfd)
{
	struct stat st;
	int seals = fcntl(memfd, F_GET_SEALS);

	return seals >= 0 && (seals & SHM_SEALS) == SHM_SEALS &&
	       !(seals & F_SEAL_WRITE) && !fstat(memfd, &st) &&
	       st.st_size == SHM_MAP_BYTES;
}

static bool shm_hello_is_right(const struct shm_channel *c,
			       const struct shm_hello *hello)
{
	return hello->magic == SHM_MAGIC && hello->version == SHM_VERSION &&
	       hello->ring_bytes == SHM_RING_BYTES &&
	       !memcmp(&hello->to, &c->owner->address, sizeof(hello->to));
}

/* 0; -EAGAIN: it has not come yet; else the channel is good for nothing. */
static int shm_hear_hello(struct shm_channel *c)
{
	struct shm_hello hello;
	struct iovec iov = { &hello, sizeof(hello) };
	union shm_control control = { .bytes = { 0 } };
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		/* Of the one descriptor, not of the padding behind it. */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	ssize_t n = recvmsg(c->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int err = -EPROTO;
	int memfd;

	if (n < 0)
		return -errno;
	memfd = shm_descriptor(&m);
	if (memfd < 0)
		return err;
	if (n == (ssize_t)sizeof(hello) && !(m.msg_flags & MSG_TRUNC) &&
	    shm_hello_is_right(c, &hello) && shm_memfd_is_right(memfd))
		err = shm_map(memfd, &c->map);
	close(memfd);
	if (err) {
		c->map = NULL;
		return err;
	}
	c->peer = hello.from;
	shm_reader_init(&c->reader, c->map);
	return 0;
}

/* What an ended peer has left in its ring is still read; see shm_release(). */
static void shm_end_incoming(struct shm_channel *c)
{
	shm_socket_close(c);
	if (!c->map)
		shm_channel_free(c);
}

static void shm_attend_channel(struct shm_channel *c)
{
	int err = 0;

	if (!c->map) {
		err = shm_hear_hello(c);
		if (err == -EAGAIN)
			return;
		if (err)
			log_info("shared memory: a peer's ring is refused: %s",
				 strerror(-err));
	}
	if (!err && shm_drain(c))
		return;
	if (c->incoming)
		shm_end_incoming(c);
	else
		shm_peer_lose(c);
}

static struct shm_channel *shm_find(struct shm_link *s, int fd)
{
	struct shm_channel *c;

	TAILQ_FOREACH (c, &s->ins, link) {
		if (c->fd == fd)
			return c;
	}
	TAILQ_FOREACH (c, &s->outs, link) {
		if (c->fd == fd)
			return c;
	}
	return NULL;
}

bool shm_socket_attend(struct shm_link *s)
{
	struct epoll_event events[SHM_EVENTS];
	int n = epoll_wait(s->epoll_fd, events, SHM_EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct shm_channel *c = shm_find(s, events[i].data.fd);

		if (c)
			shm_attend_channel(c);
		else if (events[i].data.fd == s->listen_fd)
			shm_accept(s);
	}
	return n > 0;
}
