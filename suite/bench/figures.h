/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The figures of a bench: each measured several times, kept as a file, read
 * back and judged elsewhere (compare.h).
 *
 *	STORE/<name>.<time>.json	one run
 *	STORE/index.jsonl		a line for each, oldest first
 */
#ifndef SUITE_BENCH_FIGURES_H
#define SUITE_BENCH_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

enum {
	FIGURES_VERSION = 1,
	FIGURES_MAX = 512,
	FIGURE_VALUES_MAX = 50,
	FIGURES_FILE_MAX = 8 << 20,
};

struct figure {
	char name[64]; /* "throughput/65536", "latency/64/closed/p99" */
	char unit[16];
	bool more_is_better;
	bool tail; /* p99 and beyond */
	uint32_t count;
	double values[FIGURE_VALUES_MAX];
};

struct figures {
	char name[128]; /* of the run, chosen by the user; or empty */
	char when[32];	/* local time, for people */
	char host[128], version[32];
	/* Measurements, and those of them that others on the host disturbed;
	 * 0 of 0: not told. */
	uint32_t measured, disturbed;
	json_t *settings; /* what must agree for two runs to be compared */
	uint32_t count;
	struct figure list[FIGURES_MAX];
};

struct figures *figures_new(void) MUST_USE;
void figures_free(struct figures *f);
/* The one of that name, made if it is new (NULL: there is no room). */
struct figure *figures_get(struct figures *f, const char *name,
			   const char *unit, bool more_is_better, bool tail);
void figure_add(struct figure *f, double value);
const struct figure *figures_find(const struct figures *f, const char *name);
double figure_median(const struct figure *f);
/* Half the distance of the quartiles, in percent of the median. */
double figure_spread(const struct figure *f);

json_t *figures_json(const struct figures *f) MUST_USE;
/* -EBADMSG: it is no such file, or of another version; @error says what. */
int figures_read(const json_t *json, struct figures **out,
		 struct strbuf *error) MUST_USE;

/* Keep it in the folder @store; *@path: where (free() it). */
int figures_save(const struct figures *f, const char *store, char **path,
		 struct strbuf *error) MUST_USE;
/* A file, or the newest run of that name in the store. */
int figures_load(const char *store, const char *name, struct figures **out,
		 struct strbuf *error) MUST_USE;
/* The last @most runs of that name, oldest first; how many in *@count. */
int figures_load_last(const char *store, const char *name, uint32_t most,
		      struct figures ***out, uint32_t *count,
		      struct strbuf *error) MUST_USE;

#endif
