/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first words of a channel, in JSON so that any version understands them:
 *
 *	case -> server   {"type": "hello", program, commands, role, ...}
 *	server -> case   {"type": "welcome", ...} or {"type": "refused", reason}
 *
 * `commands` is the digest of all structs that commands carry: what was built
 * of other sources is refused in words, not by a field that does not fit.
 */
#ifndef SUITE_PEER_GREETING_H
#define SUITE_PEER_GREETING_H

#include <jansson.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/control/channel.h"

enum { GREETING_MS = 10000, GREETING_TOKEN = 33 };

/* The caller's. */
json_t *greeting_make(const char *role) MUST_USE;
/* Is @hello one of a program like this one? */
int greeting_check(const json_t *hello, struct strbuf *error) MUST_USE;
/* Send and receive.  *@answer is of type @type, else an error. */
int greeting_ask(struct channel *c, json_t *question, int wait_ms,
		 const char *type, json_t **answer,
		 struct strbuf *error) MUST_USE;
/* "" when it is not there. */
const char *greeting_text(const json_t *object, const char *key);

#endif
