// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The matrix for programs, as JSON, and for reports, as a picture.  Much of its
 * text comes from other hosts. */
#include <inttypes.h>

#include "base/clock.h"
#include "suite/mesh/matrix.h"
#include "suite/report/text.h"

static json_t *write_cell(const struct mesh_cell *c)
{
	json_t *o = json_pack("{s:i, s:i, s:s}", "a", (int)c->pair.a, "b",
			      (int)c->pair.b, "verdict",
			      vb_verdict_name(c->verdict));

	json_object_set_new(o, "reason",
			    c->verdict == VB_PASS ? json_null()
						  : text_json(c->reason));
	json_object_set_new(o, "messages",
			    json_integer((json_int_t)c->messages));
	json_object_set_new(o, "a_to_b_mb_s", json_real(c->bytes_s[0] / 1e6));
	json_object_set_new(o, "b_to_a_mb_s", json_real(c->bytes_s[1] / 1e6));
	json_object_set_new(o, "a_to_b_msg_s", json_real(c->messages_s[0]));
	json_object_set_new(o, "b_to_a_msg_s", json_real(c->messages_s[1]));
	json_object_set_new(o, "round_trips",
			    json_integer((json_int_t)c->trips));
	json_object_set_new(o, "p50_us",
			    json_real((double)c->p50_ns / (double)NS_PER_US));
	json_object_set_new(o, "p99_us",
			    json_real((double)c->p99_ns / (double)NS_PER_US));
	json_object_set_new(o, "max_us",
			    json_real((double)c->max_ns / (double)NS_PER_US));
	return o;
}

json_t *mesh_json(const struct mesh_matrix *m, const json_t *settings)
{
	json_t *o = json_object(), *ranks = json_array(), *pairs = json_array();
	struct strbuf text = STRBUF_INIT;
	int suspect = mesh_suspect(m);

	for (uint32_t i = 0; i < m->ranks; i++) {
		json_t *rank = json_object();

		if (m->rank[i].facts)
			json_object_update(rank, m->rank[i].facts);
		json_object_set_new(rank, "rank", json_integer(i));
		json_object_set_new(rank, "lost",
				    m->rank[i].lost ? text_json(m->rank[i].why)
						    : json_null());
		json_array_append_new(ranks, rank);
	}
	for (uint32_t i = 0; i < mesh_pair_count(m->ranks); i++)
		json_array_append_new(pairs, write_cell(&m->cell[i]));
	mesh_mismatches(m, &text);
	json_object_set_new(o, "verbatim_mesh", json_integer(1));
	json_object_set_new(o, "schedule",
			    json_string(m->disjoint ? "disjoint" : "all"));
	json_object_set_new(o, "seed", json_integer((json_int_t)m->seed));
	json_object_set_new(o, "duration_ms",
			    json_integer((json_int_t)(m->wall_ns / NS_PER_MS)));
	json_object_set(o, "settings", (json_t *)settings);
	json_object_set_new(o, "ranks", ranks);
	json_object_set_new(o, "mismatches", text_json(strbuf_text(&text)));
	json_object_set_new(o, "pairs", pairs);
	for (int v = VB_PASS; v <= VB_BROKEN; v++)
		json_object_set_new(
			o, vb_verdict_name((enum vb_verdict)v),
			json_integer(mesh_count(m, (enum vb_verdict)v)));
	json_object_set_new(o, "suspect",
			    suspect < 0 ? json_null() : json_integer(suspect));
	strbuf_free(&text);
	return o;
}

/* --- the picture --------------------------------------------------------- */

enum {
	SVG_CELL = 56,
	SVG_LEFT = 200,
	SVG_TOP = 70,
	SVG_WIDTH_MIN = 560, /* of the title */
};

static void svg_text(const char *text, FILE *out)
{
	struct strbuf escaped = STRBUF_INIT;

	text_add_xml(&escaped, text);
	fputs(strbuf_text(&escaped), out);
	strbuf_free(&escaped);
}

/* What stands in a cell, and what is said when it is pointed at. */
static void svg_cell(const struct mesh_matrix *m, uint32_t from, uint32_t to,
		     double max, FILE *out)
{
	uint32_t x = SVG_LEFT + to * SVG_CELL, y = SVG_TOP + from * SVG_CELL;
	const struct mesh_cell *c = mesh_cell(m, from, to);
	double speed = mesh_speed(m, from, to);
	/* From red by yellow to green. */
	int hue = max > 0 ? (int)(speed / max * 120) : 0;

	if (!c)
		return;
	fprintf(out, "<g><title>rank %u to rank %u: %s", from, to,
		vb_verdict_name(c->verdict));
	if (c->verdict != VB_PASS) {
		fputs("; ", out);
		svg_text(c->reason, out);
	} else {
		fprintf(out,
			", %.1f MB/s, %.0f messages/s; round trip p50 %.1f us, "
			"p99 %.1f us",
			speed / 1e6, c->messages_s[from > to],
			(double)c->p50_ns / (double)NS_PER_US,
			(double)c->p99_ns / (double)NS_PER_US);
	}
	fprintf(out,
		"</title><rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" ",
		x, y, SVG_CELL - 2, SVG_CELL - 2);
	if (c->verdict == VB_PASS)
		fprintf(out, "fill=\"hsl(%d,60%%,70%%)\"/>", hue);
	else
		fputs("fill=\"#222\"/>", out);
	fprintf(out, "<text x=\"%u\" y=\"%u\" class=\"%s\">", x + SVG_CELL / 2,
		y + SVG_CELL / 2 + 4, c->verdict == VB_PASS ? "c" : "c bad");
	if (c->verdict == VB_PASS)
		fprintf(out, "%.0f", speed / 1e6);
	else
		fputs(vb_verdict_name(c->verdict), out);
	fputs("</text></g>\n", out);
}

void mesh_svg(const struct mesh_matrix *m, FILE *out)
{
	uint32_t width = SVG_LEFT + m->ranks * SVG_CELL + 20;
	uint32_t height = SVG_TOP + m->ranks * SVG_CELL + 50;
	double max = mesh_speed_max(m);

	if (width < SVG_WIDTH_MIN)
		width = SVG_WIDTH_MIN;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\">\n"
		"<style>text{font:12px sans-serif}.c{text-anchor:middle}"
		".r{text-anchor:end}.bad{fill:#fff}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"10\" y=\"24\">throughput in MB/s, from the row's "
		"rank to the column's; seed %" PRIu64 "</text>\n",
		width, height, width, height, m->seed);
	for (uint32_t i = 0; i < m->ranks; i++) {
		fprintf(out,
			"<text x=\"%u\" y=\"%d\" class=\"c\">%u</text>\n"
			"<text x=\"%d\" y=\"%u\" class=\"r\">",
			SVG_LEFT + i * SVG_CELL + SVG_CELL / 2, SVG_TOP - 8, i,
			SVG_LEFT - 8,
			SVG_TOP + i * SVG_CELL + SVG_CELL / 2 + 4);
		svg_text(mesh_fact(m, i, "host"), out);
		fprintf(out, " %u</text>\n", i);
		for (uint32_t k = 0; k < m->ranks; k++)
			svg_cell(m, i, k, max, out);
	}
	fprintf(out,
		"<text x=\"10\" y=\"%u\">%u pairs: %u passed, %u failed, %u "
		"broken</text>\n</svg>\n",
		height - 20, mesh_pair_count(m->ranks), mesh_count(m, VB_PASS),
		mesh_count(m, VB_FAIL), mesh_count(m, VB_BROKEN));
}
