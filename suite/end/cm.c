// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A pair through the connection manager:
 *
 *	end a				end b
 *					listens
 *	address, route resolved
 *	INIT, connect
 *					CONNECT_REQUEST
 *					INIT, RTR, RTS, accept
 *	CONNECT_RESPONSE
 *	RTR, RTS, establish
 *					ESTABLISHED
 *
 * The queue pairs are the ends' own, in contexts that the CM does not know: it
 * is given their numbers.  Of iWARP the kernel makes the steps behind INIT.
 */
#include "suite/end/cm.h"

#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "suite/verbs/cm.h"

enum {
	CM_RESOLVE_MS = 2000,
	CM_WAIT_MS = 5000,
	/* The time that an old connection is remembered. */
	CM_TIMEWAIT_MS = 20000,
	CM_RD_ATOMIC = 4,
};

bool cm_connects(const struct vb_test *t, enum ibv_qp_type type)
{
	const char *how = t->options->connect;

	return how && !strcmp(how, "cm") && type != IBV_QPT_UD;
}

void cm_skip(struct vb_test *t, const char *what)
{
	vb_skip(t, "--connect cm: %s: cannot go through the CM", what);
}

/* Attributes that are the CM's alone. */
static bool cm_said(const struct vb_attr_args *a)
{
	return a->pkey_index.set || a->port.set || a->qkey.set || a->mtu.set ||
	       a->dest_qpn.set || a->rq_psn.set || a->sq_psn.set ||
	       a->gid_index.set || a->dlid.set || a->is_global.set ||
	       a->av_port.set || a->dgid || a->cur_state.set ||
	       a->en_sqd_notify.set || a->max_rd_atomic.set ||
	       a->max_dest_rd_atomic.set || a->omit || a->add;
}

void cm_require(struct vb_test *t, const struct vb_connect_args *args)
{
	if (args->type == IBV_QPT_UC)
		cm_skip(t, "UC has no connections there");
	if (args->state && args->state != IBV_QPS_RTS)
		cm_skip(t, "stops before RTS");
	if (cm_said(&args->attr) || cm_said(&args->attr_a) ||
	    cm_said(&args->attr_b))
		cm_skip(t, "sets attributes by hand");
}

static bool cm_iwarp(const struct vb_end *e)
{
	return e->opened.transport == IBV_TRANSPORT_IWARP;
}

static void cm_broken(const struct vb_end *e, const char *what,
		      const char *why) NO_RETURN;

static void cm_broken(const struct vb_end *e, const char *what, const char *why)
{
	vb_broken(e->ends->t, "end %s: connecting through the CM: %s: %s",
		  ends_side(e), what, why);
}

/* --- Events ------------------------------------------------------------- */

struct cm_wait {
	struct vb_end *end;
	uint32_t id; /* 0: a new one's, of a request */
	struct end_cm_event event;
};

/* An event that somebody else will wait for: both sides of a pair may be on
 * one end.  Of ids that are over nobody asks any more. */
static void cm_keep(struct vb_end *end, const struct end_cm_event *event)
{
	struct ends *e = end->ends;
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		if (e->qps[i]->end == end && e->qps[i]->cm_id == event->id)
			e->qps[i]->cm_events |= 1u << event->type;
}

/* One that came for @w before it was waited for. */
static bool cm_kept(struct cm_wait *w)
{
	struct ends *e = w->end->ends;
	uint32_t i;

	for (i = 0; w->id && i < e->qps_count; i++) {
		struct vb_qp *qp = e->qps[i];

		if (qp->end != w->end || qp->cm_id != w->id || !qp->cm_events)
			continue;
		w->event = (struct end_cm_event){
			.id = w->id,
			.type = (uint32_t)__builtin_ctz(qp->cm_events),
		};
		qp->cm_events &= qp->cm_events - 1;
		return true;
	}
	return false;
}

/* The next event of what is waited for. */
static bool cm_came(void *arg)
{
	struct cm_wait *w = arg;
	struct end_nothing none = { 0 };
	struct end_cm_event e;
	int err;

	if (cm_kept(w))
		return true;
	while (!(err = w->end->ops->cm_event(w->end->host, &none, &e))) {
		bool request = e.type == RDMA_CM_EVENT_CONNECT_REQUEST;

		if (request ? w->id == 0 : e.id == w->id) {
			w->event = e;
			return true;
		}
		if (!request)
			cm_keep(w->end, &e);
	}
	if (err != -EAGAIN)
		cm_broken(w->end, "its events", strerror(-err));
	return false;
}

