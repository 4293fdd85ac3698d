// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Copies as the system makes them for its own calls, so that no handler that
 * the program has for SIGSEGV is in the way.  Where the system forbids it (as
 * some containers do), a copy under the guard of our own handler.
 */
#include "device/front/cm/user.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device/world/memory.h"

static int user_copy_guarded(void *to, const void *from, size_t len)
{
	memory_guard_install();
	return memory_copy(to, from, len) ? 0 : -EFAULT;
}

int user_read(void *to, uint64_t from, size_t len)
{
	struct iovec ours = { .iov_base = to, .iov_len = len };
	struct iovec theirs = { .iov_base = (void *)(uintptr_t)from,
				.iov_len = len };
	ssize_t n = process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0);

	if (n < 0 && errno != EFAULT)
		return user_copy_guarded(to, theirs.iov_base, len);
	return n == (ssize_t)len ? 0 : -EFAULT;
}

int user_write(uint64_t to, const void *from, size_t len)
{
	struct iovec ours = { .iov_base = (void *)(uintptr_t)from,
			      .iov_len = len };
	struct iovec theirs = { .iov_base = (void *)(uintptr_t)to,
				.iov_len = len };
	ssize_t n = process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0);

	if (n < 0 && errno != EFAULT)
		return user_copy_guarded(theirs.iov_base, from, len);
	return n == (ssize_t)len ? 0 : -EFAULT;
}
