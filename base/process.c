// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Mostly from the files of the process below /proc. */
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESS_PATH_MAX = 64 };

int process_resident(pid_t pid, uint64_t *bytes)
{
	unsigned long all, resident = 0;
	char path[PROCESS_PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (fscanf(file, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	fclose(file);
	if (!resident)
		return -ENODATA;
	*bytes = resident * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* Entries but "." and "..". */
static uint64_t process_entries(pid_t pid, const char *folder)
{
	char path[PROCESS_PATH_MAX];
	uint64_t count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, folder);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count > 2 ? count - 2 : 0;
}

uint64_t process_descriptors(pid_t pid)
{
	uint64_t count = process_entries(pid, "fd");

	return count && pid == getpid() ? count - 1 : count;
}

uint64_t process_threads(pid_t pid)
{
	return process_entries(pid, "task");
}

bool process_stopped(pid_t pid)
{
	char path[PROCESS_PATH_MAX], line[512], *name_end = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* "pid (name) state ...", and a name may have anything in it. */
	if (fgets(line, sizeof(line), file))
		name_end = strrchr(line, ')');
	fclose(file);
	return name_end && name_end[1] == ' ' &&
	       (name_end[2] == 'T' || name_end[2] == 't');
}

const char *process_death(int status, char text[PROCESS_DEATH_MAX])
{
	int sig = WTERMSIG(status);
	const char *name = sigabbrev_np(sig), *sense = sigdescr_np(sig);

	if (!WIFSIGNALED(status))
		snprintf(text, PROCESS_DEATH_MAX, "ended with status %d",
			 WEXITSTATUS(status));
	else if (name && sense)
		snprintf(text, PROCESS_DEATH_MAX, "died by SIG%s (%s)", name,
			 sense);
	else
		snprintf(text, PROCESS_DEATH_MAX, "died by signal %d", sig);
	return text;
}
