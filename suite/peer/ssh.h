/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A peer through ssh: "ssh HOST verbatim serve --stdio", and a process of ours
 * that holds its pipes and carries any number of connections over them.
 */
#ifndef SUITE_PEER_SSH_H
#define SUITE_PEER_SSH_H

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/peer/address.h"
#include "verbatim/options.h"

struct ssh;

/* @address: in, the host; out, the socket that leads there. */
int ssh_open(const struct vb_options *options, struct address *address,
	     struct ssh **out, struct strbuf *error) MUST_USE;
/* Nothing came of it: what may be the cause, behind what is in @error. */
void ssh_explain(struct ssh *s, struct strbuf *error);
void ssh_close(struct ssh *s);

#endif
