// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads of a case.  The books are one, and so is their lock: it is held
 * while a work request is entered or a completion judged, not while the post
 * verb runs, so that posts of different queue pairs meet each other and the
 * poll inside the device.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/ends.h"

enum { THREADS_MAX = 64 };

struct ends_lock {
	pthread_mutex_t mutex;
};

struct thread {
	pthread_t id;
	struct vb_test *t;
	unsigned index;
	void (*fn)(struct vb_test *t, unsigned index, void *arg);
	void *arg;
};

void ends_lock(struct ends *e)
{
	if (e->lock)
		pthread_mutex_lock(&e->lock->mutex);
}

void ends_unlock(struct ends *e)
{
	if (e->lock)
		pthread_mutex_unlock(&e->lock->mutex);
}

static void *threads_main(void *arg)
{
	struct thread *thread = arg;

	thread->fn(thread->t, thread->index, thread->arg);
	return NULL;
}

void vb_threads(struct vb_test *t, unsigned count,
		void (*fn)(struct vb_test *t, unsigned index, void *arg),
		void *arg)
{
	struct thread threads[THREADS_MAX];
	struct ends *e = ends_of(t);
	pthread_mutexattr_t attr;
	struct ends_lock lock;
	unsigned i;
	int err;

	if (count > THREADS_MAX || e->lock)
		vb_broken(t, "%u threads, at most %d at a time", count,
			  THREADS_MAX);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock.mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	e->lock = &lock;
	for (i = 0; i < count; i++) {
		threads[i] = (struct thread){
			.t = t, .index = i, .fn = fn, .arg = arg
		};
		err = pthread_create(&threads[i].id, NULL, threads_main,
				     &threads[i]);
		if (err)
			vb_broken(t, "thread %u: %s", i, strerror(err));
	}
	for (i = 0; i < count; i++)
		pthread_join(threads[i].id, NULL);
	e->lock = NULL;
	pthread_mutex_destroy(&lock.mutex);
	vb_checked(t);
}
