// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The carrier: it stands here for the end there, and does no more than carry. */
#include "suite/peer/traffic.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/bench/session_inner.h"
#include "suite/end/remote.h"
#include "suite/end/traffic_note.h"

enum {
	CARRY_WAIT_MS = 50,
	CARRY_SEND_MS = 10000,
	/* Times --patience, if that is above 1.  Longer than the server gives
	 * an end to end at once; and for an end to be at its end when the
	 * other one is. */
	CARRY_ABORT_MS = 6000,
	CARRY_LAST_MS = 15000,
	/* For the process there to be gone, once its end is. */
	CARRY_GRACE_MS = 5000,
};

struct peer_traffic {
	struct session_far far; /* first: what its functions are given */
	struct run_peer *run;
	double patience;
};

struct carry {
	const struct peer_traffic *t;
	struct session_shared *shared;
	struct channel c;
	int fd; /* to the end here; -1: it has nothing more to say */
	bool answered, stopped, aborted;
	uint64_t until_ns; /* 0: there is time */
	struct strbuf error;
};

static void carry_hurry(struct carry *y, int ms)
{
	double patience = y->t->patience > 1 ? y->t->patience : 1;
	uint64_t until_ns =
		clock_now_ns() + (uint64_t)(ms * patience) * NS_PER_MS;

	if (!y->until_ns || until_ns < y->until_ns)
		y->until_ns = until_ns;
}

static int carry_begin(struct carry *y)
{
	const struct end_command *command = end_command_run_traffic();
	struct traffic_program p = y->shared->program;
	const struct inside_peer *inside = &y->t->run->inside;
	struct strbuf *out;
	int err = inside->call(inside, p.seed, &y->c, &y->error);

	if (err)
		return err;
	/* The device there is the server's choice; what it said of it was. */
	p.device[0] = '\0';
	p.gid_index = (uint32_t)json_integer_value(
		json_object_get(y->t->run->there, "gid_index"));
	out = channel_begin(&y->c);
	cbor_add_array(out, 2);
	cbor_add_text(out, command->name, strlen(command->name));
	schema_encode(command->argument, &p, out);
	return channel_send(&y->c, CARRY_SEND_MS, &y->error);
}

static int carry_take(struct carry *y, const unsigned char *payload, size_t len)
{
	uint32_t side = y->t->far.side;
	struct traffic_note note;
	int err = traffic_note_read(payload, len, &note, &y->error);

	if (err)
		return err;
	switch (note.kind) {
	case TRAFFIC_WORDS:
		return traffic_words_deliver(&note, y->fd, &y->error);
	case TRAFFIC_LIVE:
		return traffic_note_live(&note, &y->shared->live[side],
					 &y->error);
	case TRAFFIC_ANSWER:
		y->answered = true;
		return traffic_note_result(&note, &y->shared->results[side],
					   &y->error);
	default:
		strbuf_add(&y->error, "the peer gives orders");
		return -EBADMSG;
	}
}

static int carry_listen(struct carry *y)
{
	const unsigned char *payload = NULL;
	size_t len = 0;
	int err = 0;

	while (!err && !y->answered && channel_ready(&y->c)) {
		err = channel_receive(&y->c, 0, &payload, &len, &y->error);
		if (!err)
			err = carry_take(y, payload, len);
	}
	return err == -EAGAIN ? 0 : err;
}

static int carry_speak(struct carry *y)
{
	int got = y->fd >= 0 ? traffic_words_send(&y->c, y->fd, &y->error) : 0;

	if (got == 1) {
		y->fd = -1;
		carry_hurry(y, CARRY_LAST_MS);
		got = 0;
	}
	return got;
}

static int carry_orders(struct carry *y)
{
	struct session_shared *s = y->shared;
	int err = 0;

	if (!y->stopped && __atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		y->stopped = true;
		err = traffic_note_send_order(&y->c, TRAFFIC_STOP, &y->error);
	}
	if (!err && !y->aborted &&
	    __atomic_load_n(&s->abort, __ATOMIC_RELAXED)) {
		y->aborted = true;
		carry_hurry(y, CARRY_ABORT_MS);
		err = traffic_note_send_order(&y->c, TRAFFIC_ABORT, &y->error);
	}
	return err;
}

static int carry_step(struct carry *y)
{
	struct pollfd fds[] = {
		{ .fd = y->fd, .events = POLLIN },
		{ .fd = y->c.fd, .events = POLLIN },
	};
	int err;

	if (!channel_ready(&y->c))
		(void)poll(fds, ARRAY_SIZE(fds), CARRY_WAIT_MS);
	err = carry_listen(y);
	if (!err && !y->answered)
		err = carry_speak(y);
	if (!err && !y->answered)
		err = carry_orders(y);
	if (!err && !y->answered && y->until_ns &&
	    clock_now_ns() >= y->until_ns) {
		strbuf_add(&y->error, "the peer does not come to its end");
		err = -ETIMEDOUT;
	}
	return err;
}

static int traffic_carry(const struct session_far *far,
			 struct session_shared *shared, int fd)
{
	struct carry y = { .t = (const struct peer_traffic *)(const void *)far,
			   .shared = shared,
			   .fd = fd,
			   .error = STRBUF_INIT };
	struct traffic_result *r = &shared->results[far->side];
	int err;

	signal(SIGPIPE, SIG_IGN);
	err = carry_begin(&y);
	while (!err && !y.answered)
		err = carry_step(&y);
	if (!err && r->qps != shared->program.qps && !r->err) {
		strbuf_addf(&y.error, "the peer tells of %u queue pairs",
			    r->qps);
		err = -EBADMSG;
	}
	if (err) {
		r->err = err;
		snprintf(r->error, sizeof(r->error), "the peer: %.200s",
			 strbuf_text(&y.error));
	}
	strbuf_free(&y.error);
	return r->err;
}

/* --- In the process that looks on ----------------------------------------- */

static int traffic_fault(char *why, int err, struct strbuf *error)
{
	strbuf_addf(error, "the peer: %s", why ? why : strerror(-err));
	free(why);
	return err;
}

static int traffic_begin(const struct session_far *far, struct strbuf *error)
{
	const struct peer_traffic *t = (const void *)far;
	char *why = NULL;
	int err = t->run->begin(t->run, &why);

	return err ? traffic_fault(why, err, error) : 0;
}

static int traffic_end(const struct session_far *far, struct strbuf *error)
{
	const struct peer_traffic *t = (const void *)far;
	struct run_half half = { 0 };
	char *why = NULL;
	int err = t->run->end(t->run, CARRY_GRACE_MS, &half, &why);

	if (err)
		return traffic_fault(why, err, error);
	if (half.stuck)
		strbuf_add(error, "the process of its end there does not go");
	else if (half.signal)
		strbuf_addf(error, "the process of its end there died by SIG%s",
			    sigabbrev_np(half.signal));
	else if (half.killed)
		strbuf_add(error, "the process of its end there had to be "
				  "killed");
	else if (half.status)
		strbuf_addf(error,
			    "the process of its end there left with "
			    "status %d",
			    half.status);
	return error->len ? -EIO : 0;
}

struct peer_traffic *peer_traffic_make(struct run_peer *run, double patience)
{
	struct peer_traffic *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	t->far = (struct session_far){ .side = run->inside.side,
				       .begin = traffic_begin,
				       .end = traffic_end,
				       .carry = traffic_carry };
	t->run = run;
	t->patience = patience;
	return t;
}

const struct session_far *peer_traffic_far(const struct peer_traffic *t)
{
	return &t->far;
}