static struct end_cm_event cm_await(struct vb_end *e, uint32_t id,
				    unsigned type, unsigned ms)
{
	struct cm_wait w = { .end = e, .id = id };
	struct vb_test *t = e->ends->t;

	if (!ends_wait(e->ends, vb_deadline(t, ms), cm_came, &w))
		vb_broken(t,
			  "end %s: connecting through the CM: no %s within "
			  "%u ms",
			  ends_side(e), verbs_cm_event_name(type), ms);
	if (w.event.type != type)
		vb_broken(t,
			  "end %s: connecting through the CM: %s (status %d) "
			  "came, not %s",
			  ends_side(e), verbs_cm_event_name(w.event.type),
			  w.event.status, verbs_cm_event_name(type));
	return w.event;
}

/* --- Steps of the CM ---------------------------------------------------- */

static uint32_t cm_begin(struct vb_end *e, const struct end_cm_begin *in,
			 struct end_cm_address *own)
{
	struct end_cm_begun out;
	int err = e->ops->cm_begin(e->host, in, &out);

	if (err)
		cm_broken(e, "beginning",
			  out.error[0] ? out.error : strerror(-err));
	if (own)
		*own = out.own;
	return out.id;
}

static uint8_t cm_depth(const struct vb_value *said, int limit)
{
	if (said->set)
		return (uint8_t)said->value;
	return (uint8_t)(limit < CM_RD_ATOMIC ? limit : CM_RD_ATOMIC);
}

static int cm_try(struct vb_end *e, const struct end_cm_act *in)
{
	struct end_result out = { 0 };
	int err = e->ops->cm_act(e->host, in, &out);

	return err ? err : out.err;
}

static void cm_do(struct vb_qp *qp, enum end_cm_what what,
		  const struct vb_attr_args *args, const char *name)
{
	const struct vb_options *o = ends_test(qp)->options;
	const struct ibv_device_attr *d = &qp->end->opened.device;
	struct end_cm_act in = {
		.id = qp->cm_id,
		.what = what,
		.qpn = qp->qpn,
		.responder_resources =
			cm_depth(&args->max_dest_rd_atomic, d->max_qp_rd_atom),
		.initiator_depth =
			cm_depth(&args->max_rd_atomic, d->max_qp_init_rd_atom),
		.retry = (uint8_t)(args->retry.set ? args->retry.value
						   : o->retry),
		.rnr_retry = (uint8_t)(args->rnr_retry.set
					       ? args->rnr_retry.value
					       : o->rnr_retry),
		.srq = qp->srq != NULL,
	};
	int err = cm_try(qp->end, &in);

	/* Of a second life that is the device's fault, and not set-up. */
	vb_check(ends_test(qp), VB_FIND_WRONG_RETURN,
		 !err || qp->generation == 1,
		 "end %s qp 0x%x: it was reset and cannot be connected again: "
		 "%s: %s",
		 ends_side(qp->end), qp->qpn, name, strerror(-err));
	if (err)
		cm_broken(qp->end, name, strerror(-err));
}

static void cm_set_out(struct vb_pair *p, const struct vb_attr_args *a)
{
	struct end_cm_begin in = { .listen = true };
	struct vb_end *from = p->a->end, *to = p->b->end;
	uint64_t timeout = a->timeout.set ? a->timeout.value
					  : from->ends->t->options->timeout;

	if (!to->cm_listener)
		to->cm_listener = cm_begin(to, &in, &to->cm_address);
	in = (struct end_cm_begin){ .timeout = (uint8_t)timeout,
				    .ms = CM_RESOLVE_MS,
				    .peer = to->cm_address };
	p->a->cm_id = cm_begin(from, &in, NULL);
	cm_await(from, p->a->cm_id, RDMA_CM_EVENT_ADDR_RESOLVED, CM_WAIT_MS);
	cm_do(p->a, END_CM_ROUTE, a, "resolving the route");
	cm_await(from, p->a->cm_id, RDMA_CM_EVENT_ROUTE_RESOLVED, CM_WAIT_MS);
}

