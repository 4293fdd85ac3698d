/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What metrics_out.c and metrics_http.c share: the text, and where it goes. */
#ifndef SUITE_REPORT_METRICS_INNER_H
#define SUITE_REPORT_METRICS_INNER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/report/metrics.h"

enum {
	/* Of one form; that of a soak of 64 queue pairs takes 30 KiB. */
	METRICS_BYTES_MAX = 256 << 10,
	METRICS_SLOTS = 2,
};

/*
 * Shared by who publishes and who serves.  Number n is in slot n % 2, so that
 * it stays as it is until n + 2 is being written: who copies it looks at the
 * number again afterwards.
 */
struct metrics_shared {
	_Atomic uint64_t begun, done; /* numbers; 0: nothing yet */
	struct {
		size_t len[METRICS_FORMS];
		char text[METRICS_FORMS][METRICS_BYTES_MAX];
	} slots[METRICS_SLOTS];
};

/* What was published last; its number, 0 when nothing was. */
uint64_t metrics_take(const struct metrics_shared *s, enum metrics_form form,
		      struct strbuf *out);

/* A socket that listens at @address ("127.0.0.1", "::1") and @port; or -EINVAL
 * or another negative errno and @error. */
int metrics_http_listen(const char *address, const char *port, int *fd,
			struct strbuf *error) MUST_USE;
/* Answer until killed. */
NO_RETURN void metrics_http_serve(const struct metrics_shared *s, int fd);

#endif
