// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One connection for the session, held by the run's worker, and one for each
 * end of a case, made by the case's own process: a case that is killed in the
 * middle of a word so spoils nothing but its own channel.
 */
#include "suite/peer/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/control/tls.h"
#include "suite/peer/address.h"
#include "suite/peer/greeting.h"
#include "suite/peer/records.h"
#include "suite/peer/ssh.h"

enum {
	CLIENT_ASK_MS = 10000, /* times --patience, if that is above 1 */
	CLIENT_PINGS = 8,
	CLIENT_SSH_MS = 60000, /* until ssh has its way, passwords included */
};

struct client_sample {
	uint64_t at_ns; /* here, in the middle of the journey */
	int64_t offset_ns;
	uint64_t rtt_ns; /* UINT64_MAX: none */
};

struct peer {
	struct run_peer run; /* first: what its functions are given */
	const struct vb_options *options;
	struct address address;
	struct tls_key key;
	bool keyed;
	struct ssh *ssh;
	char token[GREETING_TOKEN];
	char kind[32];
	struct channel channel;
	struct client_sample begun, ended;
	uint64_t rtt_best_ns; /* of the session; 0: none so far */
	void *records_memory;
};

static int client_ms(const struct peer *p, int ms)
{
	double patience = p->options->patience;

	return (int)(ms * (patience > 1 ? patience : 1));
}

/* A new channel, secured if that is due, on which nothing has been said. */
static int client_connect(const struct peer *p, struct channel *c,
			  struct strbuf *error)
{
	int wait_ms = client_ms(p, CLIENT_ASK_MS), fd = -1;
	int err = address_connect(&p->address, wait_ms, &fd, error);

	if (err)
		return err;
	if (p->address.kind == ADDRESS_TCP && !p->keyed &&
	    !address_loopback(fd)) {
		strbuf_addf(error,
			    "'%s' is another host: a key is needed, by "
			    "--key-file here and there, or ssh:%s",
			    p->address.host, p->address.host);
		close(fd);
		return -EINVAL;
	}
	err = channel_open(c, fd, error);
	if (err) {
		close(fd);
		return err;
	}
	/* Over ssh the way is secured already. */
	if (p->keyed && p->address.kind == ADDRESS_TCP)
		err = tls_open(&c->tls, c->fd, &p->key, false, wait_ms, error);
	if (err)
		channel_close(c);
	return err;
}

/* --- In the process of a case --------------------------------------------- */

static int client_case(const struct inside_peer *inside, uint64_t seed,
		       struct channel *out, struct strbuf *error)
{
	struct peer *p = (struct peer *)(void *)inside;
	json_t *hello, *welcome = NULL;
	char text[17];
	int err;

	/* The session is the worker's: it ends with it, whoever else lives. */
	if (p->channel.fd >= 0)
		close(p->channel.fd);
	p->channel.fd = -1;
	err = client_connect(p, out, error);
	if (err)
		return err;
	hello = greeting_make("case");
	json_object_set_new(hello, "token", json_string(p->token));
	json_object_set_new(hello, "side",
			    json_string(inside->side ? "1" : "0"));
	snprintf(text, sizeof(text), "%" PRIx64, seed);
	json_object_set_new(hello, "seed", json_string(text));
	err = greeting_ask(out, hello, client_ms(p, CLIENT_ASK_MS), "welcome",
			   &welcome, error);
	json_decref(hello);
	if (err) {
		channel_close(out);
		return err;
	}
	json_decref(welcome);
	out->limit = CHANNEL_FRAME_MAX;
	return 0;
}

/* --- In the worker: the session ------------------------------------------- */

static int client_ask(struct peer *p, const char *type, const char *number,
		      uint64_t value, int wait_ms, const char *want,
		      json_t **answer, char **why)
{
	struct strbuf error = STRBUF_INIT;
	json_t *question = frame_make(type);
	int err;

	if (number)
		json_object_set_new(question, number,
				    json_integer((json_int_t)value));
	err = greeting_ask(&p->channel, question, wait_ms, want, answer,
			   &error);
	json_decref(question);
	if (err)
		*why = strbuf_detach(&error);
	strbuf_free(&error);
	return err;
}

/* The clock of the peer, by the quickest of some journeys; one that is about
 * as quick as any of the session is quick enough. */
static int client_clock(struct peer *p, struct client_sample *out, char **why)
{
	int wait_ms = client_ms(p, CLIENT_ASK_MS);

	out->rtt_ns = UINT64_MAX;
	for (unsigned i = 0;
	     i < CLIENT_PINGS && out->rtt_ns / 2 > p->rtt_best_ns; i++) {
		uint64_t sent_ns = clock_now_ns(), rtt_ns;
		json_t *pong = NULL;
		json_int_t there;
		int err = client_ask(p, "ping", NULL, 0, wait_ms, "pong", &pong,
				     why);

		if (err)
			return err;
		rtt_ns = clock_now_ns() - sent_ns;
		there = json_integer_value(json_object_get(pong, "ns"));
		json_decref(pong);
		if (rtt_ns >= out->rtt_ns)
			continue;
		out->rtt_ns = rtt_ns;
		out->at_ns = sent_ns + rtt_ns / 2;
		out->offset_ns = (int64_t)there - (int64_t)out->at_ns;
	}
	if (!p->rtt_best_ns || out->rtt_ns < p->rtt_best_ns)
		p->rtt_best_ns = out->rtt_ns;
	return 0;
}

static int client_begin(struct run_peer *run, char **error)
{
	struct peer *p = (struct peer *)(void *)run;
	json_t *answer = NULL;
	int err = client_ask(p, "case_begin", NULL, 0,
			     client_ms(p, CLIENT_ASK_MS), "case_begun", &answer,
			     error);

	json_decref(answer);
	return err ? err : client_clock(p, &p->begun, error);
}

