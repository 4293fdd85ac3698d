// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The files that programs look at about a device without asking libibverbs:
 * the character device, which they try to reach before they use it, and the
 * texts of sysfs.  Ours exist nowhere but here; all other files are the
 * system's.  Those go to it by the functions that take a folder's descriptor
 * too: they need no dlsym(), so that they are right at any moment, even before
 * constructors have run.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "device/front/facts.h"
#include "device/front/sysfs.h"
#include "device/front/verbs.h"

#define FILES_DEVICE "/dev/infiniband/" SOFT_UVERBS

static bool files_is_device(const char *path)
{
	return path && !strcmp(path, FILES_DEVICE);
}

/* A pipe that holds the text, of which only the end to read is left. */
static int files_open_text(const char *text, size_t len, int flags)
{
	int cloexec = flags & O_CLOEXEC;
	int err = -EIO;
	int fds[2];

	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	if (pipe2(fds, cloexec))
		return -errno;
	if (write(fds[1], text, len) == (ssize_t)len)
		err = 0;
	close(fds[1]);
	if (err) {
		close(fds[0]);
		return err;
	}
	return fds[0];
}

/* A descriptor or a negative errno; 0 when the file is not one of ours. */
static int files_open(const char *path, int flags)
{
	char text[SYSFS_TEXT_MAX + 1];
	int len;

	if (!path || !sysfs_is_ours(path))
		return 0;
	len = sysfs_text(path, text, SYSFS_TEXT_MAX);
	if (len < 0)
		return len;
	text[len++] = '\n'; /* as the kernel's have */
	return files_open_text(text, (size_t)len, flags);
}

EXPORTED int access(const char *path, int mode)
{
	if (!files_is_device(path))
		return faccessat(AT_FDCWD, path, mode, 0);
	return mode & X_OK ? verbs_status(-EACCES) : 0;
}

static void files_stat_fill(mode_t *mode, nlink_t *links)
{
	*mode = S_IFCHR | 0666;
	*links = 1;
}

EXPORTED int stat(const char *restrict path, struct stat *restrict st)
{
	if (!files_is_device(path))
		return fstatat(AT_FDCWD, path, st, 0);
	memset(st, 0, sizeof(*st));
	files_stat_fill(&st->st_mode, &st->st_nlink);
	return 0;
}

EXPORTED int stat64(const char *restrict path, struct stat64 *restrict st)
{
	if (!files_is_device(path))
		return fstatat64(AT_FDCWD, path, st, 0);
	memset(st, 0, sizeof(*st));
	files_stat_fill(&st->st_mode, &st->st_nlink);
	return 0;
}

static int files_open_any(const char *path, int flags, va_list args)
{
	int fd = files_open(path, flags);
	mode_t mode = 0;

	if (fd)
		return verbs_status(fd);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(args, mode_t);
	return openat(AT_FDCWD, path, flags, mode);
}

EXPORTED int open(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = files_open_any(path, flags, args);
	va_end(args);
	return fd;
}

EXPORTED int open64(const char *path, int flags, ...)
{
	va_list args;
	int fd;

	va_start(args, flags);
	fd = files_open_any(path, flags | O_LARGEFILE, args);
	va_end(args);
	return fd;
}
