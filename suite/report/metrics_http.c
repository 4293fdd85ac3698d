// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The port: GET /metrics and nothing else, by libmicrohttpd.  Few connections,
 * each short and with a short request.  Built without that library there is no
 * port, and it says so.
 */
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "suite/report/metrics_inner.h"

#ifdef VB_HTTP
#include <microhttpd.h>

enum {
	HTTP_CONNECTIONS_MAX = 16,
	HTTP_REQUEST_MAX = 8192, /* bytes, headers included */
	HTTP_SECONDS_MAX = 10,	 /* without a byte */
	HTTP_WAIT_MS = 1000,
};

static enum MHD_Result http_answer(struct MHD_Connection *c, unsigned status,
				   const char *type, const char *allow,
				   const struct strbuf *body)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		body->len, (void *)strbuf_text(body), MHD_RESPMEM_MUST_COPY);
	enum MHD_Result done;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	if (allow)
		MHD_add_response_header(r, "Allow", allow);
	done = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return done;
}

static enum MHD_Result http_refuse(struct MHD_Connection *c, unsigned status,
				   const char *allow, const char *why)
{
	struct strbuf body = STRBUF_INIT;
	enum MHD_Result done;

	strbuf_addf(&body, "%s\n", why);
	done = http_answer(c, status, "text/plain; charset=utf-8", allow,
			   &body);
	strbuf_free(&body);
	return done;
}

static enum MHD_Result http_request(void *arg, struct MHD_Connection *c,
				    const char *url, const char *method,
				    const char *version, const char *upload,
				    size_t *upload_len, void **state)
{
	const char *accept =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	enum metrics_form form = METRICS_PLAIN;
	struct strbuf body = STRBUF_INIT;
	enum MHD_Result done;

	if (strcmp(url, "/metrics") != 0)
		return http_refuse(c, MHD_HTTP_NOT_FOUND, NULL,
				   "there is /metrics alone");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return http_refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, HEAD",
				   "it can be read alone");
	if (accept && strcasestr(accept, "application/openmetrics-text"))
		form = METRICS_OPEN;
	metrics_take(arg, form, &body);
	done = http_answer(c, MHD_HTTP_OK, metrics_content_type(form), NULL,
			   &body);
	strbuf_free(&body);
	return done;
}

void metrics_http_serve(const struct metrics_shared *s, int fd)
{
	struct MHD_Daemon *daemon = MHD_start_daemon(
		MHD_USE_AUTO, 0, NULL, NULL, http_request, (void *)s,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)HTTP_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)HTTP_SECONDS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HTTP_REQUEST_MAX, MHD_OPTION_END);

	while (daemon && MHD_run_wait(daemon, HTTP_WAIT_MS) == MHD_YES)
		;
	_exit(EXIT_FAILURE);
}

static int http_bind(const struct addrinfo *info, int *out)
{
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1, err = 0;

	if (fd < 0)
		return -errno;
	/* A run right after another finds its port free. */
	(void)!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, info->ai_addr, info->ai_addrlen) ||
	    listen(fd, HTTP_CONNECTIONS_MAX))
		err = -errno;
	if (err)
		close(fd);
	else
		*out = fd;
	return err;
}

/* Port 0 has become another. */
static void http_tell(int fd)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	char host[NI_MAXHOST], port[NI_MAXSERV];
	bool six;

	if (getsockname(fd, (struct sockaddr *)&at, &len) ||
	    getnameinfo((struct sockaddr *)&at, len, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	six = at.ss_family == AF_INET6;
	fprintf(stderr, "metrics at http://%s%s%s:%s/metrics\n", six ? "[" : "",
		host, six ? "]" : "", port);
	fflush(stderr);
}

int metrics_http_listen(const char *address, const char *port, int *fd,
			struct strbuf *error)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *info;
	int err;

	if (atoi(port) > 65535) {
		strbuf_addf(error,
			    "--metrics: port '%s' is none; at most 65535",
			    port);
		return -EINVAL;
	}
	if (getaddrinfo(address, port, &hints, &info)) {
		strbuf_addf(error,
			    "--metrics: '%s' is no address, and names are not "
			    "looked up; write ./%s:%s if it is a file",
			    address, address, port);
		return -EINVAL;
	}
	err = http_bind(info, fd);
	freeaddrinfo(info);
	if (err)
		strbuf_addf(error, "--metrics: listening at %s, port %s: %s",
			    address, port, strerror(-err));
	else
		http_tell(*fd);
	return err;
}

#else

void metrics_http_serve(const struct metrics_shared *s, int fd)
{
	_exit(EXIT_FAILURE);
}

int metrics_http_listen(const char *address, const char *port, int *fd,
			struct strbuf *error)
{
	strbuf_addf(error,
		    "--metrics %s: this program was built without "
		    "libmicrohttpd, and has no port; name a file",
		    port);
	return -ENOSYS;
}

#endif
