/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What each of the two hosts says of itself and its device, and whether the
 * two fit together.
 */
#ifndef SUITE_PEER_FACTS_H
#define SUITE_PEER_FACTS_H

#include <jansson.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/runner/target.h"

/* Of this host; the device as probed. */
json_t *peer_facts_make(const struct target *t) MUST_USE;

/* Take what the peer's device lacks into @here, each reason with who. */
void peer_facts_lacks(const json_t *facts, struct target *here);
/* The largest path MTU of both; 0: the peer has said none. */
uint32_t peer_facts_mtu(const json_t *there, const struct target *here);

/*
 * What differs: a line each to @warnings.  -EINVAL: they cannot be connected,
 * and @error names what.
 */
int peer_facts_compare(const json_t *here, const json_t *there,
		       struct strbuf *warnings, struct strbuf *error) MUST_USE;

#endif
