// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion queues and channels of the ends: made, refused, resized, and
 * their events where a case takes them itself. */
#include <errno.h>
#include <string.h>

#include "suite/end/ends.h"

enum { QUEUES_CQE = 256, QUEUES_CQE_SHARED = 4096 };

static int queues_create(struct vb_end *e, const struct vb_cq_args *args,
			 struct end_cq_made *out)
{
	struct vb_object *channel = args->channel ? args->channel : e->channel;
	struct end_cq in = {
		.cqe = args->cqe.set ? (int)args->cqe.value : QUEUES_CQE,
		.vector = args->vector.set ? (int)args->vector.value : 0,
		.channel = channel ? channel->id : 0,
		.manual = args->manual,
		.extended = args->extended,
		.stamps = args->stamps,
	};

	return e->ops->create_cq(e->host, &in, out);
}

static struct vb_object *queues_add(struct vb_end *e,
				    const struct vb_cq_args *args,
				    const struct end_cq_made *made)
{
	struct vb_object *o = ends_object_add(e, END_CQ, made->id);

	o->cqe = made->cqe;
	o->channel = args->channel ? args->channel : e->channel;
	o->manual = args->manual;
	o->row = dashboard_cq_open(e->ends->dashboard, e->side, made->id,
				   made->cqe);
	return o;
}

struct vb_object *vb_create_cq_args(struct vb_end *e,
				    const struct vb_cq_args *args)
{
	struct end_cq_made out;
	int err = queues_create(e, args, &out);

	if (err)
		vb_broken(e->ends->t, "end %s: creating a CQ: %s", ends_side(e),
			  strerror(-err));
	return queues_add(e, args, &out);
}

struct vb_object *vb_try_create_cq_args(struct vb_end *e,
					const struct vb_cq_args *args)
{
	struct end_cq_made out;

	return queues_create(e, args, &out) ? NULL : queues_add(e, args, &out);
}

void vb_create_cq_refused_args(struct vb_end *e, const struct vb_cq_args *args)
{
	struct end_cq_made out;
	int err = queues_create(e, args, &out);

	if (!err)
		queues_add(e, args, &out);
	vb_check(e->ends->t, VB_FIND_WRONG_RETURN, err,
		 "end %s: a CQ of %lld entries, vector %lld, was created, it "
		 "must be refused",
		 ends_side(e), (long long)args->cqe.value,
		 (long long)args->vector.value);
}

struct vb_object *ends_cq_default(struct vb_end *e, uint32_t cqe, bool extended)
{
	uint32_t max = (uint32_t)e->opened.device.max_cqe;

	if (!cqe)
		cqe = QUEUES_CQE_SHARED;
	return vb_create_cq(e, .cqe = VB_SET(cqe < max ? cqe : max),
			    .extended = extended);
}

uint32_t vb_cq_size(const struct vb_object *cq)
{
	return cq->cqe;
}

bool vb_try_resize_cq(struct vb_object *cq, uint32_t cqe)
{
	struct end_resize in = { .cq = cq->id, .cqe = (int)cqe };
	struct vb_test *t = cq->end->ends->t;
	struct end_resized out;

	if (cq->end->ops->resize_cq(cq->end->host, &in, &out))
		vb_broken(t, "resizing a CQ that is gone");
	if (out.err) {
		vb_check(t, VB_FIND_WRONG_ATTRIBUTE, out.cqe == cq->cqe,
			 "end %s: a refused resize changed a CQ from %u to %u "
			 "entries",
			 ends_side(cq->end), cq->cqe, out.cqe);
		return false;
	}
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, out.cqe >= cqe,
		 "end %s: a CQ was resized to %u entries, it has %u",
		 ends_side(cq->end), cqe, out.cqe);
	cq->cqe = out.cqe;
	return true;
}

void vb_hold_cq(struct vb_object *cq)
{
	cq->held = true;
}

void vb_release_cq(struct vb_object *cq)
{
	cq->held = false;
}

