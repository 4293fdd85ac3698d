// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two ledgers of one run held against each other: counts and sums, then the
 * digests of the order, of which some are kept along the way.
 */
#include <errno.h>
#include <inttypes.h>

#include "suite/bench/traffic.h"

/* Every other one of the marks is let go. */
static void flow_thin(struct traffic_flow *f)
{
	for (uint32_t i = 0; i < TRAFFIC_MARKS / 2; i++)
		f->marks[i] = f->marks[2 * i + 1];
	f->marks_count = TRAFFIC_MARKS / 2;
	f->marks_every *= 2;
}

void traffic_flow_odd(struct traffic_flow *f)
{
	if (!f->odd)
		f->odd = f->messages + 1;
}

void traffic_flow_add(struct traffic_flow *f, enum traffic_op op,
		      uint64_t sequence, uint32_t len)
{
	uint64_t entry = sequence ^ (uint64_t)len << 31 ^ (uint64_t)op << 60;

	if (sequence != f->messages)
		traffic_flow_odd(f);
	f->digest = (f->digest ^ entry) * UINT64_C(0x9e3779b97f4a7c15);
	f->digest ^= f->digest >> 29;
	f->messages++;
	f->bytes += len;
	f->ops[op]++;
	if (f->marks_every == 0)
		f->marks_every = 64;
	if (f->messages % f->marks_every != 0)
		return;
	if (f->marks_count == TRAFFIC_MARKS) {
		flow_thin(f);
		if (f->messages % f->marks_every != 0)
			return;
	}
	f->marks[f->marks_count++] =
		(struct traffic_mark){ f->messages, f->digest };
}

static const struct traffic_mark *flow_mark(const struct traffic_flow *f,
					    uint64_t count)
{
	for (uint32_t i = 0; i < f->marks_count; i++)
		if (f->marks[i].count == count)
			return &f->marks[i];
	return NULL;
}

/* The messages between which the first difference lies: [*low, *high). */
static void flow_locate(const struct traffic_flow *tx,
			const struct traffic_flow *rx, uint64_t *low,
			uint64_t *high)
{
	*low = 0;
	*high = tx->messages < rx->messages ? tx->messages : rx->messages;
	for (uint32_t i = 0; i < tx->marks_count; i++) {
		const struct traffic_mark *t = &tx->marks[i];
		const struct traffic_mark *r = flow_mark(rx, t->count);

		if (!r)
			continue;
		if (r->digest != t->digest) {
			*high = t->count;
			break;
		}
		*low = t->count;
	}
	/* What the receiver saw may tell which of them it is. */
	if (rx->odd > *low && rx->odd <= *high)
		*low = *high = rx->odd - 1;
}

static int flow_agree(uint32_t sender, uint32_t qp,
		      const struct traffic_flow *tx,
		      const struct traffic_flow *rx, struct strbuf *error)
{
	uint64_t low, high;

	if (tx->messages == rx->messages && tx->bytes == rx->bytes &&
	    tx->digest == rx->digest)
		return 0;
	flow_locate(tx, rx, &low, &high);
	strbuf_addf(error,
		    "qp%u, %c to %c: %" PRIu64 " messages of %" PRIu64
		    " bytes were sent, %" PRIu64 " of %" PRIu64
		    " were received; ",
		    qp, 'a' + (int)sender, 'b' - (int)sender, tx->messages,
		    tx->bytes, rx->messages, rx->bytes);
	if (low == high)
		strbuf_addf(error, "the first that differs is %" PRIu64, low);
	else
		strbuf_addf(error,
			    "the first that differs is from %" PRIu64
			    " to %" PRIu64,
			    low, high - (tx->messages == rx->messages));
	return -EBADMSG;
}

int traffic_reconcile(const struct traffic_result *a,
		      const struct traffic_result *b, struct strbuf *error)
{
	if (a->qps != b->qps || a->qps > TRAFFIC_QPS_MAX) {
		strbuf_addf(error, "a had %u queue pairs, b %u", a->qps,
			    b->qps);
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < a->qps; i++) {
		int err = flow_agree(0, i, &a->tx[i], &b->rx[i], error);

		if (!err)
			err = flow_agree(1, i, &b->tx[i], &a->rx[i], error);
		if (err)
			return err;
	}
	return 0;
}
