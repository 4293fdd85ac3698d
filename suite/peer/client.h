/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The run's side of a run over two hosts: its session with the peer. */
#ifndef SUITE_PEER_CLIENT_H
#define SUITE_PEER_CLIENT_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/runner/run.h"
#include "suite/runner/target.h"
#include "verbatim/options.h"

struct peer;

/* The session with the server at --peer.  0, or a negative errno and @error:
 * -EINVAL when the options cannot be. */
int peer_open(const struct vb_options *options, struct peer **out,
	      struct strbuf *error) MUST_USE;
void peer_close(struct peer *p);
/* What a run needs of it; its `here` is to be set to this host's facts. */
struct run_peer *peer_run(struct peer *p);

#endif
