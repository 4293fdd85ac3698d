// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The matrix of a mesh: access, and what it says as a whole. */
#include "suite/mesh/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct mesh_matrix *mesh_matrix_new(uint32_t ranks)
{
	struct mesh_matrix *m = calloc(1, sizeof(*m));
	struct mesh_pair *pairs =
		calloc(mesh_pair_count(ranks) + 1, sizeof(*pairs));
	uint32_t count;

	if (!m || !pairs)
		abort();
	m->ranks = ranks;
	m->rank = calloc(ranks, sizeof(*m->rank));
	m->cell = calloc(mesh_pair_count(ranks) + 1, sizeof(*m->cell));
	if (!m->rank || !m->cell)
		abort();
	count = mesh_round(ranks, false, 0, pairs);
	for (uint32_t i = 0; i < count; i++)
		m->cell[i].pair = pairs[i];
	free(pairs);
	return m;
}

void mesh_matrix_free(struct mesh_matrix *m)
{
	for (uint32_t i = 0; i < m->ranks; i++)
		json_decref(m->rank[i].facts);
	free(m->rank);
	free(m->cell);
	free(m);
}

const char *mesh_fact(const struct mesh_matrix *m, uint32_t rank,
		      const char *key)
{
	const char *text =
		json_string_value(json_object_get(m->rank[rank].facts, key));

	return text && text[0] ? text : "?";
}

uint64_t mesh_fact_number(const struct mesh_matrix *m, uint32_t rank,
			  const char *key)
{
	json_int_t n =
		json_integer_value(json_object_get(m->rank[rank].facts, key));

	return n < 0 ? 0 : (uint64_t)n;
}

void mesh_rank_text(const struct mesh_matrix *m, uint32_t rank,
		    struct strbuf *out)
{
	strbuf_addf(out, "rank %u (%.64s)", rank, mesh_fact(m, rank, "host"));
}

const struct mesh_cell *mesh_cell(const struct mesh_matrix *m, uint32_t one,
				  uint32_t other)
{
	struct mesh_pair pair = { one, other };

	if (one == other)
		return NULL;
	if (one > other)
		pair = (struct mesh_pair){ other, one };
	return &m->cell[mesh_pair_index(m->ranks, pair)];
}

double mesh_speed(const struct mesh_matrix *m, uint32_t from, uint32_t to)
{
	const struct mesh_cell *c = mesh_cell(m, from, to);

	return c ? c->bytes_s[from > to] : 0;
}

double mesh_speed_max(const struct mesh_matrix *m)
{
	double max = 0;

	for (uint32_t i = 0; i < mesh_pair_count(m->ranks); i++)
		for (int way = 0; way < 2; way++)
			if (m->cell[i].bytes_s[way] > max)
				max = m->cell[i].bytes_s[way];
	return max;
}

uint32_t mesh_count(const struct mesh_matrix *m, enum vb_verdict v)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < mesh_pair_count(m->ranks); i++)
		count += m->cell[i].verdict == v;
	return count;
}

int mesh_suspect(const struct mesh_matrix *m)
{
	uint32_t all = mesh_pair_count(m->ranks);
	uint32_t bad = all - mesh_count(m, VB_PASS);

	if (bad < 2 || bad == all)
		return -1;
	for (uint32_t rank = 0; rank < m->ranks; rank++) {
		uint32_t in = 0;

		for (uint32_t i = 0; i < all; i++)
			in += m->cell[i].verdict != VB_PASS &&
			      (m->cell[i].pair.a == rank ||
			       m->cell[i].pair.b == rank);
		if (in == bad)
			return (int)rank;
	}
	return -1;
}

static void mesh_fact_text(const struct mesh_matrix *m, uint32_t rank,
			   const char *key, char *out, size_t size)
{
	if (json_is_integer(json_object_get(m->rank[rank].facts, key)))
		snprintf(out, size, "%" PRIu64, mesh_fact_number(m, rank, key));
	else
		snprintf(out, size, "%.60s", mesh_fact(m, rank, key));
}

/* "ranks 0-2, 5" of those whose fact is that of @first. */
static void mesh_alike(const struct mesh_matrix *m, const char *key,
		       uint32_t first, struct strbuf *out)
{
	char text[64], other[64];
	uint32_t run = 0;

	mesh_fact_text(m, first, key, text, sizeof(text));
	strbuf_addf(out, "%s at rank", text);
	for (uint32_t i = first; i <= m->ranks; i++) {
		bool alike = false;

		if (i < m->ranks) {
			mesh_fact_text(m, i, key, other, sizeof(other));
			alike = strcmp(text, other) == 0;
		}
		if (alike && run++ == 0)
			strbuf_addf(out, "%s %u", i > first ? "," : "", i);
		if (alike)
			continue;
		if (run > 1)
			strbuf_addf(out, "-%u", i - 1);
		run = 0;
	}
}

/* Is this the first rank with what it has? */
static bool mesh_first(const struct mesh_matrix *m, const char *key,
		       uint32_t rank)
{
	char text[64], other[64];

	mesh_fact_text(m, rank, key, text, sizeof(text));
	for (uint32_t i = 0; i < rank; i++) {
		mesh_fact_text(m, i, key, other, sizeof(other));
		if (strcmp(text, other) == 0)
			return false;
	}
	return true;
}

void mesh_mismatches(const struct mesh_matrix *m, struct strbuf *out)
{
	static const struct {
		const char *key, *name, *advice;
	} facts[] = {
		{ "link_layer", "link layer", "they cannot be connected" },
		{ "gid_type", "GID type",
		  "they cannot be connected; choose entries of one RoCE "
		  "version with --gid-index" },
		{ "mtu", "MTU", "a pair has the smaller of its two" },
		{ "kind", "kind of device", NULL },
		{ "firmware", "firmware", NULL },
		{ "kernel", "kernel", NULL },
		{ "rdma_core", "rdma-core", NULL },
	};

	for (size_t f = 0; f < ARRAY_SIZE(facts); f++) {
		bool told = false;

		for (uint32_t i = 1; i < m->ranks; i++) {
			if (!mesh_first(m, facts[f].key, i))
				continue;
			if (!told) {
				strbuf_addf(out, "%s: ", facts[f].name);
				mesh_alike(m, facts[f].key, 0, out);
			}
			told = true;
			strbuf_add(out, "; ");
			mesh_alike(m, facts[f].key, i, out);
		}
		if (told && facts[f].advice)
			strbuf_addf(out, "; %s", facts[f].advice);
		if (told)
			strbuf_add(out, "\n");
	}
}
