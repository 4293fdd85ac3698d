// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Complaints: the one place where their text is made. */
#include "suite/oracle/complaint.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int complaint_set(struct complaint *c, enum vb_finding finding, uint64_t wr_id,
		  const char *format, ...)
{
	va_list args;

	c->finding = finding;
	c->wr_id = wr_id;
	va_start(args, format);
	vsnprintf(c->text, sizeof(c->text), format, args);
	va_end(args);
	return -EBADMSG;
}
