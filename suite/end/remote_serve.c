// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The side that has the device: a command comes, is run, is answered. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "suite/end/local.h"
#include "suite/end/remote.h"

enum {
	SERVE_WAIT_MS = 1000, /* between looks; nothing depends on it */
	SERVE_SEND_MS = 10000,
	SERVE_SPIN = 16, /* empty rounds before the processor is offered */
	SERVE_NAP_NS = 30000,
	SERVE_NAPS = 64, /* of a length, before they double */
	SERVE_NAP_DOUBLINGS = 3,
	SERVE_LOOK = 16, /* rounds between looks at the channel */
};

struct serve {
	struct end_host *host;
	struct channel *c;
	const struct end_serving *serving;
	struct strbuf *error;
	/* Of the largest of them; aligned for any. */
	union {
		uint64_t align;
#define END_COMMAND(name, argument, answer) struct answer of_##name;
#include "suite/end/commands.def"
#undef END_COMMAND
	} answer;
};

int end_command_decode(const void *bytes, size_t len,
		       const struct end_command **command, void **in,
		       struct schema_room *room, struct strbuf *error)
{
	struct cbor_reader r = { bytes, (const unsigned char *)bytes + len };
	const char *name = NULL;
	size_t name_len = 0;
	uint64_t count = 0;
	int err;

	*in = NULL;
	if (cbor_take_array(&r, &count) || count != 2 ||
	    cbor_take_text(&r, &name, &name_len)) {
		strbuf_add(error, "a frame that is no command");
		return -EBADMSG;
	}
	*command = end_command_find(name, name_len);
	if (!*command) {
		strbuf_addf(error, "command '%.*s': there is none",
			    name_len > 40 ? 40 : (int)name_len, name);
		return -EBADMSG;
	}
	*in = malloc((*command)->argument->size);
	if (!*in) {
		strbuf_add(error, "no memory for a command");
		return -ENOMEM;
	}
	err = schema_decode((*command)->argument, &r, *in, room, error);
	if (!err && r.at != r.end) {
		strbuf_addf(error, "command '%s': %zu bytes behind it",
			    (*command)->name, (size_t)(r.end - r.at));
		err = -EBADMSG;
	}
	return err;
}

static bool serve_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Until the end's descriptor or the channel has something to say. */
static void serve_sleep(struct serve *s, uint64_t until_ns,
			struct end_watched *out)
{
	struct pollfd fds[2] = {
		{ .fd = s->host->fd, .events = POLLIN },
		{ .fd = s->c->fd, .events = POLLIN },
	};
	uint64_t now_ns;

	do {
		now_ns = clock_now_ns();
		if (now_ns >= until_ns || channel_ready(s->c))
			return;
		(void)poll(fds, ARRAY_SIZE(fds),
			   (int)((until_ns - now_ns) / NS_PER_MS) + 1);
	} while (!fds[0].revents);
	out->event = true;
}

/* The case's process may need this very processor, and is to be heard at
 * once. */
static void serve_nap(struct serve *s, unsigned naps)
{
	const struct timespec nap = {
		.tv_nsec = SERVE_NAP_NS
			   << (naps / SERVE_NAPS < SERVE_NAP_DOUBLINGS
				       ? naps / SERVE_NAPS
				       : SERVE_NAP_DOUBLINGS),
	};
	struct pollfd p = { .fd = s->c->fd, .events = POLLIN };

	(void)ppoll(&p, 1, &nap, NULL);
}

/* Poll until something comes, the time is over or the case wants something. */
static int serve_gather(struct serve *s, const struct end_watch *in,
			struct end_watched *out)
{
	uint64_t until_ns = clock_now_ns() + in->wait_us * NS_PER_US;
	unsigned round = 0;
	int err;

	for (;;) {
		err = local_gather(s->host, in, out);
		if (err || out->count || out->failed || !in->wait_us)
			break;
		if (in->sleep) {
			serve_sleep(s, until_ns, out);
			break;
		}
		if (round++ % SERVE_LOOK == 0 || round > SERVE_SPIN) {
			out->event = serve_readable(s->host->context->async_fd);
			if (out->event || channel_ready(s->c) ||
			    clock_now_ns() >= until_ns)
				break;
		}
		if (round > SERVE_SPIN)
			serve_nap(s, round - SERVE_SPIN);
	}
	if (!err && !out->event)
		out->event = serve_readable(s->host->context->async_fd);
	return err;
}

static int serve_run(struct serve *s, const struct end_command *command,
		     void *in)
{
	void *out = &s->answer;

	/* Most are small; of the few large ones the head is enough, the rest
	 * is counted. */
	memset(out, 0,
	       command->answer->size < 1024 ? command->answer->size : 1024);
	if (strcmp(command->name, "open") == 0) {
		struct end_open *open = in;

		if (s->host->context)
			return -EBUSY;
		open->device = s->serving->device;
		open->port = s->serving->port;
		open->gid_index = s->serving->gid_index;
	} else if (!s->host->context) {
		return -ENODEV;
	}
	if (strcmp(command->name, "gather") == 0)
		return serve_gather(s, in, out);
	return command->run(s->host, in, out);
}

/* Of the end that this process was made for, on the device that is served. */
static int serve_traffic(struct serve *s, struct traffic_program *in)
{
	snprintf(in->device, sizeof(in->device), "%s", s->serving->device);
	in->port = s->serving->port;
	in->threads = false;
	return end_serve_traffic(s->c, s->host->at.end, in,
				 &s->answer.of_run_traffic, s->error);
}

static int serve_answer(struct serve *s, const struct end_command *command,
			int err)
{
	struct strbuf *out = channel_begin(s->c);

	cbor_add_array(out, 2);
	cbor_add_int(out, err);
	schema_encode(command->answer, &s->answer, out);
	return channel_send(s->c, SERVE_SEND_MS, s->error);
}

static int serve_frame(struct serve *s, const unsigned char *payload,
		       size_t len)
{
	const struct end_command *command = NULL;
	struct schema_room room = { 0 };
	void *in = NULL;
	int err, result = 0;

	err = end_command_decode(payload, len, &command, &in, &room, s->error);
	if (!err && command == end_command_run_traffic())
		err = serve_traffic(s, in);
	else if (!err)
		result = serve_run(s, command, in);
	if (!err)
		err = serve_answer(s, command, result);
	free(in);
	schema_room_free(&room);
	return err;
}

int end_serve(struct end_host *host, struct channel *c,
	      const struct end_serving *serving, struct strbuf *error)
{
	struct serve *s = calloc(1, sizeof(*s));
	const unsigned char *payload = NULL;
	bool answering = false;
	size_t len = 0;
	int err;

	if (!s) {
		strbuf_add(error, "no memory for a case");
		return -ENOMEM;
	}
	/* Naps are to be as short as they are said to be. */
	(void)prctl(PR_SET_TIMERSLACK, 1000);
	s->host = host;
	s->c = c;
	s->serving = serving;
	s->error = error;
	do {
		err = channel_receive(c, SERVE_WAIT_MS, &payload, &len, error);
		answering = !err;
		if (!err)
			err = serve_frame(s, payload, len);
	} while (!err || err == -EAGAIN);
	/* Closing between two frames is how a case ends, and it does not wait
	 * for an answer that it has no use for. */
	if (err == -EPIPE && (answering || !c->len)) {
		strbuf_reset(error);
		err = 0;
	}
	free(s);
	return err;
}
