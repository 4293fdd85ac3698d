// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The device itself, as cases ask for it. */
#include "verbatim/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/ends.h"
#include "suite/oracle/wrid.h"

int vb_query_port(struct vb_end *e, unsigned port, struct ibv_port_attr *attr)
{
	struct end_entry in = { .port = (uint8_t)port };
	struct end_port out;
	int err = e->ops->query_port(e->host, &in, &out);

	if (!err)
		*attr = out.attr;
	return err;
}

int vb_query_gid(struct vb_end *e, unsigned port, uint32_t index,
		 struct ibv_gid_entry *entry)
{
	struct end_entry in = { .port = (uint8_t)port, .index = index };
	struct end_gid out;
	int err = e->ops->query_gid(e->host, &in, &out);

	if (!err)
		*entry = out.entry;
	return err;
}

int vb_query_pkey(struct vb_end *e, unsigned port, uint32_t index,
		  uint16_t *pkey)
{
	struct end_entry in = { .port = (uint8_t)port, .index = index };
	struct end_pkey out;
	int err = e->ops->query_pkey(e->host, &in, &out);

	if (!err)
		*pkey = out.value;
	return err;
}

uint32_t vb_gid_index(const struct vb_end *e)
{
	return e->opened.gid_index;
}

enum ibv_transport_type vb_transport(const struct vb_end *e)
{
	return e->opened.transport;
}

const union ibv_gid *vb_gid(const struct vb_end *e)
{
	return &e->opened.gid;
}

void vb_open_contexts(struct vb_end *e, unsigned count, unsigned turn)
{
	struct end_contexts in = { .count = count, .turn = turn };
	struct vb_test *t = e->ends->t;
	struct end_result out;
	int err = e->ops->open_contexts(e->host, &in, &out);

	if (err)
		vb_broken(t, "%u contexts: %s", count, strerror(-err));
	ends_lock(e->ends);
	vb_check(t, VB_FIND_WRONG_RETURN, !out.err,
		 "end %s: %u more contexts, each with a PD, a CQ and an MR: %s",
		 ends_side(e), count, strerror(-out.err));
	ends_unlock(e->ends);
}

void vb_destroy_stale_refused(struct vb_object *o)
{
	struct end_stale in = { .id = o->id };
	struct vb_test *t = o->end->ends->t;
	struct end_result out;

	if (o->end->ops->stale(o->end->host, &in, &out))
		vb_broken(t, "no stale call for a %s", ends_kind_name(o->kind));
	if (!out.err)
		o->gone = true;
	vb_check(t, VB_FIND_WRONG_RETURN, out.err,
		 "end %s: destroying a %s whose handle is none succeeded",
		 ends_side(o->end), ends_kind_name(o->kind));
}

void vb_query_stale_refused(struct vb_qp *qp)
{
	struct end_stale in = { .id = qp->id, .query = true };
	struct vb_test *t = ends_test(qp);
	struct end_result out;

	if (qp->end->ops->stale(qp->end->host, &in, &out))
		vb_broken(t, "no stale call for a QP");
	vb_check(t, VB_FIND_WRONG_RETURN, out.err,
		 "end %s qp 0x%x: a query whose handle is none succeeded",
		 ends_side(qp->end), qp->qpn);
}

void vb_expect_destroy_waits(struct vb_object *cq, unsigned ms)
{
	struct end_wait in = { .cq = cq->id, .ms = ms, .unacked = cq->unacked };
	struct vb_test *t = cq->end->ends->t;
	struct end_waited out;

	ends_progress(cq->end->ends);
	if (!cq->unacked)
		vb_broken(t, "no event of this CQ is unacknowledged");
	if (cq->end->ops->destroy_waits(cq->end->host, &in, &out))
		vb_broken(t, "destroying a CQ that is gone");
	if (!out.err) {
		cq->gone = true;
		dashboard_cq_close(cq->row);
		cq->row = NULL;
		cq->unacked = 0;
	}
	vb_check(t, VB_FIND_WRONG_RETURN, !out.err,
		 "end %s: destroying a CQ that nothing refers to: %s",
		 ends_side(cq->end), strerror(-out.err));
	vb_check(t, VB_FIND_WRONG_EVENT, !out.early,
		 "end %s: a CQ was destroyed though %u of its events were not "
		 "acknowledged",
		 ends_side(cq->end), in.unacked);
}

void vb_expect_event_held(struct vb_qp *qp, unsigned ms)
{
	struct end_wait in = { .cq = qp->id, .ms = ms, .async = true };
	struct vb_test *t = qp->end->ends->t;
	struct end_waited out;

	if (qp->end->ops->destroy_waits(qp->end->host, &in, &out))
		vb_broken(t, "destroying a QP that is gone");
	if (out.none)
		vb_skip(t, "end %s: QP_LAST_WQE_REACHED has not come",
			ends_side(qp->end));
	if (!out.err)
		ends_qp_gone(qp);
	vb_check(t, VB_FIND_WRONG_RETURN, !out.err,
		 "end %s qp 0x%x: destroying it: %s", ends_side(qp->end),
		 qp->qpn, strerror(-out.err));
	vb_check(t, VB_FIND_WRONG_EVENT, !out.early,
		 "end %s: a QP was destroyed though an event of it was not "
		 "acknowledged",
		 ends_side(qp->end));
}

