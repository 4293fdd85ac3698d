// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A row of the status matrix: the statuses of both ends and the states after
 * them are judged together, for a status that is right alone may be wrong
 * beside the other's.  (Each column is an accept set of the same row.)
 */
#include <string.h>

#include "base/verbs_names.h"
#include "suite/end/ends.h"
#include "suite/oracle/matrix.h"

struct scenario {
	struct matrix_row row;
	struct vb_wr *send, *recv;
	struct ends_hope hope; /* of the receive */
};

/* It has come, and it is not what the row says. */
static bool scenario_wrong(const struct matrix_accept *accept,
			   const struct vb_wr *wr)
{
	return wr->done && !matrix_accepts(accept, wr->wc.status);
}

static bool scenario_over(void *arg)
{
	struct scenario *s = arg;

	if (scenario_wrong(&s->row.requester, s->send) ||
	    (s->recv && scenario_wrong(&s->row.responder, s->recv)))
		return true;
	/* Its own send is what the row is about. */
	if (s->recv && !s->row.responder.none && ends_hopeless(&s->hope) &&
	    s->hope.error != s->send)
		return true;
	return s->send->done &&
	       (!s->recv || s->recv->done || s->row.responder.none);
}

static void scenario_status(struct vb_test *t, const struct scenario *s,
			    const struct matrix_accept *accept,
			    struct vb_wr *wr, const char *role)
{
	struct strbuf set = STRBUF_INIT;
	char text[ENDS_TEXT];
	bool right = wr->done ? matrix_accepts(accept, wr->wc.status)
			      : accept->none;

	wr->judged = true;
	wr->end->ends->focus = wr->qp;
	if (!right) {
		ends_failure_flushed(wr);
		matrix_accept_print(accept, &set);
		vb_fail(t, wr->done ? VB_FIND_WRONG_STATUS : VB_FIND_LOST,
			"%s (%s): %s %s %s%s, must be %s", s->row.id,
			s->row.scenario, role,
			ends_wr_text(wr, text, sizeof(text)),
			wr->done ? "completed with " : "has not completed",
			wr->done ? verbs_wc_status_name(wr->wc.status) : "",
			strbuf_text(&set));
	}
	vb_checked(t);
}

struct scenario_state {
	struct vb_qp *qp;
	const struct matrix_states *states;
};

static bool scenario_state_fits(void *arg)
{
	const struct scenario_state *s = arg;

	return matrix_state_fits(s->states, IBV_QPS_RTS, vb_state(s->qp));
}

static void scenario_state(struct vb_test *t, const struct scenario *s,
			   const struct matrix_states *states, struct vb_qp *qp,
			   const char *role)
{
	struct scenario_state want = { .qp = qp, .states = states };

	if (states->not_applicable || states->any || ends_blind(qp->end))
		return;
	vb_check(t, VB_FIND_WRONG_STATE,
		 ends_wait(qp->ends, vb_deadline(t, ENDS_SLACK_MS),
			   scenario_state_fits, &want),
		 "%s (%s): the %s, end %s qp 0x%x, is in %s", s->row.id,
		 s->row.scenario, role, ends_side(qp->end), qp->qpn,
		 verbs_qp_state_name(qp->state));
}

/*
 * On RC (but not of iWARP) an acknowledged message has arrived, and one that the responder says
 * it refused has not: so much follows whatever the columns say.
 */
static void scenario_agree(struct vb_test *t, const struct scenario *s)
{
	const uint32_t refused = VERBS_STATUS_BIT(IBV_WC_REM_INV_REQ_ERR) |
				 VERBS_STATUS_BIT(IBV_WC_REM_OP_ERR) |
				 VERBS_STATUS_BIT(IBV_WC_REM_ACCESS_ERR);
	enum ibv_wc_status sent = s->send->wc.status, got;

	if (s->send->qp->type != IBV_QPT_RC || ends_iwarp(s->send->end) ||
	    !s->recv || !s->send->done || !s->recv->done)
		return;
	got = s->recv->wc.status;
	vb_check(t, VB_FIND_WRONG_STATUS,
		 !(sent == IBV_WC_SUCCESS && got != IBV_WC_SUCCESS) &&
			 !(got == IBV_WC_SUCCESS &&
			   (refused & VERBS_STATUS_BIT(sent))),
		 "%s (%s): the requester's %s and the responder's %s do not "
		 "belong together",
		 s->row.id, s->row.scenario, verbs_wc_status_name(sent),
		 verbs_wc_status_name(got));
}

void vb_expect_scenario(struct vb_test *t, const char *scenario,
			struct vb_wr *send, struct vb_wr *recv)
{
	struct scenario s = { .send = send,
			      .recv = recv,
			      .hope = { .wr = recv } };
	unsigned ms = ends_patience_ms(send->qp);

	if (matrix_row(scenario, &s.row))
		vb_broken(t, "there is no scenario \"%s\" in the status matrix",
			  scenario);
	if (ends_iwarp(send->end))
		s.row.requester.statuses =
			matrix_iwarp(send->op, s.row.requester.statuses);
	(void)ends_wait(send->qp->ends, vb_deadline(t, ms), scenario_over, &s);
	if (s.hope.error && s.hope.error != send && !recv->done)
		ends_failure_tell(s.hope.error, recv,
				  "waits for its peer in vain");
	scenario_status(t, &s, &s.row.requester, send, "the requester's");
	if (recv)
		scenario_status(t, &s, &s.row.responder, recv,
				"the responder's");
	scenario_agree(t, &s);
	scenario_state(t, &s, &s.row.requester_after, send->qp, "requester");
	if (send->qp->peer)
		scenario_state(t, &s, &s.row.responder_after, send->qp->peer,
			       "responder");
}
