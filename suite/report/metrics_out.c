// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The shared memory, the process that empties it, and the file. */
#include "suite/report/metrics_out.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite/report/metrics_inner.h"

enum { METRICS_FILE_MS = 1000 };

struct metrics {
	struct metrics_shared *shared;
	pid_t owner; /* who opened it */
	pid_t pid;   /* of the one who empties it; 0: none */
	char *path;  /* of the file; NULL: it is a port */
	enum metrics_form form;
};

/* --- the shared memory --------------------------------------------------- */

void metrics_publish(struct metrics *m, metrics_fill *fill, void *arg)
{
	struct metrics_shared *s = m->shared;
	uint64_t number = atomic_load(&s->done) + 1;
	struct strbuf out = STRBUF_INIT;

	atomic_store(&s->begun, number);
	for (int form = 0; form < METRICS_FORMS; form++) {
		struct metrics_text t = { &out, (enum metrics_form)form, 0 };

		strbuf_reset(&out);
		fill(arg, &t);
		metrics_end(&t);
		/* Families and their labels are ours, and bounded. */
		assert(out.len <= METRICS_BYTES_MAX);
		memcpy(s->slots[number % METRICS_SLOTS].text[form],
		       strbuf_text(&out), out.len);
		s->slots[number % METRICS_SLOTS].len[form] = out.len;
	}
	atomic_store(&s->done, number);
	strbuf_free(&out);
}

uint64_t metrics_take(const struct metrics_shared *s, enum metrics_form form,
		      struct strbuf *out)
{
	uint64_t number;

	do {
		size_t len;

		strbuf_reset(out);
		number = atomic_load(&s->done);
		if (number == 0)
			return 0;
		len = s->slots[number % METRICS_SLOTS].len[form];
		if (len <= METRICS_BYTES_MAX)
			strbuf_add_bytes(
				out,
				s->slots[number % METRICS_SLOTS].text[form],
				len);
	} while (atomic_load(&s->begun) >= number + METRICS_SLOTS);
	return number;
}

/* --- the file ------------------------------------------------------------ */

static int metrics_write_all(int fd, const struct strbuf *text)
{
	size_t at = 0;

	while (at < text->len) {
		ssize_t n = write(fd, strbuf_text(text) + at, text->len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += (size_t)n;
	}
	return 0;
}

/* Readers see the one before or this one, never a part.  The new one is called
 * the same whoever writes it: what was killed in the middle leaves nothing. */
static int metrics_write(const struct metrics *m)
{
	struct strbuf text = STRBUF_INIT, path = STRBUF_INIT;
	int fd, err;

	metrics_take(m->shared, m->form, &text);
	strbuf_addf(&path, "%s.%ld.tmp", m->path, (long)m->owner);
	unlink(strbuf_text(&path));
	fd = open(strbuf_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		  0666);
	err = fd < 0 ? -errno : metrics_write_all(fd, &text);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(strbuf_text(&path), m->path))
		err = -errno;
	if (err && fd >= 0)
		unlink(strbuf_text(&path));
	strbuf_free(&path);
	strbuf_free(&text);
	return err;
}

NO_RETURN static void metrics_keep_file(const struct metrics *m)
{
	uint64_t written = atomic_load(&m->shared->done);

	for (;;) {
		uint64_t now;

		(void)poll(NULL, 0, METRICS_FILE_MS);
		now = atomic_load(&m->shared->done);
		/* Who publishes tells of a file that cannot be written. */
		if (now != written && metrics_write(m) == 0)
			written = now;
	}
}

/* --- the process --------------------------------------------------------- */

static void metrics_child(const struct metrics *m, int fd, pid_t parent)
{
	sigset_t none;

	/* It ends with its parent, and by nothing that is meant for that. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Who waits for the end of our output waits for that of the run. */
	if (close(STDIN_FILENO) || close(STDOUT_FILENO))
		errno = 0;
	if (m->path)
		metrics_keep_file(m);
	metrics_http_serve(m->shared, fd);
}

static int metrics_start(struct metrics *m, int fd, struct strbuf *error)
{
	pid_t parent = getpid();

	fflush(NULL);
	m->pid = fork();
	if (m->pid == 0)
		metrics_child(m, fd, parent);
	if (m->pid > 0)
		return 0;
	m->pid = 0;
	strbuf_addf(error, "a process for --metrics: %s", strerror(errno));
	return -errno;
}

/* --- where --------------------------------------------------------------- */

static bool metrics_digits(const char *text)
{
	size_t len = strlen(text);

	return len > 0 && len <= 5 && strspn(text, "0123456789") == len;
}

/* ADDRESS:PORT and [ADDRESS]:PORT; a path has a slash. */
static bool metrics_is_address(const char *where, char *address, size_t size,
			       const char **port)
{
	const char *colon = strrchr(where, ':');
	size_t len;

	if (!colon || strchr(where, '/') || !metrics_digits(colon + 1))
		return false;
	len = (size_t)(colon - where);
	if (len >= 2 && where[0] == '[' && colon[-1] == ']') {
		where++;
		len -= 2;
	}
	snprintf(address, size, "%.*s", (int)len, where);
	*port = colon + 1;
	return true;
}

static int metrics_open_file(struct metrics *m, const char *where,
			     struct strbuf *error)
{
	const char *dot = strrchr(where, '.');
	int err;

	m->path = strdup(where);
	if (!m->path)
		abort();
	m->form = dot && (strcmp(dot, ".om") == 0 ||
			  strcmp(dot, ".openmetrics") == 0)
			  ? METRICS_OPEN
			  : METRICS_PLAIN;
	/* What cannot be written is told before the run, not after. */
	err = metrics_write(m);
	if (err)
		strbuf_addf(error,
			    "--metrics '%s': %s; name a file in a folder that "
			    "can be written, or a port",
			    where, strerror(-err));
	return err;
}

static void metrics_nothing(void *arg, struct metrics_text *t)
{
}

static struct metrics *metrics_new(void)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->owner = getpid();
	m->shared = mmap(NULL, sizeof(*m->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (m->shared == MAP_FAILED)
		abort();
	metrics_publish(m, metrics_nothing, NULL);
	return m;
}

static void metrics_free(struct metrics *m)
{
	munmap(m->shared, sizeof(*m->shared));
	free(m->path);
	free(m);
}

int metrics_open(const char *where, struct metrics **out, struct strbuf *error)
{
	char address[64] = "127.0.0.1";
	const char *port = where;
	struct metrics *m;
	int fd = -1, err;

	if (!where[0]) {
		strbuf_add(error, "--metrics '': must be a file, a port or "
				  "ADDRESS:PORT");
		return -EINVAL;
	}
	m = metrics_new();
	if (metrics_digits(where) ||
	    metrics_is_address(where, address, sizeof(address), &port))
		err = metrics_http_listen(address, port, &fd, error);
	else
		err = metrics_open_file(m, where, error);
	if (!err)
		err = metrics_start(m, fd, error);
	if (fd >= 0)
		close(fd);
	if (err)
		metrics_free(m);
	else
		*out = m;
	return err;
}

int metrics_close(struct metrics *m)
{
	int err = 0;

	if (!m)
		return 0;
	/* Whoever cleans up behind a run that died has perhaps taken it. */
	if (m->pid && waitpid(m->pid, NULL, WNOHANG) == 0) {
		kill(m->pid, SIGKILL);
		waitpid(m->pid, NULL, 0);
	}
	if (m->path)
		err = metrics_write(m);
	metrics_free(m);
	return err;
}
