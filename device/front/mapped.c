// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * MADV_POPULATE_* touches each page as pinning would, without changing a byte.
 * On kernels without it mincore() at least tells holes.
 */
#include "device/front/mapped.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

enum { MAPPED_PAGES_AT_ONCE = 4096 };

/* EINVAL means "unknown advice" as well as "may not be accessed so"; on an
 * empty range only the former is left. */
static bool mapped_can_populate(void)
{
	static int known; /* 0: not asked; the answer is the same each time */
	int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!answer) {
		answer = madvise(NULL, 0, MADV_POPULATE_READ) ? -1 : 1;
		__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	}
	return answer > 0;
}

static int mapped_populate(void *first, size_t bytes, int advice)
{
	for (;;) {
		if (!madvise(first, bytes, advice))
			return 0;
		if (errno != EINTR && errno != EAGAIN)
			return -EFAULT;
	}
}

static int mapped_in_core(uint8_t *first, size_t pages, size_t page_bytes)
{
	unsigned char in_core[MAPPED_PAGES_AT_ONCE];

	while (pages > 0) {
		size_t n = pages < MAPPED_PAGES_AT_ONCE ? pages
							: MAPPED_PAGES_AT_ONCE;

		if (mincore(first, n * page_bytes, in_core))
			return -EFAULT;
		first += n * page_bytes;
		pages -= n;
	}
	return 0;
}

int mapped_check(const void *addr, size_t len, bool writable)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)addr & ~(page_bytes - 1);
	uintptr_t last;

	if (len == 0)
		return 0;
	last = ((uintptr_t)addr + len - 1) & ~(page_bytes - 1);
	/* No process has the last page of the address space. */
	if (last + page_bytes < last)
		return -EFAULT;
	if (mapped_can_populate())
		return mapped_populate((void *)begin, last - begin + page_bytes,
				       writable ? MADV_POPULATE_WRITE
						: MADV_POPULATE_READ);
	return mapped_in_core((uint8_t *)begin, (last - begin) / page_bytes + 1,
			      page_bytes);
}
