/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests that fork, and let the new process begin threads of its own. */
#ifndef TESTS_UNIT_FRONT_FORKING_H
#define TESTS_UNIT_FRONT_FORKING_H

#include <stdbool.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FORKING_UNDER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FORKING_UNDER_TSAN 1
#endif

/* ThreadSanitizer takes that for an error: "not supported". */
static inline bool forking_is_possible(void)
{
#ifdef FORKING_UNDER_TSAN
	return false;
#else
	return true;
#endif
}

#endif
