// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions of the C library that librdmacm reaches its device with.  They
 * act on that device only; anything else goes to the real ones at the price of
 * one look into a table.  A program may call them in a signal handler, or
 * before our constructors have run: then the system is asked directly.
 * open() comes here through files.c.
 */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/compiler.h"
#include "device/front/cm/device.h"

enum { LIBC_MISC_MAJOR = 10, LIBC_MISC_MINOR = 255 };

static struct {
	int (*openat)(int dir, const char *path, int flags, ...);
	ssize_t (*write)(int fd, const void *bytes, size_t len);
	int (*fstat)(int fd, struct stat *st);
	int (*close)(int fd);
} libc_real;

static void libc_find(void *where, const char *name)
{
	*(void **)where = dlsym(RTLD_NEXT, name);
}

__attribute__((constructor(101))) static void libc_find_all(void)
{
	libc_find(&libc_real.openat, "openat");
	libc_find(&libc_real.write, "write");
	libc_find(&libc_real.fstat, "fstat");
	libc_find(&libc_real.close, "close");
}

static int libc_result(int result)
{
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

static int libc_open(int dir, const char *path, int flags, mode_t mode)
{
	dev_t rdev = makedev(LIBC_MISC_MAJOR, LIBC_MISC_MINOR);
	int saved_errno = errno;
	struct stat st;
	int fd;

	if (libc_real.openat)
		fd = libc_real.openat(dir, path, flags, mode);
	else
		fd = (int)syscall(SYS_openat, dir, path, flags, mode);
	/* The system has looked at the path: now it is safe to read. */
	if ((fd < 0 && errno == EFAULT) || strcmp(path, CM_DEVICE_PATH))
		return fd;
	if (fd >= 0) {
		if (!fstat(fd, &st))
			rdev = st.st_rdev;
		close(fd);
	}
	errno = saved_errno;
	return libc_result(cm_device_open(flags, rdev));
}

static mode_t libc_mode(int flags, va_list args)
{
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		return va_arg(args, mode_t);
	return 0;
}

#define LIBC_OPENAT(name)                                             \
	EXPORTED int name(int dir, const char *path, int flags, ...); \
	EXPORTED int name(int dir, const char *path, int flags, ...)  \
	{                                                             \
		va_list args;                                         \
		mode_t mode;                                          \
                                                                      \
		va_start(args, flags);                                \
		mode = libc_mode(flags, args);                        \
		va_end(args);                                         \
		return libc_open(dir, path, flags, mode);             \
	}

LIBC_OPENAT(openat)
LIBC_OPENAT(openat64)

EXPORTED ssize_t write(int fd, const void *bytes, size_t len)
{
	ssize_t n;

	if (unlikely(cm_device_has(fd))) {
		int saved_errno = errno;

		n = cm_device_write(fd, bytes, len);
		errno = saved_errno;
		if (n >= 0)
			return n;
		if (n != CM_NOT_OURS)
			return libc_result((int)n);
	}
	if (likely(libc_real.write))
		return libc_real.write(fd, bytes, len);
	return syscall(SYS_write, fd, bytes, len);
}

static int libc_fstat(int fd, struct stat *st)
{
	int result;

	if (unlikely(cm_device_has(fd))) {
		int saved_errno = errno;

		result = cm_device_stat(fd, st);
		errno = saved_errno;
		if (result != CM_NOT_OURS)
			return libc_result(result);
	}
	if (likely(libc_real.fstat))
		return libc_real.fstat(fd, st);
	return (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
}

EXPORTED int fstat(int fd, struct stat *st)
{
	return libc_fstat(fd, st);
}

EXPORTED int fstat64(int fd, struct stat64 *st)
{
	return libc_fstat(fd, (struct stat *)st);
}

EXPORTED int close(int fd)
{
	if (unlikely(cm_device_has(fd))) {
		int saved_errno = errno;

		(void)!cm_device_close(fd);
		errno = saved_errno;
	}
	if (likely(libc_real.close))
		return libc_real.close(fd);
	return (int)syscall(SYS_close, fd);
}
