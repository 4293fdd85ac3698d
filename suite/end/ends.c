// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ends of a case: made at their first use, and what they say of
 * themselves. */
#include "suite/end/ends.h"
#include "suite/end/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/hash.h"
#include "base/verbs_names.h"
#include "suite/oracle/recorder.h"
#include "suite/runner/inside.h"

/* Sizes that find faults at boundaries lie around these; see below. */
enum { ENDS_RANDOM_MAX = 64 * 1024 };

struct ends *ends_of(struct vb_test *t)
{
	struct ends *e = t->ends;

	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		vb_broken(t, "no memory for the ends");
	e->t = t;
	e->recorder = inside_recorder(t);
	e->dashboard = inside_dashboard(t);
	e->ledger = ledger_create(ENDS_QPS_MAX);
	if (!e->ledger)
		vb_broken(t, "no memory for the ledger");
	prng_seed(&e->prng, t->seed);
	t->ends = e;
	return e;
}

static uint32_t ends_mtu_choose(struct vb_test *t, const struct vb_end *e)
{
	uint32_t active = verbs_mtu_bytes(e->opened.port.active_mtu);

	if (!t->options->mtu)
		return active;
	if (t->options->mtu > active)
		vb_broken(t,
			  "--mtu %u is above the active MTU %u of device "
			  "\"%s\"; choose it no larger",
			  (unsigned)t->options->mtu, active,
			  t->options->device);
	return (uint32_t)t->options->mtu;
}

/* What the case's limit leaves is for saying what was missed. */
static bool ends_go_on(void *arg)
{
	return vb_waiting(arg, vb_deadline(arg, END_WAIT_MS_MAX));
}

static void ends_channel_broken(void *arg, const char *why)
{
	vb_broken(arg, "the peer: %s", why);
}

/* A post that was taken for accepted, or a buffer for right, was not. */
static void ends_late(void *arg, void *user, const char *command, int err,
		      const void *answer)
{
	struct vb_wr *wr = user;
	const struct end_verified *verified = answer;
	bool verify = strcmp(command, "verify") == 0;
	struct complaint c;
	char text[ENDS_TEXT];

	if (err)
		vb_broken(arg, "end %s: %s: %s", ends_side(wr->end), command,
			  strerror(-err));
	ends_wr_text(wr, text, sizeof(text));
	if (!verify)
		vb_fail(arg, VB_FIND_WRONG_RETURN,
			"%s: the post was refused: %s", text,
			strerror(-((const struct end_posted *)answer)->err));
	complaint_set(&c, verified->complaint.finding, wr->wr_id, "%s: %s",
		      text, verified->complaint.text);
	ends_complain(wr->end->ends, &c);
}

/* The end is the other host's. */
static void ends_make_remote(struct vb_end *e, const struct inside_peer *peer)
{
	struct vb_test *t = e->ends->t;
	const struct end_remote_calls calls = { .go_on = ends_go_on,
						.broken = ends_channel_broken,
						.late = ends_late,
						.arg = t };
	struct strbuf error = STRBUF_INIT;
	struct channel c;

	if (peer->call(peer, t->seed, &c, &error))
		vb_broken(t, "the peer: %s", strbuf_text(&error));
	/* Waits are in short naps. */
	(void)prctl(PR_SET_TIMERSLACK, 1000);
	e->ops = &end_remote_ops;
	e->remote = true;
	e->host = end_remote_make(&c, &calls);
}

static struct vb_end *ends_end(struct vb_test *t, unsigned side)
{
	const struct inside_peer *peer = inside_peer(t);
	struct ends *ends = ends_of(t);
	struct vb_end *e = ends->end[side];
	struct end_open in = {
		.device = t->options->device,
		.port = (uint8_t)t->options->port,
		.gid_index = t->options->gid_index,
		.events = strcmp(t->options->cq_mode, "event") == 0,
	};

	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		vb_broken(t, "no memory for an end");
	e->ends = ends;
	e->side = (uint8_t)side;
	if (peer && peer->side == side) {
		ends_make_remote(e, peer);
	} else {
		e->ops = peer ? &end_near_ops : &end_local_ops;
		e->host = end_local_make(ends->recorder, e->side, t->seed);
	}
	if (!e->host)
		vb_broken(t, "no memory for an end");
	if (!in.device)
		vb_broken(t, "no device was chosen");
	if (e->ops->open(e->host, &in, &e->opened))
		vb_broken(t, "end %s: %s", ends_side(e), e->opened.error);
	e->mtu = ends_mtu_choose(t, e);
	ends->end[side] = e;
	ends_look_begin(e);
	e->pd = vb_create_pd(e);
	if (in.events)
		e->channel = vb_create_channel(e);
	return e;
}

struct vb_end *vb_a(struct vb_test *t)
{
	return ends_end(t, 0);
}

struct vb_end *vb_b(struct vb_test *t)
{
	return ends_end(t, 1);
}

