// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A session: what a run asks of its peer besides the commands of cases. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "suite/oracle/recorder.h"
#include "suite/peer/facts.h"
#include "suite/peer/records.h"
#include "suite/peer/server.h"

enum {
	SESSION_WAIT_MS = 1000,
	SESSION_SEND_MS = 10000,
	SESSION_TURN_MS = 3000, /* for the one before to be gone */
	SESSION_DEATH_MS = 5000,
	SESSION_GRACE_MAX_MS = 60000,
};

static void session_token(char token[GREETING_TOKEN])
{
	unsigned char bytes[(GREETING_TOKEN - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort();
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

/* Some process of the server has ended, or @wait_ms are over. */
static void session_await(struct server *s, int wait_ms)
{
	struct pollfd p = { .fd = s->ended, .events = POLLIN };
	uint64_t count;

	if (poll(&p, 1, wait_ms) > 0)
		(void)!read(s->ended, &count, sizeof(count));
}

/* One session at a time: the devices, and the records, are its own. */
static int session_enter(struct server *s, const json_t *hello,
			 struct strbuf *error)
{
	uint64_t deadline_ns = clock_now_ns() + SESSION_TURN_MS * NS_PER_MS;
	int none = 0;

	while (!atomic_compare_exchange_strong(&s->area->session, &none,
					       (int)getpid())) {
		if (clock_now_ns() >= deadline_ns) {
			strbuf_addf(error, "busy with a run from %s",
				    s->area->of);
			return -EBUSY;
		}
		session_await(s, 20);
		none = 0;
	}
	session_token(s->area->token);
	snprintf(s->area->of, sizeof(s->area->of), "%.100s",
		 greeting_text(hello, "host"));
	return 0;
}

static unsigned session_cases(const struct server *s)
{
	unsigned count = 0;

	for (size_t i = 0; i < SERVER_CASES_MAX; i++)
		count += atomic_load(&s->area->cases[i].process) != 0;
	return count;
}

static bool session_cases_end(struct server *s, uint64_t ms)
{
	uint64_t deadline_ns = clock_now_ns() + ms * NS_PER_MS;

	while (session_cases(s)) {
		if (clock_now_ns() >= deadline_ns)
			return false;
		session_await(s, 20);
	}
	return true;
}

/* The case is over there: is its half here?  If not it is ended. */
static json_t *session_case_end(struct server *s, const json_t *asked)
{
	json_int_t grace =
		json_integer_value(json_object_get(asked, "grace_ms"));
	json_t *o = frame_make("case_ended");
	bool killed = false, gone;
	int status;

	if (grace < 0 || grace > SESSION_GRACE_MAX_MS)
		grace = SESSION_GRACE_MAX_MS;
	gone = session_cases_end(s, (uint64_t)grace);
	if (!gone) {
		killed = true;
		for (size_t i = 0; i < SERVER_CASES_MAX; i++) {
			int pid = atomic_load(&s->area->cases[i].process);

			if (pid)
				kill(pid, SIGKILL);
		}
		gone = session_cases_end(s, SESSION_DEATH_MS);
	}
	status = atomic_exchange(&s->area->bad_status, 0);
	json_object_set_new(o, "killed", json_boolean(killed));
	json_object_set_new(o, "stuck", json_boolean(!gone));
	json_object_set_new(o, "signal",
			    json_integer(WIFSIGNALED(status) ? WTERMSIG(status)
							     : 0));
	json_object_set_new(
		o, "status",
		json_integer(WIFSIGNALED(status) ? 0 : WEXITSTATUS(status)));
	return o;
}

static int session_answer(struct server *s, struct channel *c,
			  const json_t *asked, struct strbuf *error)
{
	const char *type = frame_type(asked);
	json_t *o;
	int err;

	if (strcmp(type, "ping") == 0) {
		o = frame_make("pong");
		json_object_set_new(o, "ns",
				    json_integer((json_int_t)clock_now_ns()));
	} else if (strcmp(type, "case_begin") == 0) {
		o = frame_make("case_begun");
		atomic_store(&s->area->bad_status, 0);
		if (!recorder_init(s->recorder_memory, s->recorder_bytes))
			abort();
	} else if (strcmp(type, "case_end") == 0) {
		o = session_case_end(s, asked);
	} else if (strcmp(type, "records") == 0) {
		return records_send(c, s->recorder_memory, s->recorder_bytes,
				    error);
	} else {
		strbuf_addf(error, "request '%.40s': there is none", type);
		return -EBADMSG;
	}
	err = channel_send_json(c, o, SESSION_SEND_MS, error);
	json_decref(o);
	return err;
}

static int session_loop(struct server *s, struct channel *c,
			struct strbuf *error)
{
	json_t *asked = NULL;
	int err;

	do {
		err = channel_receive_json(c, SESSION_WAIT_MS, &asked, error);
		if (err)
			continue;
		err = session_answer(s, c, asked, error);
		json_decref(asked);
	} while (!err || err == -EAGAIN);
	if (err == -EPIPE && !c->len) {
		strbuf_reset(error);
		err = 0;
	}
	return err;
}

static json_t *session_welcome(struct server *s, const struct target *t)
{
	json_t *o = frame_make("welcome");

	json_object_set_new(o, "token", json_string(s->area->token));
	json_object_set_new(o, "facts", peer_facts_make(t));
	return o;
}

static void session_refuse(struct channel *c, const struct strbuf *error)
{
	struct strbuf ignored = STRBUF_INIT;
	json_t *o = frame_make("refused");

	json_object_set_new(o, "reason", json_string(strbuf_text(error)));
	(void)!channel_send_json(c, o, SESSION_SEND_MS, &ignored);
	json_decref(o);
	strbuf_free(&ignored);
}

int session_serve(struct server *s, struct channel *c, const json_t *hello,
		  struct strbuf *error)
{
	struct target *target = calloc(1, sizeof(*target));
	char *why = NULL;
	json_t *welcome;
	int err;

	if (!target)
		abort();
	err = session_enter(s, hello, error);
	if (!err) {
		err = target_probe(s->options, target, &why);
		if (err)
			strbuf_add(error, why);
		free(why);
	}
	if (err) {
		session_refuse(c, error);
		goto free_target;
	}
	log_info("a run from %s begins", s->area->of);
	welcome = session_welcome(s, target);
	err = channel_send_json(c, welcome, SESSION_SEND_MS, error);
	json_decref(welcome);
	c->limit = CHANNEL_FRAME_MAX;
	if (!err)
		err = session_loop(s, c, error);
	log_info("the run from %s is over", s->area->of);
free_target:
	free(target);
	return err;
}
