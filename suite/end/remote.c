// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side that has the case: each operation is a command and its answer.
 * Threads of a case take turns.  A watch is the one command whose answer is
 * not waited for; it is in order like all others, so whoever needs the channel
 * takes that answer first and keeps it.
 */
#include "suite/end/remote.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	REMOTE_SLICE_MS = 20,
	REMOTE_SEND_MS = 10000,
	REMOTE_OWED_MAX = 128, /* answers not read at a time */
	REMOTE_KNOWN_MAX = 32, /* senders that go with a first question */
};

/* A command that was not waited for. */
struct remote_owed {
	const struct end_command *command;
	void *user; /* of end_remote_trust() */
};

/* What a struct end_host * is when its operations are end_remote_ops. */
struct remote {
	struct channel channel;
	struct end_remote_calls calls;
	pthread_mutex_t turn;
	bool watching; /* a watch is on its way or kept */
	bool kept;
	struct end_watched watched;
	/* Oldest first. */
	struct remote_owed owed[REMOTE_OWED_MAX];
	uint32_t owed_first, owed_count;
	_Atomic uint32_t trusted; /* of them, besides a watch */
	union {
		struct end_posted posted;
		struct end_verified verified;
		struct end_region_verified region;
	} late;
};

/* The one of this process, for its other end's operations. */
static struct remote *remote_only;
/* What end_remote_trust() said for this thread's next command. */
static _Thread_local void *remote_trust;

static struct remote *remote_of(struct end_host *h)
{
	return (struct remote *)(void *)h;
}

static void remote_broken(struct remote *r, const char *why) NO_RETURN;

