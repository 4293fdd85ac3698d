// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An entry of the ledger for people. */
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
