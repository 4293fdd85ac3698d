// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who speaks, and whether both speak the same. */
#include "suite/peer/greeting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "suite/end/remote.h"

const char *greeting_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static void greeting_digest(char text[17])
{
	snprintf(text, 17, "%016" PRIx64, end_commands_digest());
}

json_t *greeting_make(const char *role)
{
	json_t *hello = frame_make("hello");
	char host[256] = "?", digest[17];

	(void)!gethostname(host, sizeof(host) - 1);
	greeting_digest(digest);
	json_object_set_new(hello, "program", json_string(VB_VERSION));
	json_object_set_new(hello, "commands", json_string(digest));
	json_object_set_new(hello, "role", json_string(role));
	json_object_set_new(hello, "host", json_string(host));
	return hello;
}

int greeting_check(const json_t *hello, struct strbuf *error)
{
	const char *program = greeting_text(hello, "program");
	char digest[17];

	if (strcmp(frame_type(hello), "hello") != 0) {
		strbuf_addf(error, "it begins with \"%.40s\", not \"hello\"",
			    frame_type(hello));
		return -EBADMSG;
	}
	greeting_digest(digest);
	if (strcmp(program, VB_VERSION) != 0) {
		strbuf_addf(error,
			    "verbatim %.20s calls verbatim " VB_VERSION
			    "; install the same on both hosts",
			    program[0] ? program : "(no version)");
		return -EPROTO;
	}
	if (strcmp(greeting_text(hello, "commands"), digest) == 0)
		return 0;
	strbuf_add(error, "both are verbatim " VB_VERSION ", but built of "
			  "different sources: their commands differ; install "
			  "the same on both hosts");
	return -EPROTO;
}

int greeting_ask(struct channel *c, json_t *question, int wait_ms,
		 const char *type, json_t **answer, struct strbuf *error)
{
	int err = channel_send_json(c, question, wait_ms, error);

	if (!err)
		err = channel_receive_json(c, wait_ms, answer, error);
	if (err == -EAGAIN)
		strbuf_addf(error, "no answer within %d ms", wait_ms);
	if (err)
		return err;
	if (strcmp(frame_type(*answer), type) == 0)
		return 0;
	if (strcmp(frame_type(*answer), "refused") == 0)
		strbuf_addf(error, "refused: %.300s",
			    greeting_text(*answer, "reason"));
	else
		strbuf_addf(error, "it sent \"%.40s\" where \"%s\" is due",
			    frame_type(*answer), type);
	json_decref(*answer);
	return -EPROTO;
}
