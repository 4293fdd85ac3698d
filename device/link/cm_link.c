// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sockets between connection managers: see the header. */
#include "device/link/cm_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"

enum { CM_LINK_BACKLOG = 1024 };

int cm_link_open(struct cm_link *l)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = CM_LINK_TIMER };
	int err;

	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd < 0)
		return -errno;
	l->timer_fd =
		timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (l->timer_fd < 0) {
		err = -errno;
		goto err_epoll;
	}
	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->timer_fd, &e)) {
		err = -errno;
		goto err_timer;
	}
	return 0;

err_timer:
	close(l->timer_fd);
err_epoll:
	close(l->epoll_fd);
	return err;
}

void cm_link_discard(struct cm_link *l)
{
	close(l->timer_fd);
	close(l->epoll_fd);
}

unsigned cm_link_wait(struct cm_link *l, uint64_t tokens[CM_LINK_TOKENS])
{
	struct epoll_event events[CM_LINK_TOKENS];
	uint64_t expired;
	int n = epoll_wait(l->epoll_fd, events, CM_LINK_TOKENS, -1);

	for (int i = 0; i < n; i++) {
		tokens[i] = events[i].data.u64;
		if (tokens[i] == CM_LINK_TIMER)
			(void)!read(l->timer_fd, &expired, sizeof(expired));
	}
	return n < 0 ? 0 : (unsigned)n;
}

void cm_link_alarm(struct cm_link *l, uint64_t at_ns)
{
	struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(at_ns / NS_PER_S),
			      .tv_nsec = (long)(at_ns % NS_PER_S) },
	};

	timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

int cm_link_watch(struct cm_link *l, int fd, uint64_t token)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = token };

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

void cm_link_ignore(struct cm_link *l, int fd)
{
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

/* An abstract name: it belongs to the socket, not to a file system. */
static int cm_link_named(const char *name, size_t len, struct sockaddr_un *sun,
			 socklen_t *sun_len)
{
	int fd;

	memset(sun, 0, sizeof(*sun));
	if (len > sizeof(sun->sun_path) - 1)
		return -ENAMETOOLONG;
	sun->sun_family = AF_UNIX;
	memcpy(sun->sun_path + 1, name, len);
	*sun_len =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
	do {
		fd = socket(AF_UNIX,
			    SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	} while (fd < 0 && descriptors_more(errno));
	return fd < 0 ? -errno : fd;
}

int cm_link_reserve(const char *name, size_t len, int *fd)
{
	struct sockaddr_un sun;
	socklen_t sun_len;
	int made = cm_link_named(name, len, &sun, &sun_len);

	if (made < 0)
		return made;
	if (bind(made, (struct sockaddr *)&sun, sun_len)) {
		int err = -errno;

		close(made);
		return err;
	}
	*fd = made;
	return 0;
}

int cm_link_listen(int fd)
{
	return listen(fd, CM_LINK_BACKLOG) ? -errno : 0;
}

int cm_link_connect(const char *name, size_t len, int *fd)
{
	struct sockaddr_un sun;
	socklen_t sun_len;
	int made = cm_link_named(name, len, &sun, &sun_len);

	if (made < 0)
		return made;
	if (connect(made, (struct sockaddr *)&sun, sun_len)) {
		int err = -errno;

		close(made);
		return err;
	}
	*fd = made;
	return 0;
}

int cm_link_accept(int listen_fd, int *fd)
{
	int made;

	do {
		made = accept4(listen_fd, NULL, NULL,
			       SOCK_NONBLOCK | SOCK_CLOEXEC);
	} while (made < 0 && descriptors_more(errno));
	if (made < 0)
		return -errno;
	*fd = made;
	return 0;
}

int cm_link_send(int fd, const void *bytes, size_t len)
{
	ssize_t n = send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int cm_link_receive(int fd, void *bytes, size_t room)
{
	ssize_t n = recv(fd, bytes, room, MSG_DONTWAIT);

	return n < 0 ? -errno : (int)n;
}

void cm_link_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* The system knows its addresses best: only to one of them a socket binds. */
bool cm_link_is_local(const uint8_t ip[16])
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in in = { .sin_family = AF_INET };
	bool v4, local = false;
	int fd;

	memcpy(&in6.sin6_addr, ip, sizeof(in6.sin6_addr));
	memcpy(&in.sin_addr, ip + 12, sizeof(in.sin_addr));
	/* Where there is no IPv6, ::1 stands for 127.0.0.1 nevertheless. */
	if (IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr))
		return true;
	v4 = IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr);
	fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (v4)
		local = !bind(fd, (struct sockaddr *)&in, sizeof(in));
	else
		local = !bind(fd, (struct sockaddr *)&in6, sizeof(in6));
	close(fd);
	return local;
}
