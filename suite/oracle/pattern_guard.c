// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Guard zones beside buffers, poison inside them, and walking pieces. */
#include <errno.h>
#include <string.h>

#include "suite/oracle/pattern.h"
#include "suite/oracle/pattern_inner.h"

/* Streams of their own: never the bytes of a body. */
#define PATTERN_GUARD_ORIGIN UINT64_C(0xa5c3000000000000)
#define PATTERN_POISON_KEY   UINT64_C(0xd15ea5edb0d1e500)

static struct pattern_stream pattern_guard_stream(uint64_t key)
{
	return (struct pattern_stream){ .key = key,
					.origin = PATTERN_GUARD_ORIGIN };
}

static const struct pattern_stream pattern_poison_stream = {
	.key = PATTERN_POISON_KEY,
};

void pattern_guard_fill(void *zone, size_t len, uint64_t key)
{
	struct pattern_stream s = pattern_guard_stream(key);

	pattern_stream_fill(&s, 0, zone, len);
}

int pattern_guard_check(const void *zone, size_t len, uint64_t key,
			size_t *first_wrong, size_t *wrong_bytes)
{
	struct pattern_stream s = pattern_guard_stream(key);
	const unsigned char *at = zone;
	size_t first = len, wrong = 0;

	if (pattern_stream_equal(&s, 0, zone, len))
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (pattern_stream_run(&s, i, at + i, 1) == 1)
			continue;
		if (wrong++ == 0)
			first = i;
	}
	if (first_wrong)
		*first_wrong = first;
	if (wrong_bytes)
		*wrong_bytes = wrong;
	return -EBADMSG;
}

void pattern_poison(void *dst, size_t len)
{
	pattern_stream_fill(&pattern_poison_stream, (uintptr_t)dst, dst, len);
}

size_t pattern_poison_run(const void *src, size_t len)
{
	return pattern_stream_run(&pattern_poison_stream, (uintptr_t)src, src,
				  len);
}

void pattern_gather(const struct iovec *iov, size_t iov_count, uint64_t offset,
		    void *dst, size_t len)
{
	unsigned char *to = dst;

	for (size_t i = 0; i < iov_count && len > 0; i++) {
		size_t part;

		if (offset >= iov[i].iov_len) {
			offset -= iov[i].iov_len;
			continue;
		}
		part = iov[i].iov_len - offset;
		if (part > len)
			part = len;
		memcpy(to, (const char *)iov[i].iov_base + offset, part);
		to += part, len -= part;
		offset = 0;
	}
}

uint64_t pattern_gather_poison(const struct iovec *iov, size_t iov_count,
			       uint64_t offset, uint64_t len)
{
	uint64_t run = 0;

	for (size_t i = 0; i < iov_count && run < len; i++) {
		size_t part, same;

		if (offset >= iov[i].iov_len) {
			offset -= iov[i].iov_len;
			continue;
		}
		part = iov[i].iov_len - offset;
		if (part > len - run)
			part = len - run;
		same = pattern_poison_run(
			(const char *)iov[i].iov_base + offset, part);
		run += same;
		if (same < part)
			break;
		offset = 0;
	}
	return run;
}
