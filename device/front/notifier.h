/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A descriptor that an application may poll, set O_NONBLOCK on, or block on,
 * and that is readable exactly while its owner has something to fetch.
 *
 * A socket pair, because only a socket can be read without blocking while the
 * application has left its descriptor blocking, and because a blocked read
 * keeps what read(2) promises about signals (SA_RESTART) and cancellation.
 */
#ifndef DEVICE_FRONT_NOTIFIER_H
#define DEVICE_FRONT_NOTIFIER_H

#include "base/compiler.h"

struct notifier {
	int fd; /* the application's end */
	int peer;
};

int notifier_open(struct notifier *n) MUST_USE;
void notifier_close(struct notifier *n);
/* Make it readable, or not; both under the owner's lock. */
void notifier_raise(struct notifier *n);
void notifier_clear(struct notifier *n);
/*
 * Wait, without the owner's lock, until it is readable, and take the reading:
 * the owner raises it again if more is left.  @fd, a copy: the notifier may be
 * gone when this returns.  0; -EAGAIN (O_NONBLOCK), -EINTR; -EBADF when it was
 * closed.
 */
int notifier_wait(int fd) MUST_USE;

#endif
