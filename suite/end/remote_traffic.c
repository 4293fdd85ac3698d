// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One end of a traffic program on the side that has the device.  Its process
 * runs at full speed and knows nothing of the channel; this one carries words
 * between the two, tells how far it is, and does what it is told.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/bench/session.h"
#include "suite/end/local.h"
#include "suite/end/remote.h"
#include "suite/end/traffic_note.h"

enum {
	TRAFFIC_LIVE_MS = 200,
	/* From an order to end at once until it is done by force. */
	TRAFFIC_DEATH_MS = 3000,
};

struct traffic_serving {
	struct channel *c;
	struct strbuf *error;
	struct session s;
	uint32_t end;
	int fd; /* to the process of the end; -1: it says nothing more */
	uint64_t live_ns;    /* when it shows itself next */
	uint64_t aborted_ns; /* 0: it was not told to */
};

/* Two ends in one process meet otherwise: session.h. */
int local_run_traffic(struct end_host *h, const struct traffic_program *in,
		      struct traffic_result *out)
{
	return -ENOTSUP;
}

static int traffic_obey(struct traffic_serving *t, const unsigned char *payload,
			size_t len)
{
	struct traffic_note note;
	int err = traffic_note_read(payload, len, &note, t->error);

	if (err)
		return err;
	switch (note.kind) {
	case TRAFFIC_WORDS:
		return traffic_words_deliver(&note, t->fd, t->error);
	case TRAFFIC_STOP:
		session_stop(&t->s);
		return 0;
	case TRAFFIC_ABORT:
		session_stop(&t->s);
		session_stop(&t->s);
		if (!t->aborted_ns)
			t->aborted_ns = clock_now_ns();
		return 0;
	default:
		strbuf_add(t->error, "a note of a traffic program that is for "
				     "the other side");
		return -EBADMSG;
	}
}

static int traffic_listen(struct traffic_serving *t)
{
	const unsigned char *payload = NULL;
	size_t len = 0;
	int err = 0;

	while (!err && channel_ready(t->c)) {
		err = channel_receive(t->c, 0, &payload, &len, t->error);
		if (!err)
			err = traffic_obey(t, payload, len);
	}
	return err == -EAGAIN ? 0 : err;
}

static int traffic_speak(struct traffic_serving *t)
{
	int got = t->fd >= 0 ? traffic_words_send(t->c, t->fd, t->error) : 0;

	if (got == 1) {
		close(t->fd);
		t->fd = -1;
		got = 0;
	}
	return got;
}

static int traffic_show(struct traffic_serving *t)
{
	/* Much too large for a stack. */
	static struct traffic_live live;
	uint64_t now_ns = clock_now_ns();

	if (now_ns < t->live_ns)
		return 0;
	t->live_ns = now_ns + TRAFFIC_LIVE_MS * NS_PER_MS;
	/* It is written meanwhile: each number is whole, and that will do. */
	memcpy(&live, t->s.live[t->end], sizeof(live));
	session_usage(&t->s, t->end, &live.memory_bytes, &live.descriptors);
	live.starved_ns = session_starved(&t->s, t->end);
	return traffic_note_send_live(t->c, &live, t->error);
}

static int traffic_step(struct traffic_serving *t)
{
	struct pollfd fds[] = {
		{ .fd = t->fd, .events = POLLIN },
		{ .fd = t->c->fd, .events = POLLIN },
	};
	int err;

	if (!channel_ready(t->c))
		(void)poll(fds, ARRAY_SIZE(fds), TRAFFIC_LIVE_MS);
	err = traffic_listen(t);
	if (!err)
		err = traffic_speak(t);
	return err ? err : traffic_show(t);
}

static bool traffic_overdue(const struct traffic_serving *t)
{
	return t->aborted_ns &&
	       clock_now_ns() - t->aborted_ns > TRAFFIC_DEATH_MS * NS_PER_MS;
}

int end_serve_traffic(struct channel *c, uint32_t end,
		      const struct traffic_program *program,
		      struct traffic_result *out, struct strbuf *error)
{
	struct traffic_serving t = { .c = c, .error = error, .end = end };
	struct strbuf why = STRBUF_INIT;
	int err = session_start_half(program, end, &t.s, &t.fd, &why);

	memset(out, 0, sizeof(*out));
	out->end = end;
	if (err) {
		/* The program is at fault, or this host: not the channel. */
		out->err = err;
		snprintf(out->error, sizeof(out->error), "%s",
			 strbuf_text(&why));
		strbuf_free(&why);
		return 0;
	}
	strbuf_free(&why);
	while (!err && !session_wait(&t.s, 0) && !traffic_overdue(&t))
		err = traffic_step(&t);
	/* Without anybody to tell it is of no use any more. */
	session_end_half(&t.s, 0);
	if (!err)
		err = traffic_speak(&t);
	memcpy(out, t.s.results[end], sizeof(*out));
	if (t.fd >= 0)
		close(t.fd);
	session_free(&t.s);
	return err;
}
