// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages over a socket that keeps them apart. */
#include "suite/mesh/message.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

int mesh_message_pair(int fds[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)
		       ? -errno
		       : 0;
}

int mesh_send(int fd, const struct mesh_head *head, const void *body,
	      uint32_t len)
{
	struct iovec iov[2] = {
		{ .iov_base = (void *)head, .iov_len = sizeof(*head) },
		{ .iov_base = (void *)body, .iov_len = len },
	};
	struct msghdr message = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t sent;

	if (len > MESH_BODY_MAX)
		return -EMSGSIZE;
	do
		sent = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return 0;
}

int mesh_receive(int fd, struct mesh_message *m)
{
	ssize_t got;

	/* A reset is told once, and before what had been sent until then. */
	do
		got = recv(fd, m, sizeof(*m), MSG_DONTWAIT);
	while (got < 0 && (errno == EINTR || errno == ECONNRESET));
	if (got == 0)
		return -EPIPE;
	if (got < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	if ((size_t)got < sizeof(m->head))
		return -EBADMSG;
	return (int)((size_t)got - sizeof(m->head));
}
