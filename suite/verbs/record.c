// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What all observed verbs share: their results made one, and the record. */
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

static _Thread_local bool verbs_negative;

bool verbs_was_negative(void)
{
	return verbs_negative;
}

int verbs_result(int ret)
{
	verbs_negative = ret < 0;
	if (ret == 0)
		return 0;
	if (ret == -1)
		return verbs_errno();
	/* Some providers give the errno negative. */
	return ret > 0 ? -ret : ret;
}

int verbs_errno(void)
{
	return errno ? -errno : -EIO;
}

void verbs_record(const struct verbs_at *at, struct recorder_record *record,
		  int64_t returned, int err)
{
	record->end = at->end;
	record->result = returned;
	record->error = err < 0 ? -err : 0;
	recorder_write(at->recorder, record);
}
