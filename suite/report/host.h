/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One of two hosts: what it says of itself, for people. */
#ifndef SUITE_REPORT_HOST_H
#define SUITE_REPORT_HOST_H

#include <jansson.h>
#include <stdio.h>

/* The host of end @end ("a", "b"), by the facts that it gave. */
void host_print(FILE *out, const char *end, const json_t *facts);

#endif
