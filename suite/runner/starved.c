// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "suite/runner/starved.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Of schedstat(5)'s three numbers the second. */
uint64_t starved_ns(pid_t pid)
{
	char path[40], text[100];
	uint64_t ran_ns, waited_ns;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &ran_ns, &waited_ns) != 2)
		return 0;
	return waited_ns;
}
