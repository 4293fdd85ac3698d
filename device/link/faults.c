// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The use of fault rules, and the packets that they hold back. */
#include "device/link/faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "device/link/faults_private.h"

struct faults_held {
	STAILQ_ENTRY(faults_held) link;
	struct link_packet packet; /* its bytes are behind this struct */
	uint32_t qpn;
	uint32_t pass;	 /* packets of @qpn that are to go before it; 0: none */
	uint64_t due_ns; /* when it goes in any case */
};

STAILQ_HEAD(faults_held_list, faults_held);

struct faults {
	uint64_t seed;
	struct faults_rule rules[FAULTS_RULES_MAX];
	unsigned rule_count;
	struct faults_held_list held[2]; /* by enum faults_way */
	unsigned held_count;
	struct faults_held *taken; /* handed out by faults_take() */
};

int faults_open(uint64_t seed, struct faults **out)
{
	struct faults *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->seed = seed;
	STAILQ_INIT(&f->held[FAULTS_TX]);
	STAILQ_INIT(&f->held[FAULTS_RX]);
	*out = f;
	return 0;
}

static void faults_free_rules(struct faults *f)
{
	for (unsigned i = 0; i < f->rule_count; i++)
		free(f->rules[i].text);
	f->rule_count = 0;
}

void faults_close(struct faults *f)
{
	faults_free_rules(f);
	for (unsigned way = 0; way < ARRAY_SIZE(f->held); way++) {
		struct faults_held *h;

		while ((h = STAILQ_FIRST(&f->held[way]))) {
			STAILQ_REMOVE_HEAD(&f->held[way], link);
			free(h);
		}
	}
	free(f->taken);
	free(f);
}

/* Rules that have no seed of their own draw apart from one another. */
static void faults_seed_rule(struct faults *f, struct faults_rule *r,
			     unsigned index)
{
	prng_seed(&r->prng,
		  r->has_seed ? r->seed : hash_mix64(f->seed) + index);
}

/* 0 and the next rule is filled; its place is not counted yet. */
static int faults_add_one(struct faults *f, unsigned index, const char *text,
			  size_t len, char **error)
{
	struct faults_rule *r = &f->rules[index];
	char *wrong;

	if (index == FAULTS_RULES_MAX) {
		struct strbuf b = STRBUF_INIT;

		strbuf_addf(&b, "more than %d rules", FAULTS_RULES_MAX);
		*error = strbuf_detach(&b);
		return -ENOSPC;
	}
	wrong = faults_parse(text, len, r);
	if (wrong) {
		*error = wrong;
		return -EINVAL;
	}
	r->text = strndup(text, len);
	if (!r->text) {
		*error = strdup("out of memory");
		return -ENOMEM;
	}
	faults_seed_rule(f, r, index);
	return 0;
}

int faults_add(struct faults *f, const char *text, char **error)
{
	unsigned index = f->rule_count;
	const char *stop;
	int err;

	do {
		stop = strchrnul(text, ';');
		err = faults_add_one(f, index, text, (size_t)(stop - text),
				     error);
		if (err)
			goto err_free;
		index++;
		text = stop + 1;
	} while (*stop);
	f->rule_count = index;
	return 0;

err_free:
	while (index-- > f->rule_count)
		free(f->rules[index].text);
	return err;
}

char *faults_check(const char *text)
{
	char *error = NULL;
	struct faults *f;

	if (faults_open(0, &f))
		return NULL; /* whoever uses them runs out of memory again */
	if (faults_add(f, text, &error) && !error)
		error = strdup("out of memory");
	faults_close(f);
	return error;
}

void faults_clear(struct faults *f)
{
	struct faults_held *h;

	faults_free_rules(f);
	for (unsigned way = 0; way < ARRAY_SIZE(f->held); way++) {
		STAILQ_FOREACH (h, &f->held[way], link)
			h->due_ns = 0;
	}
}

int faults_rule(const struct faults *f, unsigned index, const char **text,
		uint64_t *matches, uint64_t *hits)
{
	if (index >= f->rule_count)
		return -ENOENT;
	*text = f->rules[index].text;
	*matches = f->rules[index].matches;
	*hits = f->rules[index].hits;
	return 0;
}

bool faults_active(const struct faults *f)
{
	return f->rule_count > 0 || f->held_count > 0;
}

static bool faults_fits(const struct faults_rule *r, enum faults_way way,
			uint32_t qpn, const struct wire_packet *packet)
{
	if (!(r->ways & 1u << way) || (r->has_qp && r->qp != qpn))
		return false;
	/* What is no packet has neither opcode nor PSN. */
	if (!packet)
		return !r->has_op && !r->has_psn;
	if (r->has_op &&
	    !(r->kind ? r->kind(packet) : packet->opcode == r->opcode))
		return false;
	/* From first on, as far as last, modulo the PSNs there are. */
	return !r->has_psn ||
	       ((packet->psn.v - r->psn_first.v) & PSN_MASK) <=
		       ((r->psn_last.v - r->psn_first.v) & PSN_MASK);
}

