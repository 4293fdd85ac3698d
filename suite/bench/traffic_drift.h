/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults of our own in a soak (enum traffic_drift): so that it is seen that the
 * limits on drift find them.  VERBATIM_TEST_DRIFT chooses one.
 */
#ifndef SUITE_BENCH_TRAFFIC_DRIFT_H
#define SUITE_BENCH_TRAFFIC_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

struct traffic_end;

/* Once a second; after each poll, which brought @got; may it send? */
void traffic_drift_look(struct traffic_end *e);
void traffic_drift_step(struct traffic_end *e, int got);
bool traffic_drift_stalls(const struct traffic_end *e);
/* The word of VERBATIM_TEST_DRIFT as enum traffic_drift; none without one. */
uint32_t traffic_drift_chosen(void);

#endif