static double client_drift(const struct peer *p)
{
	double passed = (double)(p->ended.at_ns - p->begun.at_ns);
	double moved = (double)(p->ended.offset_ns - p->begun.offset_ns);
	/* What the two samples may be wrong by; below it there is no drift to
	 * be seen. */
	double blur = (double)(p->ended.rtt_ns + p->begun.rtt_ns) / 2;

	if (passed <= 0 || (moved < blur && -moved < blur))
		return 0;
	return moved / passed;
}

static int client_end(struct run_peer *run, uint64_t grace_ms,
		      struct run_half *out, char **error)
{
	struct peer *p = (struct peer *)(void *)run;
	int wait_ms = client_ms(p, CLIENT_ASK_MS) + (int)grace_ms;
	json_t *answer = NULL;
	int err = client_ask(p, "case_end", "grace_ms", grace_ms, wait_ms,
			     "case_ended", &answer, error);

	if (err)
		return err;
	out->signal =
		(int)json_integer_value(json_object_get(answer, "signal"));
	out->status =
		(int)json_integer_value(json_object_get(answer, "status"));
	out->killed = json_is_true(json_object_get(answer, "killed"));
	out->stuck = json_is_true(json_object_get(answer, "stuck"));
	json_decref(answer);
	if (out->signal < 0 || out->signal > 64)
		out->signal = 0;
	err = client_clock(p, &p->ended, error);
	out->offset_ns = p->begun.offset_ns;
	out->rtt_ns = p->begun.rtt_ns;
	out->drift_ppm = err ? 0 : client_drift(p) * 1e6;
	return err;
}

static const struct recorder *client_records(struct run_peer *run,
					     const struct recorder *own)
{
	struct peer *p = (struct peer *)(void *)run;
	const struct records_clock clock = {
		.offset_ns = p->begun.offset_ns,
		.at_ns = p->begun.at_ns,
		.drift = client_drift(p),
	};
	struct strbuf error = STRBUF_INIT;
	const struct recorder *both = NULL;
	json_t *question = frame_make("records");
	struct records theirs = { 0 };
	int wait_ms = client_ms(p, CLIENT_ASK_MS);

	if (p->channel.fd >= 0 &&
	    !channel_send_json(&p->channel, question, wait_ms, &error) &&
	    !records_receive(&p->channel, wait_ms, &theirs, &error))
		both = records_merge(own, &theirs, &clock, &p->records_memory);
	json_decref(question);
	records_free(&theirs);
	strbuf_free(&error);
	return both;
}

static void client_put_records(struct run_peer *run)
{
	struct peer *p = (struct peer *)(void *)run;

	free(p->records_memory);
	p->records_memory = NULL;
}

/* --- Opening -------------------------------------------------------------- */

static int client_welcome(struct peer *p, const json_t *welcome,
			  struct strbuf *error)
{
	const char *token = greeting_text(welcome, "token");
	json_t *facts = json_object_get(welcome, "facts");

	if (strlen(token) != sizeof(p->token) - 1 || !json_is_object(facts)) {
		strbuf_add(error, "its welcome has no token or no facts");
		return -EBADMSG;
	}
	memcpy(p->token, token, sizeof(p->token));
	p->run.there = json_incref(facts);
	snprintf(p->kind, sizeof(p->kind), "%.31s",
		 greeting_text(facts, "kind"));
	p->run.kind = p->kind;
	p->channel.limit = CHANNEL_FRAME_MAX;
	return 0;
}

static int client_session(struct peer *p, struct strbuf *error)
{
	/* The device there is asked before the answer comes. */
	int wait_ms = client_ms(p, p->ssh ? CLIENT_SSH_MS : 2 * CLIENT_ASK_MS);
	json_t *hello, *welcome = NULL;
	int err = client_connect(p, &p->channel, error);

	if (err)
		return err;
	hello = greeting_make("session");
	err = greeting_ask(&p->channel, hello, wait_ms, "welcome", &welcome,
			   error);
	json_decref(hello);
	if (err)
		return err;
	err = client_welcome(p, welcome, error);
	json_decref(welcome);
	return err;
}

int peer_open(const struct vb_options *options, struct peer **out,
	      struct strbuf *error)
{
	struct peer *p = calloc(1, sizeof(*p));
	struct strbuf why = STRBUF_INIT;
	int err;

	if (!p)
		abort();
	*out = p;
	p->options = options;
	p->channel.fd = -1;
	p->run.inside.side = options->swap ? 0 : 1;
	p->run.inside.call = client_case;
	p->run.begin = client_begin;
	p->run.end = client_end;
	p->run.records = client_records;
	p->run.put_records = client_put_records;
	err = address_parse(options->peer, "--peer", &p->address, error);
	if (!err && options->key_file) {
		p->keyed = true;
		err = tls_key_read(options->key_file, &p->key, error);
	}
	if (err)
		return -EINVAL;
	if (p->address.kind == ADDRESS_SSH)
		err = ssh_open(options, &p->address, &p->ssh, &why);
	if (!err)
		err = client_session(p, &why);
	if (err && p->ssh)
		ssh_explain(p->ssh, &why);
	if (err)
		strbuf_addf(error, "peer '%s': %s", options->peer,
			    strbuf_text(&why));
	strbuf_free(&why);
	return err;
}

void peer_close(struct peer *p)
{
	channel_close(&p->channel);
	if (p->ssh)
		ssh_close(p->ssh);
	json_decref(p->run.here);
	json_decref(p->run.there);
	free(p);
}

struct run_peer *peer_run(struct peer *p)
{
	return &p->run;
}
