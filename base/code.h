/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changing a program's own code while it runs.  Sources: mprotect(2),
 * membarrier(2).
 */
#ifndef BASE_CODE_H
#define BASE_CODE_H

#include <stdint.h>

#include "base/compiler.h"

/* May the code at @at be changed in this process: 0, or -errno of mprotect(2),
 * which a security policy may refuse. */
int code_check(const void *at) MUST_USE;
/* One store, of eight bytes that are aligned; -errno as above. */
int code_write(uint64_t *word, uint64_t value) MUST_USE;
/* After the last write: other threads fetch anew what they have fetched ahead.
 * Where the kernel cannot make them, it is left to time. */
void code_settle(void);

#endif
