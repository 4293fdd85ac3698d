// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every row of findings.def through its judge. */
#include "suite/check/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *why;
	void (*judge)(const struct check_facts *f, struct check_finding *out);
} check_rows[] = {
#define CHECK_FINDING(name, word, why) { word, why, judge_##name },
#include "suite/check/findings.def"
#undef CHECK_FINDING
};

void check_judge(const struct check_facts *facts,
		 struct check_finding out[CHECK_FINDINGS])
{
	for (unsigned i = 0; i < CHECK_FINDINGS; i++) {
		out[i] = (struct check_finding){ .name = check_rows[i].name,
						 .why = check_rows[i].why };
		check_rows[i].judge(facts, &out[i]);
	}
}

void check_say(struct check_finding *out, enum check_level level,
	       const char *step, const char *format, ...)
{
	va_list args;

	out->level = level;
	snprintf(out->step, sizeof(out->step), "%s", step ? step : "");
	va_start(args, format);
	vsnprintf(out->value, sizeof(out->value), format, args);
	va_end(args);
}

enum check_level
check_worst(const struct check_finding findings[CHECK_FINDINGS])
{
	enum check_level worst = CHECK_OK;

	for (unsigned i = 0; i < CHECK_FINDINGS; i++)
		if (findings[i].level > worst)
			worst = findings[i].level;
	return worst;
}

const char *check_level_name(enum check_level level)
{
	switch (level) {
	case CHECK_OK:
		return "ok";
	case CHECK_WARN:
		return "warn";
	case CHECK_BAD:
		return "bad";
	}
	return "?";
}

static const char *const check_counters[] = {
#define CHECK_COUNTER(name) #name,
#include "suite/check/counters.def"
#undef CHECK_COUNTER
};

bool check_counter_is_error(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(check_counters); i++)
		if (strcmp(check_counters[i], name) == 0)
			return true;
	return false;
}
