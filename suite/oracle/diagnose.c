// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Matching the facts with the rows of diagnose.def. */
#include "suite/oracle/diagnose.h"

#include <stdio.h>
#include <string.h>

#include "base/verbs_names.h"

enum diagnose_fact_index {
#define DIAGNOSE_FACT(name, condition, ...) DIAGNOSE_INDEX_##name,
#include "suite/oracle/diagnose.def"
	DIAGNOSE_FACTS
};

/* Facts as bits. */
typedef unsigned __int128 diagnose_set;

static const diagnose_set
#define DIAGNOSE_FACT(name, condition, ...) \
	name = (diagnose_set)1 << DIAGNOSE_INDEX_##name,
#include "suite/oracle/diagnose.def"
	DIAGNOSE_END UNUSED = 0;

_Static_assert(DIAGNOSE_FACTS <= 128, "facts fit a set");

static bool diagnose_saw(const struct diagnose_end *end,
			 enum ibv_wc_status status)
{
	return end->statuses & VERBS_STATUS_BIT(status);
}

/* Does the address vector of @from name another GID than that of @to? */
static bool diagnose_misses(const struct diagnose_end *from,
			    const struct diagnose_end *to)
{
	return from->av_known && to->av_known &&
	       memcmp(&from->dgid, &to->gid, sizeof(to->gid)) != 0;
}

static unsigned diagnose_mtu(const struct diagnose_end *end)
{
	return verbs_mtu_bytes(end->mtu);
}

/* What all ACK timeouts before giving up take at least: 4.096 us * 2^code
 * each. */
static uint64_t diagnose_retries_ns(const struct diagnose_end *end)
{
	return (UINT64_C(4096) << (end->timeout & 31)) * end->retry_cnt;
}

static const char *diagnose_errno(int err)
{
	return err ? strerror(err) : "an error";
}

static diagnose_set diagnose_have(const struct diagnose_facts *f)
{
	const struct diagnose_end *a = &f->a;
	const struct diagnose_end *b = &f->b;
	diagnose_set facts = 0;

#define DIAGNOSE_FACT(name, condition, ...) \
	if (condition)                      \
		facts |= name;
#include "suite/oracle/diagnose.def"
	return facts;
}

struct diagnose_search {
	diagnose_set have;
	struct diagnosis *d;
	uint32_t count, room;
	/* Of the rows found: what they stand on. */
	diagnose_set told;
};

/* A row that stands on nothing new says less than those before it. */
static void diagnose_consider(struct diagnose_search *s, diagnose_set needs,
			      struct diagnosis row)
{
	if ((s->have & needs) != needs || s->count == s->room)
		return;
	if (s->count && !(needs & ~s->told))
		return;
	s->told |= needs;
	row.facts[0] = (uint64_t)needs;
	row.facts[1] = (uint64_t)(needs >> 64);
	s->d[s->count++] = row;
}

uint32_t diagnose_ranked(const struct diagnose_facts *facts,
			 struct diagnosis *d, uint32_t room)
{
	struct diagnose_search s = { .have = diagnose_have(facts),
				     .d = d,
				     .room = room };

#define DIAGNOSE_ROW(name, needs, fault, why, what)         \
	diagnose_consider(&s, needs,                        \
			  (struct diagnosis){ .id = name,   \
					      .cause = why, \
					      .step = what, \
					      .application = fault });
#include "suite/oracle/diagnose.def"
	return s.count;
}

void diagnose(const struct diagnose_facts *facts, struct diagnosis *d)
{
	(void)diagnose_ranked(facts, d, 1);
}

/* The facts of @d, with what was seen of each. */
static void diagnose_evidence(const struct diagnose_facts *f,
			      const struct diagnosis *d, struct strbuf *out)
{
	diagnose_set facts = (diagnose_set)d->facts[1] << 64 | d->facts[0];
	const struct diagnose_end *a = &f->a;
	const struct diagnose_end *b = &f->b;
	const char *before = "; seen: ";

#define DIAGNOSE_FACT(name, condition, ...)     \
	if (facts & name) {                     \
		strbuf_addf(out, "%s", before); \
		strbuf_addf(out, __VA_ARGS__);  \
		before = ", ";                  \
	}
#include "suite/oracle/diagnose.def"
}

/* Where no cause is known, nobody's fault is. */
static const char *diagnose_blame(const struct diagnosis *d)
{
	if (!d->facts[0] && !d->facts[1])
		return "";
	return d->application ? ", more often the application's fault"
			      : ", points at the device";
}

void diagnose_print(const struct diagnose_facts *facts,
		    const struct diagnosis *d, uint32_t count,
		    struct strbuf *out)
{
	for (uint32_t i = 0; i < count; i++) {
		strbuf_addf(out, "%s%s (%s%s)",
			    i ? "; or else: " : "likely cause: ", d[i].cause,
			    d[i].id, diagnose_blame(&d[i]));
		diagnose_evidence(facts, &d[i], out);
		if (!i)
			strbuf_addf(out, "; next: %s", d[i].step);
	}
}
