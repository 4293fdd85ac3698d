// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of refusal.def, and the masks of the table of states. */
#include "suite/oracle/refusal.h"

#include "base/verbs_names.h"
#include "suite/oracle/model.h"

static bool refusal_value(const struct ibv_qp_attr *a, unsigned mask,
			  const struct refusal_limits *l, struct strbuf *out)
{
#define REFUSAL_ROW(bit, name, value, impossible, limit, text) \
	if ((mask & (bit)) && (impossible)) {                  \
		strbuf_addf(out, "; " name " %llu: " text,     \
			    (unsigned long long)(value),       \
			    (unsigned long long)(limit));      \
		return true;                                   \
	}
#include "suite/oracle/refusal.def"
#undef REFUSAL_ROW
	return false;
}

void refusal_explain(enum ibv_qp_type type, enum ibv_qp_state from,
		     const struct ibv_qp_attr *attr, unsigned mask,
		     const struct refusal_limits *limits, struct strbuf *out)
{
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	struct model_transition m;

	model_modify(type, from, attr, mask, &m);
	if (!m.legal) {
		strbuf_addf(out, "; no queue pair goes from %s to %s",
			    verbs_qp_state_name(from), verbs_qp_state_name(to));
		return;
	}
	if (m.missing) {
		strbuf_add(out, "; missing: ");
		model_mask_print(m.missing, out);
		return;
	}
	if (refusal_value(attr, mask, limits, out) || !m.foreign)
		return;
	strbuf_add(out, "; not taken there: ");
	model_mask_print(m.foreign, out);
}
