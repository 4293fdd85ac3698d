// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The process of one connection to the server: who is it, and then its work.
 * Whatever is wrong with it is one line of the log. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "suite/end/remote.h"
#include "suite/peer/server.h"
#include "suite/verbs/verbs.h"

static int connection_secure(struct server *s, struct channel *c, bool trusted,
			     struct strbuf *error)
{
	if (!s->keyed || trusted)
		return 0;
	return tls_open(&c->tls, c->fd, &s->key, true, GREETING_MS, error);
}

static void connection_refuse(struct channel *c, const char *why)
{
	struct strbuf error = STRBUF_INIT;
	json_t *o = frame_make("refused");

	json_object_set_new(o, "reason", json_string(why));
	/* It may be gone: then it knows. */
	(void)!channel_send_json(c, o, GREETING_MS, &error);
	json_decref(o);
	strbuf_free(&error);
}

static int case_number(const json_t *hello, const char *key, uint64_t max,
		       uint64_t *out, struct strbuf *error)
{
	const char *text = greeting_text(hello, key);
	char *end = NULL;

	*out = strtoull(text, &end, 16);
	if (text[0] && !*end && *out <= max)
		return 0;
	strbuf_addf(error, "a case's %s is '%.20s'", key, text);
	return -EBADMSG;
}

/* A place among the session's cases for this process. */
static int case_enter(struct server *s, const json_t *hello,
		      struct strbuf *error)
{
	struct server_area *a = s->area;

	if (!atomic_load(&a->session) ||
	    strcmp(greeting_text(hello, "token"), a->token) != 0) {
		strbuf_add(error, "a case of no session that there is");
		return -EACCES;
	}
	for (size_t i = 0; i < SERVER_CASES_MAX; i++) {
		int none = 0;

		if (atomic_compare_exchange_strong(&a->cases[i].process, &none,
						   (int)getpid()))
			return 0;
	}
	strbuf_addf(error, "more than %d ends of one case", SERVER_CASES_MAX);
	return -EBUSY;
}

static int case_serve(struct server *s, struct channel *c, const json_t *hello,
		      struct strbuf *error)
{
	struct end_serving serving = {
		.device = s->options->device,
		.port = (uint8_t)s->options->port,
		.gid_index = s->options->gid_index,
	};
	uint64_t side = 0, seed = 0;
	struct end_host *host;
	json_t *welcome;
	int err;

	err = case_number(hello, "side", 1, &side, error);
	if (!err)
		err = case_number(hello, "seed", UINT64_MAX, &seed, error);
	if (!err)
		err = case_enter(s, hello, error);
	if (err) {
		connection_refuse(c, strbuf_text(error));
		return err;
	}
	host = end_local_make(s->recorder_memory, (uint8_t)side, seed);
	if (!host)
		return -ENOMEM;
	welcome = frame_make("welcome");
	err = channel_send_json(c, welcome, GREETING_MS, error);
	json_decref(welcome);
	c->limit = CHANNEL_FRAME_MAX;
	/* What the case has left open goes with this process. */
	return err ? err : end_serve(host, c, &serving, error);
}

static int connection_serve(struct server *s, struct channel *c,
			    struct strbuf *error)
{
	json_t *hello = NULL;
	const char *role;
	int err = channel_receive_json(c, GREETING_MS, &hello, error);

	if (err == -EAGAIN)
		strbuf_addf(error, "nothing said for %d ms", GREETING_MS);
	if (err)
		return err;
	err = greeting_check(hello, error);
	if (err) {
		connection_refuse(c, strbuf_text(error));
		goto put_hello;
	}
	atomic_store(&s->area->known[s->place], true);
	role = greeting_text(hello, "role");
	if (strcmp(role, "session") == 0) {
		err = session_serve(s, c, hello, error);
	} else if (strcmp(role, "case") == 0) {
		err = case_serve(s, c, hello, error);
	} else {
		strbuf_addf(error, "role '%.20s': there is none", role);
		connection_refuse(c, strbuf_text(error));
		err = -EBADMSG;
	}
put_hello:
	json_decref(hello);
	return err;
}

/* Descriptors of the server and of its other connections would keep those
 * open when their owners have closed them. */
static void connection_keep(const struct server *s, int fd)
{
	for (int i = STDERR_FILENO + 1; i < 1024; i++)
		if (i != fd && i != s->ended)
			close(i);
	/* The pipe of --stdio is the server's. */
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(1);
}

void server_connection(struct server *s, int fd, bool trusted, const char *from)
{
	struct strbuf error = STRBUF_INIT;
	struct channel c;
	int err;

	connection_keep(s, fd);
	signal(SIGPIPE, SIG_IGN);
	err = channel_open(&c, fd, &error);
	if (!err)
		err = connection_secure(s, &c, trusted, &error);
	if (!err)
		err = connection_serve(s, &c, &error);
	if (err)
		log_warn("%s: %s", from, strbuf_text(&error));
	channel_close(&c);
	_exit(0);
}
