// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The seeded drifts: each grows with every second that the end runs. */
#include "suite/bench/traffic_drift.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "suite/bench/traffic_inner.h"

enum {
	/* More of a pause behind each poll, every second. */
	DRIFT_DELAY_STEP_NS = 5000,
	DRIFT_LEAK_BYTES = 1 << 20,
	DRIFT_STALL_FROM = 2, /* seconds */
	DRIFT_STALL_TO = 8,
};

uint32_t traffic_drift_chosen(void)
{
	static const char *const words[TRAFFIC_DRIFTS] = {
		[TRAFFIC_DRIFT_NONE] = "none",
		[TRAFFIC_DRIFT_SLOW_POLL] = "slow-poll",
		[TRAFFIC_DRIFT_LEAK] = "leak",
		[TRAFFIC_DRIFT_FD_LEAK] = "fd-leak",
		[TRAFFIC_DRIFT_STALL] = "stall",
	};
	const char *word = getenv("VERBATIM_TEST_DRIFT");

	for (uint32_t i = 0; word && i < TRAFFIC_DRIFTS; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return TRAFFIC_DRIFT_NONE;
}

void traffic_drift_look(struct traffic_end *e)
{
	void *leak;

	if (e->end != 1)
		return;
	switch (e->p->drift) {
	case TRAFFIC_DRIFT_SLOW_POLL:
		e->poll_delay_ns += e->poll_delay_ns / 2 + DRIFT_DELAY_STEP_NS;
		break;
	case TRAFFIC_DRIFT_LEAK:
		leak = malloc(DRIFT_LEAK_BYTES);
		if (leak)
			pattern_poison(leak, DRIFT_LEAK_BYTES);
		break;
	case TRAFFIC_DRIFT_FD_LEAK:
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			abort();
		break;
	default:
		break;
	}
}

void traffic_drift_step(struct traffic_end *e, int got)
{
	uint64_t until_ns = e->now_ns + e->poll_delay_ns;

	if (e->poll_delay_ns == 0 || got == 0)
		return;
	while (e->now_ns < until_ns)
		e->now_ns = clock_now_ns();
}

bool traffic_drift_stalls(const struct traffic_end *e)
{
	uint64_t since_ns = e->now_ns - e->live->started_ns;

	return e->p->drift == TRAFFIC_DRIFT_STALL && e->end == 0 &&
	       !e->ending && since_ns > DRIFT_STALL_FROM * NS_PER_S &&
	       since_ns < DRIFT_STALL_TO * NS_PER_S;
}
