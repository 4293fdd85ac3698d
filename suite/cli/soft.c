// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finding libsoftrdma.so and preloading it. */
#include "suite/cli/soft.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

#define SOFT_LIBRARY "libsoftrdma.so"
/* Set in the program started again, so that this is tried once. */
#define SOFT_GUARD "VERBATIM_SOFT_STARTED"
/* "%": the folder of this program. */
#define SOFT_INSTALLED "%/../" VB_LIBDIR_NAME

bool soft_is(const char *device)
{
	return strncmp(device, "soft", 4) == 0;
}

struct soft_search {
	const char *const *names;
	size_t count;
	char path[PATH_MAX]; /* of the first object found, or empty */
};

static int soft_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct soft_search *s = arg;
	const char *base = strrchr(info->dlpi_name, '/');

	base = base ? base + 1 : info->dlpi_name;
	for (size_t i = 0; i < s->count; i++) {
		if (strncmp(base, s->names[i], strlen(s->names[i])) != 0)
			continue;
		strncpy(s->path, info->dlpi_name, sizeof(s->path) - 1);
		return 1;
	}
	return 0;
}

/* Is it in this process? */
static bool soft_loaded(void)
{
	static const char *const names[] = { SOFT_LIBRARY };
	struct soft_search s = { .names = names, .count = ARRAY_SIZE(names) };

	return dl_iterate_phdr(soft_visit, &s);
}

/* The sanitizer's runtime that this program was built with: it must come
 * before everything else that is preloaded.  Empty: there is none. */
static void soft_find_runtime(struct soft_search *s)
{
	static const char *const names[] = { "libasan.so", "libtsan.so",
					     "libclang_rt.asan",
					     "libclang_rt.tsan" };

	*s = (struct soft_search){ .names = names, .count = ARRAY_SIZE(names) };
	dl_iterate_phdr(soft_visit, s);
}

/* Beside the program, where it would be installed from there, where it was
 * installed by the build; free() it.  NULL: nowhere. */
static char *soft_find_library(struct strbuf *tried)
{
	static const char *const folders[] = { "%", "%/../lib", SOFT_INSTALLED,
					       VB_LIBDIR };
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	exe[len < 0 ? 0 : len] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct strbuf path = STRBUF_INIT;

		if (folders[i][0] == '%')
			strbuf_addf(&path, "%s%s", exe, folders[i] + 1);
		else
			strbuf_add(&path, folders[i]);
		strbuf_addf(tried, "%s%s", i ? ", " : "", strbuf_text(&path));
		strbuf_add(&path, "/" SOFT_LIBRARY);
		if (access(strbuf_text(&path), R_OK) == 0)
			return strbuf_detach(&path);
		strbuf_free(&path);
	}
	return NULL;
}

int soft_preload(char **error)
{
	struct strbuf tried = STRBUF_INIT, list = STRBUF_INIT;
	const char *already = getenv("LD_PRELOAD");
	char *library = soft_find_library(&tried);
	struct soft_search runtime;
	int err = 0;

	if (!library) {
		strbuf_addf(
			&list,
			"the software device is not installed: no " SOFT_LIBRARY
			" in %s",
			strbuf_text(&tried));
		*error = strbuf_detach(&list);
		err = -ENOENT;
		goto free_tried;
	}
	soft_find_runtime(&runtime);
	if (runtime.path[0])
		strbuf_addf(&list, "%s:", runtime.path);
	strbuf_add(&list, library);
	if (already && already[0] && !strstr(already, SOFT_LIBRARY))
		strbuf_addf(&list, ":%s", already);
	if (setenv("LD_PRELOAD", strbuf_text(&list), 1))
		abort();
	strbuf_free(&list);
	free(library);
free_tried:
	strbuf_free(&tried);
	return err;
}

int soft_require(char **argv, char **error)
{
	int err;

	if (soft_loaded()) {
		unsetenv(SOFT_GUARD);
		return 0;
	}
	if (getenv(SOFT_GUARD)) {
		*error = strdup("the software device could not be loaded: "
				"LD_PRELOAD had no effect");
		return -ELIBACC;
	}
	err = soft_preload(error);
	if (err)
		return err;
	setenv(SOFT_GUARD, "1", 1);
	execv("/proc/self/exe", argv);
	err = -errno;
	*error = strdup("this program cannot be started again: no "
			"/proc/self/exe");
	return err;
}
