// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Set up again whenever a device is opened, which any thread may do. */
static const char *_Atomic log_name;
static _Atomic enum log_level log_threshold = LOG_WARN;

void log_setup(const char *name, enum log_level level)
{
	log_name = name;
	log_threshold = level;
}

enum log_level log_level(void)
{
	return log_threshold;
}

int log_level_parse(const char *word, enum log_level *level)
{
	static const char *const words[] = {
		[LOG_NONE] = "none", [LOG_ERROR] = "error", [LOG_WARN] = "warn",
		[LOG_INFO] = "info", [LOG_DEBUG] = "debug",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i])) {
			*level = (enum log_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* One write per line, so that lines of several processes do not mix; errno
 * is kept, for callers that log on their way out. */
void log_line(enum log_level level, const char *format, ...)
{
	const char *name = log_name;
	int saved_errno = errno;
	char line[1024];
	int len = 0;
	va_list args;

	if (level > log_threshold)
		return;
	if (name)
		len = snprintf(line, sizeof(line), "%s: ", name);
	va_start(args, format);
	vsnprintf(line + len, sizeof(line) - (size_t)len, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", line);
	errno = saved_errno;
}
