// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mutants: which of the seeded defects does the suite find, and how? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/soft.h"
#include "suite/mutants/mutants.h"
#include "suite/report/rundir.h"

static void mutants_tell_nobody(const json_t *result)
{
}

static void mutants_list(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct softdv_mutant *row = rows->row[i];

		printf("%-4s %-20s %s\n     %s; %s, by %s\n", row->id,
		       row->name, row->sentence, row->rule, row->finding,
		       row->cases[0] ? row->cases : "no case");
	}
}

/* The folder, new or of the run to be gone on with, and ours alone. */
static int mutants_folder(const struct vb_options *o, char **dir, int *fd,
			  char **error)
{
	struct strbuf text = STRBUF_INIT;

	if (!o->resume)
		return rundir_make(o->out, dir, fd, error);
	*fd = open(o->resume, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 || flock(*fd, LOCK_EX | LOCK_NB)) {
		strbuf_addf(&text, "--resume '%s': %s", o->resume,
			    errno == EWOULDBLOCK ? "another run writes there"
						 : strerror(errno));
		*error = strbuf_detach(&text);
		if (*fd >= 0)
			close(*fd);
		return -EINVAL;
	}
	*dir = strdup(o->resume);
	if (!*dir)
		abort();
	return 0;
}

static void mutants_answer(struct mutants *m, const struct vb_options *o)
{
	if (o->json) {
		answer_json(mutants_json(m));
		return;
	}
	if (o->table) {
		mutants_show_table(m);
		return;
	}
	mutants_show_sums(m);
	if (m->checks)
		mutants_show_idle(m);
	printf("seed %lu; %s/mutants.jsonl\n", (unsigned long)m->seed, m->dir);
}

static int mutants_hunt(struct mutants *m, const struct vb_options *o)
{
	char *error = NULL;
	int status = EXIT_FAILED;

	if (mutants_open(m, o->control, o->resume != NULL, &error)) {
		status = answer_error(error,
				      o->resume ? EXIT_USAGE : EXIT_ABSENT);
	} else if (mutants_run(m, o->json || o->table ? mutants_tell_nobody
						      : mutants_show_one)) {
		mutants_answer(m, o);
		status = mutants_perfect(m) ? EXIT_FINE : EXIT_FAILED;
	} else {
		log_error("ended early; go on with --resume %s", m->dir);
	}
	return status;
}

static int mutants_with_rows(struct mutants *m, const struct vb_options *o)
{
	char *error = NULL, *dir = NULL;
	int status, fd;

	if (mutants_folder(o, &dir, &fd, &error))
		return answer_error(error,
				    o->resume ? EXIT_USAGE : EXIT_ABSENT);
	m->dir = dir;
	status = mutants_hunt(m, o);
	close(fd);
	free(dir);
	return status;
}

int command_mutants(struct command_call *call)
{
	const struct vb_options *o = &call->options;
	struct mutants m = {
		.seed = o->seed ? o->seed : command_clock_seed(),
		.patience = o->patience,
		.parallel = o->jobs ? (unsigned)o->jobs
				    : (unsigned)get_nprocs(),
		.fast = o->fast,
		.checks = o->checks,
		.live = !o->json && !o->table && isatty(STDERR_FILENO),
	};
	char *error = NULL;
	int status = EXIT_FINE;

	if (soft_require(call->argv, &error))
		return answer_error(error, EXIT_ABSENT);
	if (rows_select((const char *const *)call->operands,
			(size_t)call->count, &m.rows, &error))
		return answer_error(error, EXIT_USAGE);
	if (o->list)
		mutants_list(&m.rows);
	else
		status = mutants_with_rows(&m, o);
	mutants_close(&m);
	return status;
}
