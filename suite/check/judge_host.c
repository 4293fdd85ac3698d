// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Findings about the host and its software. */
#include "suite/check/judge.h"

#include <inttypes.h>

/* Below the first nothing worth naming can be registered; below the second a
 * default run may come to its end. */
static const uint64_t memlock_least = 1 << 20, memlock_ample = 64 << 20;

void judge_kernel(const struct check_facts *f, struct check_finding *out)
{
	if (f->kernel[0])
		check_say(out, CHECK_OK, NULL, "%s", f->kernel);
	else
		check_say(out, CHECK_WARN, "note the kernel's version yourself",
			  "unknown");
}

void judge_rdma_core(const struct check_facts *f, struct check_finding *out)
{
	if (f->rdma_core[0])
		check_say(out, CHECK_OK, NULL, "%s", f->rdma_core);
	else
		check_say(out, CHECK_WARN,
			  "note the version of libibverbs yourself",
			  "unknown: the file of libibverbs bears no version");
}

void judge_driver(const struct check_facts *f, struct check_finding *out)
{
	if (!f->provider[0])
		check_say(out, CHECK_WARN,
			  "note the provider's version yourself",
			  "%s, provider unknown",
			  f->driver[0] ? f->driver : "unknown");
	else
		check_say(out, CHECK_OK, NULL, "%s, provider %s",
			  f->driver[0] ? f->driver : f->device.kind,
			  f->provider);
}

void judge_memlock(const struct check_facts *f, struct check_finding *out)
{
	static const char step[] =
		"raise it: 'ulimit -l unlimited', or memlock in "
		"/etc/security/limits.conf or LimitMEMLOCK= of the service";
	uint64_t kib = f->memlock >> 10;

	if (f->memlock == UINT64_MAX)
		check_say(out, CHECK_OK, NULL, "unlimited");
	else if (f->memlock_free)
		check_say(out, CHECK_OK, NULL,
			  "%" PRIu64 " KiB, which does not bind this user "
			  "(CAP_IPC_LOCK)",
			  kib);
	else if (f->software && f->memlock >= memlock_least)
		check_say(out, CHECK_OK, NULL,
			  "%" PRIu64 " KiB, enough for a software device", kib);
	else if (f->memlock < memlock_least)
		check_say(out, CHECK_BAD, step, "%" PRIu64 " KiB", kib);
	else if (f->memlock < memlock_ample)
		check_say(out, CHECK_WARN, step, "%" PRIu64 " KiB", kib);
	else
		check_say(out, CHECK_OK, NULL, "%" PRIu64 " KiB", kib);
}

void judge_huge_pages(const struct check_facts *f, struct check_finding *out)
{
	if (!f->huge_pages)
		check_say(out, CHECK_OK, NULL,
			  "none reserved; no case needs them");
	else
		check_say(out, CHECK_OK, NULL,
			  "%" PRIu64 " of %" PRIu64 " free, %" PRIu64
			  " KiB each",
			  f->huge_pages_free, f->huge_pages,
			  f->huge_page_bytes >> 10);
}
