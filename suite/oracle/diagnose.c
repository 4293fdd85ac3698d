// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Matching the facts with the rows of diagnose.def. */
#include "suite/oracle/diagnose.h"

#include <string.h>

#include "base/verbs_names.h"

enum diagnose_fact_index {
#define DIAGNOSE_FACT(name, condition) DIAGNOSE_INDEX_##name,
#include "suite/oracle/diagnose.def"
	DIAGNOSE_FACTS
};

/* The bits, under the short names that the rows use. */
static const uint64_t
#define DIAGNOSE_FACT(name, condition) \
	name = UINT64_C(1) << DIAGNOSE_INDEX_##name,
#include "suite/oracle/diagnose.def"
	DIAGNOSE_END UNUSED = 0;

_Static_assert(DIAGNOSE_FACTS <= 64, "facts fit a word");

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

static uint64_t diagnose_facts(const struct diagnose_facts *f)
{
	const struct diagnose_end *a = &f->a;
	const struct diagnose_end *b = &f->b;
	uint64_t facts = 0;

#define DIAGNOSE_FACT(name, condition) \
	if (condition)                 \
		facts |= name;
#include "suite/oracle/diagnose.def"
	return facts;
}

void diagnose(const struct diagnose_facts *facts, struct diagnosis *d)
{
	uint64_t have = diagnose_facts(facts);

#define DIAGNOSE_ROW(name, needs, fault, why, what)              \
	if ((have & (uint64_t)(needs)) == (uint64_t)(needs)) {   \
		*d = (struct diagnosis){ .id = name,             \
					 .cause = why,           \
					 .step = what,           \
					 .application = fault }; \
		return;                                          \
	}
#include "suite/oracle/diagnose.def"
}

void diagnose_print(const struct diagnosis *d, struct strbuf *out)
{
	strbuf_addf(out, "likely cause: %s (%s); next: %s", d->cause,
		    d->application ? "more often the application's fault"
				   : "points at the device",
		    d->step);
}
