// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/qp_state.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "device/engine/retry.h"
#include "device/mutant/mutant.h"

enum { QP_STATES = IBV_QPS_ERR + 1, QP_TYPES = 3 };

static struct qp_transition {
	bool legal;
	unsigned required;
	unsigned allowed; /* required ones included */
} qp_transitions[QP_TYPES][QP_STATES][QP_STATES];

static const struct qp_name {
	const char *name;
	unsigned value;
} qp_attr_names[] = {
#define QP_ATTR(name) { #name, IBV_QP_##name },
#include "device/engine/qp_attrs.def"
#undef QP_ATTR
}, qp_state_names[] = {
	{ "RESET", IBV_QPS_RESET }, { "INIT", IBV_QPS_INIT },
	{ "RTR", IBV_QPS_RTR },	    { "RTS", IBV_QPS_RTS },
	{ "SQD", IBV_QPS_SQD },	    { "SQE", IBV_QPS_SQE },
	{ "ERR", IBV_QPS_ERR },
}, qp_type_names[] = {
	{ "RC", 0 }, { "UC", 1 }, { "UD", 2 },
};

static int qp_type_row(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return 0;
	case IBV_QPT_UC:
		return 1;
	case IBV_QPT_UD:
		return 2;
	default:
		return -1;
	}
}

/* The value of the name at @text, which ends at a comma or NUL; -1: none. */
static int qp_name_value(const struct qp_name *names, size_t count,
			 const char *text, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i].name) == len &&
		    !memcmp(names[i].name, text, len))
			return (int)names[i].value;
	return -1;
}

/* "STATE,PORT,..." or "-" as a mask; our own table, so it must be right. */
static unsigned qp_mask_parse(const char *text)
{
	unsigned mask = 0;

	if (!strcmp(text, "-"))
		return 0;
	while (*text) {
		size_t len = strcspn(text, ",");
		int bit = qp_name_value(qp_attr_names,
					ARRAY_SIZE(qp_attr_names), text, len);

		assert(bit > 0);
		mask |= (unsigned)bit;
		text += len + (text[len] == ',');
	}
	return mask;
}

void qp_state_init(void)
{
	static const struct {
		const char *type, *from, *to, *required, *optional;
	} rows[] = {
#include "rules/qp_states.inc"
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int type = qp_name_value(qp_type_names,
					 ARRAY_SIZE(qp_type_names),
					 rows[i].type, strlen(rows[i].type));
		int from = qp_name_value(qp_state_names,
					 ARRAY_SIZE(qp_state_names),
					 rows[i].from, strlen(rows[i].from));
		int to = qp_name_value(qp_state_names,
				       ARRAY_SIZE(qp_state_names), rows[i].to,
				       strlen(rows[i].to));
		struct qp_transition *t;

		if (type < 0)
			continue;
		assert(from >= 0 && to >= 0);
		t = &qp_transitions[type][from][to];
		t->legal = true;
		t->required = qp_mask_parse(rows[i].required);
		t->allowed = t->required | qp_mask_parse(rows[i].optional);
	}
}

int qp_state_check(enum ibv_qp_type type, enum ibv_qp_state from,
		   enum ibv_qp_state to, unsigned mask)
{
	int row = qp_type_row(type);
	const struct qp_transition *t;

	if (row < 0 || (unsigned)from >= QP_STATES || (unsigned)to >= QP_STATES)
		return -EINVAL;
	t = &qp_transitions[row][from][to];
	/* A call without STATE means the state it is in: the same row. */
	mask |= IBV_QP_STATE;
	if (!t->legal || (t->required & ~mask) || (mask & ~t->allowed))
		return -EINVAL;
	return 0;
}

