// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verbs about mutants: see the public header. */
#include "device/front/softdv_mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"
#include "softrdma/softdv.h"

static const struct softdv_mutant softdv_mutant_rows[MUTANTS] = {
#define MUTANT(id, name, sentence, evidence, rule, cases, finding, param) \
	{ #id, name, sentence, evidence, rule, cases, finding, param },
#include "device/mutant/mutants.def"
#undef MUTANT
};

static char softdv_mutant_log[PATH_MAX];

EXPORTED int softdv_mutants(unsigned int index,
			    const struct softdv_mutant **row)
{
	if (!row)
		return verbs_int(-EINVAL);
	if (index >= MUTANTS)
		return verbs_int(-ENOENT);
	*row = &softdv_mutant_rows[index];
	return 0;
}

EXPORTED int softdv_mutant_set(struct ibv_context *context, const char *id,
			       int on, uint64_t param)
{
	struct soft_context *c;
	int m, err;

	if (!id)
		return verbs_int(-EINVAL);
	m = mutant_find(id, strlen(id));
	if (m < 0)
		return verbs_int(m);
	err = soft_context_get(context, &c);
	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	err = mutant_set((enum mutant)m, on, param);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	return verbs_int(err);
}

EXPORTED int softdv_mutant_count(const char *id, uint64_t *count)
{
	int m;

	if (!id || !count)
		return verbs_int(-EINVAL);
	m = mutant_find(id, strlen(id));
	if (m < 0)
		return verbs_int(m);
	*count = mutant_acted((enum mutant)m);
	return 0;
}

/* One write, so that lines of many processes do not mix. */
static void softdv_mutant_tell(enum mutant m)
{
	char line[16];
	int saved_errno = errno;
	int len = snprintf(line, sizeof(line), "%s\n", mutant_rows[m].id);
	int fd = open(softdv_mutant_log,
		      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0 || write(fd, line, (size_t)len) != len)
		log_error("SOFT_MUTANTS_LOG %s: %s", softdv_mutant_log,
			  strerror(errno));
	if (fd >= 0)
		close(fd);
	errno = saved_errno;
}

void front_mutants_log(const char *path)
{
	if (!path)
		return;
	strncpy(softdv_mutant_log, path, sizeof(softdv_mutant_log) - 1);
	mutant_on_first(softdv_mutant_tell);
}
