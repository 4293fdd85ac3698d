/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Diagnostics for people, on stderr, one line each: "NAME: text".  A level
 * is defined by volume: error, a line when something is given up; warn, a
 * line for something odd that goes on; info, a line a phase; debug, a line an
 * object; never a line a message.  Text: lower case, no full stop, the object
 * and its value first.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/compiler.h"

enum log_level { LOG_NONE, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* @name goes before each line; a literal.  The default: LOG_WARN, no name. */
void log_setup(const char *name, enum log_level level);
enum log_level log_level(void);
/* 0 and *@level set, or -EINVAL for a word that is none of
 * none, error, warn, info, debug. */
int log_level_parse(const char *word, enum log_level *level) MUST_USE;

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)

#endif
