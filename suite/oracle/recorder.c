// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The flight recorder's ring; how records read is recorder_print.c. */
#include "suite/oracle/recorder.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"

#define RECORDER_MAGIC UINT64_C(0x7662726563303031)

struct recorder {
	uint64_t magic;
	uint32_t record_bytes;
	uint32_t records;     /* slots, at least 1 */
	uint64_t written;     /* tickets given out, atomic */
	uint64_t reserved[5]; /* slots begin on a cache line of their own */
	struct recorder_record slots[];
};

static_assert(sizeof(struct recorder) == 64, "the header is a cache line");
static_assert(sizeof(struct recorder_record) == 128, "a record is two");
static_assert(offsetof(struct recorder_record, check) == 124,
	      "the sum is a record's last word");

size_t recorder_bytes(uint32_t records)
{
	return sizeof(struct recorder) +
	       (size_t)records * sizeof(struct recorder_record);
}

struct recorder *recorder_init(void *area, size_t bytes)
{
	struct recorder *r = area;
	size_t records;

	assert((uintptr_t)area % 8 == 0);
	if (bytes < recorder_bytes(1))
		return NULL;
	records = (bytes - sizeof(*r)) / sizeof(r->slots[0]);
	if (records > UINT32_MAX)
		records = UINT32_MAX;
	memset(area, 0, recorder_bytes((uint32_t)records));
	r->record_bytes = sizeof(r->slots[0]);
	r->records = (uint32_t)records;
	r->magic = RECORDER_MAGIC;
	return r;
}

const struct recorder *recorder_attach(const void *area, size_t bytes)
{
	const struct recorder *r = area;

	if ((uintptr_t)area % 8 != 0 || bytes < recorder_bytes(1))
		return NULL;
	if (r->magic != RECORDER_MAGIC ||
	    r->record_bytes != sizeof(r->slots[0]) || r->records == 0 ||
	    recorder_bytes(r->records) > bytes)
		return NULL;
	return r;
}

/* A half-written record betrays itself: the sum is over all but itself. */
static uint32_t recorder_sum(const struct recorder_record *record)
{
	uint32_t words[sizeof(*record) / 4];
	uint32_t sum = 0x5ec0de;

	memcpy(words, record, sizeof(words));
	for (size_t i = 0; i + 1 < sizeof(words) / sizeof(words[0]); i++)
		sum += words[i];
	return sum;
}

void recorder_write(struct recorder *r, const struct recorder_record *record)
{
	struct recorder_record copy;
	uint64_t ticket;

	if (!r)
		return;
	copy = *record;
	copy.text[RECORDER_TEXT_MAX - 1] = '\0';
	if (copy.when_ns == 0)
		copy.when_ns = clock_now_ns();
	ticket = __atomic_fetch_add(&r->written, 1, __ATOMIC_RELAXED);
	copy.ticket = ticket + 1;
	copy.check = recorder_sum(&copy);
	r->slots[ticket % r->records] = copy;
}

uint64_t recorder_written(const struct recorder *r)
{
	return __atomic_load_n(&r->written, __ATOMIC_RELAXED);
}

int recorder_walk(const struct recorder *r,
		  int (*visit)(void *arg, const struct recorder_record *record),
		  void *arg)
{
	uint64_t end = recorder_written(r);
	uint64_t ticket = end > r->records ? end - r->records : 0;

	for (; ticket < end; ticket++) {
		struct recorder_record copy = r->slots[ticket % r->records];
		int stop;

		if (copy.ticket != ticket + 1 ||
		    copy.check != recorder_sum(&copy))
			continue;
		copy.text[RECORDER_TEXT_MAX - 1] = '\0';
		stop = visit(arg, &copy);
		if (stop)
			return stop;
	}
	return 0;
}
