// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: one round of polling over many CQs. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "suite/end/local.h"

/* What came out of @cq, behind what is in @out; false: the round is over. */
static bool gather_take(const struct end_poll *in, const struct end_polled *got,
			int err, struct end_watched *out)
{
	int i;

	if (err || got->count < 0 || got->count > (int)in->max) {
		out->failed = in->cq;
		out->returned = got->count;
		return false;
	}
	if (got->stamps_fell)
		out->fell = in->cq;
	for (i = 0; i < got->count; i++)
		out->came[out->count++] =
			(struct end_came){ .cq = in->cq, .wc = got->wc[i] };
	return true;
}

int local_gather(struct end_host *h, const struct end_watch *in,
		 struct end_watched *out)
{
	static _Thread_local struct end_polled got;
	struct end_poll one = { .max = in->max };
	uint32_t i;

	out->failed = out->fell = out->count = 0;
	out->returned = 0;
	if (in->count > END_WATCH_MAX || !in->max || in->max > END_POLL_MAX)
		return -EINVAL;
	for (i = 0; i < in->count; i++) {
		one.cq = in->cq[i];
		if (!local_find(h, one.cq, END_CQ))
			return -EINVAL;
		if (out->count + one.max > END_POLL_MAX)
			break;
		if (!gather_take(&one, &got, local_poll(h, &one, &got), out))
			break;
	}
	out->event = false;
	return 0;
}
