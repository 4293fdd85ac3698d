// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A device lacks what its attributes deny, or what it refuses to create saying
 * that it does not support it.  A creation that fails in another way is left
 * to the cases: skipping them would hide a defect.
 */
#include "suite/runner/target_lacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "suite/runner/target.h"
#include "suite/verbs/verbs.h"

static const struct verbs_at lacks_at;

/* What an RC queue pair needs on the way to each state. */
static const unsigned lacks_rdma_masks[] = {
	[IBV_QPS_INIT] = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			 IBV_QP_ACCESS_FLAGS,
	[IBV_QPS_RTR] = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	[IBV_QPS_RTS] = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			IBV_QP_MAX_QP_RD_ATOMIC,
};

static void lacks_add(struct target *t, enum vb_need need, const char *format,
		      ...) PRINTF_LIKE(3, 4);

static void lacks_add(struct target *t, enum vb_need need, const char *format,
		      ...)
{
	unsigned bit = (unsigned)__builtin_ctz(need);
	va_list args;

	t->lacks |= need;
	va_start(args, format);
	vsnprintf(t->lack_reason[bit], sizeof(t->lack_reason[bit]), format,
		  args);
	va_end(args);
}

/* A refusal is for the cases to find; this process is about to end anyway. */
static void lacks_undone(int err)
{
}

static bool lacks_says(int err)
{
	return err == -EOPNOTSUPP || err == -ENOSYS || err == -EPROTONOSUPPORT;
}

static struct ibv_qp_init_attr lacks_qp_init(struct ibv_cq *cq,
					     enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr){
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = type,
	};
}

static void lacks_qp_type(struct target *t, struct ibv_pd *pd,
			  struct ibv_cq *cq, enum vb_need need,
			  enum ibv_qp_type type, const char *name)
{
	struct ibv_qp_init_attr init = lacks_qp_init(cq, type);
	struct ibv_qp *qp;
	int err = verbs_qp_create(&lacks_at, pd, &init, &qp);

	if (!err)
		lacks_undone(verbs_qp_destroy(&lacks_at, qp));
	else if (lacks_says(err))
		lacks_add(t, need, "device '%s' has no %s queue pairs: %s",
			  t->device.name, name, strerror(-err));
}

/*
 * WRITE and READ: is the post refused as such?  The queue pair is its own
 * peer, and gone before anything could come of it.
 */
static void lacks_rdma(struct target *t, struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = lacks_qp_init(cq, IBV_QPT_RC);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE }, *bad;
	struct ibv_qp_attr attr = {
		.port_num = t->port,
		.path_mtu = IBV_MTU_256,
		.ah_attr = { .is_global = 1,
			     .port_num = t->port,
			     .grh = { .dgid = t->gid,
				      .sgid_index = (uint8_t)t->gid_index,
				      .hop_limit = 1 } },
	};
	struct verbs_modified m = { 0 };
	struct ibv_qp *qp;
	int err;

	if (verbs_qp_create(&lacks_at, pd, &init, &qp))
		return;
	attr.dest_qp_num = qp->qp_num;
	for (attr.qp_state = IBV_QPS_INIT;
	     !m.err && attr.qp_state <= IBV_QPS_RTS; attr.qp_state++)
		verbs_qp_modify(&lacks_at, qp, &attr,
				lacks_rdma_masks[attr.qp_state], &m);
	if (!m.err) {
		err = verbs_post_send(&lacks_at, qp, &wr, &bad);
		if (err)
			lacks_add(t, VB_NEED_RDMA,
				  "device '%s' takes no RDMA WRITE: %s",
				  t->device.name, strerror(-err));
	}
	lacks_undone(verbs_qp_destroy(&lacks_at, qp));
}

static void lacks_qps(struct target *t, struct ibv_context *context)
{
	struct ibv_pd *pd;
	struct ibv_cq *cq;

	if (verbs_pd_alloc(&lacks_at, context, &pd))
		return;
	if (verbs_cq_create(&lacks_at, context, 2, NULL, NULL, 0, &cq))
		goto dealloc_pd;
	lacks_qp_type(t, pd, cq, VB_NEED_RC, IBV_QPT_RC, "RC");
	if (context->device->transport_type == IBV_TRANSPORT_IWARP && !t->by_cm)
		lacks_add(t, VB_NEED_RC,
			  "device '%s' is iWARP: its queue pairs are connected "
			  "through librdmacm alone",
			  t->device.name);
	if (context->device->transport_type == IBV_TRANSPORT_IWARP)
		lacks_add(t, VB_NEED_RETRY,
			  "device '%s' is iWARP: its retries are those of TCP, "
			  "without ACK timeout and RNR",
			  t->device.name);
	if (context->device->transport_type == IBV_TRANSPORT_IWARP)
		lacks_add(t, VB_NEED_IMM,
			  "device '%s' is iWARP: it has no immediate data",
			  t->device.name);
	lacks_qp_type(t, pd, cq, VB_NEED_UC, IBV_QPT_UC, "UC");
	lacks_qp_type(t, pd, cq, VB_NEED_UD, IBV_QPT_UD, "UD");
	lacks_rdma(t, pd, cq);
	lacks_undone(verbs_cq_destroy(&lacks_at, cq));
dealloc_pd:
	lacks_undone(verbs_pd_dealloc(&lacks_at, pd));
}

/* The software device can be told to spoil its wire. */
static void lacks_faults(struct target *t, struct ibv_context *context)
{
	int (*is_soft)(struct ibv_context *);
	void *symbol = dlsym(RTLD_DEFAULT, "softdv_is_soft");

	memcpy(&is_soft, &symbol, sizeof(is_soft));
	if (!symbol || !is_soft(context))
		lacks_add(t, VB_NEED_FAULTS,
			  "device '%s' has no fault rules: its wire is not "
			  "spoilt on demand",
			  t->device.name);
}

void target_lacks_find(struct ibv_context *context, struct target *t)
{
	const struct ibv_device_attr *attr = &t->device.attr;
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);

	if (channel)
		ibv_destroy_comp_channel(channel);
	else if (lacks_says(-errno))
		lacks_add(t, VB_NEED_EVENT,
			  "device '%s' has no completion channels: %s",
			  t->device.name, strerror(errno));
	if (attr->max_srq <= 0)
		lacks_add(t, VB_NEED_SRQ,
			  "device '%s' has no shared receive queues (max_srq "
			  "is %d)",
			  t->device.name, attr->max_srq);
	if (attr->atomic_cap == IBV_ATOMIC_NONE)
		lacks_add(t, VB_NEED_ATOMIC,
			  "device '%s' has no atomics (atomic_cap is NONE)",
			  t->device.name);
	if (attr->max_mw <= 0)
		lacks_add(t, VB_NEED_MW,
			  "device '%s' has no memory windows (max_mw is %d)",
			  t->device.name, attr->max_mw);
	if (attr->max_mw <= 0 ||
	    !(attr->device_cap_flags &
	      (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)))
		lacks_add(t, VB_NEED_MW2,
			  "device '%s' has no memory windows of type 2",
			  t->device.name);
	lacks_qps(t, context);
	lacks_faults(t, context);
}
