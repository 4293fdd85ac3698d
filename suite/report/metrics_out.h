/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where metrics go: a file, or whoever asks a port.  Either is the work of a
 * process of its own, which shares one piece of memory with those who publish:
 * what is done with the text, and however slowly, costs the run nothing, and
 * what strangers send to the port does not meet it.
 *
 *	FILE		written anew (and renamed) each second in which there is
 *			something new, and at the end; OpenMetrics if it is
 *			called *.om or *.openmetrics, else the older text, which
 *			is what collectors of text files take
 *	PORT		HTTP on the loopback, GET /metrics; the form is the one
 *			that the client asks for
 *	ADDRESS:PORT	the same, there
 */
#ifndef SUITE_REPORT_METRICS_OUT_H
#define SUITE_REPORT_METRICS_OUT_H

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/report/metrics.h"

struct metrics;
struct reporter;

/* Writes all families. */
typedef void metrics_fill(void *arg, struct metrics_text *t);

/*
 * Before any thread of ours is started.  0; -EINVAL and @error: @where is none
 * of the above; or another negative errno and @error.  What is listened to is
 * told on stderr.
 */
int metrics_open(const char *where, struct metrics **out,
		 struct strbuf *error) MUST_USE;
/* From this process, or a child of it: one at a time. */
void metrics_publish(struct metrics *m, metrics_fill *fill, void *arg);
/* The end; what was published last is in the file.  0, or a negative errno of
 * writing it.  NULL is none. */
int metrics_close(struct metrics *m);
/* Publishes there what the events of a run tell; @m stays the caller's. */
struct reporter *metrics_reporter(struct metrics *m) MUST_USE;

#endif
