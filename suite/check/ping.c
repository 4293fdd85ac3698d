// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two UD queue pairs of the device send each other a datagram through the
 * port's own address.  What is wrong is named by the step that failed.
 */
#include "suite/check/ping.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "suite/check/facts.h"
#include "suite/verbs/verbs.h"

enum {
	PING_WAIT_MS = 500,
	PING_BYTES = 64,
	PING_GRH = 40, /* before each datagram that is received */
	PING_QKEY = 0x1badcafe,
};

/* Nothing of this belongs to a case: nothing is recorded. */
static const struct verbs_at ping_at;

struct ping {
	struct ibv_context *context;
	const struct check_facts *f;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp[2];
	struct ibv_ah *ah;
	struct ibv_mr *mr;
	/* For each direction what goes and what comes. */
	uint8_t buffers[2][2][PING_BYTES + PING_GRH];
};

static int ping_modify(struct ping *p, struct ibv_qp *qp,
		       enum ibv_qp_state state, unsigned mask)
{
	struct ibv_qp_attr attr = { .qp_state = state,
				    .port_num = p->f->port,
				    .qkey = PING_QKEY,
				    .sq_psn = 1 };
	struct verbs_modified m;

	verbs_qp_modify(&ping_at, qp, &attr, mask | IBV_QP_STATE, &m);
	return m.err;
}

static int ping_queue_pair(struct ping *p, struct ibv_qp **qp)
{
	struct ibv_qp_init_attr init = {
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
		.sq_sig_all = 1,
	};
	int err = verbs_qp_create(&ping_at, p->pd, &init, qp);

	if (!err)
		err = ping_modify(p, *qp, IBV_QPS_INIT,
				  IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					  IBV_QP_QKEY);
	if (!err)
		err = ping_modify(p, *qp, IBV_QPS_RTR, 0);
	return err ? err : ping_modify(p, *qp, IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

/* What goes knows its direction; NULL, or the step that failed. */
static const char *ping_prepare(struct ping *p, int *err)
{
	int chosen = check_gid_chosen(p->f);
	struct ibv_ah_attr ah = { .port_num = p->f->port,
				  .dlid = p->f->attr.lid };

	if (chosen >= 0 && p->f->attr.link_layer == IBV_LINK_LAYER_ETHERNET) {
		ah.is_global = 1;
		ah.grh.dgid = p->f->gids[chosen].gid;
		ah.grh.sgid_index = (uint8_t)p->f->gids[chosen].index;
		ah.grh.hop_limit = 64;
	}
	*err = verbs_pd_alloc(&ping_at, p->context, &p->pd);
	if (*err)
		return "ibv_alloc_pd()";
	*err = verbs_cq_create(&ping_at, p->context, 8, NULL, NULL, 0, &p->cq);
	if (*err)
		return "ibv_create_cq()";
	*err = verbs_mr_reg(&ping_at, p->pd, p->buffers, sizeof(p->buffers),
			    IBV_ACCESS_LOCAL_WRITE, &p->mr);
	if (*err)
		return "ibv_reg_mr()";
	*err = verbs_ah_create(&ping_at, p->pd, &ah, &p->ah);
	if (*err)
		return "ibv_create_ah() to the port's own address";
	for (unsigned i = 0; i < 2; i++) {
		*err = ping_queue_pair(p, &p->qp[i]);
		if (*err)
			return "a UD queue pair to RTS";
	}
	return NULL;
}

static int ping_post(struct ping *p, unsigned from)
{
	uint8_t *out = p->buffers[from][0], *in = p->buffers[from][1];
	struct ibv_sge source = { .addr = (uintptr_t)out,
				  .length = PING_BYTES,
				  .lkey = p->mr->lkey };
	struct ibv_sge target = { .addr = (uintptr_t)in,
				  .length = PING_BYTES + PING_GRH,
				  .lkey = p->mr->lkey };
	struct ibv_recv_wr recv = { .wr_id = 2 + from,
				    .sg_list = &target,
				    .num_sge = 1 };
	struct ibv_send_wr send = {
		.wr_id = from,
		.sg_list = &source,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.wr = { .ud = { .ah = p->ah,
				.remote_qpn = p->qp[!from]->qp_num,
				.remote_qkey = PING_QKEY } },
	};
	struct ibv_recv_wr *bad_recv;
	struct ibv_send_wr *bad_send;
	int err;

	for (unsigned i = 0; i < PING_BYTES; i++)
		out[i] = (uint8_t)(i * 7 + from * 101 + 3);
	err = verbs_post_recv(&ping_at, p->qp[!from], &recv, &bad_recv);
	return err ? err
		   : verbs_post_send(&ping_at, p->qp[from], &send, &bad_send);
}

/* True: both its completions came, and the datagram is the one that went. */
static bool ping_one_way(struct ping *p, unsigned from, char *why, size_t size)
{
	uint64_t end = clock_now_ns() + PING_WAIT_MS * NS_PER_MS;
	unsigned came = 0;
	struct ibv_wc wc;
	int err = ping_post(p, from), n;

	if (err)
		snprintf(why, size, "posting: %s", strerror(-err));
	while (!err && came < 2 && clock_now_ns() < end) {
		n = verbs_cq_poll(&ping_at, p->cq, 1, &wc);
		if (n > 0 && wc.status) {
			snprintf(why, size, "%s", ibv_wc_status_str(wc.status));
			return false;
		}
		came += n > 0;
	}
	if (err)
		return false;
	if (came < 2) {
		snprintf(why, size, "not received within %d ms", PING_WAIT_MS);
		return false;
	}
	if (!memcmp(p->buffers[from][0], p->buffers[from][1] + PING_GRH,
		    PING_BYTES))
		return true;
	snprintf(why, size, "it came with other bytes");
	return false;
}

/* Should it be refused: the process that asks is about to end. */
static void ping_undone(int err)
{
}

static void ping_undo(struct ping *p)
{
	for (unsigned i = 0; i < 2; i++)
		if (p->qp[i])
			ping_undone(verbs_qp_destroy(&ping_at, p->qp[i]));
	if (p->ah)
		ping_undone(verbs_ah_destroy(&ping_at, p->ah));
	if (p->mr)
		ping_undone(verbs_mr_dereg(&ping_at, p->mr));
	if (p->cq)
		ping_undone(verbs_cq_destroy(&ping_at, p->cq));
	if (p->pd)
		ping_undone(verbs_pd_dealloc(&ping_at, p->pd));
}

void check_ping(struct ibv_context *context, struct check_facts *f)
{
	struct ping *p = calloc(1, sizeof(*p));
	char why[64] = "";
	const char *step;
	int err = 0;

	if (!p)
		abort();
	p->context = context;
	p->f = f;
	f->ping_tried = true;
	step = ping_prepare(p, &err);
	if (step)
		snprintf(f->ping_failed, sizeof(f->ping_failed), "%s: %s", step,
			 strerror(-err));
	for (unsigned from = 0; !step && from < 2; from++)
		if (!f->ping_failed[0] &&
		    !ping_one_way(p, from, why, sizeof(why)))
			snprintf(f->ping_failed, sizeof(f->ping_failed),
				 "%s: %s", from ? "back" : "there", why);
	ping_undo(p);
	free(p);
}
