/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the system says of a process; source: proc(5). */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

/* Resident memory in bytes; -errno, or -ENODATA when nothing is said. */
int process_resident(pid_t pid, uint64_t *bytes) MUST_USE;
/* How many it has now, the look itself left out; 0 when nothing is said. */
uint64_t process_descriptors(pid_t pid);
uint64_t process_threads(pid_t pid);
/* By a signal (SIGSTOP) or a debugger. */
bool process_stopped(pid_t pid);

enum { PROCESS_DEATH_MAX = 96 };
/* How it ended, of a status of waitpid(2), as @text: "died by SIGSEGV
 * (Segmentation fault)" or "ended with status 3". */
const char *process_death(int status, char text[PROCESS_DEATH_MAX]);

#endif
