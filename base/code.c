// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The page is writable for as long as a store takes, and executable always:
 * other threads may be there. */
#include "base/code.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CODE_OPEN = PROT_READ | PROT_WRITE | PROT_EXEC,
	CODE_CLOSED = PROT_READ | PROT_EXEC,
};

static int code_protect(const void *at, int protection)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)at & ~(page - 1);

	return mprotect((void *)begin, page, protection) ? -errno : 0;
}

int code_check(const void *at)
{
	int err = code_protect(at, CODE_OPEN);

	return err ? err : code_protect(at, CODE_CLOSED);
}

NO_TSAN int code_write(uint64_t *word, uint64_t value)
{
	int err = code_protect(word, CODE_OPEN);

	if (err)
		return err;
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	return code_protect(word, CODE_CLOSED);
}

void code_settle(void)
{
	syscall(SYS_membarrier,
		MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0,
		0);
}
