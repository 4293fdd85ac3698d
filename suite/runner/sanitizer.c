// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In a build with sanitizers a report ends the process by SIGABRT: the runner
 * then sees a crash, as it would without them, and not an odd exit status.
 */
#include "base/compiler.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER_BUILD 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER_BUILD 1
#endif

#ifdef SANITIZER_BUILD
/* The runtimes ask for their defaults by these names. */
EXPORTED const char *__asan_default_options(void);
EXPORTED const char *__tsan_default_options(void);
EXPORTED const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return "abort_on_error=1";
}

const char *__tsan_default_options(void)
{
	return "abort_on_error=1:halt_on_error=1";
}

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}
#endif
