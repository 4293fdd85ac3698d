// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses of peers, and sockets to and at them. */
#include "suite/peer/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Beyond it a caller is not heard, and calls again only after a second. */
enum { ADDRESS_BACKLOG = 4096 };

static int address_wrong(const char *where, const char *text,
			 struct strbuf *error)
{
	strbuf_addf(error,
		    "%s '%s': expected HOST:PORT, [IPv6]:PORT or ssh:HOST",
		    where, text);
	return -EINVAL;
}

static bool address_copy(char *to, size_t size, const char *from, size_t len)
{
	if (!len || len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

int address_parse(const char *text, const char *where, struct address *out,
		  struct strbuf *error)
{
	const char *colon = strrchr(text, ':'), *host = text;
	size_t len = colon ? (size_t)(colon - text) : 0;

	memset(out, 0, sizeof(*out));
	if (text[0] == '@') {
		out->kind = ADDRESS_LOCAL;
		return address_copy(out->host, sizeof(out->host), text + 1,
				    strlen(text + 1))
			       ? 0
			       : address_wrong(where, text, error);
	}
	if (strncmp(text, "ssh:", 4) == 0) {
		out->kind = ADDRESS_SSH;
		/* A name that ssh would take for an option is none. */
		return text[4] != '-' &&
				       address_copy(out->host,
						    sizeof(out->host), text + 4,
						    strlen(text + 4))
			       ? 0
			       : address_wrong(where, text, error);
	}
	out->kind = ADDRESS_TCP;
	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host++;
		len -= 2;
	} else if (colon && memchr(text, ':', len)) {
		return address_wrong(where, text, error);
	}
	if (!colon || !address_copy(out->host, sizeof(out->host), host, len) ||
	    strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    !address_copy(out->port, sizeof(out->port), colon + 1,
			  strlen(colon + 1)))
		return address_wrong(where, text, error);
	return 0;
}

static socklen_t address_local(const struct address *a, struct sockaddr_un *un)
{
	size_t len = strnlen(a->host, sizeof(un->sun_path) - 2);

	/* Abstract: it goes with who listens. */
	*un = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(un->sun_path + 1, a->host, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

static int address_resolve(const struct address *a, bool listen,
			   struct addrinfo **list, struct strbuf *error)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = listen ? AI_PASSIVE : 0,
	};
	int err = getaddrinfo(a->host, a->port, &hints, list);

	if (!err)
		return 0;
	strbuf_addf(error, "'%s' port %s: %s", a->host, a->port,
		    gai_strerror(err));
	return -EHOSTUNREACH;
}

/* Connect within @wait_ms. */
static int address_reach(int fd, const struct sockaddr *to, socklen_t len,
			 int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int err = 0;

	if (!connect(fd, to, len))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	if (poll(&p, 1, wait_ms) <= 0)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size))
		return -errno;
	return -err;
}

static int address_try(int family, const struct sockaddr *to, socklen_t len,
		       int wait_ms, int *out)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -errno;
	err = address_reach(fd, to, len, wait_ms);
	if (err)
		close(fd);
	else
		*out = fd;
	return err;
}

int address_connect(const struct address *a, int wait_ms, int *fd,
		    struct strbuf *error)
{
	struct addrinfo *list, *i;
	struct sockaddr_un un;
	int err;

	if (a->kind == ADDRESS_LOCAL) {
		socklen_t len = address_local(a, &un);

		err = address_try(AF_UNIX, (struct sockaddr *)&un, len, wait_ms,
				  fd);
		if (err)
			strbuf_addf(error, "the channel's process: %s",
				    strerror(-err));
		return err;
	}
	err = address_resolve(a, false, &list, error);
	if (err)
		return err;
	err = -EHOSTUNREACH;
	for (i = list; i && err; i = i->ai_next)
		err = address_try(i->ai_family, i->ai_addr, i->ai_addrlen,
				  wait_ms, fd);
	freeaddrinfo(list);
	if (err)
		strbuf_addf(error, "'%s' port %s: %s%s", a->host, a->port,
			    strerror(-err),
			    err == -ECONNREFUSED
				    ? "; does 'verbatim serve' run there"
				    : "");
	return err;
}

static bool address_is_loopback(const struct sockaddr *s)
{
	const struct sockaddr_in *in = (const void *)s;
	const struct sockaddr_in6 *in6 = (const void *)s;

	if (s->sa_family == AF_INET)
		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	if (s->sa_family != AF_INET6)
		return true;
	return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) &&
		in6->sin6_addr.s6_addr[12] == IN_LOOPBACKNET);
}

int address_listen(const struct address *a, int *fd, bool *loopback,
		   struct strbuf *error)
{
	struct addrinfo *list;
	int yes = 1, err;

	err = address_resolve(a, true, &list, error);
	if (err)
		return err;
	*loopback = address_is_loopback(list->ai_addr);
	*fd = socket(list->ai_family,
		     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0 ||
	    setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(*fd, list->ai_addr, list->ai_addrlen) ||
	    listen(*fd, ADDRESS_BACKLOG)) {
		err = -errno;
		strbuf_addf(error, "--listen %s:%s: %s", a->host, a->port,
			    strerror(-err));
		if (*fd >= 0)
			close(*fd);
	}
	freeaddrinfo(list);
	return err;
}

void address_text(int fd, bool far, char *text, size_t size)
{
	struct sockaddr_storage s = { 0 };
	socklen_t len = sizeof(s);
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
	int err = far ? getpeername(fd, (struct sockaddr *)&s, &len)
		      : getsockname(fd, (struct sockaddr *)&s, &len);

	if (err || s.ss_family == AF_UNIX) {
		snprintf(text, size, "stdio");
		return;
	}
	(void)!getnameinfo((struct sockaddr *)&s, len, host, sizeof(host), port,
			   sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(text, size, s.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
		 host, port);
}

bool address_loopback(int fd)
{
	struct sockaddr_storage s = { 0 };
	socklen_t len = sizeof(s);

	return !getpeername(fd, (struct sockaddr *)&s, &len) &&
	       address_is_loopback((struct sockaddr *)&s);
}