/* Count a packet that fits; would the rule act on it? */
static bool faults_strikes(struct faults_rule *r)
{
	r->matches++;
	if (r->nth && r->matches != r->nth)
		return false;
	if (r->has_rate && r->threshold != UINT64_MAX &&
	    prng_next(&r->prng) >= r->threshold)
		return false;
	return !r->count || r->hits < r->count;
}

static bool faults_hold(struct faults *f, enum faults_way way, uint32_t qpn,
			const struct link_packet *p, uint32_t pass,
			uint64_t due_ns)
{
	struct faults_held *h;

	if (f->held_count == FAULTS_HELD_MAX)
		return false;
	h = malloc(sizeof(*h) + p->len);
	if (!h)
		return false;
	*h = (struct faults_held){
		.packet = *p,
		.qpn = qpn,
		.pass = pass,
		.due_ns = due_ns,
	};
	h->packet.bytes = (uint8_t *)(h + 1);
	memcpy(h->packet.bytes, p->bytes, p->len);
	STAILQ_INSERT_TAIL(&f->held[way], h, link);
	f->held_count++;
	return true;
}

static enum faults_fate faults_act(struct faults *f, struct faults_rule *r,
				   enum faults_way way, uint32_t qpn,
				   struct link_packet *p, uint64_t now_ns)
{
	bool held;

	switch (r->action) {
	case FAULTS_DROP:
		return FAULTS_IS_GONE;
	case FAULTS_DUPLICATE:
		(void)faults_hold(f, way, qpn, p, 0, 0);
		return FAULTS_PASSES;
	case FAULTS_DELAY:
		held = faults_hold(f, way, qpn, p, 0, now_ns + r->wait_ns);
		break;
	case FAULTS_REORDER:
		held = faults_hold(f, way, qpn, p, r->by, now_ns + r->wait_ns);
		break;
	default:
		p->turn = 1 + (uint32_t)prng_below(&r->prng, p->len * 8);
		return FAULTS_PASSES;
	}
	return held ? FAULTS_IS_GONE : FAULTS_PASSES;
}

/* A packet of @qpn went by: what was to be overtaken by it counts down. */
static void faults_count_passed(struct faults *f, enum faults_way way,
				uint32_t qpn)
{
	struct faults_held *h;

	STAILQ_FOREACH (h, &f->held[way], link) {
		if (h->pass && h->qpn == qpn && --h->pass == 0)
			h->due_ns = 0;
	}
}

enum faults_fate faults_judge(struct faults *f, enum faults_way way,
			      uint32_t qpn, struct link_packet *p,
			      uint64_t now_ns)
{
	enum faults_fate fate = FAULTS_PASSES;
	struct faults_rule *acting = NULL;
	struct wire_packet packet;
	bool whole = wire_packet_decode(p->bytes, p->len, &packet) ==
		     WIRE_DECODE_OK;

	for (unsigned i = 0; i < f->rule_count; i++) {
		struct faults_rule *r = &f->rules[i];

		if (faults_fits(r, way, qpn, whole ? &packet : NULL) &&
		    faults_strikes(r) && !acting)
			acting = r;
	}
	/* Before the rule acts: a packet does not overtake itself. */
	if (f->held_count && (!acting || acting->action == FAULTS_DUPLICATE ||
			      acting->action == FAULTS_CORRUPT))
		faults_count_passed(f, way, qpn);
	if (acting) {
		acting->hits++;
		fate = faults_act(f, acting, way, qpn, p, now_ns);
	}
	return fate;
}

struct link_packet *faults_take(struct faults *f, enum faults_way way,
				uint64_t now_ns)
{
	struct faults_held *h;

	free(f->taken);
	f->taken = NULL;
	if (!f->held_count)
		return NULL;
	STAILQ_FOREACH (h, &f->held[way], link) {
		if (h->due_ns > now_ns)
			continue;
		STAILQ_REMOVE(&f->held[way], h, faults_held, link);
		f->held_count--;
		f->taken = h;
		return &h->packet;
	}
	return NULL;
}

uint64_t faults_next_ns(const struct faults *f)
{
	const struct faults_held *h;
	uint64_t next_ns = 0;

	if (!f->held_count)
		return 0;
	for (unsigned way = 0; way < ARRAY_SIZE(f->held); way++) {
		STAILQ_FOREACH (h, &f->held[way], link) {
			/* Due at once: any time that is past will do. */
			uint64_t due_ns = h->due_ns ? h->due_ns : 1;

			if (!next_ns || due_ns < next_ns)
				next_ns = due_ns;
		}
	}
	return next_ns;
}
