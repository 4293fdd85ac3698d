/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The states of a connection id, and what each of them lets happen: commands
 * of the program, and messages of the peer.
 */
#ifndef DEVICE_CM_STATE_H
#define DEVICE_CM_STATE_H

#include <stdbool.h>

/* CM_STATE(name, text) */
#define CM_STATES(CM_STATE)                                            \
	CM_STATE(IDLE, "no address")                                   \
	CM_STATE(BOUND, "has a local address")                         \
	CM_STATE(LISTENING, "takes requests")                          \
	CM_STATE(ADDRESSED, "has a local address and one of the peer") \
	CM_STATE(ROUTED, "may connect")                                \
	CM_STATE(ASKING, "has sent REQ")                               \
	CM_STATE(ANSWERED, "has REP, owes RTU")                        \
	CM_STATE(ASKED, "has REQ, owes REP or REJ")                    \
	CM_STATE(ANSWERING, "has sent REP")                            \
	CM_STATE(ESTABLISHED, "connected")                             \
	CM_STATE(LEAVING, "has sent DREQ")                             \
	CM_STATE(OVER, "was connected, refused or answered")

enum cm_state {
#define CM_STATE_ENUM(name, text) CM_STATE_##name,
	CM_STATES(CM_STATE_ENUM)
#undef CM_STATE_ENUM
		CM_STATE_COUNT
};

enum cm_act {
	/* of the program */
	CM_ACT_BIND,
	CM_ACT_LISTEN,
	CM_ACT_RESOLVE_ADDRESS,
	CM_ACT_RESOLVE_ROUTE,
	CM_ACT_CONNECT,
	CM_ACT_ACCEPT,	/* with parameters: REP */
	CM_ACT_CONFIRM, /* without: RTU */
	CM_ACT_REJECT,
	CM_ACT_DISCONNECT,
	/* of the peer */
	CM_ACT_REP,
	CM_ACT_RTU,
	CM_ACT_REJ,
	CM_ACT_DREQ,
	CM_ACT_DREP,
	CM_ACT_GONE, /* without a word */
	CM_ACT_COUNT
};

/* Whether @act may happen in @state, and then the state that follows. */
bool cm_state_step(enum cm_state state, enum cm_act act, enum cm_state *next);

#endif
