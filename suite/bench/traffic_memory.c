// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory of an end: one registered range, cut into slots of equal size with
 * a guard behind each.
 *
 *	| pool: sends of all QPs | receives of QP 0, 1, .. |
 *	| where WRITEs of QP 0, 1, .. land | what is READ of QP 0, 1, .. |
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "suite/bench/traffic_inner.h"

static bool memory_mixes(const struct traffic_program *p, enum traffic_op op)
{
	return p->mix[op] > 0;
}

static size_t memory_lay(struct traffic_end *e, struct traffic_area *area,
			 size_t at, uint32_t each, uint32_t times)
{
	area->each = each;
	area->base = e->memory ? e->memory + at * e->stride : NULL;
	return at + (size_t)each * times;
}

/* Slots in all; with e->memory NULL only the count is of use. */
static size_t memory_cut(struct traffic_end *e)
{
	const struct traffic_program *p = e->p;
	bool writes = memory_mixes(p, TRAFFIC_WRITE) ||
		      memory_mixes(p, TRAFFIC_WRITE_IMM);
	size_t at = 0;

	at = memory_lay(e, &e->pool, at, p->qps * p->inflight, 1);
	at = memory_lay(e, &e->receive, at, p->rq_depth, p->qps);
	/* One WRITE may have landed for which no receive is there yet. */
	at = memory_lay(e, &e->landing, at, writes ? p->rq_depth + 2 : 0,
			p->qps);
	return memory_lay(
		e, &e->source, at,
		memory_mixes(p, TRAFFIC_READ) ? TRAFFIC_READ_SLOTS : 0, p->qps);
}

unsigned char *traffic_slot(const struct traffic_end *e,
			    const struct traffic_area *area, uint32_t qp,
			    uint64_t number)
{
	size_t slot = (size_t)qp * area->each + number % area->each;

	return area->base + slot * e->stride;
}

static int memory_register(struct traffic_end *e, struct ibv_mr **mr,
			   struct strbuf *error)
{
	const unsigned access = IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ;
	int err = verbs_mr_reg(&e->at, e->pd, e->memory, e->memory_bytes,
			       access, mr);

	if (err)
		strbuf_addf(error,
			    "registering %zu MiB: %s; see 'verbatim check' "
			    "for the memlock limit, or take less of --qps, "
			    "--inflight, --size",
			    e->memory_bytes >> 20, strerror(-err));
	return err;
}

static void memory_guards(struct traffic_end *e, size_t slots)
{
	for (size_t i = 0; i < slots; i++)
		pattern_guard_fill(e->memory + (i + 1) * e->stride -
					   TRAFFIC_GUARD,
				   TRAFFIC_GUARD, e->guard_key);
}

/* All there before the first message; in huge pages, where the system has some
 * to give: the slots of many QPs are more small ones than a TLB knows. */
static unsigned char *memory_map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	(void)madvise(at, bytes, MADV_HUGEPAGE);
	return memset(at, 0, bytes);
}

int traffic_memory_open(struct traffic_end *e, struct strbuf *error)
{
	uint32_t max = traffic_len_max(e->p);
	size_t slots;

	/* Not a power of two: slots would share a few sets of the caches. */
	e->stride = ((size_t)max + 63) / 64 * 64 + TRAFFIC_GUARD;
	slots = memory_cut(e);
	e->memory_bytes = slots * e->stride;
	e->memory = memory_map(e->memory_bytes);
	if (!e->memory) {
		strbuf_addf(error, "no memory for buffers of %zu MiB",
			    e->memory_bytes >> 20);
		return -ENOMEM;
	}
	memory_cut(e);
	e->guard_key = hash_mix64(e->p->seed + e->end);
	if (e->p->verify)
		memory_guards(e, slots);
	return memory_register(e, &e->mr, error);
}

int traffic_memory_close(struct traffic_end *e)
{
	int err = e->mr ? verbs_mr_dereg(&e->at, e->mr) : 0;

	if (e->memory)
		munmap(e->memory, e->memory_bytes);
	return err;
}

int traffic_memory_again(struct traffic_end *e, struct strbuf *error)
{
	struct ibv_mr *mr;
	int err = memory_register(e, &mr, error);

	if (err)
		return err;
	err = verbs_mr_dereg(&e->at, e->mr);
	if (err)
		strbuf_addf(error, "deregistering memory: %s", strerror(-err));
	e->mr = mr;
	return err;
}

void traffic_memory_sources(struct traffic_end *e)
{
	uint32_t reader = !e->end;

	for (uint32_t qp = 0; e->source.each && qp < e->p->qps; qp++) {
		for (uint32_t i = 0; i < TRAFFIC_READ_SLOTS; i++) {
			struct pattern_message m = {
				.key = e->qps[qp].key_own,
				.sequence = traffic_read_sequence(i),
				.len = traffic_len_of(e->p, reader, qp, i,
						      TRAFFIC_READ),
				.qp_num = e->qps[qp].qp->qp_num,
			};

			pattern_fill(&m, 0, traffic_slot(e, &e->source, qp, i),
				     m.len);
		}
	}
}
