/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a peer is: HOST:PORT, [IPv6]:PORT, ssh:HOST, or (between processes of
 * this program alone) @name, a socket of this host.
 */
#ifndef SUITE_PEER_ADDRESS_H
#define SUITE_PEER_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/strbuf.h"

struct address {
	enum address_kind { ADDRESS_TCP, ADDRESS_SSH, ADDRESS_LOCAL } kind;
	char host[256];
	char port[8]; /* of TCP */
};

/* @where names the option in what is said. */
int address_parse(const char *text, const char *where, struct address *out,
		  struct strbuf *error) MUST_USE;
/* A connected socket; TCP and LOCAL. */
int address_connect(const struct address *a, int wait_ms, int *fd,
		    struct strbuf *error) MUST_USE;
/* A listening one; port 0: any.  *@loopback: nobody else's host gets there. */
int address_listen(const struct address *a, int *fd, bool *loopback,
		   struct strbuf *error) MUST_USE;
/* Of the near or the far side of a socket: "127.0.0.1:7471". */
void address_text(int fd, bool far, char *text, size_t size);
/* Does the other side of this connection live on this host? */
bool address_loopback(int fd);

#endif