/* --- Events -------------------------------------------------------------- */

void vb_arm(struct vb_object *cq, bool solicited_only)
{
	struct end_arm in = { .cq = cq->id, .solicited_only = solicited_only };
	struct vb_test *t = cq->end->ends->t;
	struct end_result out;

	if (!cq->manual)
		vb_broken(t, "arming a CQ that is not manual");
	if (cq->end->ops->arm_cq(cq->end->host, &in, &out))
		vb_broken(t, "arming a CQ that is gone");
	vb_check(t, VB_FIND_WRONG_RETURN, !out.err,
		 "end %s cq %u: ibv_req_notify_cq: %s", ends_side(cq->end),
		 cq->id, strerror(-out.err));
}

/* Take whatever the channel holds, for whichever CQ. */
static void queues_take(struct vb_object *channel)
{
	struct end_object in = { .id = channel->id };
	struct vb_end *e = channel->end;
	struct vb_object *cq;
	struct end_taken out;

	while (!e->ops->take_cq_event(e->host, &in, &out)) {
		cq = ends_object_find(e, out.cq);
		vb_check(e->ends->t, VB_FIND_WRONG_EVENT, cq && out.cookie,
			 "end %s: a completion event with %s", ends_side(e),
			 cq ? "the cookie of another CQ"
			    : "a CQ that is none of ours");
		dashboard_cq_event(cq->row);
		cq->taken++;
		cq->unacked++;
	}
}

static bool queues_event(void *arg)
{
	struct vb_object *cq = arg;

	queues_take(cq->channel);
	return cq->taken > 0;
}

void vb_expect_cq_event(struct vb_object *cq)
{
	ends_cq_event(cq, ENDS_SLACK_MS);
}

void ends_cq_event(struct vb_object *cq, unsigned ms)
{
	struct vb_test *t = cq->end->ends->t;

	if (!cq->manual || !cq->channel)
		vb_broken(t, "events of a CQ without channel, or not manual");
	vb_check(t, VB_FIND_WRONG_EVENT,
		 ends_wait(cq->end->ends, vb_deadline(t, ms), queues_event, cq),
		 "end %s cq %u: the completion event has not come",
		 ends_side(cq->end), cq->id);
	cq->taken--;
}

void vb_expect_no_cq_event(struct vb_object *cq, unsigned ms)
{
	struct vb_test *t = cq->end->ends->t;

	if (!cq->manual || !cq->channel)
		vb_broken(t, "events of a CQ without channel, or not manual");
	vb_check(t, VB_FIND_WRONG_EVENT,
		 !ends_wait(cq->end->ends, vb_deadline(t, ms), queues_event,
			    cq),
		 "end %s cq %u: a completion event that nothing asked for",
		 ends_side(cq->end), cq->id);
}

void vb_ack_cq(struct vb_object *cq)
{
	struct end_ack in = { .cq = cq->id, .count = cq->unacked };
	struct end_nothing none;

	if (!cq->unacked)
		return;
	if (cq->end->ops->ack_cq_events(cq->end->host, &in, &none))
		vb_broken(cq->end->ends->t, "acknowledging for a CQ that is "
					    "gone");
	cq->unacked = 0;
}

static bool queues_overrun(void *arg)
{
	const struct vb_object *cq = arg;

	return cq->overruns > 0;
}

void vb_expect_cq_error(struct vb_object *cq)
{
	struct vb_test *t = cq->end->ends->t;

	/* It may have come before anybody expected it. */
	cq->end->cq_errors -= cq->may_fail ? 0 : cq->overruns;
	cq->may_fail = true;
	vb_check(t, VB_FIND_WRONG_EVENT,
		 ends_wait(cq->end->ends, vb_deadline(t, ENDS_SLACK_MS),
			   queues_overrun, cq),
		 "end %s cq %u: it is overfilled, and CQ_ERR has not come",
		 ends_side(cq->end), cq->id);
}
