// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The calls of a program on the connection manager's device. */
#include "device/front/cm/device.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "device/front/cm/manager.h"
#include "device/front/cm/user.h"

/* In initial-exec form it needs no allocation, at any time. */
static __thread bool device_inside __attribute__((tls_model("initial-exec")));

bool cm_device_has(int fd)
{
	return cm_file_maybe(fd) && !device_inside;
}

int cm_device_enter(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	device_inside = true;
	return before;
}

void cm_device_leave(int before)
{
	device_inside = false;
	pthread_setcancelstate(before, NULL);
}

/* One use of the file less, and the lock is let go. */
static void device_put(struct cm_file *file)
{
	cm_file_put(file);
	manager_unlock();
}

int cm_device_open(int flags, dev_t rdev)
{
	int before = cm_device_enter();
	int fd = -1, err;

	manager_lock();
	err = cm_file_open(flags, rdev, &fd);
	manager_unlock();
	cm_device_leave(before);
	return err ? err : fd;
}

/* Cancelled while waiting: the call's use of the file ends. */
static void device_cancelled(void *file)
{
	int before = cm_device_enter();

	manager_lock();
	device_put(file);
	cm_device_leave(before);
}

/* As the system's: interruptible, and a cancellation point. */
static int device_wait(struct cm_file *file, int cancel_state)
{
	int err;

	pthread_cleanup_push(device_cancelled, file);
	cm_device_leave(cancel_state);
	err = notifier_wait(file->notifier.fd);
	/* The system's call holds the file: a close elsewhere does not end it,
	 * a signal does.  rping takes an end here for a failure. */
	if (err == -EBADF) {
		pause();
		err = -EINTR;
	}
	(void)cm_device_enter();
	pthread_cleanup_pop(0);
	return err;
}

/* GET_EVENT: the only command that waits.  The lock is held, but meanwhile. */
static int device_get_event(struct cm_file *file, const struct cm_command *c,
			    int cancel_state)
{
	bool reading_taken = false;
	int err;

	for (;;) {
		err = cm_file_deliver(file, c);
		if (reading_taken && !TAILQ_EMPTY(&file->events))
			notifier_raise(&file->notifier);
		if (err != -EAGAIN)
			return err;
		manager_unlock();
		err = device_wait(file, cancel_state);
		manager_lock();
		if (err)
			return err;
		reading_taken = true;
	}
}

ssize_t cm_device_write(int fd, const void *bytes, size_t len)
{
	uint8_t copy[CM_COMMAND_BYTES_MAX];
	struct cm_command command;
	struct cm_file *file;
	int before = cm_device_enter();
	int err;

	manager_lock();
	file = cm_file_get(fd);
	if (!file) {
		manager_unlock();
		cm_device_leave(before);
		return CM_NOT_OURS;
	}
	err = user_read(copy, (uintptr_t)bytes,
			len < sizeof(copy) ? len : sizeof(copy));
	if (!err)
		err = cm_command_parse(copy, len, &command);
	if (!err && command.code == RDMA_USER_CM_CMD_GET_EVENT)
		err = device_get_event(file, &command, before);
	else if (!err)
		err = cm_query(file, &command);
	device_put(file);
	cm_device_leave(before);
	return err ? err : (ssize_t)len;
}

int cm_device_stat(int fd, struct stat *st)
{
	int before = cm_device_enter();
	struct stat own;
	struct cm_file *file;
	int err = CM_NOT_OURS;

	manager_lock();
	file = cm_file_get(fd);
	if (file) {
		err = fstat(fd, &own) ? -errno : 0;
		own.st_mode = S_IFCHR | 0666;
		own.st_rdev = file->rdev;
		if (!err)
			err = user_write((uintptr_t)st, &own, sizeof(own));
		device_put(file);
	} else {
		manager_unlock();
	}
	cm_device_leave(before);
	return err;
}

int cm_device_close(int fd)
{
	int before = cm_device_enter();
	struct cm_file *file;

	manager_lock();
	file = cm_file_get(fd);
	if (file) {
		cm_file_close(file, fd);
		device_put(file);
	} else {
		manager_unlock();
	}
	cm_device_leave(before);
	return CM_NOT_OURS;
}