/* CUR_STATE may only claim a state from which it is listed. */
static int qp_current(const struct sd_qp *qp, const struct ibv_qp_attr *attr,
		      unsigned mask, enum ibv_qp_state *from)
{
	*from = qp->state;
	if (!(mask & IBV_QP_CUR_STATE))
		return 0;
	switch (attr->cur_qp_state) {
	case IBV_QPS_RTR:
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
	case IBV_QPS_SQE:
		return attr->cur_qp_state == qp->state ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

static bool qp_av_ok(const struct ibv_ah_attr *av, unsigned port,
		     const struct sd_port_limits *limits)
{
	/* RoCE has no address but a GID. */
	return av->is_global && av->port_num == port &&
	       av->grh.sgid_index < limits->gid_entries_valid;
}

static bool qp_attr_in_range(const struct ibv_qp_attr *attr, unsigned mask,
			     const struct sd_port_limits *limits)
{
	if ((mask & IBV_QP_PORT) &&
	    (attr->port_num < 1 || attr->port_num > limits->ports))
		return false;
	if ((mask & IBV_QP_PKEY_INDEX) &&
	    attr->pkey_index >= limits->pkey_entries)
		return false;
	if ((mask & IBV_QP_PATH_MTU) &&
	    (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > limits->mtu_max))
		return false;
	if ((mask & IBV_QP_TIMEOUT) && attr->timeout > 31)
		return false;
	if ((mask & IBV_QP_RETRY_CNT) && attr->retry_cnt > 7)
		return false;
	if ((mask & IBV_QP_RNR_RETRY) && attr->rnr_retry > 7)
		return false;
	if ((mask & IBV_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31)
		return false;
	if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) &&
	    attr->max_rd_atomic > limits->rd_atomic_max)
		return false;
	if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) &&
	    attr->max_dest_rd_atomic > limits->rd_atomic_max)
		return false;
	/* There is no alternate path on an Ethernet port. */
	return !(mask & (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE));
}

static int qp_judge(const struct sd_qp *qp, const struct ibv_qp_attr *attr,
		    unsigned mask, const struct sd_port_limits *limits,
		    enum ibv_qp_state *to)
{
	enum ibv_qp_state from;
	unsigned port = mask & IBV_QP_PORT ? attr->port_num : qp->attr.port_num;
	const unsigned access_known =
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		IBV_ACCESS_MW_BIND;

	if (qp_current(qp, attr, mask, &from))
		return -EINVAL;
	*to = mask & IBV_QP_STATE ? attr->qp_state : from;
	if (qp_state_check(qp->type, from, *to, mask) ||
	    MUTANT_ACTS(D30, from == IBV_QPS_RTS && *to == IBV_QPS_RTS))
		return -EINVAL;
	if (!qp_attr_in_range(attr, mask, limits))
		return -EINVAL;
	if ((mask & IBV_QP_ACCESS_FLAGS) &&
	    (attr->qp_access_flags & ~access_known))
		return -EINVAL;
	if ((mask & IBV_QP_AV) && !qp_av_ok(&attr->ah_attr, port, limits))
		return -EINVAL;
	return 0;
}

