// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the timer codes of a connection mean; the RNR timer's are a table, of
 * which code 0 is the longest. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "verbatim/expect.h"

static const struct {
	const char *code, *rnr_ms, *ack, *ack_us;
} timers_rows[] = {
#include "rules/timers.inc"
};

uint64_t vb_rnr_timer_ns(uint8_t code)
{
	/* Five bits count; the table has all of them. */
	const char *ms = timers_rows[code & 31].rnr_ms;

	_Static_assert(ARRAY_SIZE(timers_rows) == 32, "a row a code");
	return (uint64_t)(strtod(ms, NULL) * (double)NS_PER_MS + 0.5);
}

uint64_t vb_ack_timeout_ns(uint8_t code)
{
	return code & 31 ? UINT64_C(4096) << (code & 31) : UINT64_MAX;
}

uint64_t vb_now_ns(void)
{
	return clock_now_ns();
}
