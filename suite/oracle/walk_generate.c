// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Walks drawn at random.  Most steps are right ones, for an error ends what a
 * pair can show until it is connected anew; and most sizes lie where packets
 * end.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

#include "suite/oracle/walk_script.h"

struct walk_draw {
	struct prng prng;
	unsigned mix;
};

static uint32_t walk_below(struct walk_draw *d, uint32_t bound)
{
	return (uint32_t)prng_below(&d->prng, bound);
}

/* True once in @n. */
static bool walk_seldom(struct walk_draw *d, uint32_t n)
{
	return !walk_below(d, n);
}

static uint32_t walk_len(struct walk_draw *d)
{
	uint32_t len;

	switch (walk_below(d, 4)) {
	case 0:
		return walk_below(d, 9);
	case 1:
		return walk_below(d, 257);
	case 2: /* around a multiple of a path MTU */
		len = (1 + walk_below(d, 2)) * (256u << walk_below(d, 5));
		len += walk_below(d, 5) - 2;
		break;
	default:
		len = walk_below(d, WALK_LEN_MAX + 1);
	}
	return len > WALK_LEN_MAX ? WALK_LEN_MAX : len;
}

static uint32_t walk_type(struct walk_draw *d)
{
	uint32_t type;

	do
		type = walk_below(d, 3);
	while (!(d->mix >> type & 1));
	return type;
}

static void walk_draw_connect(struct walk_draw *d, struct walk_step *s)
{
	bool builder = d->mix & WALK_MIX_BUILDER;

	s->type = walk_type(d);
	s->depth = walk_seldom(d, 2) ? 0 : 1 + walk_below(d, 16);
	s->sges = walk_below(d, 5);
	s->sig_all = walk_seldom(d, 8);
	s->srq = (d->mix & WALK_MIX_SRQ) && !(s->type == 1) &&
		 walk_seldom(d, 2);
	s->extended = builder && walk_seldom(d, 4);
	s->builder = builder && walk_seldom(d, 4);
	s->rnr_retry = walk_seldom(d, 4) ? 1 + walk_below(d, 3) : 0;
	s->up_to = walk_seldom(d, 4) ? 1 + walk_below(d, 3) : 0;
}

static void walk_draw_modify(struct walk_draw *d, struct walk_step *s)
{
	/* On the way up, mostly; what is below needs a reconnect. */
	static const uint8_t to[] = { IBV_QPS_INIT, IBV_QPS_RTR,  IBV_QPS_RTR,
				      IBV_QPS_RTS,  IBV_QPS_RTS,  IBV_QPS_RTS,
				      IBV_QPS_SQD,  IBV_QPS_SQD,  IBV_QPS_SQE,
				      IBV_QPS_ERR,  IBV_QPS_RESET };

	s->to = to[walk_below(d, ARRAY_SIZE(to))];
	if (s->to == IBV_QPS_RESET && walk_seldom(d, 2))
		s->to = IBV_QPS_RTS;
	if (walk_seldom(d, 3)) {
		s->attr_wrong = 1 + walk_below(d, 3);
		s->which = walk_below(d, 16);
	}
}

static void walk_draw_recv(struct walk_draw *d, struct walk_step *s)
{
	s->len = WALK_LEN_MAX;
	s->sges = walk_below(d, 5);
	s->list = walk_seldom(d, 4) ? 1 + walk_below(d, 8) : 0;
	if (walk_seldom(d, 30))
		s->recv_wrong = 1 + walk_below(d, 3);
	if (s->recv_wrong == WALK_RECV_SHORT)
		s->len = walk_len(d);
}