/* The request at @b is that of @a. */
static void cm_asked(struct vb_pair *p)
{
	struct end_cm_event e = cm_await(
		p->b->end, 0, RDMA_CM_EVENT_CONNECT_REQUEST, CM_WAIT_MS);

	p->b->cm_id = e.id;
	/* iWARP does not tell numbers. */
	if (!cm_iwarp(p->b->end))
		vb_check(ends_test(p->a), VB_FIND_WRONG_ATTRIBUTE,
			 e.qpn == p->a->qpn,
			 "end b: the CM's request comes from qp 0x%x, it was "
			 "made for 0x%x",
			 e.qpn, p->a->qpn);
}

void cm_connect(struct vb_pair *p, const struct vb_attr_args *a,
		const struct vb_attr_args *b)
{
	bool iwarp = cm_iwarp(p->a->end);

	/* Of a life before. */
	if (p->a->cm_id || p->b->cm_id)
		cm_disconnect(p);
	cm_set_out(p, a);
	cm_step(p->a, IBV_QPS_INIT, a);
	cm_do(p->a, END_CM_CONNECT, a, "rdma_connect()");
	cm_asked(p);
	cm_step(p->b, IBV_QPS_INIT, b);
	if (!iwarp) {
		cm_step(p->b, IBV_QPS_RTR, b);
		cm_step(p->b, IBV_QPS_RTS, b);
	}
	cm_do(p->b, END_CM_ACCEPT, b, "rdma_accept()");
	if (!iwarp) {
		cm_await(p->a->end, p->a->cm_id, RDMA_CM_EVENT_CONNECT_RESPONSE,
			 CM_WAIT_MS);
		cm_step(p->a, IBV_QPS_RTR, a);
		cm_step(p->a, IBV_QPS_RTS, a);
		cm_do(p->a, END_CM_ESTABLISH, a, "rdma_establish()");
	} else {
		cm_await(p->a->end, p->a->cm_id, RDMA_CM_EVENT_ESTABLISHED,
			 CM_WAIT_MS);
	}
	cm_await(p->b->end, p->b->cm_id, RDMA_CM_EVENT_ESTABLISHED, CM_WAIT_MS);
	if (iwarp) {
		ends_entered(p->a, IBV_QPS_RTS);
		ends_entered(p->b, IBV_QPS_RTS);
	}
	cm_judge(p);
}

/* --- The end of a connection -------------------------------------------- */

static bool cm_part(struct vb_qp *qp)
{
	struct end_cm_act in = { .id = qp->cm_id, .what = END_CM_DISCONNECT };

	/* A connection that has ended by itself cannot be ended again. */
	return qp->cm_id && !cm_try(qp->end, &in);
}

/* Any event of the id that says so, for as long as it may take. */
static void cm_await_over(struct vb_qp *qp, unsigned type, unsigned ms)
{
	struct cm_wait w = { .end = qp->end, .id = qp->cm_id };
	uint64_t deadline = vb_deadline(ends_test(qp), ms);

	while (ends_wait(qp->ends, deadline, cm_came, &w))
		if (w.event.type == type ||
		    w.event.type == RDMA_CM_EVENT_TIMEWAIT_EXIT)
			return;
	cm_broken(qp->end, verbs_cm_event_name(type),
		  "the end of the connection has not come");
}

void cm_disconnect(struct vb_pair *p)
{
	struct vb_qp *qps[] = { p->a, p->b };

	if (cm_part(p->a)) {
		cm_await_over(p->b, RDMA_CM_EVENT_DISCONNECTED, CM_WAIT_MS);
		(void)cm_part(p->b);
		cm_await_over(p->a, RDMA_CM_EVENT_DISCONNECTED, CM_WAIT_MS);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(qps); i++) {
		if (qps[i]->cm_id && !cm_iwarp(qps[i]->end))
			cm_await_over(qps[i], RDMA_CM_EVENT_TIMEWAIT_EXIT,
				      CM_TIMEWAIT_MS);
		cm_forget(qps[i]);
	}
}

static void cm_destroy(struct vb_end *e, uint32_t *id)
{
	struct end_object in = { .id = *id };
	struct end_nothing none;
	int err;

	if (!*id)
		return;
	err = e->ops->destroy(e->host, &in, &none);
	*id = 0;
	if (err)
		cm_broken(e, "destroying an id", strerror(-err));
}

void cm_forget(struct vb_qp *qp)
{
	cm_destroy(qp->end, &qp->cm_id);
	qp->cm_events = 0;
}

void cm_close(struct vb_end *e)
{
	cm_destroy(e, &e->cm_listener);
}
