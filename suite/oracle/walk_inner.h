/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The model's inside, shared by its two files. */
#ifndef SUITE_ORACLE_WALK_INNER_H
#define SUITE_ORACLE_WALK_INNER_H

#include "suite/oracle/walk_model.h"

/* As walk_statuses(), of the receive. */
uint32_t walk_statuses_there(const char *id);
/* The message that @w is, or its receive, cannot succeed for the other. */
bool walk_meets_badly(const struct walk_post *w);
/* It may have come to be in ERR, but for what its peer has asked of it. */
bool walk_fails_alone(const struct walk_pair *p, unsigned side);

#endif
