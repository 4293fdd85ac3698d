// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calling the peer, and holding both hosts' facts against each other. */
#include "suite/cli/peer.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "suite/cli/command.h"
#include "suite/peer/facts.h"

static void peer_warn(const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		log_warn("the two hosts differ: %.*s", (int)len, lines);
		lines += len + (lines[len] != '\0');
	}
}

/* Both hosts' facts: do they fit together?  What is left to us follows. */
static int peer_fit(struct vb_options *o, struct target *target,
		    struct run_peer *peer, bool mtu_given)
{
	struct strbuf warnings = STRBUF_INIT, error = STRBUF_INIT;
	uint32_t mtu = peer_facts_mtu(peer->there, target);
	int err;

	peer->here = peer_facts_make(target);
	err = peer_facts_compare(peer->here, peer->there, &warnings, &error);
	if (!err && mtu < target->mtu && mtu_given) {
		strbuf_addf(&error,
			    "MTU: --mtu %u, and the peer's active one "
			    "is %u",
			    target->mtu, mtu);
		err = -EINVAL;
	}
	if (!err) {
		o->mtu = target->mtu = mtu;
		peer_facts_lacks(peer->there, target);
		peer_warn(strbuf_text(&warnings));
	} else {
		log_error("%s", strbuf_text(&error));
	}
	strbuf_free(&warnings);
	strbuf_free(&error);
	return err ? EXIT_ABSENT : EXIT_FINE;
}

int peer_find(struct vb_options *o, struct target *target, bool mtu_given,
	      struct peer **out)
{
	struct strbuf error = STRBUF_INIT;
	int err;

	*out = NULL;
	if (!o->peer)
		return EXIT_FINE;
	err = peer_open(o, out, &error);
	if (err) {
		log_error("%s", strbuf_text(&error));
		strbuf_free(&error);
		return err == -EINVAL ? EXIT_USAGE : EXIT_ABSENT;
	}
	return peer_fit(o, target, peer_run(*out), mtu_given);
}
