/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The exit statuses of the program; a promise to scripts. */
#ifndef SUITE_RUNNER_EXIT_H
#define SUITE_RUNNER_EXIT_H

enum {
	EXIT_FINE = 0,	 /* all passed, skipped or deviate as listed */
	EXIT_FAILED = 1, /* a case failed or was broken */
	EXIT_USAGE = 2,
	EXIT_ABSENT = 3, /* no device, permission or room for the files */
};

#endif
