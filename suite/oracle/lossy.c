// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A ring of the messages last sent, each with whether it has come. */
#include "suite/oracle/lossy.h"

#include <stdlib.h>

struct lossy_message {
	struct pairing_message message;
	uint32_t to;
	bool taken;
};

/*
 *	numbers   ... forgotten | first . . passed . . . sent ...
 *
 * Below `passed` nothing can come any more (UC).
 */
struct lossy {
	enum ibv_qp_type type;
	uint64_t window, sent, passed, taken;
	struct lossy_message *messages;
};

struct lossy *lossy_create(enum ibv_qp_type type, uint32_t window)
{
	struct lossy *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->type = type;
	l->window = window;
	l->messages = calloc(window, sizeof(*l->messages));
	if (!l->messages)
		goto err_free;
	return l;
err_free:
	free(l);
	return NULL;
}

void lossy_destroy(struct lossy *l)
{
	if (!l)
		return;
	free(l->messages);
	free(l);
}

void lossy_reset(struct lossy *l)
{
	l->sent = l->passed = l->taken = 0;
}

uint64_t lossy_next(const struct lossy *l)
{
	return l->sent;
}

static struct lossy_message *lossy_at(const struct lossy *l, uint64_t number)
{
	return &l->messages[number % l->window];
}

static uint64_t lossy_first(const struct lossy *l)
{
	return l->sent > l->window ? l->sent - l->window : 0;
}

void lossy_sent(struct lossy *l, struct pairing_message *m, uint32_t to)
{
	m->number = l->sent++;
	*lossy_at(l, m->number) =
		(struct lossy_message){ .message = *m, .to = to };
}

void lossy_refused(struct lossy *l, uint64_t number)
{
	if (number < l->sent)
		l->sent = number;
}

bool lossy_candidate(const struct lossy *l, uint32_t to, uint64_t number,
		     bool taken, struct pairing_message *m)
{
	uint64_t from = lossy_first(l);

	if (!taken && l->passed > from)
		from = l->passed;
	for (from = number > from ? number : from; from < l->sent; from++) {
		const struct lossy_message *at = lossy_at(l, from);

		if (at->to != to || at->taken != taken)
			continue;
		*m = at->message;
		return true;
	}
	return false;
}

void lossy_take(struct lossy *l, uint64_t number)
{
	lossy_at(l, number)->taken = true;
	l->taken++;
	if (l->type == IBV_QPT_UC && number >= l->passed)
		l->passed = number + 1;
	/* What has come at the front need not be looked at again. */
	while (l->passed < l->sent && l->passed >= lossy_first(l) &&
	       lossy_at(l, l->passed)->taken)
		l->passed++;
}

bool lossy_taken(const struct lossy *l, uint64_t number)
{
	return number >= lossy_first(l) && number < l->sent &&
	       lossy_at(l, number)->taken;
}

uint64_t lossy_missing(const struct lossy *l)
{
	return l->sent - l->taken;
}
