// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One byte in the socket says "something is there".  Several may be, after a
 * reader took one and a writer added another meanwhile: they say no more than
 * one does, and clearing takes them all.
 */
#include "device/front/notifier.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"

int notifier_open(struct notifier *n)
{
	int fds[2], err;

	do {
		err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	} while (err && descriptors_more(errno));
	if (err)
		return -errno;
	n->fd = fds[0];
	n->peer = fds[1];
	return 0;
}

void notifier_close(struct notifier *n)
{
	close(n->peer);
	close(n->fd);
	n->peer = -1;
	n->fd = -1;
}

void notifier_raise(struct notifier *n)
{
	int saved_errno = errno;

	/* Full of unread bytes is as good as one more. */
	(void)!send(n->peer, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	errno = saved_errno;
}

void notifier_clear(struct notifier *n)
{
	int saved_errno = errno;
	char bytes[64];

	while (recv(n->fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	errno = saved_errno;
}

int notifier_wait(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, 0);

	if (n < 0)
		return -errno;
	return n ? 0 : -EBADF;
}
