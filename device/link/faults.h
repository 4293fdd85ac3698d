/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fault rules: what shall happen to packets on their way, whatever link they
 * take.  The grammar, as in SOFT_FAULTS and softdv_fault_add():
 *
 *	rules    = rule { ";" rule }
 *	rule     = action [ ":" setting { "," setting } ]
 *	action   = "drop" | "duplicate" | "delay" | "reorder" | "corrupt"
 *
 *	dir=tx|rx|any	leaving (the default), coming in, or both
 *	qp=N		of our own queue pair N
 *	op=WORD		an opcode (RC_SEND_ONLY) or a kind: request, response,
 *			ack, nak, rnr, send, write, read, atomic
 *	psn=N or N-M	with that PSN, or one of that range, which may wrap
 *	nth=N		only the N-th packet that all the above fit
 *	rate=R		each with that probability, 0 to 1; not with nth
 *	seed=N		for rate and for the bit that is turned
 *	count=N		at most so many times
 *	us=N		microseconds: how long to delay; how long to wait at the
 *			most for packets to be overtaken by (reorder, 1000)
 *	by=N		reorder: let so many of the queue pair pass (1)
 *
 * Every rule counts each packet that it fits; the first of them that would act
 * does, and the others let the packet be.  Nothing here knows the time or
 * draws lots of its own: both come in by parameter.
 */
#ifndef DEVICE_LINK_FAULTS_H
#define DEVICE_LINK_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/link/link.h"

enum {
	FAULTS_RULES_MAX = 64,
	/* Packets held back at the same time; more than that pass unharmed. */
	FAULTS_HELD_MAX = 1024,
};

enum faults_way { FAULTS_TX, FAULTS_RX };

/* What the caller does with the packet that was judged. */
enum faults_fate {
	FAULTS_PASSES,	/* goes on; perhaps with @turn set, see link.h */
	FAULTS_IS_GONE, /* is lost, or comes out of faults_take() later */
};

struct faults;

/* @seed is for rules that have none of their own.  0 or -ENOMEM. */
int faults_open(uint64_t seed, struct faults **out) MUST_USE;
void faults_close(struct faults *f);

/*
 * Add all rules of @text, or none: -EINVAL with a line for people in *@error
 * (to be freed), which quotes the word and says what is expected; -ENOSPC,
 * with a line too, when there would be too many.
 */
int faults_add(struct faults *f, const char *text, char **error) MUST_USE;
/* Are these rules?  NULL, or the line about what is wrong, to be freed. */
char *faults_check(const char *text) MUST_USE;
/* Forget all rules; what they hold back is due at once. */
void faults_clear(struct faults *f);
/* The @index-th rule, as it was written, valid until faults_clear(); how many
 * packets it fitted and how often it acted.  -ENOENT behind the last. */
int faults_rule(const struct faults *f, unsigned index, const char **text,
		uint64_t *matches, uint64_t *hits) MUST_USE;
/* False: there are no rules and nothing is held back; judging is for nought. */
bool faults_active(const struct faults *f);

/* @qpn is our own queue pair that sends, or shall get, @p. */
enum faults_fate faults_judge(struct faults *f, enum faults_way way,
			      uint32_t qpn, struct link_packet *p,
			      uint64_t now_ns) MUST_USE;

/*
 * A packet that was held back, or is a duplicate, and whose time has come.  It
 * is not judged again.  Valid until the next call; NULL: none is due.
 */
struct link_packet *faults_take(struct faults *f, enum faults_way way,
				uint64_t now_ns);
/* When faults_take() should be asked again; 0: it holds nothing. */
uint64_t faults_next_ns(const struct faults *f);

#endif