static void walk_draw_send(struct walk_draw *d, struct walk_step *s)
{
	uint32_t ops = d->mix & WALK_MIX_ATOMIC ? 7 : 5;

	s->op = walk_seldom(d, 2) ? walk_below(d, 2) : walk_below(d, ops);
	s->len = walk_len(d);
	s->sges = walk_below(d, 5);
	s->list = walk_seldom(d, 5) ? 1 + walk_below(d, 6) : 0;
	s->mr = walk_below(d, 4);
	s->offset = walk_seldom(d, 2) ? 0 : walk_below(d, WALK_LEN_MAX);
	s->unsignaled = walk_seldom(d, 3);
	s->solicited = walk_seldom(d, 6);
	s->fence = walk_seldom(d, 6);
	s->inlined = walk_seldom(d, 5);
	if (walk_seldom(d, 25))
		s->send_wrong = 1 + walk_below(d, 6);
}

static void walk_draw_operands(struct walk_draw *d, struct walk_step *s)
{
	switch (s->kind) {
	case WALK_CONNECT:
		walk_draw_connect(d, s);
		return;
	case WALK_MODIFY:
		walk_draw_modify(d, s);
		break;
	case WALK_RECV:
		walk_draw_recv(d, s);
		break;
	case WALK_SEND:
		walk_draw_send(d, s);
		break;
	case WALK_BIND:
		s->window = walk_below(d, 2);
		s->offset = walk_below(d, 512);
		s->len = walk_len(d);
		s->again = walk_seldom(d, 2);
		break;
	case WALK_INVALIDATE:
		s->by_peer = walk_seldom(d, 2);
		break;
	case WALK_LIMIT:
		s->which = walk_below(d, 32);
		break;
	case WALK_CHURN:
		s->which = walk_below(d, 8);
		break;
	default:
		break;
	}
	if (s->kind == WALK_REG_MR)
		s->len = walk_len(d);
	if (s->kind == WALK_REG_MR || s->kind == WALK_REREG_MR)
		s->rights = walk_below(d, 4);
	if (s->kind == WALK_RESIZE)
		s->cqe = 1 + walk_below(d, 1024);
	s->mr = walk_below(d, 4);
	s->pair = walk_below(d, WALK_PAIRS);
	s->solicited_only = walk_seldom(d, 3);
}

/* What its row does not name stays at 0: it would say nothing. */
static void walk_clean(struct walk_step *s)
{
	for (unsigned i = 0; i < WALK_OPERANDS; i++)
		if (!(walk_rows[s->kind].operands >> i & 1))
			*walk_operand_of(s, i) = 0;
	if (walk_rows[s->kind].both)
		s->side = 0;
}

/* Windows are of RC pairs here, and not all walks have an SRQ. */
static uint32_t walk_weight(const struct walk_draw *d, unsigned kind)
{
	if ((kind == WALK_BIND || kind == WALK_INVALIDATE) &&
	    !(d->mix & WALK_MIX_RC))
		return 0;
	if (kind == WALK_LIMIT && !(d->mix & WALK_MIX_SRQ))
		return 0;
	return walk_rows[kind].weight;
}

static enum walk_kind walk_kind_draw(struct walk_draw *d)
{
	uint32_t sum = 0, at;
	unsigned i;

	for (i = 0; i < WALK_KINDS; i++)
		sum += walk_weight(d, i);
	at = walk_below(d, sum);
	for (i = 0; i + 1 < WALK_KINDS; i++) {
		uint32_t weight = walk_weight(d, i);

		if (at < weight)
			break;
		at -= weight;
	}
	return (enum walk_kind)i;
}

int walk_generate(struct walk_script *s, const char *id, unsigned mix,
		  uint64_t seed, uint32_t count)
{
	struct walk_draw d = { .mix = mix };

	*s = (struct walk_script){ .seed = seed };
	snprintf(s->id, sizeof(s->id), "%s", id);
	prng_seed(&d.prng, seed);
	for (uint32_t i = 0; i < count; i++) {
		struct walk_step step = { .side = walk_below(&d, 2) };
		int err;

		step.kind = i ? walk_kind_draw(&d) : WALK_CONNECT;
		walk_draw_operands(&d, &step);
		walk_clean(&step);
		err = walk_script_add(s, &step);
		if (err) {
			walk_script_free(s);
			return err;
		}
	}
	return 0;
}
