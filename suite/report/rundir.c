// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Making and cleaning the folder of a run. */
#include "suite/report/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"

#define RUNDIR_ABOVE "verbatim-runs"

enum { RUNDIR_NAMES_MAX = 1000, RUNDIR_DEPTH_MAX = 8 };

/* Make @path and all above it; an existing last one is an error to @fresh. */
static int rundir_make_path(const char *path, bool fresh)
{
	char *copy = strdup(path);
	int err = 0;

	if (!copy)
		abort();
	for (char *s = copy + 1; *s && !err; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			err = -errno;
		*s = '/';
	}
	if (!err && mkdir(copy, 0777) && (fresh || errno != EEXIST))
		err = -errno;
	free(copy);
	return err;
}

static int rundir_remove_entry(const char *path, const struct stat *st,
			       int kind, struct FTW *at)
{
	return remove(path);
}

/* Scenes of an earlier run would be taken for this one's.  Only a folder that
 * holds an event stream is one of ours. */
static void rundir_clean(const char *path)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s/events.jsonl", path);
	if (access(strbuf_text(&name), F_OK) == 0) {
		strbuf_reset(&name);
		strbuf_addf(&name, "%s/scene", path);
		nftw(strbuf_text(&name), rundir_remove_entry, RUNDIR_DEPTH_MAX,
		     FTW_DEPTH | FTW_PHYS);
	}
	strbuf_free(&name);
}

/* verbatim-runs/latest -> @name; a run is not worth less without it. */
static void rundir_link_latest(const char *name)
{
	const char *link = RUNDIR_ABOVE "/latest";
	char fresh[64];

	snprintf(fresh, sizeof(fresh), RUNDIR_ABOVE "/.latest-%d",
		 (int)getpid());
	if (symlink(name, fresh))
		return;
	if (rename(fresh, link))
		unlink(fresh);
}

/* A name that is new: the time, and a number when there are several. */
static int rundir_make_by_time(struct strbuf *path)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];
	int err = -EEXIST;

	localtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int n = 1; n < RUNDIR_NAMES_MAX && err == -EEXIST; n++) {
		strbuf_reset(path);
		strbuf_addf(path, RUNDIR_ABOVE "/%s", stamp);
		if (n > 1)
			strbuf_addf(path, "-%d", n);
		err = rundir_make_path(strbuf_text(path), true);
	}
	if (!err)
		rundir_link_latest(strbuf_text(path) + strlen(RUNDIR_ABOVE) +
				   1);
	return err;
}

/* Two runs would write over each other.  A file system without locks is no
 * reason not to run. */
static int rundir_lock(const char *path, int *fd)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -errno;
	if (flock(dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(dir);
		return -EBUSY;
	}
	*fd = dir;
	return 0;
}

static int rundir_make_given(const char *out, int *fd)
{
	int err = rundir_make_path(out, false);

	if (!err && access(out, W_OK | X_OK))
		err = -errno;
	if (!err)
		err = rundir_lock(out, fd);
	if (!err)
		rundir_clean(out);
	return err;
}

int rundir_make(const char *out, char **path, int *fd, char **error)
{
	struct strbuf name = STRBUF_INIT, text = STRBUF_INIT;
	int err;

	if (out) {
		strbuf_add(&name, out);
		err = rundir_make_given(out, fd);
	} else {
		err = rundir_make_by_time(&name);
		if (!err)
			err = rundir_lock(strbuf_text(&name), fd);
	}
	if (err) {
		strbuf_addf(&text,
			    "folder '%s' for the run's files: %s; name "
			    "another with --out DIR",
			    strbuf_text(&name),
			    err == -EBUSY ? "another run writes there"
					  : strerror(-err));
		*error = strbuf_detach(&text);
		strbuf_free(&name);
		return err;
	}
	*path = strbuf_detach(&name);
	return 0;
}

FILE *rundir_open(const char *path, const char *name)
{
	struct strbuf file = STRBUF_INIT;
	FILE *f;

	strbuf_addf(&file, "%s/%s", path, name);
	f = fopen(strbuf_text(&file), "we");
	strbuf_free(&file);
	return f;
}

FILE *rundir_open_deep(const char *path, const char *name)
{
	struct strbuf above = STRBUF_INIT;
	const char *slash = strrchr(name, '/');

	if (slash) {
		strbuf_addf(&above, "%s/%.*s", path, (int)(slash - name), name);
		rundir_make_path(strbuf_text(&above), false);
		strbuf_free(&above);
	}
	return rundir_open(path, name);
}
