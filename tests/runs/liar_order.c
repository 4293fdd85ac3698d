// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lies about what is seen when: outcomes that no order of requests has, made
 * from those that there were.  Both ends are of this process, so that what a
 * request aims at can be looked at and changed.
 */
#include "liar.h"

#include <pthread.h>

enum { ORDER_READS = 256, ORDER_WORDS = 64 };

static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

/* READs under way, and the bytes of the WRITE posted behind each. */
static struct order_read {
	uint64_t wr_id;
	void *into;
	uint64_t remote;
	uint32_t len;
	const void *behind;
} order_reads[ORDER_READS];
static unsigned order_reads_next;

/* Words that an unsignaled WRITE was aimed at, as they were before it. */
static struct order_word {
	uint64_t remote;
	uint64_t before;
} order_words[ORDER_WORDS];

/* Where the last WRITE ends. */
static unsigned char *order_last;

bool lie_of_order(void)
{
	return lie(LIE_READ_PAST_FENCE) || lie(LIE_READ_PAST) ||
	       lie(LIE_READ_OLD) || lie(LIE_WRITE_LATER);
}

static void *order_at(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static struct order_word *order_word(uint64_t remote, bool make)
{
	for (unsigned i = 0; i < ORDER_WORDS; i++) {
		struct order_word *w = &order_words[i];

		if (make && !w->remote)
			w->remote = remote;
		if (w->remote == remote)
			return w;
	}
	return NULL;
}

static void order_read(const struct ibv_send_wr *wr)
{
	order_reads[order_reads_next++ % ORDER_READS] = (struct order_read){
		.wr_id = wr->wr_id,
		.into = order_at(wr->sg_list[0].addr),
		.remote = wr->wr.rdma.remote_addr,
		.len = wr->sg_list[0].length,
	};
}

static void order_write(const struct ibv_send_wr *wr)
{
	struct order_read *r =
		&order_reads[(order_reads_next - 1) % ORDER_READS];
	bool fence = wr->send_flags & IBV_SEND_FENCE;
	struct order_word *w;

	order_last = (unsigned char *)order_at(wr->wr.rdma.remote_addr) +
		     wr->sg_list[0].length - 1;
	if (r->remote == wr->wr.rdma.remote_addr &&
	    r->len == wr->sg_list[0].length &&
	    lie(fence ? LIE_READ_PAST_FENCE : LIE_READ_PAST))
		r->behind = order_at(wr->sg_list[0].addr);
	if (wr->sg_list[0].length != 8 || wr->send_flags & IBV_SEND_SIGNALED)
		return;
	w = order_word(wr->wr.rdma.remote_addr, true);
	if (w)
		memcpy(&w->before, order_at(w->remote), 8);
}

void order_posted(const struct ibv_send_wr *wr)
{
	pthread_mutex_lock(&order_lock);
	for (; wr; wr = wr->next) {
		if (wr->num_sge != 1 || !wr->sg_list[0].length)
			continue;
		if (wr->opcode == IBV_WR_RDMA_READ)
			order_read(wr);
		else if (wr->opcode == IBV_WR_RDMA_WRITE)
			order_write(wr);
	}
	pthread_mutex_unlock(&order_lock);
}

/* Of a word: what was there before; of others: what is there by now. */
static void order_read_old(const struct order_read *r)
{
	const struct order_word *w = order_word(r->remote, false);

	if (r->len == 8)
		memcpy(r->into, w ? &w->before : order_at(r->remote), 8);
}

void order_polled(const struct ibv_wc *wc)
{
	struct order_read *r = NULL;

	pthread_mutex_lock(&order_lock);
	for (unsigned i = 0; wc->opcode == IBV_WC_RDMA_READ && i < ORDER_READS;
	     i++)
		if (order_reads[i].wr_id == wc->wr_id && order_reads[i].len)
			r = &order_reads[i];
	if (r && r->behind)
		memcpy(r->into, r->behind, r->len);
	if (r && lie(LIE_READ_OLD))
		order_read_old(r);
	if (r)
		r->len = 0;
	if (wc->opcode == IBV_WC_RECV && order_last && lie(LIE_WRITE_LATER))
		*order_last ^= 1;
	pthread_mutex_unlock(&order_lock);
}
