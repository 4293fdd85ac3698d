// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The notes of a traffic program: out, in, and words from socket to socket. */
#include "suite/end/traffic_note.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "suite/end/remote.h"

enum { NOTE_SEND_MS = 10000 };

static int note_refuse(struct strbuf *error, const char *what)
{
	strbuf_addf(error, "a note of a traffic program %s", what);
	return -EBADMSG;
}

static int note_rest(struct traffic_note *out, struct strbuf *error)
{
	switch (out->kind) {
	case TRAFFIC_WORDS:
		if (cbor_take_bytes(&out->rest, &out->words, &out->words_len) ||
		    out->words_len > TRAFFIC_WORDS_MAX)
			return note_refuse(error, "has no words");
		break;
	case TRAFFIC_STOP:
	case TRAFFIC_ABORT:
		if (!cbor_take_null(&out->rest))
			return note_refuse(error, "has too much in it");
		break;
	default:
		/* Its struct is judged when it is taken. */
		return 0;
	}
	return out->rest.at == out->rest.end
		       ? 0
		       : note_refuse(error, "has more behind it");
}

int traffic_note_read(const void *payload, size_t len, struct traffic_note *out,
		      struct strbuf *error)
{
	uint64_t count = 0;
	int64_t kind = 0;

	*out = (struct traffic_note){
		.rest = { payload, (const unsigned char *)payload + len },
	};
	if (cbor_take_array(&out->rest, &count) || count != 2 ||
	    cbor_take_int(&out->rest, &kind))
		return note_refuse(error, "is none");
	if (kind > TRAFFIC_ABORT || kind < -4095) {
		strbuf_addf(error,
			    "note %" PRId64 " of a traffic program: there is "
			    "none",
			    kind);
		return -EBADMSG;
	}
	out->kind = kind > 0 ? (enum traffic_note_kind)kind : TRAFFIC_ANSWER;
	out->err = kind > 0 ? 0 : (int)kind;
	return note_rest(out, error);
}

static int note_struct(const struct traffic_note *note, const struct schema *s,
		       void *out, struct strbuf *error)
{
	struct cbor_reader reader = note->rest;
	struct schema_room none = { 0 };
	int err = schema_decode(s, &reader, out, &none, error);

	if (!err && reader.at != reader.end)
		err = note_refuse(error, "has more behind it");
	return err;
}

int traffic_note_live(const struct traffic_note *note, struct traffic_live *out,
		      struct strbuf *error)
{
	return note_struct(note, end_live_schema, out, error);
}

int traffic_note_result(const struct traffic_note *note,
			struct traffic_result *out, struct strbuf *error)
{
	return note_struct(note, end_command_run_traffic()->answer, out, error);
}

static struct strbuf *note_begin(struct channel *c, enum traffic_note_kind kind)
{
	struct strbuf *out = channel_begin(c);

	cbor_add_array(out, 2);
	cbor_add_int(out, kind);
	return out;
}

int traffic_note_send_live(struct channel *c, const struct traffic_live *live,
			   struct strbuf *error)
{
	schema_encode(end_live_schema, live, note_begin(c, TRAFFIC_LIVE));
	return channel_send(c, NOTE_SEND_MS, error);
}

int traffic_note_send_order(struct channel *c, enum traffic_note_kind kind,
			    struct strbuf *error)
{
	cbor_add_null(note_begin(c, kind));
	return channel_send(c, NOTE_SEND_MS, error);
}

int traffic_words_send(struct channel *c, int fd, struct strbuf *error)
{
	unsigned char bytes[TRAFFIC_WORDS_MAX];
	ssize_t n;
	int err = 0;

	while (!err) {
		n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : 1;
		if (n == 0)
			return 1;
		cbor_add_bytes(note_begin(c, TRAFFIC_WORDS), bytes, (size_t)n);
		err = channel_send(c, NOTE_SEND_MS, error);
	}
	return err;
}

int traffic_words_deliver(const struct traffic_note *note, int fd,
			  struct strbuf *error)
{
	const char *at = note->words;
	size_t left = note->words_len;

	while (left && fd >= 0) {
		ssize_t n = send(fd, at, left, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		/* The ends talk in turns: what one has not read yet is far
		 * from filling a socket. */
		if (n < 0 && errno == EAGAIN)
			return note_refuse(error, "brings what nobody reads");
		if (n < 0)
			return 0;
		at += n;
		left -= (size_t)n;
	}
	return 0;
}
