/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The channel between the connection managers of one host's processes: sockets
 * with abstract names, whole messages, and the news that the other side has
 * ended.  Nothing here blocks but cm_link_wait().
 */
#ifndef DEVICE_LINK_CM_LINK_H
#define DEVICE_LINK_CM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* What cm_link_wait() tells: the token of a watched descriptor. */
enum { CM_LINK_TIMER = 0, CM_LINK_TOKENS = 32 };

struct cm_link {
	int epoll_fd;
	int timer_fd;
};

int cm_link_open(struct cm_link *l) MUST_USE;
/* Nobody waits on it; the sockets are let be. */
void cm_link_discard(struct cm_link *l);
/* Up to CM_LINK_TOKENS tokens of descriptors that have something; the timer's
 * is CM_LINK_TIMER.  The only thing that may be called without a lock. */
unsigned cm_link_wait(struct cm_link *l, uint64_t tokens[CM_LINK_TOKENS]);
/* Report the timer at that monotonic time, once; 0: never. */
void cm_link_alarm(struct cm_link *l, uint64_t at_ns);
/* Until @fd is closed. */
int cm_link_watch(struct cm_link *l, int fd, uint64_t token) MUST_USE;

/* Not reported any more, until watched again. */
void cm_link_ignore(struct cm_link *l, int fd);

/* Reserve a name: -EADDRINUSE; nobody can connect before it listens. */
int cm_link_reserve(const char *name, size_t len, int *fd) MUST_USE;
int cm_link_listen(int fd) MUST_USE;
/* -ECONNREFUSED: nobody listens there; -EAGAIN: too many wait already. */
int cm_link_connect(const char *name, size_t len, int *fd) MUST_USE;
/* -EAGAIN: nobody waits. */
int cm_link_accept(int listen_fd, int *fd) MUST_USE;
/* 0, or a negative errno: the other side has ended, or does not read. */
int cm_link_send(int fd, const void *bytes, size_t len) MUST_USE;
/* The bytes of one message, cut off at @room; 0: the other side has ended;
 * -EAGAIN: no message. */
int cm_link_receive(int fd, void *bytes, size_t room) MUST_USE;
void cm_link_close(int fd);

/* Is this an address of this host?  In IPv4-mapped form, or of IPv6. */
bool cm_link_is_local(const uint8_t ip[16]);

#endif
