// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The model's table of states, as cases may ask for it. */
#include "verbatim/model.h"

#include "base/verbs_names.h"
#include "suite/oracle/model.h"

struct vb_transition vb_transition(enum ibv_qp_type type,
				   enum ibv_qp_state from, enum ibv_qp_state to)
{
	const unsigned state = IBV_QP_STATE;
	struct model_transition m;

	model_transition(type, from, to, state, &m);
	return (struct vb_transition){
		.legal = m.legal,
		.required = m.required & ~state,
		.optional = m.optional,
		.foreign = model_mask_all() &
			   ~(m.required | m.optional | state),
	};
}

bool vb_may_post_send(enum ibv_qp_state state)
{
	return model_may_post_send(state);
}

bool vb_may_post_recv(enum ibv_qp_state state)
{
	return model_may_post_recv(state);
}

const char *vb_state_name(enum ibv_qp_state state)
{
	return verbs_qp_state_name(state);
}
