// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parsing of message sizes. */
#include "suite/cli/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One size at *@at, which then stands behind it; false: it is none, or above
 * SIZES_BYTES_MAX. */
static bool sizes_parse_one(const char **at, uint32_t *bytes)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	value = strtoull(*at, &end, 10);
	if (errno || value > SIZES_BYTES_MAX)
		return false;
	if (*end == 'K' || *end == 'k') {
		value <<= 10;
		end++;
	} else if (*end == 'M' || *end == 'm') {
		value <<= 20;
		end++;
	}
	if (value > SIZES_BYTES_MAX)
		return false;
	*at = end;
	*bytes = (uint32_t)value;
	return true;
}

static int sizes_refuse(const char *text, const char *where, const char *why,
			struct strbuf *error)
{
	strbuf_addf(error, "%s '%s': %s", where, text, why);
	return -EINVAL;
}

int sizes_parse(const char *text, const char *where, struct vb_sizes *out,
		struct strbuf *error)
{
	struct vb_sizes s = { .kind = VB_SIZES_LIST };
	const char *at = text;

	if (strcmp(text, "random") == 0) {
		*out = (struct vb_sizes){ .kind = VB_SIZES_RANDOM };
		return 0;
	}
	for (;;) {
		if (s.count == ARRAY_SIZE(s.bytes))
			return sizes_refuse(text, where,
					    "at most 64 sizes in a list",
					    error);
		if (!sizes_parse_one(&at, &s.bytes[s.count++]))
			return sizes_refuse(text, where,
					    "a size is N, NK or NM, at most "
					    "2048M; sizes are N, N,N,..., "
					    "LOW-HIGH or random",
					    error);
		if (*at == '-' && s.count == 1 && s.kind == VB_SIZES_LIST)
			s.kind = VB_SIZES_RANGE;
		else if (*at != ',' || s.kind == VB_SIZES_RANGE)
			break;
		at++;
	}
	if (*at)
		return sizes_refuse(text, where,
				    "sizes are N, N,N,..., LOW-HIGH or random",
				    error);
	if (s.kind == VB_SIZES_RANGE && s.bytes[0] > s.bytes[1])
		return sizes_refuse(text, where,
				    "the low end of a range is above the high "
				    "one",
				    error);
	*out = s;
	return 0;
}

void sizes_text(const struct vb_sizes *s, struct strbuf *out)
{
	if (s->kind == VB_SIZES_RANDOM)
		strbuf_add(out, "random");
	for (uint32_t i = 0; i < s->count; i++)
		strbuf_addf(out, "%s%u",
			    !i				? ""
			    : s->kind == VB_SIZES_RANGE ? "-"
							: ",",
			    s->bytes[i]);
}
