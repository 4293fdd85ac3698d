// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: ports and tables, more contexts, calls that are
 * meant to fail. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/end/local.h"

enum {
	LOCAL_CONTEXTS_MAX = 64,
	LOCAL_POLLERS_MAX = 16,
	LOCAL_NOBODY = 65534,
	/* No handle is so large. */
	LOCAL_STALE = 0x40000000,
};

int local_query_port(struct end_host *h, const struct end_entry *in,
		     struct end_port *out)
{
	return verbs_port_query(&h->at, h->context, in->port, &out->attr);
}

int local_query_gid(struct end_host *h, const struct end_entry *in,
		    struct end_gid *out)
{
	return verbs_gid_query(&h->at, h->context, in->port, in->index,
			       &out->entry);
}

int local_query_pkey(struct end_host *h, const struct end_entry *in,
		     struct end_pkey *out)
{
	return verbs_pkey_query(&h->at, h->context, in->port, in->index,
				&out->value);
}

/* --- More contexts ------------------------------------------------------- */

struct local_world {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	char memory[64];
};

static int world_open(struct end_host *h, struct local_world *w)
{
	const char *name = ibv_get_device_name(h->context->device);
	int err = verbs_device_open(&h->at, name, &w->context);

	if (!err)
		err = verbs_pd_alloc(&h->at, w->context, &w->pd);
	if (!err)
		err = verbs_cq_create(&h->at, w->context, 4, NULL, NULL, 0,
				      &w->cq);
	if (!err)
		err = verbs_mr_reg(&h->at, w->pd, w->memory, sizeof(w->memory),
				   IBV_ACCESS_LOCAL_WRITE, &w->mr);
	return err;
}

/* Of what is left of it; the first failure. */
static int world_close(struct end_host *h, struct local_world *w)
{
	struct ibv_wc wc;
	int err = 0, polled;

	if (w->cq) {
		polled = verbs_cq_poll(&h->at, w->cq, 1, &wc);
		err = polled == 0 ? 0 : -EIO;
	}
	if (w->mr && !err)
		err = verbs_mr_dereg(&h->at, w->mr);
	if (w->cq && !err)
		err = verbs_cq_destroy(&h->at, w->cq);
	if (w->pd && !err)
		err = verbs_pd_dealloc(&h->at, w->pd);
	if (w->context && !err)
		err = verbs_device_close(&h->at, w->context);
	return err;
}

int local_open_contexts(struct end_host *h, const struct end_contexts *in,
			struct end_result *out)
{
	struct local_world *worlds;
	int err = 0, closed;

	if (!in->count || in->count > LOCAL_CONTEXTS_MAX)
		return -EINVAL;
	worlds = calloc(in->count, sizeof(*worlds));
	if (!worlds)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count && !err; i++)
		err = world_open(h, &worlds[i]);
	/* From the middle on, round the end, then from the beginning. */
	for (uint32_t i = 0; i < in->count; i++) {
		closed = world_close(h, &worlds[(i + in->turn) % in->count]);
		if (!err)
			err = closed;
	}
	out->err = err;
	free(worlds);
	return 0;
}

/* --- Calls that must not get through ------------------------------------- */

static uint32_t *stale_handle(struct local_object *o)
{
	switch (o->kind) {
	case END_PD:
		return &o->pd->handle;
	case END_MR:
		return &o->mr.mr->handle;
	case END_CQ:
		return &o->cq->handle;
	case END_QP:
		return &o->qp->handle;
	default:
		return NULL;
	}
}

static int stale_destroy(struct end_host *h, struct local_object *o)
{
	switch (o->kind) {
	case END_PD:
		return verbs_pd_dealloc(&h->at, o->pd);
	case END_MR:
		return verbs_mr_dereg(&h->at, o->mr.mr);
	case END_CQ:
		return verbs_cq_destroy(&h->at, o->cq);
	default:
		return verbs_qp_destroy(&h->at, o->qp);
	}
}

int local_stale(struct end_host *h, const struct end_stale *in,
		struct end_result *out)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct local_object *o;
	uint32_t *handle, right;

	if (in->id == 0 || in->id > h->count || h->objects[in->id]->gone)
		return -EINVAL;
	o = h->objects[in->id];
	handle = stale_handle(o);
	if (!handle || (in->query && o->kind != END_QP))
		return -EINVAL;
	right = *handle;
	*handle ^= LOCAL_STALE;
	out->err = in->query ? verbs_qp_query(&h->at, o->qp, IBV_QP_STATE,
					      &attr, &init)
			     : stale_destroy(h, o);
	/* When it got through there is nothing left to be put right. */
	if (in->query || out->err)
		*handle = right;
	else
		o->gone = true;
	return 0;
}

/* For an event that is on its way. */
enum { DESTROYER_EVENT_MS = 2000 };

struct local_destroyer {
	struct end_host *host;
	struct ibv_cq *cq; /* or */
	struct ibv_qp *qp;
	int err;
	bool done;
};

