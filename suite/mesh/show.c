// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The matrix as tables, for a terminal. */
#include <inttypes.h>

#include "base/clock.h"
#include "suite/mesh/matrix.h"

enum { SHOW_TENTHS = 10 };

void mesh_show_ranks(const struct mesh_matrix *m, FILE *out)
{
	struct strbuf text = STRBUF_INIT;

	fprintf(out, "%4s  %-16s %-20s %-14s %5s  %s\n", "rank", "host",
		"kernel", "device", "MTU", "GID");
	for (uint32_t i = 0; i < m->ranks; i++)
		fprintf(out,
			"%4u  %-16s %-20s %s/%-*" PRIu64 " %5" PRIu64
			"  %s (%s)\n",
			i, mesh_fact(m, i, "host"), mesh_fact(m, i, "kernel"),
			mesh_fact(m, i, "device"), 8,
			mesh_fact_number(m, i, "port"),
			mesh_fact_number(m, i, "mtu"), mesh_fact(m, i, "gid"),
			mesh_fact(m, i, "gid_type"));
	mesh_mismatches(m, &text);
	if (text.len)
		fprintf(out, "\nthe ranks differ:\n%s", strbuf_text(&text));
	strbuf_free(&text);
}

static void show_head(const struct mesh_matrix *m, const char *title, int width,
		      FILE *out)
{
	fprintf(out, "\n%s\n%6s", title, "");
	for (uint32_t i = 0; i < m->ranks; i++)
		fprintf(out, " %*u", width, i);
	fputc('\n', out);
}

static void show_verdicts(const struct mesh_matrix *m, FILE *out)
{
	show_head(m, "verdicts", 6, out);
	for (uint32_t i = 0; i < m->ranks; i++) {
		fprintf(out, "%6u", i);
		for (uint32_t k = 0; k < m->ranks; k++) {
			const struct mesh_cell *c = mesh_cell(m, i, k);

			fprintf(out, " %6s",
				c ? vb_verdict_name(c->verdict) : ".");
		}
		fputc('\n', out);
	}
}

static void show_speeds(const struct mesh_matrix *m, FILE *out)
{
	show_head(m, "throughput in MB/s, from the row's rank to the column's",
		  9, out);
	for (uint32_t i = 0; i < m->ranks; i++) {
		fprintf(out, "%6u", i);
		for (uint32_t k = 0; k < m->ranks; k++) {
			double speed = mesh_speed(m, i, k);

			if (speed > 0)
				fprintf(out, " %9.1f", speed / 1e6);
			else
				fprintf(out, " %9s", i == k ? "." : "-");
		}
		fputc('\n', out);
	}
}

static void show_latencies(const struct mesh_matrix *m, FILE *out)
{
	show_head(m, "round trip in us: p50 above the diagonal, p99 below", 9,
		  out);
	for (uint32_t i = 0; i < m->ranks; i++) {
		fprintf(out, "%6u", i);
		for (uint32_t k = 0; k < m->ranks; k++) {
			const struct mesh_cell *c = mesh_cell(m, i, k);

			if (c && c->trips)
				fprintf(out, " %9.1f",
					(double)(i < k ? c->p50_ns
						       : c->p99_ns) /
						(double)NS_PER_US);
			else
				fprintf(out, " %9s", c ? "-" : ".");
		}
		fputc('\n', out);
	}
}

/* One cell of the heat map: a digit, or the verdict's letter. */
static void show_warmth(const struct mesh_matrix *m, uint32_t from, uint32_t to,
			double max, FILE *out)
{
	const struct mesh_cell *c = mesh_cell(m, from, to);
	double speed = mesh_speed(m, from, to);
	int tenth = max > 0 ? (int)(speed / max * SHOW_TENTHS) : 0;

	if (tenth >= SHOW_TENTHS)
		tenth = SHOW_TENTHS - 1;
	if (!c)
		fputs("  .", out);
	else if (c->verdict != VB_PASS)
		fprintf(out, "  %c", c->verdict == VB_FAIL ? 'F' : 'B');
	else if (speed <= 0)
		fputs("  -", out);
	else
		fprintf(out, "  %d", tenth);
}

static void show_heat(const struct mesh_matrix *m, FILE *out)
{
	double max = mesh_speed_max(m);

	fprintf(out,
		"\nheat: tenths of the best throughput, %.1f MB/s; F failed, "
		"B broken\n%6s",
		max / 1e6, "");
	for (uint32_t i = 0; i < m->ranks; i++)
		fprintf(out, " %2u", i % 100);
	fputc('\n', out);
	for (uint32_t i = 0; i < m->ranks; i++) {
		fprintf(out, "%6u", i);
		for (uint32_t k = 0; k < m->ranks; k++)
			show_warmth(m, i, k, max, out);
		fputc('\n', out);
	}
}

static void show_reasons(const struct mesh_matrix *m, FILE *out)
{
	struct strbuf text = STRBUF_INIT;

	for (uint32_t i = 0; i < mesh_pair_count(m->ranks); i++) {
		const struct mesh_cell *c = &m->cell[i];

		if (c->verdict == VB_PASS)
			continue;
		strbuf_reset(&text);
		mesh_rank_text(m, c->pair.a, &text);
		strbuf_add(&text, " with ");
		mesh_rank_text(m, c->pair.b, &text);
		fprintf(out, "%s: %s: %s\n", vb_verdict_name(c->verdict),
			strbuf_text(&text), c->reason);
	}
	if (mesh_suspect(m) >= 0) {
		strbuf_reset(&text);
		mesh_rank_text(m, (uint32_t)mesh_suspect(m), &text);
		fprintf(out, "%s is in every pair that did not pass\n",
			strbuf_text(&text));
	}
	strbuf_free(&text);
}

void mesh_show(const struct mesh_matrix *m, FILE *out)
{
	show_verdicts(m, out);
	show_speeds(m, out);
	show_latencies(m, out);
	show_heat(m, out);
	fputc('\n', out);
	show_reasons(m, out);
	fprintf(out,
		"%u ranks, %u pairs: %u passed, %u failed, %u broken; %.1f s\n",
		m->ranks, mesh_pair_count(m->ranks), mesh_count(m, VB_PASS),
		mesh_count(m, VB_FAIL), mesh_count(m, VB_BROKEN),
		(double)m->wall_ns / (double)NS_PER_S);
}
