// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that load libibverbs while they run, and look its functions up by
 * dlsym() or dlvsym() in the handle, so that they start where there is none.
 * They are given a handle of this library, once the real one could be loaded,
 * and in that every version of a name is ours, which has none.  Everything else
 * goes to the system as it came, by a jump and not by a call: its functions look
 * who called them, for the path (RUNPATH) and the order (RTLD_NEXT) of searches.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "device/front/real.h"

/* Sanitizers come here before they have made ready what they look at. */
#define LOADER_PLAIN \
	__attribute__((noinline, no_sanitize("address", "thread", "undefined")))

#ifdef __clang__
#define LOADER_JUMPS LOADER_PLAIN
#define LOADER_JUMP  __attribute__((musttail)) return
#else
#define LOADER_JUMPS LOADER_PLAIN __attribute__((optimize("O2")))
#define LOADER_JUMP  return
#endif

static void *(*loader_open)(const char *file, int flags);
static void *(*loader_versioned)(void *handle, const char *name,
				 const char *version);
/* Of this library, once it was given out; the same each time. */
static _Atomic(void *) loader_ours;

static LOADER_PLAIN void loader_find(void)
{
	*(void **)(void *)&loader_open = dlsym(RTLD_NEXT, "dlopen");
	*(void **)(void *)&loader_versioned = dlsym(RTLD_NEXT, "dlvsym");
}

__attribute__((constructor(101))) static void loader_find_early(void)
{
	loader_find();
}

void *real_load(const char *file, int flags)
{
	if (!loader_open)
		loader_find();
	return loader_open(file, flags);
}

/* libibverbs.so, and with any version behind it, in any folder. */
static LOADER_PLAIN bool loader_is_verbs(const char *file)
{
	static const char name[] = "libibverbs.so";
	const char *base = file ? strrchr(file, '/') : NULL;

	base = base ? base + 1 : file;
	if (!loader_open)
		loader_find();
	return base && !strncmp(base, name, sizeof(name) - 1) &&
	       (base[sizeof(name) - 1] == '\0' ||
		base[sizeof(name) - 1] == '.');
}

/* The real one stays loaded: our functions go on to it. */
static LOADER_PLAIN void *loader_verbs(const char *file, int flags)
{
	void *theirs = loader_open(file, flags);
	void *ours = NULL;
	Dl_info info;

	if (theirs && dladdr((void *)(uintptr_t)loader_find, &info) &&
	    info.dli_fname)
		ours = loader_open(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	if (!ours)
		return theirs;
	loader_ours = ours;
	return ours;
}

EXPORTED LOADER_JUMPS void *dlopen(const char *file, int flags)
{
	if (unlikely(loader_is_verbs(file)))
		return loader_verbs(file, flags);
	LOADER_JUMP loader_open(file, flags);
}

static LOADER_PLAIN bool loader_is_ours(const void *handle)
{
	if (!loader_versioned)
		loader_find();
	return handle && handle == loader_ours;
}

EXPORTED LOADER_JUMPS void *dlvsym(void *restrict handle,
				   const char *restrict name,
				   const char *restrict version)
{
	if (unlikely(loader_is_ours(handle)))
		return dlsym(handle, name);
	LOADER_JUMP loader_versioned(handle, name, version);
}
