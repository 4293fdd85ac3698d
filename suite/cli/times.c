// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parsing and printing lengths of time. */
#include "suite/cli/times.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static const struct {
	const char *name;
	uint64_t ns;
} times_units[] = {
	{ "h", 3600 * NS_PER_S }, { "m", 60 * NS_PER_S }, { "s", NS_PER_S },
	{ "ms", NS_PER_MS },	  { "us", NS_PER_US },
};

int times_parse(const char *text, const char *where, uint64_t *ns,
		struct strbuf *error)
{
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; i < ARRAY_SIZE(times_units); i++) {
		double value = number * (double)times_units[i].ns;

		if (strcmp(end, times_units[i].name) != 0 ||
		    !isdigit((unsigned char)text[0]))
			continue;
		if (!(value >= 1 && value <= (double)TIMES_NS_MAX)) {
			strbuf_addf(error,
				    "%s '%s': must be more than nothing, and "
				    "at most 672h",
				    where, text);
			return -EINVAL;
		}
		*ns = (uint64_t)value;
		return 0;
	}
	strbuf_addf(error,
		    "%s '%s': not a time; a time is a number and ms, s, m or h",
		    where, text);
	return -EINVAL;
}

void times_text(uint64_t ns, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(times_units); i++) {
		if (ns % times_units[i].ns == 0 && ns > 0) {
			strbuf_addf(out, "%" PRIu64 "%s",
				    ns / times_units[i].ns,
				    times_units[i].name);
			return;
		}
	}
	strbuf_addf(out, "%" PRIu64 "us", (uint64_t)(ns / NS_PER_US));
}
