// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ledger for people. */
#include <inttypes.h>

#include "suite/oracle/ledger.h"
#include "suite/oracle/ledger_inner.h"

void ledger_entry_print(const struct ledger_entry *e, struct strbuf *out)
{
	char name[WRID_TEXT_MAX];

	strbuf_addf(out, "%s (", wrid_text(e->wr_id, name));
	if (e->queue->spec.kind == WRID_SQ)
		strbuf_addf(out, "%s, %" PRIu64 " bytes, %s)",
			    verbs_wr_opcode_name(e->opcode), e->len,
			    e->signaled ? "signaled" : "unsignaled");
	else
		strbuf_addf(out, "receive, room %" PRIu64 ")", e->len);
}

static void ledger_queue_print(const struct ledger_queue *q, uint32_t owed_max,
			       struct strbuf *out)
{
	const struct ledger_queue_spec *s = &q->spec;
	const struct ledger_counts *c = &q->counts;
	uint32_t shown = 0;

	strbuf_addf(out,
		    "%c %s%u %s gen %u qp_num 0x%x: posted %" PRIu64
		    ", ok %" PRIu64 ", failed %" PRIu64 ", flushed %" PRIu64
		    ", silent %" PRIu64 ", refused %" PRIu64 ", stale %" PRIu64
		    ", outstanding %" PRIu64 ", owed %" PRIu64 "%s\n",
		    'a' + (int)s->end, s->kind == WRID_SRQ ? "srq" : "qp",
		    s->qp_index, wrid_queue_name(s->kind), s->generation,
		    s->qp_num, c->posted, c->succeeded, c->failed, c->flushed,
		    c->silent, c->refused, c->stale,
		    ledger_queue_outstanding(q), ledger_queue_owed(q),
		    q->failed ? ", in error" : "");
	for (uint64_t seq = q->tail; seq < q->head; seq++) {
		const struct ledger_entry *e = ledger_at(q, seq);

		if (e->state != LEDGER_POSTED)
			continue;
		if (shown++ == owed_max) {
			strbuf_add(out, "    ...\n");
			break;
		}
		strbuf_addf(out, "    %s ",
			    ledger_owes(q, e) ? "owed" : "open");
		ledger_entry_print(e, out);
		strbuf_add(out, "\n");
	}
}

void ledger_print(const struct ledger *l, uint32_t owed_max, struct strbuf *out)
{
	size_t slots = (size_t)WRID_ENDS * WRID_QUEUES * l->qps_max;

	for (size_t i = 0; i < slots; i++)
		if (l->slots[i].open)
			ledger_queue_print(l->slots[i].open, owed_max, out);
}