const char *ends_side(const struct vb_end *e)
{
	return e->side ? "b" : "a";
}

const struct ibv_device_attr *vb_device_attr(const struct vb_end *e)
{
	return &e->opened.device;
}

const struct ibv_port_attr *vb_port_attr(const struct vb_end *e)
{
	return &e->opened.port;
}

uint32_t vb_mtu(const struct vb_end *e)
{
	return e->mtu;
}

int ends_counter(struct vb_end *e, const char *name, struct end_count *out)
{
	struct end_counter in = { .name = name };

	return e->ops->counter(e->host, &in, out) ? -ENOTSUP : 0;
}

int vb_counter(struct vb_end *e, const char *name, uint64_t *value)
{
	struct end_count out;
	int err = ends_counter(e, name, &out);

	/* What happened before this call has to be in it. */
	if (!err && out.cached) {
		vb_let_pass(e->ends->t, ENDS_CACHED_MS);
		err = ends_counter(e, name, &out);
	}
	if (err)
		return err;
	*value = out.count;
	return 0;
}

uint64_t vb_draw(struct vb_test *t, uint64_t low, uint64_t high)
{
	return prng_range(&ends_of(t)->prng, low, high);
}

/*
 * Half of the draws lie within two bytes of a multiple of 256 (every path MTU
 * is one), the others are even over magnitudes, so that small ones are met as
 * often as large ones.
 */
static uint32_t ends_size_random(struct prng *prng)
{
	uint32_t near, size;

	if (prng_below(prng, 2)) {
		near = (uint32_t)prng_below(prng, ENDS_RANDOM_MAX / 256 + 1);
		/* Multiples of the common MTUs more often than others. */
		near &= ~0u << prng_below(prng, 5);
		size = near * 256 + (uint32_t)prng_below(prng, 5);
		return size < 2 ? size : size - 2;
	}
	size = 1u << prng_below(prng, 17);
	return (uint32_t)prng_below(prng, size + 1);
}

uint32_t ends_size_draw(struct vb_test *t, struct prng *prng,
			const struct vb_sizes *sizes)
{
	const struct vb_sizes *s = sizes ? sizes : &t->options->size;

	if (s->kind == VB_SIZES_LIST && s->count)
		return s->bytes[prng_below(prng, s->count)];
	if (s->kind == VB_SIZES_RANGE)
		return (uint32_t)prng_range(prng, s->bytes[0], s->bytes[1]);
	return ends_size_random(prng);
}

uint32_t ends_size_max(struct vb_test *t, const struct vb_sizes *sizes)
{
	const struct vb_sizes *s = sizes ? sizes : &t->options->size;
	uint32_t max = 0, i;

	if (s->kind == VB_SIZES_RANGE)
		return s->bytes[1];
	if (s->kind != VB_SIZES_LIST || !s->count)
		return ENDS_RANDOM_MAX + 2;
	for (i = 0; i < s->count; i++)
		max = s->bytes[i] > max ? s->bytes[i] : max;
	return max;
}

struct vb_qp *ends_qp_of(struct ends *e, uint64_t wr_id)
{
	struct wrid id;
	uint32_t i;

	if (wrid_decode(wr_id, &id) || id.queue == WRID_SRQ)
		return NULL;
	for (i = 0; i < e->qps_count; i++)
		if (e->qps[i]->end->side == id.end &&
		    e->qps[i]->index == id.qp_index)
			return e->qps[i];
	return NULL;
}

/* What fits a record of @text, at the end of a word if there is one. */
static size_t ends_piece(const char *text)
{
	size_t len = strnlen(text, RECORDER_TEXT_MAX - 1), cut = len;

	if (!text[len])
		return len;
	while (cut && text[cut] != ' ')
		cut--;
	return cut ? cut : len;
}

/* A record's text is short: as many records as it takes. */
static void ends_record(struct ends *e, const struct vb_qp *qp,
			const struct complaint *c)
{
	struct recorder_record r = {
		.call = RECORDER_COMPLAINT,
		.end = qp ? qp->end->side : UINT8_MAX,
		.object = qp ? qp->qpn : 0,
		.args = { c->wr_id },
	};
	const char *text = c->text;

	do {
		size_t len = ends_piece(text);

		snprintf(r.text, sizeof(r.text), "%.*s", (int)len, text);
		recorder_write(e->recorder, &r);
		text += len;
		text += *text == ' ';
	} while (*text);
}

void ends_complain(struct ends *e, const struct complaint *c)
{
	struct vb_qp *qp = ends_qp_of(e, c->wr_id);
	struct wrid id;

	/* Of an SRQ's receive the queue pair is known to who complains. */
	if (wrid_decode(c->wr_id, &id) || id.queue != WRID_SRQ)
		e->focus = qp;
	ends_record(e, e->focus, c);
	vb_fail(e->t, c->finding, "%s", c->text);
}
