// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* serve: the peer of runs over two hosts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/peer/relay.h"
#include "suite/peer/server.h"

static int serve_fault(struct strbuf *error, int status)
{
	log_error("%s", strbuf_text(error));
	strbuf_free(error);
	return status;
}

/* A stream of the pipe is a connection like any other; who comes by ssh has
 * shown who it is. */
static int serve_begin(void *arg)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	server_start(arg, pair[1], true);
	return pair[0];
}

static bool serve_signalled(void *arg)
{
	return server_signals(arg);
}

static int serve_stdio(struct server *s)
{
	struct relay r = {
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.listener = -1,
		.begin = serve_begin,
		.signals = s->signals,
		.signalled = serve_signalled,
		.arg = s,
	};
	struct strbuf error = STRBUF_INIT;
	int status = EXIT_FINE;

	if (write(STDOUT_FILENO, RELAY_MAGIC, sizeof(RELAY_MAGIC) - 1) !=
	    sizeof(RELAY_MAGIC) - 1)
		status = EXIT_FAILED;
	if (status == EXIT_FINE && relay_run(&r, &error))
		status = serve_fault(&error, EXIT_FAILED);
	server_end_children(s);
	return status;
}

static int serve_listen(struct server *s, const struct vb_options *o)
{
	struct strbuf error = STRBUF_INIT;
	struct address address;
	bool loopback = true;
	char at[80];

	if (address_parse(o->listen, "--listen", &address, &error))
		return serve_fault(&error, EXIT_USAGE);
	if (address.kind != ADDRESS_TCP) {
		strbuf_addf(&error, "--listen '%s': expected HOST:PORT",
			    o->listen);
		return serve_fault(&error, EXIT_USAGE);
	}
	if (address_listen(&address, &s->listener, &loopback, &error))
		return serve_fault(&error, EXIT_ABSENT);
	if (!loopback && !s->keyed) {
		strbuf_addf(&error,
			    "--listen '%s': other hosts get there, so a key is "
			    "needed: --key-file FILE, the same on both",
			    o->listen);
		return serve_fault(&error, EXIT_USAGE);
	}
	address_text(s->listener, false, at, sizeof(at));
	printf("serving %s on %s%s\n", o->device, at,
	       s->keyed ? ", with a key" : "");
	fflush(stdout);
	return server_run(s);
}

int command_serve(struct command_call *call)
{
	struct vb_options *o = &call->options;
	struct strbuf error = STRBUF_INIT;
	struct server *s;
	int status;

	status = answer_device(call, false);
	if (status)
		return status;
	log_setup("verbatim serve", LOG_INFO);
	s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	if (server_open(s, o)) {
		status = EXIT_ABSENT;
		goto free_server;
	}
	if (o->key_file) {
		s->keyed = true;
		if (tls_key_read(o->key_file, &s->key, &error)) {
			status = serve_fault(&error, EXIT_USAGE);
			goto close_server;
		}
	}
	status = o->stdio ? serve_stdio(s) : serve_listen(s, o);
close_server:
	server_close(s);
free_server:
	free(s);
	return status;
}
