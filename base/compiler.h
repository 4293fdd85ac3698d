/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes and arithmetic that every module may use. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stddef.h>

#define MUST_USE	  __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define NO_RETURN	  __attribute__((noreturn))
#define UNUSED		  __attribute__((unused))
/* Of what ThreadSanitizer has no shadow of: code. */
#define NO_TSAN __attribute__((no_sanitize("thread")))
/* The few symbols a shared library of ours shows to the world. */
#define EXPORTED    __attribute__((visibility("default")))
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr)-offsetof(type, member)))

#endif
