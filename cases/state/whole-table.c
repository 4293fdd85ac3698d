// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The whole table of states, for each kind of queue pair: all 49 pairs of
 * states, each required attribute left out, each foreign one put in, each
 * optional one alone.
 *
 * What stands in the table is accepted and reads back, what does not is
 * refused and changes nothing.  RESET to ERR is not asked: the architecture
 * allows it, Linux refuses it.  SQD and SQE are visited where the device has
 * them.
 */
#include <verbatim/case.h>

enum { BAD_KEY = 0x5a5a5a5a, DRAIN_MS = 100 };

struct walk {
	struct vb_test *t;
	struct vb_qp *qp;
	enum ibv_qp_type type;
	unsigned pairs, refusals, acceptances;
};

static bool enter_sqe(struct walk *w)
{
	struct vb_wr *wr;

	/* An RC queue pair never gets there (QPS-21). */
	if (w->type == IBV_QPT_RC)
		return false;
	wr = vb_post_send(w->qp, .len = 16, .lkey = VB_SET(BAD_KEY));
	vb_expect_wc_among(wr, IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_QP_OP_ERR);
	return vb_state(w->qp) == IBV_QPS_SQE;
}

/* From any state to @to by the usual way; false: the device has no such. */
static bool enter(struct walk *w, enum ibv_qp_state to)
{
	uint64_t deadline;
	enum ibv_qp_state last = to == IBV_QPS_ERR  ? IBV_QPS_INIT
				 : to > IBV_QPS_RTS ? IBV_QPS_RTS
						    : to;

	vb_modify(w->qp, IBV_QPS_RESET);
	for (int s = IBV_QPS_INIT; s <= (int)last; s++)
		vb_modify(w->qp, (enum ibv_qp_state)s);
	if (to == IBV_QPS_ERR)
		vb_modify(w->qp, IBV_QPS_ERR);
	if (to == IBV_QPS_SQE)
		return enter_sqe(w);
	if (to != IBV_QPS_SQD)
		return true;
	if (!vb_try_modify(w->qp, IBV_QPS_SQD))
		return false;
	/* Before it has drained it may refuse to leave (QPS-20). */
	deadline = vb_deadline(w->t, DRAIN_MS);
	while (vb_draining(w->qp) && vb_waiting(w->t, deadline))
		;
	return true;
}

static void refuse_masks(struct walk *w, enum ibv_qp_state to,
			 const struct vb_transition *tr)
{
	for (unsigned left = tr->required; left; left &= left - 1) {
		vb_modify_refused(w->qp, to, .omit = left & -left);
		w->refusals++;
	}
	for (unsigned left = tr->foreign; left; left &= left - 1) {
		vb_modify_refused(w->qp, to, .add = left & -left);
		w->refusals++;
	}
}

static void accept_optional(struct walk *w, enum ibv_qp_state from,
			    enum ibv_qp_state to, unsigned bit)
{
	const struct ibv_port_attr *port = vb_port_attr(vb_qp_end(w->qp));

	if (bit == IBV_QP_CUR_STATE)
		vb_modify(w->qp, to, .cur_state = VB_SET(from));
	else if (bit == IBV_QP_ALT_PATH &&
		 port->link_layer == IBV_LINK_LAYER_ETHERNET)
		vb_modify_refused(w->qp, to, .add = bit);
	/*
	 * Path migration is an option of the device.  An address in SQD is
	 * given by Linux together with a port, which UC may not have there.
	 */
	else if (bit == IBV_QP_ALT_PATH || bit == IBV_QP_PATH_MIG_STATE ||
		 (bit == IBV_QP_AV && w->type == IBV_QPT_UC))
		vb_try_modify(w->qp, to, .add = bit);
	else
		vb_modify(w->qp, to, .add = bit);
	w->acceptances++;
}

static void walk_pair(struct walk *w, enum ibv_qp_state from,
		      enum ibv_qp_state to)
{
	struct vb_transition tr = vb_transition(w->type, from, to);

	if (from == IBV_QPS_RESET && to == IBV_QPS_ERR)
		return;
	w->pairs++;
	if (!tr.legal) {
		vb_modify_refused(w->qp, to);
		w->refusals++;
		return;
	}
	refuse_masks(w, to, &tr);
	if (to == IBV_QPS_SQD && from == IBV_QPS_RTS) {
		if (!vb_try_modify(w->qp, to))
			return;
	} else {
		vb_modify(w->qp, to);
	}
	w->acceptances++;
	for (unsigned left = tr.optional; left; left &= left - 1) {
		enter(w, from);
		accept_optional(w, from, to, left & -left);
	}
	enter(w, from);
}

static void walk(struct vb_test *t, enum ibv_qp_type type)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .type = type, .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .type = type, .depth = 4);
	struct walk w = { .t = t, .qp = a, .type = type };

	vb_introduce(a, b);
	vb_allow_event(a, IBV_EVENT_SQ_DRAINED);
	for (int from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++) {
		if (!enter(&w, (enum ibv_qp_state)from)) {
			vb_note(t, "the device does not enter %s",
				vb_state_name((enum ibv_qp_state)from));
			continue;
		}
		for (int to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++)
			walk_pair(&w, (enum ibv_qp_state)from,
				  (enum ibv_qp_state)to);
	}
	vb_note(t, "%u pairs, %u refusals, %u acceptances", w.pairs, w.refusals,
		w.acceptances);
}

static void run_rc(struct vb_test *t)
{
	walk(t, IBV_QPT_RC);
}

static void run_uc(struct vb_test *t)
{
	walk(t, IBV_QPT_UC);
}

static void run_ud(struct vb_test *t)
{
	walk(t, IBV_QPT_UD);
}

VB_CASE(state_whole_table_rc, .id = "state/whole-table-rc",
	.title = "RC: all pairs of states, with each attribute that there is",
	.spec = "ibv_modify_qp(3); Linux: the QP state table",
	.needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("QPS-01", "QPS-02", "QPS-03", "QPS-04", "QPS-07",
			 "QPS-09", "QPS-17", "QPS-25", "QPS-26", "QPS-28",
			 "CON-18"),
	.defects = VB_LIST("QPSM-04", "QPSM-08", "QPSM-09"), .run = run_rc);
VB_CASE(state_whole_table_uc, .id = "state/whole-table-uc",
	.title = "UC: all pairs of states, with each attribute that there is",
	.spec = "ibv_modify_qp(3); Linux: the QP state table",
	.needs = VB_NEED_UC, .limit_ms = 20000,
	.rules = VB_LIST("QPS-01", "QPS-02", "QPS-03", "QPS-04", "QPS-07",
			 "QPS-09", "QPS-17", "QPS-21", "QPS-25", "QPS-26",
			 "QPS-28", "CON-18"),
	.defects = VB_LIST("QPSM-04", "QPSM-08", "QPSM-09"), .run = run_uc);
VB_CASE(state_whole_table_ud, .id = "state/whole-table-ud",
	.title = "UD: all pairs of states, with each attribute that there is",
	.spec = "ibv_modify_qp(3); Linux: the QP state table",
	.needs = VB_NEED_UD, .limit_ms = 20000,
	.rules = VB_LIST("QPS-01", "QPS-02", "QPS-03", "QPS-04", "QPS-07",
			 "QPS-09", "QPS-17", "QPS-21", "QPS-25", "QPS-26",
			 "QPS-28"),
	.defects = VB_LIST("QPSM-04", "QPSM-08", "QPSM-09"), .run = run_ud);