/* As they were posted: threads have taken them in any order. */
static int device_compare(const void *a, const void *b)
{
	const struct ibv_wc *x = a, *y = b;
	struct wrid i, j;

	if (wrid_decode(x->wr_id, &i) || wrid_decode(y->wr_id, &j))
		return 0;
	if (i.qp_index != j.qp_index)
		return i.qp_index < j.qp_index ? -1 : 1;
	if (i.queue != j.queue)
		return i.queue < j.queue ? -1 : 1;
	return i.sequence < j.sequence ? -1 : i.sequence > j.sequence;
}

void vb_poll_by_threads(struct vb_object *cq, unsigned threads, uint32_t want)
{
	struct ends *e = cq->end->ends;
	struct end_race in = { .cq = cq->id,
			       .threads = threads,
			       .want = want,
			       .ms = ENDS_SLACK_MS };
	struct end_polled *out = &e->polled;
	int err = cq->end->ops->poll_race(cq->end->host, &in, out);

	if (err)
		vb_broken(e->t, "%u polling threads: %s", threads,
			  strerror(-err));
	vb_check(e->t, VB_FIND_WRONG_COUNT, (uint32_t)out->count == want,
		 "end %s cq %u: %u threads polled %d completions, there are %u",
		 ends_side(cq->end), cq->id, threads, out->count, want);
	qsort(out->wc, (size_t)out->count, sizeof(out->wc[0]), device_compare);
	for (int i = 0; i < out->count; i++)
		ends_judge(e, cq, &out->wc[i]);
}

bool vb_give_up_rights(struct vb_end *e)
{
	struct end_nothing in = { 0 };
	struct end_result out;

	return !e->ops->drop_rights(e->host, &in, &out) && !out.err;
}

bool vb_set_port(struct vb_end *e, bool up)
{
	struct end_up in = { .up = up };
	struct end_result out;

	if (e->ops->set_port(e->host, &in, &out))
		return false;
	vb_check(e->ends->t, VB_FIND_WRONG_RETURN, !out.err,
		 "end %s: the port cannot be taken %s: %s", ends_side(e),
		 up ? "up" : "down", strerror(-out.err));
	return true;
}

static bool device_port_told(void *arg)
{
	const struct ends_event *event = arg;

	return event->came > event->expected;
}

void vb_expect_port_event(struct vb_end *e, bool up)
{
	struct ends_event *event = &e->port_events[up];
	struct vb_test *t = e->ends->t;

	vb_check(t, VB_FIND_WRONG_EVENT,
		 ends_wait(e->ends, vb_deadline(t, ENDS_SLACK_MS),
			   device_port_told, event),
		 "end %s: the port is %s, and %s has not come", ends_side(e),
		 up ? "up" : "down", up ? "PORT_ACTIVE" : "PORT_ERR");
	event->expected++;
}

static int device_group(struct vb_qp *qp, const union ibv_gid *group,
			bool leave)
{
	struct end_group in = { .qp = qp->id, .gid = *group, .leave = leave };
	struct end_result out;

	if (qp->end->ops->group(qp->end->host, &in, &out))
		vb_broken(ends_test(qp), "a group for a QP that is gone");
	return out.err;
}

int vb_attach_multicast(struct vb_qp *qp, const union ibv_gid *group)
{
	return device_group(qp, group, false);
}

int vb_detach_multicast(struct vb_qp *qp, const union ibv_gid *group)
{
	return device_group(qp, group, true);
}

void vb_destroy_qp_refused(struct vb_qp *qp)
{
	struct end_object in = { .id = qp->id };
	struct end_nothing none;
	int err = qp->end->ops->destroy(qp->end->host, &in, &none);

	if (!err)
		qp->gone = true;
	vb_check(ends_test(qp), VB_FIND_WRONG_RETURN, err,
		 "end %s qp 0x%x: it was destroyed while something refers to "
		 "it",
		 ends_side(qp->end), qp->qpn);
}

void vb_modify_unjudged(struct vb_qp *qp, enum ibv_qp_state state)
{
	/* Only what one call says, so that there is nothing to agree upon. */
	struct end_modify in = { .qp = qp->id,
				 .mask = IBV_QP_STATE,
				 .attr = { .qp_state = state } };
	struct end_modified out;

	if (qp->end->ops->modify_qp(qp->end->host, &in, &out))
		vb_broken(ends_test(qp), "modifying a QP that is gone");
}