static void *destroyer_main(void *arg)
{
	struct local_destroyer *d = arg;

	d->err = d->qp ? verbs_qp_destroy(&d->host->at, d->qp)
		       : verbs_cq_destroy(&d->host->at, d->cq);
	__atomic_store_n(&d->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* False: none of that queue pair has come by @until. */
static bool destroyer_event(struct end_host *h, const struct ibv_qp *qp,
			    uint64_t until, struct ibv_async_event *event)
{
	while (clock_now_ns() < until) {
		if (verbs_async_get(&h->at, h->context, event)) {
			sched_yield();
			continue;
		}
		if (event->event_type == IBV_EVENT_QP_LAST_WQE_REACHED &&
		    event->element.qp == qp)
			return true;
		verbs_async_ack(&h->at, event);
	}
	return false;
}

int local_destroy_waits(struct end_host *h, const struct end_wait *in,
			struct end_waited *out)
{
	struct local_object *o =
		local_find(h, in->cq, in->async ? END_QP : END_CQ);
	uint64_t until = clock_now_ns() + DESTROYER_EVENT_MS * NS_PER_MS;
	struct local_destroyer d = { .host = h };
	struct ibv_async_event event;
	pthread_t thread;
	int err;

	if (!o)
		return -EINVAL;
	d.cq = in->async ? NULL : o->cq;
	d.qp = in->async ? o->qp : NULL;
	out->none = d.qp && !destroyer_event(h, d.qp, until, &event);
	if (out->none)
		return 0;
	until = clock_now_ns() + in->ms * NS_PER_MS;
	err = pthread_create(&thread, NULL, destroyer_main, &d);
	if (err)
		return -err;
	while (clock_now_ns() < until &&
	       !__atomic_load_n(&d.done, __ATOMIC_ACQUIRE))
		sched_yield();
	out->early = __atomic_load_n(&d.done, __ATOMIC_ACQUIRE);
	/* Of an object that is gone nothing can be acknowledged. */
	if (!out->early && d.qp)
		verbs_async_ack(&h->at, &event);
	else if (!out->early)
		verbs_cq_ack(&h->at, o->cq, in->unacked);
	pthread_join(thread, NULL);
	out->err = d.err;
	if (!out->err)
		o->gone = true;
	return 0;
}

struct local_poller {
	struct end_host *host;
	struct ibv_cq *cq;
	struct end_polled *out;
	uint32_t *taken; /* shared: places of out->wc given away */
	uint32_t want;
	uint64_t until;
	pthread_t thread;
};

/* One by one, so that the threads meet as often as can be. */
static void *poller_main(void *arg)
{
	struct local_poller *p = arg;
	struct ibv_wc wc;
	uint32_t place;

	while (__atomic_load_n(p->taken, __ATOMIC_RELAXED) < p->want &&
	       clock_now_ns() < p->until) {
		if (verbs_cq_poll(&p->host->at, p->cq, 1, &wc) != 1)
			continue;
		place = __atomic_fetch_add(p->taken, 1, __ATOMIC_RELAXED);
		if (place < END_POLL_MAX)
			p->out->wc[place] = wc;
	}
	return NULL;
}

int local_poll_race(struct end_host *h, const struct end_race *in,
		    struct end_polled *out)
{
	struct local_object *cq = local_find(h, in->cq, END_CQ);
	struct local_poller p[LOCAL_POLLERS_MAX];
	uint32_t taken = 0, started = 0;
	int err = 0;

	if (!cq || in->threads > LOCAL_POLLERS_MAX || in->want > END_POLL_MAX)
		return -EINVAL;
	for (; started < in->threads && !err; started++) {
		p[started] = (struct local_poller){
			.host = h,
			.cq = cq->cq,
			.out = out,
			.taken = &taken,
			.want = in->want,
			.until = clock_now_ns() + in->ms * NS_PER_MS,
		};
		err = -pthread_create(&p[started].thread, NULL, poller_main,
				      &p[started]);
		if (err)
			break;
	}
	for (uint32_t i = 0; i < started; i++)
		pthread_join(p[i].thread, NULL);
	out->count = (int)(taken < END_POLL_MAX ? taken : END_POLL_MAX);
	return err;
}

int local_drop_rights(struct end_host *h, const struct end_nothing *in,
		      struct end_result *out)
{
	out->err = 0;
	if (geteuid() == 0 &&
	    (setresgid(LOCAL_NOBODY, LOCAL_NOBODY, LOCAL_NOBODY) ||
	     setresuid(LOCAL_NOBODY, LOCAL_NOBODY, LOCAL_NOBODY)))
		out->err = -errno;
	return 0;
}

int local_group(struct end_host *h, const struct end_group *in,
		struct end_result *out)
{
	struct local_object *qp = local_find(h, in->qp, END_QP);

	if (!qp)
		return -EINVAL;
	out->err = verbs_mcast(&h->at, qp->qp, &in->gid, in->leave);
	return 0;
}
