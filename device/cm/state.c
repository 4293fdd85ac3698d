// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The states of a connection id: see the header. */
#include "device/cm/state.h"

#include "base/compiler.h"

/* The state that follows, counted from 1; 0: it may not happen. */
static const unsigned char state_next[CM_ACT_COUNT][CM_STATE_COUNT] = {
#define STATE_ROW(act, state, next) \
	[CM_ACT_##act][CM_STATE_##state] = CM_STATE_##next + 1,
	STATE_ROW(BIND, IDLE, BOUND) STATE_ROW(LISTEN, IDLE, LISTENING) STATE_ROW(
		LISTEN, BOUND,
		LISTENING) STATE_ROW(RESOLVE_ADDRESS, IDLE,
				     ADDRESSED) STATE_ROW(RESOLVE_ADDRESS,
							  BOUND, ADDRESSED)
		STATE_ROW(RESOLVE_ROUTE, ADDRESSED, ROUTED) STATE_ROW(
			CONNECT, ROUTED,
			ASKING) STATE_ROW(ACCEPT, ASKED,
					  ANSWERING) STATE_ROW(CONFIRM,
							       ANSWERED,
							       ESTABLISHED)
			STATE_ROW(REJECT, ASKED, OVER) STATE_ROW(
				REJECT, ANSWERED,
				OVER) STATE_ROW(DISCONNECT, ESTABLISHED,
						LEAVING) STATE_ROW(DISCONNECT,
								   LEAVING,
								   LEAVING)
				STATE_ROW(DISCONNECT, OVER, OVER) STATE_ROW(
					REP, ASKING,
					ANSWERED) STATE_ROW(RTU, ANSWERING,
							    ESTABLISHED)
					STATE_ROW(REJ, ASKING, OVER) STATE_ROW(
						REJ, ANSWERING,
						OVER) STATE_ROW(DREQ,
								ESTABLISHED,
								OVER) STATE_ROW(DREQ,
										LEAVING,
										OVER)
						STATE_ROW(DREQ, ANSWERING, OVER) STATE_ROW(
							DREP, LEAVING,
							OVER) STATE_ROW(GONE,
									ASKING,
									OVER)
							STATE_ROW(GONE, ASKED, OVER) STATE_ROW(
								GONE, ANSWERED,
								OVER) STATE_ROW(GONE, ANSWERING, OVER)
								STATE_ROW(
									GONE,
									ESTABLISHED,
									OVER)
									STATE_ROW(
										GONE,
										LEAVING,
										OVER)
#undef STATE_ROW
};

bool cm_state_step(enum cm_state state, enum cm_act act, enum cm_state *next)
{
	unsigned char found = state_next[act][state];

	if (!found)
		return false;
	*next = (enum cm_state)(found - 1);
	return true;
}
