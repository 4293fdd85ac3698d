/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The coverage of the rules: each is checked by some case, excused in
 * rules/uncovered.tsv with a reason, or open.
 */
#ifndef SUITE_CLI_LIST_RULES_H
#define SUITE_CLI_LIST_RULES_H

#include <jansson.h>

#include "base/compiler.h"
#include "suite/runner/select.h"

void list_rules(const struct selection *s);
json_t *list_rules_json(const struct selection *s) MUST_USE;
/*
 * What the tables and the cases say of one another must hold: cases name rules
 * that there are, excuses are for rules that there are and that no case
 * checks.  0, or -EINVAL and a line for each that does not.
 */
int list_rules_check(const struct selection *s) MUST_USE;

#endif
