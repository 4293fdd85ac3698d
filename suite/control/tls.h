/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TLS 1.3 with a key that both sides have (PSK), and with fresh keys of each
 * connection besides: who records it and learns the key later reads nothing.
 */
#ifndef SUITE_CONTROL_TLS_H
#define SUITE_CONTROL_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/strbuf.h"

enum { TLS_KEY_MIN = 16, TLS_KEY_MAX = 512 };

struct tls_key {
	size_t len;
	unsigned char bytes[TLS_KEY_MAX];
};

struct tls;

/* The content of a file, but white space at its end; it must be readable by
 * its owner alone. */
int tls_key_read(const char *path, struct tls_key *key,
		 struct strbuf *error) MUST_USE;

/* Agree with the other side; @fd is non-blocking.  -EACCES: it does not have
 * the key. */
int tls_open(struct tls **out, int fd, const struct tls_key *key, bool server,
	     int wait_ms, struct strbuf *error) MUST_USE;
void tls_close(struct tls *t);

/* As send() and recv(), but a negative errno; -EAGAIN: not now. */
ssize_t tls_send(struct tls *t, const void *bytes, size_t len);
ssize_t tls_receive(struct tls *t, void *bytes, size_t len);

#endif
