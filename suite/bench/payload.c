// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Measuring generation and checking of payload. */
#include "suite/bench/payload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "suite/oracle/pattern.h"
#include "suite/oracle/pattern_unit.h"

enum { PAYLOAD_ALIGN = 4096 };

struct payload {
	struct pattern_message m;
	unsigned char *from, *to;
	uint32_t bytes;
	bool wrong;
};

static void payload_copy(struct payload *p)
{
	memcpy(p->to, p->from, p->bytes);
	/* The compiler must believe that somebody reads it. */
	__asm__ volatile("" : : "r"(p->to), "r"(p->from) : "memory");
}

static void payload_fill(struct payload *p)
{
	p->m.sequence++;
	pattern_fill(&p->m, 0, p->to, p->bytes);
}

static void payload_check(struct payload *p)
{
	struct iovec iov = { p->to, p->bytes };
	struct pattern_complaint c;

	if (pattern_check(&p->m, &iov, 1, NULL, &c))
		p->wrong = true;
}

static double payload_speed(struct payload *p, void (*work)(struct payload *),
			    uint64_t slice_ns)
{
	uint64_t from_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), now_ns;
	/* The clock costs as much as a small message: look rarely. */
	uint32_t chunk = 1 + (1 << 18) / (p->bytes + 64);
	uint64_t done = 0;

	do {
		for (uint32_t i = 0; i < chunk; i++)
			work(p);
		done += chunk;
		now_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now_ns - from_ns < slice_ns);
	return (double)(done * p->bytes) / (double)(now_ns - from_ns);
}

static void payload_keep(double *best, double speed)
{
	if (speed > *best)
		*best = speed;
}

int payload_measure(const char *unit, uint32_t bytes, uint32_t rounds,
		    uint64_t slice_ns, struct payload_speed *out)
{
	size_t room =
		((size_t)bytes + PAYLOAD_ALIGN) / PAYLOAD_ALIGN * PAYLOAD_ALIGN;
	struct payload p = { .m = { .key = 1, .len = bytes, .qp_num = 1 },
			     .bytes = bytes };
	int err = pattern_unit_choose(unit);

	if (err)
		return err;
	p.from = aligned_alloc(PAYLOAD_ALIGN, room);
	p.to = aligned_alloc(PAYLOAD_ALIGN, room);
	if (!p.from || !p.to)
		abort();
	pattern_poison(p.from, room);
	*out = (struct payload_speed){ .unit = unit, .bytes = bytes };
	for (uint32_t i = 0; i < rounds; i++) {
		payload_keep(&out->memcpy_speed,
			     payload_speed(&p, payload_copy, slice_ns));
		payload_keep(&out->fill_speed,
			     payload_speed(&p, payload_fill, slice_ns));
		payload_keep(&out->check_speed,
			     payload_speed(&p, payload_check, slice_ns));
	}
	free(p.from);
	free(p.to);
	(void)!pattern_unit_choose(NULL);
	return p.wrong ? -EBADMSG : 0;
}
