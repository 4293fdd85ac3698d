/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time in which the host kept a process waiting for a processor.  A deadline
 * that did not take it into account would judge the host.
 */
#ifndef SUITE_RUNNER_STARVED_H
#define SUITE_RUNNER_STARVED_H

#include <stdint.h>
#include <sys/types.h>

/* How long the first thread of @pid has been ready to run, and was not let,
 * since it was made; 0 where the system does not tell. */
uint64_t starved_ns(pid_t pid);

#endif
