/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The other host of a command that takes --peer. */
#ifndef SUITE_CLI_PEER_H
#define SUITE_CLI_PEER_H

#include <stdbool.h>

#include "base/compiler.h"
#include "suite/peer/client.h"
#include "suite/runner/target.h"
#include "verbatim/options.h"

/*
 * A session with the server at --peer, whose device fits @target; the MTU of
 * both is in @o and @target afterwards.  EXIT_FINE, or the exit status of a
 * command that has said why not; *@out is to be closed in any case, unless it
 * is NULL: no peer was asked for.
 */
int peer_find(struct vb_options *o, struct target *target, bool mtu_given,
	      struct peer **out) MUST_USE;

#endif
