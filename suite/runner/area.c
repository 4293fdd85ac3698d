// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The shared area of a run: anonymous shared mappings, made before forks. */
#include "suite/runner/area.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "suite/oracle/dashboard.h"
#include "suite/oracle/recorder.h"

/* What a scene can look back on: some thousand messages at both ends. */
enum { AREA_RECORDS = 4096 };

static void *area_map_bytes(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int area_map(struct area **out)
{
	struct area *a = area_map_bytes(sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->recorder_bytes = recorder_bytes(AREA_RECORDS);
	a->recorder_memory = area_map_bytes(a->recorder_bytes);
	a->dashboard_memory = area_map_bytes(sizeof(struct dashboard));
	if (!a->recorder_memory || !a->dashboard_memory) {
		area_unmap(a);
		return -ENOMEM;
	}
	atomic_store(&a->current, AREA_NO_CASE);
	*out = a;
	return 0;
}

void area_unmap(struct area *a)
{
	if (a->recorder_memory)
		munmap(a->recorder_memory, a->recorder_bytes);
	if (a->dashboard_memory)
		munmap(a->dashboard_memory, sizeof(struct dashboard));
	munmap(a, sizeof(*a));
}

void area_begin(struct area *a, int current)
{
	outcome_reset(&a->outcome);
	atomic_store(&a->captured, 0);
	atomic_store(&a->started_ns, clock_now_ns());
	a->recorder = recorder_init(a->recorder_memory, a->recorder_bytes);
	a->dashboard =
		dashboard_init(a->dashboard_memory, sizeof(struct dashboard));
	atomic_store(&a->current, current);
}

void area_add_capture(struct area *a, const char *bytes, size_t len)
{
	uint64_t at = atomic_load(&a->captured);

	for (size_t i = 0; i < len; i++)
		a->capture[(at + i) % AREA_CAPTURE_MAX] = bytes[i];
	atomic_store(&a->captured, at + len);
}

char *area_capture_text(const struct area *a)
{
	uint64_t end = atomic_load(&a->captured), len = end;
	char *text;

	if (len > AREA_CAPTURE_MAX)
		len = AREA_CAPTURE_MAX;
	text = malloc(len + 1);
	if (!text)
		abort();
	for (uint64_t i = 0; i < len; i++)
		text[i] = a->capture[(end - len + i) % AREA_CAPTURE_MAX];
	text[len] = '\0';
	return text;
}

struct area_newest {
	struct strbuf line;
	uint64_t zero_ns; /* of the oldest record that is kept */
	/* What came later is our own look at a case that hangs; 0: none is. */
	uint64_t until_ns;
};

/* Keeps the line of the newest record. */
static int area_visit_line(void *arg, const struct recorder_record *record)
{
	struct area_newest *newest = arg;

	if (!newest->zero_ns)
		newest->zero_ns = record->when_ns;
	if (newest->until_ns && record->when_ns >= newest->until_ns)
		return 0;
	strbuf_reset(&newest->line);
	recorder_print_record(record, newest->zero_ns, &newest->line);
	return 0;
}

char *area_last_line(const struct area *a)
{
	const struct recorder *r =
		recorder_attach(a->recorder_memory, a->recorder_bytes);
	struct area_newest newest = {
		.line = STRBUF_INIT,
		.until_ns = atomic_load(&a->outcome.looked_ns),
	};

	if (!r || !recorder_written(r))
		return NULL;
	recorder_walk(r, area_visit_line, &newest);
	return strbuf_detach(&newest.line);
}