static void remote_broken(struct remote *r, const char *why)
{
	char text[256];

	strncpy(text, why, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	pthread_mutex_unlock(&r->turn);
	r->calls.broken(r->calls.arg, text);
	abort();
}

static void remote_send(struct remote *r, const struct end_command *command,
			const void *in)
{
	struct strbuf error = STRBUF_INIT, *out = channel_begin(&r->channel);

	cbor_add_array(out, 2);
	cbor_add_text(out, command->name, strlen(command->name));
	schema_encode(command->argument, in, out);
	if (channel_send(&r->channel, REMOTE_SEND_MS, &error))
		remote_broken(r, strbuf_text(&error));
}

/* Structs of answers have no pointers, hence no room. */
static int remote_read(struct remote *r, const struct end_command *command,
		       const unsigned char *payload, size_t len, void *out)
{
	struct cbor_reader reader = { payload, payload + len };
	struct strbuf error = STRBUF_INIT;
	struct schema_room none = { 0 };
	uint64_t count = 0;
	int64_t err = 0;

	if (cbor_take_array(&reader, &count) || count != 2 ||
	    cbor_take_int(&reader, &err) || err > 0 || err < -4095)
		strbuf_addf(&error, "its answer to '%s' is none",
			    command->name);
	else
		(void)!schema_decode(command->answer, &reader, out, &none,
				     &error);
	if (error.len)
		remote_broken(r, strbuf_text(&error));
	return (int)err;
}

static int remote_answer(struct remote *r, const struct end_command *command,
			 void *out)
{
	struct strbuf error = STRBUF_INIT;
	const unsigned char *payload = NULL;
	size_t len = 0;
	int err;

	while ((err = channel_receive(&r->channel, REMOTE_SLICE_MS, &payload,
				      &len, &error)) == -EAGAIN)
		if (!r->calls.go_on(r->calls.arg)) {
			strbuf_addf(&error, "no answer to '%s'", command->name);
			break;
		}
	if (err)
		remote_broken(r, strbuf_text(&error));
	return remote_read(r, command, payload, len, out);
}

enum {
#define END_COMMAND(name, argument, answer) REMOTE_##name,
#include "suite/end/commands.def"
#undef END_COMMAND
};

static const struct end_command *remote_gather(void)
{
	return &end_commands[REMOTE_gather];
}

static const struct end_command *remote_posted(void)
{
	return &end_commands[REMOTE_post_send];
}

static const struct end_command *remote_verified(void)
{
	return &end_commands[REMOTE_verify];
}

/* A command whose success was taken for granted did not have it. */
static void remote_late(struct remote *r, const struct remote_owed *o, int err)
{
	pthread_mutex_unlock(&r->turn);
	r->calls.late(r->calls.arg, o->user, o->command->name, err, &r->late);
	abort();
}

static bool remote_failed(const struct remote *r,
			  const struct end_command *command)
{
	if (command->answer == remote_posted()->answer)
		return r->late.posted.err;
	return command->answer == remote_verified()->answer
		       ? !r->late.verified.good
		       : !r->late.region.good;
}

/* The next answer is that of the oldest one owed. */
static void remote_take_owed(struct remote *r)
{
	struct remote_owed o = r->owed[r->owed_first];
	int err;

	if (o.command == remote_gather()) {
		err = remote_answer(r, o.command, &r->watched);
		if (err)
			r->watched.failed = UINT32_MAX;
		r->kept = true;
	} else {
		err = remote_answer(r, o.command, &r->late);
	}
	r->owed_first = (r->owed_first + 1) % REMOTE_OWED_MAX;
	r->owed_count--;
	if (o.command == remote_gather())
		return;
	atomic_fetch_sub(&r->trusted, 1);
	if (err || remote_failed(r, o.command))
		remote_late(r, &o, err);
}

static void remote_settle(struct remote *r)
{
	while (r->owed_count)
		remote_take_owed(r);
}

static void remote_owe(struct remote *r, const struct end_command *command,
		       void *user)
{
	if (r->owed_count == REMOTE_OWED_MAX)
		remote_settle(r);
	r->owed[(r->owed_first + r->owed_count++) % REMOTE_OWED_MAX] =
		(struct remote_owed){ command, user };
}

/* A command and its answer, behind that of a watch. */
static int remote_ask(struct end_host *h, unsigned which, const void *in,
		      void *out)
{
	struct remote *r = remote_of(h);
	int err;

	pthread_mutex_lock(&r->turn);
	remote_send(r, &end_commands[which], in);
	remote_settle(r);
	err = remote_answer(r, &end_commands[which], out);
	pthread_mutex_unlock(&r->turn);
	return err;
}

/* Without waiting: true, and *@out is as if all were well. */
static bool remote_trusted(struct end_host *h, unsigned which, const void *in)
{
	struct remote *r = remote_of(h);
	void *user = remote_trust;

	remote_trust = NULL;
	if (!user)
		return false;
	pthread_mutex_lock(&r->turn);
	remote_send(r, &end_commands[which], in);
	remote_owe(r, &end_commands[which], user);
	atomic_fetch_add(&r->trusted, 1);
	pthread_mutex_unlock(&r->turn);
	return true;
}

static const struct pattern_context *
remote_context(const struct pattern_context *context)
{
	return context && context->known_count <= REMOTE_KNOWN_MAX ? context
								   : NULL;
}

/*
 * Who else sends is only needed to name the origin of wrong bytes, and it is
 * long: it goes with a second question, when the first has found some.
 */
static int remote_verify(struct end_host *h, const struct end_verify *in,
			 struct end_verified *out)
{
	struct end_verify plain = *in;
	int err;

	plain.context = remote_context(in->context);
	if (remote_trusted(h, REMOTE_verify, &plain)) {
		out->good = true;
		return 0;
	}
	err = remote_ask(h, REMOTE_verify, &plain, out);
	if (err || out->good || plain.context == in->context)
		return err;
	return remote_ask(h, REMOTE_verify, in, out);
}

static int remote_verify_region(struct end_host *h, const struct end_region *in,
				struct end_region_verified *out)
{
	struct end_region plain = *in;
	int err;

	plain.context = remote_context(in->context);
	err = remote_ask(h, REMOTE_verify_region, &plain, out);
	if (err || out->good || plain.context == in->context)
		return err;
	return remote_ask(h, REMOTE_verify_region, in, out);
}

static int remote_post(struct end_host *h, unsigned which, const void *in,
		       struct end_posted *out)
{
	if (!remote_trusted(h, which, in))
		return remote_ask(h, which, in, out);
	*out = (struct end_posted){ .bad = END_BAD_NONE };
	return 0;
}

static int remote_call(struct end_host *h, unsigned which, const void *in,
		       void *out)
{
	struct end_opened *opened = out;
	int err;

	switch (which) {
	case REMOTE_verify:
		return remote_verify(h, in, out);
	case REMOTE_verify_region:
		return remote_verify_region(h, in, out);
	case REMOTE_post_send:
	case REMOTE_post_recv:
	case REMOTE_post_srq_recv:
		return remote_post(h, which, in, out);
	case REMOTE_open:
		err = remote_ask(h, which, in, out);
		/* Readable when a watch has been answered. */
		opened->fd = remote_of(h)->channel.fd;
		return err;
	default:
		return remote_ask(h, which, in, out);
	}
}

#define END_COMMAND(name, argument, answer)                      \
	static int remote_##name##_op(struct end_host *h,        \
				      const struct argument *in, \
				      struct answer *out)        \
	{                                                        \
		return remote_call(h, REMOTE_##name, in, out);   \
	}
#include "suite/end/commands.def"
#undef END_COMMAND

const struct end_ops end_remote_ops = {
#define END_COMMAND(name, argument, answer) .name = remote_##name##_op,
#include "suite/end/commands.def"
#undef END_COMMAND
};

struct end_host *end_remote_make(struct channel *c,
				 const struct end_remote_calls *calls)
{
	struct remote *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->channel = *c;
	r->calls = *calls;
	pthread_mutex_init(&r->turn, NULL);
	remote_only = r;
	return (struct end_host *)(void *)r;
}

void end_remote_free(struct end_host *h)
{
	struct remote *r = remote_of(h);

	remote_only = NULL;
	channel_close(&r->channel);
	pthread_mutex_destroy(&r->turn);
	free(r);
}

/* --- Watching ------------------------------------------------------------- */

void end_remote_watch_begin(struct end_host *h, const struct end_watch *in)
{
	struct remote *r = remote_of(h);

	pthread_mutex_lock(&r->turn);
	if (!r->watching) {
		remote_send(r, remote_gather(), in);
		remote_owe(r, remote_gather(), NULL);
		r->watching = true;
		r->kept = false;
	}
	pthread_mutex_unlock(&r->turn);
}

bool end_remote_watching(struct end_host *h)
{
	return remote_of(h)->watching;
}

static int remote_watch_take(struct remote *r, struct end_watched *out)
{
	memcpy(out, &r->watched,
	       offsetof(struct end_watched, came) +
		       r->watched.count * sizeof(r->watched.came[0]));
	r->watching = r->kept = false;
	return 1;
}

int end_remote_watch_poll(struct end_host *h, struct end_watched *out)
{
	struct remote *r = remote_of(h);
	int got = 0;

	pthread_mutex_lock(&r->turn);
	while (r->owed_count && channel_ready(&r->channel))
		remote_take_owed(r);
	if (r->kept)
		got = remote_watch_take(r, out);
	pthread_mutex_unlock(&r->turn);
	return got;
}

/* --- The other end of the process ----------------------------------------- */

void end_remote_trust(void *user)
{
	remote_trust = user;
}

static void remote_barrier(void)
{
	struct remote *r = remote_only;

	if (!r || !atomic_load(&r->trusted))
		return;
	pthread_mutex_lock(&r->turn);
	/* Not further: behind them may be a watch, which takes its time. */
	while (atomic_load(&r->trusted))
		remote_take_owed(r);
	pthread_mutex_unlock(&r->turn);
}

/* What only looks at this end cannot be seen by the other. */
static bool remote_looks(unsigned which)
{
	return which == REMOTE_poll || which == REMOTE_gather ||
	       which == REMOTE_verify || which == REMOTE_event ||
	       which == REMOTE_arm || which == REMOTE_drain;
}

#define END_COMMAND(name, argument, answer)                      \
	static int remote_near_##name(struct end_host *h,        \
				      const struct argument *in, \
				      struct answer *out)        \
	{                                                        \
		if (!remote_looks(REMOTE_##name))                \
			remote_barrier();                        \
		return end_local_ops.name(h, in, out);           \
	}
#include "suite/end/commands.def"
#undef END_COMMAND

const struct end_ops end_near_ops = {
#define END_COMMAND(name, argument, answer) .name = remote_near_##name,
#include "suite/end/commands.def"
#undef END_COMMAND
};
