// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Starting, hearing and ending such a process. */
#include "suite/mutants/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The words of the command line before the ids of the cases, at most. */
enum { CHILD_WORDS = 16, CHILD_READ_BYTES = 16384 };

/* argv for the order; free() it, the words are the caller's or in @text. */
static const char **child_words(const struct child_order *o, char text[2][32])
{
	const char **argv =
		calloc(CHILD_WORDS + o->case_count + 1, sizeof(*argv));
	size_t n = 0;

	if (!argv)
		abort();
	snprintf(text[0], sizeof(text[0]), "%" PRIu64, o->seed);
	snprintf(text[1], sizeof(text[1]), "%g", o->patience);
	argv[n++] = "verbatim";
	argv[n++] = "run";
	argv[n++] = "--device";
	argv[n++] = "soft0";
	argv[n++] = "--format";
	argv[n++] = "jsonl";
	argv[n++] = "--seed";
	argv[n++] = text[0];
	argv[n++] = "--patience";
	argv[n++] = text[1];
	argv[n++] = "--out";
	argv[n++] = o->dir;
	for (size_t i = 0; i < o->case_count; i++)
		argv[n++] = o->cases[i];
	return argv;
}

/* The order's words for the device; the library itself is preloaded already. */
static void child_environment(const struct child_order *o)
{
	unsetenv("SOFT_MUTANTS");
	unsetenv("SOFT_MUTANTS_LOG");
	if (!o->mutant)
		return;
	if (setenv("SOFT_MUTANTS", o->mutant, 1) ||
	    setenv("SOFT_MUTANTS_LOG", o->acted, 1))
		_exit(127);
}

/* In the new process.  What it says on stderr lies beside its files. */
static void NO_RETURN child_become(const struct child_order *o,
				   const char **argv, int events, int said,
				   pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(events, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
		_exit(127);
	child_environment(o);
	execv("/proc/self/exe", (char *const *)argv);
	_exit(127);
}

static int child_open_said(const struct child_order *o)
{
	struct strbuf path = STRBUF_INIT;
	int fd;

	strbuf_addf(&path, "%s/stderr", o->dir);
	if (mkdir(o->dir, 0777) && errno != EEXIST) {
		strbuf_free(&path);
		return -1;
	}
	fd = open(strbuf_text(&path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		  0666);
	strbuf_free(&path);
	return fd;
}

int child_start(struct child *c, const struct child_order *o, char **error)
{
	struct strbuf why = STRBUF_INIT;
	char text[2][32];
	const char **argv = child_words(o, text);
	pid_t parent = getpid();
	int pipes[2], said, err;

	*c = (struct child){ 0 };
	said = child_open_said(o);
	if (said < 0) {
		err = -errno;
		goto err_free;
	}
	if (pipe2(pipes, O_CLOEXEC)) {
		err = -errno;
		goto err_close_said;
	}
	fflush(NULL);
	c->pid = fork();
	if (c->pid < 0) {
		err = -errno;
		goto err_close_pipe;
	}
	if (!c->pid)
		child_become(o, argv, pipes[1], said, parent);
	close(pipes[1]);
	close(said);
	c->events = pipes[0];
	free(argv);
	return 0;

err_close_pipe:
	close(pipes[0]);
	close(pipes[1]);
err_close_said:
	close(said);
err_free:
	free(argv);
	c->pid = 0;
	strbuf_addf(&why, "a run in '%s': %s", o->dir, strerror(-err));
	*error = strbuf_detach(&why);
	return err;
}

/* The lines of @bytes; what is behind the last one waits for its end. */
static void child_split(struct child *c, const char *bytes, size_t len,
			void (*told)(void *arg, const char *line), void *arg)
{
	while (len) {
		const char *end = memchr(bytes, '\n', len);
		size_t part = end ? (size_t)(end - bytes) : len;

		strbuf_add_bytes(&c->line, bytes, part);
		if (!end)
			return;
		told(arg, strbuf_text(&c->line));
		strbuf_reset(&c->line);
		bytes += part + 1;
		len -= part + 1;
	}
}

bool child_read(struct child *c, void (*told)(void *arg, const char *line),
		void *arg)
{
	char bytes[CHILD_READ_BYTES];
	ssize_t len = read(c->events, bytes, sizeof(bytes));

	if (len < 0)
		return errno == EINTR || errno == EAGAIN;
	child_split(c, bytes, (size_t)len, told, arg);
	return len > 0;
}

void child_stop(struct child *c)
{
	if (!c->stopped && c->pid > 0)
		kill(c->pid, SIGTERM);
	c->stopped = true;
}

int child_end(struct child *c)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(c->events);
	strbuf_free(&c->line);
	*c = (struct child){ 0 };
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}
