// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Open files of the connection manager's device, and their events. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "device/front/cm/device.h"
#include "device/front/cm/manager.h"

/* Who it is that a descriptor names.  Read without the lock, to pass by what
 * is not ours. */
static _Atomic(struct cm_file *) file_table[CM_FD_MAX];

bool cm_file_maybe(int fd)
{
	return fd >= 0 && fd < CM_FD_MAX &&
	       atomic_load_explicit(&file_table[fd], memory_order_relaxed);
}

int cm_file_open(int flags, dev_t rdev, int *fd)
{
	struct cm_file *f = calloc(1, sizeof(*f));
	struct stat st;
	int err, handed;

	if (!f)
		return -ENOMEM;
	err = notifier_open(&f->notifier);
	if (err)
		goto err_free;
	/* Both are one socket: what a program sets on its own holds for ours. */
	do {
		handed = fcntl(f->notifier.fd,
			       flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD,
			       0);
	} while (handed < 0 && descriptors_more(errno));
	err = handed < 0 ? -errno : -EMFILE;
	if (handed < 0)
		goto err_notifier;
	if (handed >= CM_FD_MAX || fstat(handed, &st))
		goto err_handed;
	if (flags & O_NONBLOCK)
		fcntl(handed, F_SETFL, O_NONBLOCK);
	f->inode = st.st_ino;
	f->rdev = rdev;
	f->users = 1;
	TAILQ_INIT(&f->events);
	LIST_INIT(&f->ids);
	manager_count_file(1);
	*fd = handed;
	atomic_store(&file_table[handed], f);
	return 0;

err_handed:
	close(handed);
err_notifier:
	notifier_close(&f->notifier);
err_free:
	free(f);
	return err;
}

/* A program can close a descriptor in ways that we do not see: what it names
 * then is not ours. */
struct cm_file *cm_file_get(int fd)
{
	struct cm_file *f;
	struct stat st;

	if (fd < 0 || fd >= CM_FD_MAX)
		return NULL;
	f = atomic_load(&file_table[fd]);
	if (!f)
		return NULL;
	if (fstat(fd, &st) || st.st_ino != f->inode || !S_ISSOCK(st.st_mode)) {
		cm_file_close(f, fd);
		return NULL;
	}
	f->users++;
	return f;
}

void cm_file_put(struct cm_file *f)
{
	if (--f->users > 0)
		return;
	notifier_close(&f->notifier);
	free(f);
	manager_count_file(-1);
}

void cm_file_close(struct cm_file *f, int fd)
{
	struct cm_id *id;

	while ((id = LIST_FIRST(&f->ids))) {
		/* Children go with their listeners. */
		while (id->listener)
			id = id->listener;
		cm_id_free(id);
	}
	atomic_store(&file_table[fd], NULL);
	cm_file_put(f);
}

struct cm_event *cm_event_new(struct cm_id *id, enum cm_message_kind kind,
			      uint32_t event, int status)
{
	struct cm_event *e;

	/* Until the program has accepted it, nothing is said of a request:
	 * accepting will fail. */
	if (!id->uid && event != CM_EVENT_CONNECT_REQUEST)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->id = id;
	e->resp.id = id->number;
	e->resp.event = event;
	e->resp.status = (uint32_t)status;
	if (id->port_space == RDMA_PS_UDP)
		e->resp.param.ud.private_data_len =
			cm_message_private_max(kind);
	else
		e->resp.param.conn.private_data_len =
			cm_message_private_max(kind);
	return e;
}

void cm_event_post(struct cm_event *e)
{
	struct cm_file *f = e->id->file;

	if (TAILQ_EMPTY(&f->events))
		notifier_raise(&f->notifier);
	TAILQ_INSERT_TAIL(&f->events, e, link);
}

void cm_event_tell(struct cm_id *id, uint32_t event, int status)
{
	struct cm_event *e = cm_event_new(id, CM_MESSAGE_NONE, event, status);

	if (e)
		cm_event_post(e);
}

void cm_event_purge(struct cm_id *id)
{
	struct cm_file *f = id->file;
	struct cm_event *e, *next;

	if (TAILQ_EMPTY(&f->events))
		return;
	for (e = TAILQ_FIRST(&f->events); e; e = next) {
		next = TAILQ_NEXT(e, link);
		if (e->id != id && e->child != id)
			continue;
		TAILQ_REMOVE(&f->events, e, link);
		free(e);
	}
	if (TAILQ_EMPTY(&f->events))
		notifier_clear(&f->notifier);
}

int cm_file_deliver(struct cm_file *f, const struct cm_command *c)
{
	struct cm_event *e = TAILQ_FIRST(&f->events);
	int err;

	if (!e)
		return -EAGAIN;
	e->resp.uid = e->id->uid;
	err = cm_answer(c, &e->resp, sizeof(e->resp));
	if (err)
		return err;
	TAILQ_REMOVE(&f->events, e, link);
	e->id->events_reported++;
	if (e->child) {
		e->child->listener = NULL;
		e->id->backlog++;
	}
	free(e);
	if (TAILQ_EMPTY(&f->events))
		notifier_clear(&f->notifier);
	return 0;
}
