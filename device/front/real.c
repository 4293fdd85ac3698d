// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the real functions once.  They are the next ones in the search order
 * behind this preloaded library; when libibverbs came only with a plugin that
 * was dlopened, it is not in that order, and is loaded by name.
 */
#include "device/front/real.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/log.h"

static pthread_once_t real_once = PTHREAD_ONCE_INIT;
static struct real_verbs real;

static void *real_find(const char *name)
{
	static void *library;
	void *symbol = dlsym(RTLD_NEXT, name);

	if (symbol)
		return symbol;
	if (!library)
		library = real_load("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
	return library ? dlsym(library, name) : NULL;
}

static void real_set(void **where, const char *name)
{
	*where = real_find(name);
}

#define REAL_FIND(name) real_set((void **)(void *)&real.name, "ibv_" #name);

static void real_find_all(void)
{
#define ENTRY_INT(name, context, params, args)	     REAL_FIND(name)
#define ENTRY_STATUS(name, context, params, args)    REAL_FIND(name)
#define ENTRY_PTR(type, name, context, params, args) REAL_FIND(name)
#define ENTRY_VOID(name, context, params, args)	     REAL_FIND(name)
#define NONE_INT(name, context, params, args)	     REAL_FIND(name)
#define NONE_STATUS(name, context, params, args)     REAL_FIND(name)
#define NONE_PTR(type, name, context, params, args)  REAL_FIND(name)
#define NONE_VOID(name, context, params, args)	     REAL_FIND(name)
#define ENTRY_OTHER(type, name, params)		     REAL_FIND(name)
#include "device/front/entry_points.def"
	real_set((void **)(void *)&real.query_gid_ex, "_ibv_query_gid_ex");
	real_set((void **)(void *)&real.query_gid_table,
		 "_ibv_query_gid_table");
	real_set((void **)(void *)&real.mult_to_rate, "mult_to_ibv_rate");
	real_set((void **)(void *)&real.mbps_to_rate, "mbps_to_ibv_rate");
	if (!real.get_device_list)
		log_info("no libibverbs behind us: only our device is served");
}

const struct real_verbs *real_verbs(void)
{
	pthread_once(&real_once, real_find_all);
	return &real;
}
