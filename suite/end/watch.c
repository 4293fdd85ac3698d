// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completions of an end elsewhere.  A poll of each of its CQs in each round of
 * a wait would be a journey each: instead it is told once which CQs to look
 * at, and answers when something has come.
 */
#include "base/clock.h"
#include "suite/end/ends.h"
#include "suite/end/remote.h"

enum { WATCH_US = 1000000, WATCH_SLEEP_US = 10000000 };

/* The CQs behind @after (NULL: from the first on) that are polled by nobody
 * but us; the last one that fits, or NULL: all are in. */
static struct vb_object *watch_list(struct vb_end *end, struct vb_object *after,
				    struct end_watch *in)
{
	struct vb_object *o = after ? after->next : end->objects;

	in->count = 0;
	in->max = (uint32_t)end->ends->t->options->batch;
	for (; o; o = o->next) {
		if (o->kind != END_CQ || o->gone || o->held)
			continue;
		in->cq[in->count++] = o->id;
		if (in->count == END_WATCH_MAX)
			return o;
	}
	return NULL;
}

static void watch_fault(struct vb_end *end, const struct end_watched *out)
{
	struct vb_test *t = end->ends->t;

	if (out->failed)
		vb_fail(t, VB_FIND_WRONG_RETURN,
			"end %s cq %u: ibv_poll_cq of %u entries returned %d",
			ends_side(end), out->failed,
			(unsigned)t->options->batch, out->returned);
	vb_fail(t, VB_FIND_WRONG_FIELD,
		"end %s cq %u: a time stamp is before the one of the "
		"completion before",
		ends_side(end), out->fell);
}

static uint64_t watch_judge(struct vb_end *end, const struct end_watched *out)
{
	struct vb_object *cq = NULL;
	uint32_t i, first = 0;

	end->heard_ns = clock_now_ns();
	end->may_have_event |= out->event;
	if (out->failed || out->fell)
		watch_fault(end, out);
	for (i = 0; i < out->count; i++) {
		if (!cq || cq->id != out->came[i].cq) {
			if (cq)
				dashboard_polled(cq->row, i - first);
			first = i;
			cq = ends_object_find(end, out->came[i].cq);
			if (!cq)
				vb_broken(end->ends->t,
					  "end %s: completions of a CQ %u, "
					  "which there is not",
					  ends_side(end), out->came[i].cq);
		}
		ends_judge(end->ends, cq, &out->came[i].wc);
	}
	if (cq)
		dashboard_polled(cq->row, out->count - first);
	return out->count;
}

/* What a watch has found, if it has been answered. */
static uint64_t watch_take(struct vb_end *end)
{
	struct end_watched *out = &end->ends->watched;

	return end_remote_watch_poll(end->host, out) ? watch_judge(end, out)
						     : 0;
}

uint64_t ends_watch_now(struct vb_end *end)
{
	struct vb_object *last = NULL;
	struct end_watched now;
	struct end_watch in = { 0 };
	uint64_t sum = 0;

	do {
		last = watch_list(end, last, &in);
		if (!in.count)
			break;
		do {
			if (end->ops->gather(end->host, &in, &now))
				vb_broken(end->ends->t,
					  "end %s: its CQs cannot be polled",
					  ends_side(end));
			/* What was found before came before. */
			sum += watch_take(end);
			sum += watch_judge(end, &now);
			/* More may be there when it was cut at --batch. */
		} while (now.count >= in.max);
	} while (last);
	return sum;
}

uint64_t ends_watch_step(struct vb_end *end)
{
	struct end_watch in = { .wait_us = WATCH_US };
	uint64_t sum = watch_take(end);

	/* What has come may be all that is waited for: the next step begins
	 * another watch. */
	if (sum || end_remote_watching(end->host))
		return sum;
	if (watch_list(end, NULL, &in))
		return sum + ends_watch_now(end);
	if (in.count)
		end_remote_watch_begin(end->host, &in);
	else
		end->may_have_event = true;
	return sum;
}

void ends_watch_sleep(struct vb_end *end)
{
	const struct end_watch in = { .wait_us = WATCH_SLEEP_US,
				      .max = 1,
				      .sleep = true };

	if (!end_remote_watching(end->host))
		end_remote_watch_begin(end->host, &in);
}
