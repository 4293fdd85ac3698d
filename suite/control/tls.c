// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* TLS 1.3 by GnuTLS: a pre-shared key, never without an exchange of fresh
 * ones, no certificates. */
#include "suite/control/tls.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define TLS_PRIORITY "NORMAL:-VERS-ALL:+VERS-TLS1.3:-KX-ALL:+ECDHE-PSK"
#define TLS_NAME     "verbatim"

struct tls {
	gnutls_session_t session;
	gnutls_psk_client_credentials_t client;
	gnutls_psk_server_credentials_t server;
	const struct tls_key *key;
};

int tls_key_read(const char *path, struct tls_key *key, struct strbuf *error)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = -EINVAL;
	struct stat st;
	ssize_t len = -1;

	if (fd >= 0 && fstat(fd, &st) == 0)
		len = read(fd, key->bytes, sizeof(key->bytes));
	if (len < 0) {
		err = errno ? -errno : -EIO;
		strbuf_addf(error, "--key-file '%s': %s", path, strerror(-err));
		goto close_fd;
	}
	if (S_ISREG(st.st_mode) && (st.st_mode & 077)) {
		strbuf_addf(error,
			    "--key-file '%s': others may read it (mode %03o); "
			    "chmod 600 it",
			    path, (unsigned)st.st_mode & 0777);
		goto close_fd;
	}
	while (len > 0 && isspace(key->bytes[len - 1]))
		len--;
	if (len < TLS_KEY_MIN || (size_t)len == sizeof(key->bytes)) {
		strbuf_addf(error,
			    "--key-file '%s': a key has %d to %d bytes; make "
			    "one: openssl rand -hex 32 > FILE",
			    path, TLS_KEY_MIN, TLS_KEY_MAX - 1);
		goto close_fd;
	}
	key->len = (size_t)len;
	err = 0;
close_fd:
	if (fd >= 0)
		close(fd);
	return err;
}

static int tls_server_key(gnutls_session_t session, const char *name,
			  gnutls_datum_t *out)
{
	const struct tls *t = gnutls_session_get_ptr(session);

	out->data = gnutls_malloc(t->key->len);
	if (!out->data)
		return -1;
	memcpy(out->data, t->key->bytes, t->key->len);
	out->size = (unsigned)t->key->len;
	return 0;
}

static int tls_credentials(struct tls *t, bool server)
{
	gnutls_datum_t key;
	int err;

	if (server) {
		err = gnutls_psk_allocate_server_credentials(&t->server);
		if (err)
			return err;
		gnutls_psk_set_server_credentials_function(t->server,
							   tls_server_key);
		return gnutls_credentials_set(t->session, GNUTLS_CRD_PSK,
					      t->server);
	}
	err = gnutls_psk_allocate_client_credentials(&t->client);
	if (err)
		return err;
	key.data = (unsigned char *)t->key->bytes;
	key.size = (unsigned)t->key->len;
	err = gnutls_psk_set_client_credentials(t->client, TLS_NAME, &key,
						GNUTLS_PSK_KEY_RAW);
	return err ? err
		   : gnutls_credentials_set(t->session, GNUTLS_CRD_PSK,
					    t->client);
}

static int tls_handshake(struct tls *t, int fd, int wait_ms)
{
	uint64_t deadline_ns = clock_now_ns() + (uint64_t)wait_ms * NS_PER_MS;
	struct pollfd p = { .fd = fd };
	int err;

	while ((err = gnutls_handshake(t->session)) < 0 &&
	       !gnutls_error_is_fatal(err)) {
		if (clock_now_ns() >= deadline_ns)
			return GNUTLS_E_TIMEDOUT;
		p.events = gnutls_record_get_direction(t->session) ? POLLOUT
								   : POLLIN;
		(void)poll(&p, 1, 20);
	}
	return err;
}

static void tls_explain(int err, bool server, struct strbuf *error)
{
	const char *hint = "";

	if (server && (err == GNUTLS_E_UNEXPECTED_PACKET_LENGTH ||
		       err == GNUTLS_E_UNSUPPORTED_VERSION_PACKET ||
		       err == GNUTLS_E_UNEXPECTED_PACKET))
		hint = "; the other side does not speak TLS: has it a "
		       "--key-file";
	else if (err != GNUTLS_E_TIMEDOUT)
		hint = "; is the key of both sides the same, and has either "
		       "one";
	strbuf_addf(error, "TLS: %s%s", gnutls_strerror(err), hint);
}

int tls_open(struct tls **out, int fd, const struct tls_key *key, bool server,
	     int wait_ms, struct strbuf *error)
{
	struct tls *t = calloc(1, sizeof(*t));
	int err;

	if (!t) {
		strbuf_add(error, "no memory for TLS");
		return -ENOMEM;
	}
	t->key = key;
	err = gnutls_init(&t->session,
			  (server ? GNUTLS_SERVER : GNUTLS_CLIENT) |
				  GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL |
				  GNUTLS_NO_TICKETS);
	if (!err)
		err = gnutls_priority_set_direct(t->session, TLS_PRIORITY,
						 NULL);
	if (!err)
		err = tls_credentials(t, server);
	if (err)
		goto err_close;
	gnutls_session_set_ptr(t->session, t);
	gnutls_transport_set_int(t->session, fd);
	err = tls_handshake(t, fd, wait_ms);
	if (err)
		goto err_close;
	*out = t;
	return 0;

err_close:
	tls_explain(err, server, error);
	tls_close(t);
	return -EACCES;
}

void tls_close(struct tls *t)
{
	if (t->session) {
		(void)gnutls_bye(t->session, GNUTLS_SHUT_WR);
		gnutls_deinit(t->session);
	}
	if (t->client)
		gnutls_psk_free_client_credentials(t->client);
	if (t->server)
		gnutls_psk_free_server_credentials(t->server);
	free(t);
}

static ssize_t tls_answer(ssize_t n)
{
	if (n >= 0)
		return n;
	if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED)
		return -EAGAIN;
	/* A connection cut off is an end like any other: the frame tells
	 * whether it was whole. */
	return n == GNUTLS_E_PREMATURE_TERMINATION ? 0 : -EPROTO;
}

ssize_t tls_send(struct tls *t, const void *bytes, size_t len)
{
	return tls_answer(gnutls_record_send(t->session, bytes, len));
}

ssize_t tls_receive(struct tls *t, void *bytes, size_t len)
{
	return tls_answer(gnutls_record_recv(t->session, bytes, len));
}
