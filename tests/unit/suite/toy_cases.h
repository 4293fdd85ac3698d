/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Running a case on the toy device in a process of its own, and comparing the
 * last that it said.
 */
#ifndef TESTS_UNIT_SUITE_TOY_CASES_H
#define TESTS_UNIT_SUITE_TOY_CASES_H

#include <stdio.h>
#include <sys/wait.h>

#include "suite/runner/inside.h"
#include "toy_device.h"
#include "verbatim/case.h"

static struct vb_options options = {
	.device = "toy",
	.port = 1,
	.gid_index = "auto",
	.inflight = 16,
	.batch = 4,
	.cq_mode = "poll",
	.timeout = 1,
	.retry = 1,
	.rnr_retry = 1,
	.min_rnr_timer = 1,
	.patience = 0.1,
};

static const struct vb_case record = { .id = "unit/toy" };

/* The last line that the case's process said, "pass" when it ended well. */
static inline void said(enum toy_defect defect, void (*run)(struct vb_test *t),
			char text[512])
{
	int fds[2], status;
	ssize_t len = 0, n;
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct vb_test t = { .record = &record,
				     .options = &options,
				     .seed = 11 };

		dup2(fds[1], STDERR_FILENO);
		toy_defect = defect;
		run(&t);
		vb_ends_close(&t);
		fprintf(stderr, "pass\n");
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + len, (size_t)(511 - len))) > 0)
		len += n;
	text[len] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
}

static inline void expect(enum toy_defect defect,
			  void (*run)(struct vb_test *t), const char *begin)
{
	char text[512];

	said(defect, run, text);
	if (strncmp(text, begin, strlen(begin)) != 0)
		fail_msg("defect %d: expected \"%s\", got \"%s\"", defect,
			 begin, text);
}

#endif