/* Copy what @mask names; the PSNs and timers then go where they work. */
static void qp_attr_store(struct sd_qp *qp, const struct ibv_qp_attr *attr,
			  unsigned mask)
{
#define QP_STORE(bit, field)                          \
	do {                                          \
		if (mask & (bit))                     \
			qp->attr.field = attr->field; \
	} while (0)
	QP_STORE(IBV_QP_PORT, port_num);
	QP_STORE(IBV_QP_PKEY_INDEX, pkey_index);
	QP_STORE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	QP_STORE(IBV_QP_QKEY, qkey);
	QP_STORE(IBV_QP_AV, ah_attr);
	QP_STORE(IBV_QP_DEST_QPN, dest_qp_num);
	QP_STORE(IBV_QP_PATH_MTU, path_mtu);
	QP_STORE(IBV_QP_RQ_PSN, rq_psn);
	QP_STORE(IBV_QP_SQ_PSN, sq_psn);
	QP_STORE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	QP_STORE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	QP_STORE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	QP_STORE(IBV_QP_TIMEOUT, timeout);
	QP_STORE(IBV_QP_RETRY_CNT, retry_cnt);
	QP_STORE(IBV_QP_RNR_RETRY, rnr_retry);
	QP_STORE(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
#undef QP_STORE
}

static void qp_attr_apply(struct sd_qp *qp, unsigned mask)
{
	struct sd_requester *req = &qp->req;

	if (mask & IBV_QP_DEST_QPN)
		qp->attr.dest_qp_num &= 0xffffff;
	if (mask & IBV_QP_PATH_MTU)
		qp->mtu_bytes = 128u << qp->attr.path_mtu;
	if (mask & IBV_QP_RQ_PSN) {
		qp->attr.rq_psn &= PSN_MASK;
		if (!MUTANT_ACTS(M33, qp->mutants.stale))
			qp->resp.expected = psn_make(qp->attr.rq_psn);
	}
	if (mask & IBV_QP_SQ_PSN) {
		qp->attr.sq_psn &= PSN_MASK;
		req->unacked = req->next = req->sent = req->fresh =
			psn_make(qp->attr.sq_psn);
	}
	if (mask & IBV_QP_TIMEOUT)
		qp->timeout_ns = retry_ack_timeout_ns(
			MUTANT_ACTS(D67, qp->attr.timeout == 0) ? 14
			: MUTANT_ACTS(D25, qp->attr.timeout > 8 &&
						   qp->attr.timeout != 14)
				? 8
				: qp->attr.timeout);
	if (mask & (IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY))
		retry_renew(qp);
}

/* M32: what the engines use stays.  True: the timeout too. */
static bool qp_attr_keep(struct sd_qp *qp, enum ibv_qp_state to)
{
	struct sd_qp_mutants *m = &qp->mutants;

	if (qp->state != IBV_QPS_RTS || to != IBV_QPS_RTS)
		return false;
	if (m->kept)
		return true;
	m->kept = true;
	m->min_rnr_timer = qp->attr.min_rnr_timer;
	m->access = qp->attr.qp_access_flags;
	return true;
}

/* D84, D90: what is queried is not what is used. */
static MUTANT_COLD void qp_attr_keep_old(struct sd_qp *qp, unsigned mask)
{
	struct sd_qp_mutants *m = &qp->mutants;

	if (MUTANT_ON(D84) && (mask & IBV_QP_QKEY) &&
	    qp->state == IBV_QPS_RTS && !m->qkey_kept) {
		m->qkey_kept = true;
		m->qkey = qp->attr.qkey;
	}
	if (MUTANT_ON(D90) && (mask & IBV_QP_ACCESS_FLAGS) &&
	    qp->state == IBV_QPS_SQD && !m->access_kept) {
		m->access_kept = true;
		m->access = qp->attr.qp_access_flags;
	}
}

int qp_state_modify(struct sd_qp *qp, const struct ibv_qp_attr *attr,
		    unsigned mask, const struct sd_port_limits *limits)
{
	unsigned applied = mask;
	enum ibv_qp_state to;

	if (qp_judge(qp, attr, mask, limits, &to))
		return -EINVAL;
	if (to == IBV_QPS_RESET) {
		qp_reset(qp);
		return 0;
	}
	if (to == IBV_QPS_ERR) {
		qp_enter_error(qp);
		return 0;
	}
	if (mask & IBV_QP_EN_SQD_ASYNC_NOTIFY || to != IBV_QPS_SQD)
		qp->drained_told = false;
	if (MUTANT_ON(M32) && qp_attr_keep(qp, to) &&
	    MUTANT_ACTS(M32, mask & IBV_QP_TIMEOUT))
		applied &= ~(unsigned)IBV_QP_TIMEOUT;
	if (MUTANT_ANY())
		qp_attr_keep_old(qp, mask);
	qp_attr_store(qp, attr, mask);
	qp_attr_apply(qp, applied);
	/* Datagrams have no path MTU of their own: the port's is theirs. */
	if (qp->type == IBV_QPT_UD)
		qp->mtu_bytes = 128u << limits->mtu_max;
	qp->state = to;
	qp_state_check_drained(qp);
	qp->host->ops->wake(qp->host, qp);
	return 0;
}

/* Begun entries are what the cursor or an acknowledgement has still to pass. */
static bool qp_draining(const struct sd_qp *qp)
{
	return qp->sq.count > 0 && qp->sq_wqe[ring_at(&qp->sq, 0)].begun;
}

void qp_state_query(const struct sd_qp *qp, struct ibv_qp_attr *attr)
{
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->path_mig_state = IBV_MIG_MIGRATED;
	attr->cap = qp->cap;
	attr->sq_draining = qp->state == IBV_QPS_SQD && qp_draining(qp);
	if (MUTANT_ACTS(D31, qp->state >= IBV_QPS_INIT))
		attr->port_num = 0;
	if (MUTANT_ACTS(D28, attr->dest_qp_num > 0xff))
		attr->dest_qp_num &= 0xff;
	if (MUTANT_ACTS(D29,
			qp->type != IBV_QPT_UD && qp->state >= IBV_QPS_RTR))
		attr->ah_attr.grh.dgid = (union ibv_gid){ 0 };
	if (MUTANT_ACTS(R07,
			qp->type == IBV_QPT_RC && qp->state >= IBV_QPS_RTS)) {
		attr->retry_cnt = qp->req.retry_left;
		attr->rnr_retry = qp->req.rnr_left;
		attr->timeout = (uint8_t)(qp->timeout_ns / 1000000);
	}
}

void qp_state_check_drained(struct sd_qp *qp)
{
	if (qp->state != IBV_QPS_SQD || qp->drained_told ||
	    (qp_draining(qp) && !MUTANT_ACTS(D56, true)))
		return;
	qp->drained_told = true;
	if (qp->attr.en_sqd_async_notify)
		qp->host->ops->event(qp->host, qp, IBV_EVENT_SQ_DRAINED);
}
