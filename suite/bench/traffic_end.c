// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The objects of an end: made and undone; the run itself is traffic_run.c. */
#include "suite/bench/traffic_end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/bench/traffic_inner.h"

static int end_fault(struct strbuf *error, const char *what, int err)
{
	strbuf_addf(error, "%s: %s", what, strerror(-err));
	return err;
}

static int end_open_device(struct traffic_end *e, struct strbuf *error)
{
	const struct traffic_program *p = e->p;
	struct ibv_device_attr attr;
	int err = verbs_device_open(&e->at, p->device, &e->context);

	if (!err)
		err = verbs_device_query(&e->at, e->context, &attr);
	if (!err)
		err = verbs_port_query(&e->at, e->context, (uint8_t)p->port,
				       &e->port);
	/* InfiniBand may do without a GID. */
	if (!err &&
	    verbs_gid_query(&e->at, e->context, (uint8_t)p->port, p->gid_index,
			    &e->gid) &&
	    e->port.link_layer == IBV_LINK_LAYER_ETHERNET)
		err = -ENODATA;
	if (err) {
		strbuf_addf(error, "device '%s' port %u GID %u: ", p->device,
			    p->port, p->gid_index);
		return end_fault(error, "opening", err);
	}
	e->read_depth = (unsigned)attr.max_qp_rd_atom;
	if (e->read_depth > 16)
		e->read_depth = 16;
	return 0;
}

static int end_open_cq(struct traffic_end *e, struct strbuf *error)
{
	uint64_t cqe = (uint64_t)e->p->qps * (e->p->inflight + e->p->rq_depth);
	int err = 0;

	if (e->p->events)
		err = verbs_channel_create(&e->at, e->context, &e->channel);
	if (!err)
		err = verbs_cq_create(&e->at, e->context, (int)cqe, NULL,
				      e->channel, 0, &e->cq);
	if (err)
		strbuf_addf(error,
			    "a CQ of %lu entries for --qps %u x (--inflight "
			    "%u + --rq-depth %u): %s",
			    (unsigned long)cqe, e->p->qps, e->p->inflight,
			    e->p->rq_depth, strerror(-err));
	return err;
}

static int end_open_qp(struct traffic_end *e, uint32_t i, struct strbuf *error)
{
	struct ibv_qp_init_attr init = {
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = e->p->inflight,
			 .max_recv_wr = e->p->rq_depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct traffic_qp *q = &e->qps[i];
	int err;

	q->tx.ring = calloc(e->ring_mask + 1, sizeof(*q->tx.ring));
	if (!q->tx.ring)
		return end_fault(error, "send ring", -ENOMEM);
	err = verbs_qp_create(&e->at, e->pd, &init, &q->qp);
	if (err)
		strbuf_addf(error,
			    "creating QP %u with --inflight %u, --rq-depth "
			    "%u: %s",
			    i, e->p->inflight, e->p->rq_depth, strerror(-err));
	return err;
}

static int end_allocate(struct traffic_end *e, struct strbuf *error)
{
	const struct traffic_program *p = e->p;
	uint32_t slots = p->qps * p->inflight;

	e->ring_mask = 1;
	while (e->ring_mask < p->inflight)
		e->ring_mask *= 2;
	e->ring_mask--;
	/* Half of what may be in flight can always be known to be done. */
	e->signal_every = p->signal_every ? p->signal_every : 1;
	if (e->signal_every > (p->inflight + 1) / 2)
		e->signal_every = (p->inflight + 1) / 2;
	e->qps = calloc(p->qps, sizeof(*e->qps));
	e->ready = calloc(p->qps, sizeof(*e->ready));
	e->touched = calloc(p->qps, sizeof(*e->touched));
	e->known = calloc(2 * (size_t)p->qps, sizeof(*e->known));
	e->free_slots = calloc(slots, sizeof(*e->free_slots));
	e->wc = calloc(TRAFFIC_BATCH_MAX, sizeof(*e->wc));
	if (!e->qps || !e->ready || !e->touched || !e->known ||
	    !e->free_slots || !e->wc)
		return end_fault(error, "queue pairs", -ENOMEM);
	while (e->free_count < slots) {
		e->free_slots[e->free_count] = slots - 1 - e->free_count;
		e->free_count++;
	}
	return 0;
}

int traffic_end_open(const struct traffic_program *p, uint32_t end,
		     struct traffic_live *live, struct traffic_end **out,
		     struct strbuf *error)
{
	struct traffic_end *e;
	int err = traffic_program_check(p, error);

	if (err)
		return err;
	e = calloc(1, sizeof(*e));
	if (!e)
		return end_fault(error, "an end", -ENOMEM);
	e->p = p;
	e->end = end;
	e->at.end = (uint8_t)end;
	e->live = live;
	e->sends = traffic_sends(p, end);
	e->leads = end == (p->direction == TRAFFIC_B_TO_A ? 1u : 0u);
	err = end_allocate(e, error);
	if (!err)
		err = end_open_device(e, error);
	if (!err) {
		err = verbs_pd_alloc(&e->at, e->context, &e->pd);
		if (err)
			end_fault(error, "protection domain", err);
	}
	if (!err)
		err = end_open_cq(e, error);
	if (!err)
		err = traffic_memory_open(e, error);
	for (uint32_t i = 0; i < p->qps && !err; i++)
		err = end_open_qp(e, i, error);
	if (err) {
		(void)!traffic_end_close(e);
		return err;
	}
	*out = e;
	return 0;
}

static void end_keep(int *first, int err)
{
	if (*first == 0)
		*first = err;
}

int traffic_end_close(struct traffic_end *e)
{
	int err = 0;

	for (uint32_t i = 0; e->qps && i < e->p->qps; i++) {
		if (e->qps[i].qp)
			end_keep(&err, verbs_qp_destroy(&e->at, e->qps[i].qp));
		free(e->qps[i].tx.ring);
	}
	end_keep(&err, traffic_memory_close(e));
	if (e->cq)
		end_keep(&err, verbs_cq_destroy(&e->at, e->cq));
	if (e->channel)
		end_keep(&err, verbs_channel_destroy(&e->at, e->channel));
	if (e->pd)
		end_keep(&err, verbs_pd_dealloc(&e->at, e->pd));
	if (e->context)
		end_keep(&err, verbs_device_close(&e->at, e->context));
	free(e->wc);
	free(e->free_slots);
	free(e->known);
	free(e->touched);
	free(e->ready);
	free(e->qps);
	free(e);
	return err;
}

int traffic_end_finish(struct traffic_end *e,
		       const struct traffic_control *control,
		       struct traffic_result *result)
{
	int err;

	traffic_end_run(e, control, result);
	err = traffic_end_close(e);
	if (!result->err && err) {
		result->err = err;
		snprintf(result->error, sizeof(result->error),
			 "closing what was opened: %s", strerror(-err));
	}
	return result->err;
}
