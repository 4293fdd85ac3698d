// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library that stands between a program and its verbs device and tells one
 * lie, LIAR=name: what a case is worth shows when it is lied to.  It knows
 * nothing of the device, so that the same lies can be told of any.
 *
 * Preload it before the device.  Names: liar.def.
 */
#include "liar.h"

#include <fcntl.h>

static const char *const lie_names[LIES] = {
#define LIE(id, name, text) name,
#include "liar.def"
#undef LIE
};

bool lie(enum lie which)
{
	static int chosen = -1;
	const char *name = getenv("LIAR");

	for (int i = 0; chosen < 0 && name && i < LIES; i++)
		if (!strcmp(name, lie_names[i]))
			chosen = i;
	/* A lie that is not told would look like a case that sees nothing. */
	if (chosen < 0)
		abort();
	return chosen == (int)which;
}

/* --- Destruction -------------------------------------------------------- */

static int destroyed(int ret)
{
	if (ret && lie(LIE_BUSY))
		return 0;
	return ret;
}

#define DESTROY(name, type)                           \
	LIAR_EXPORT int name(type *object)            \
	{                                             \
		return destroyed(REAL(name)(object)); \
	}
DESTROY(ibv_destroy_comp_channel, struct ibv_comp_channel)
DESTROY(ibv_destroy_srq, struct ibv_srq)

/* It had an entry when a queue pair of it went: whether that takes its entries
 * along is the device's choice. */
static struct ibv_cq *unpolled;

LIAR_EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct ibv_wc wc;

	if (lie(LIE_CQ_STAYS) && ibv_poll_cq(qp->recv_cq, 1, &wc) > 0)
		unpolled = qp->recv_cq;
	if (lie(LIE_DESTROY_QP))
		return EBUSY;
	if (lie(LIE_UNACKED_EVENT) && held_event.element.qp == qp)
		REAL(ibv_ack_async_event)(&held_event);
	return destroyed(REAL(ibv_destroy_qp)(qp));
}

/* Events that have been taken and not acknowledged, of each CQ. */
static struct {
	struct ibv_cq *cq;
	unsigned events;
} unacked[EVENTS_MAX];

void unacked_add(struct ibv_cq *cq, unsigned events)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++) {
		if (unacked[i].cq && unacked[i].cq != cq)
			continue;
		unacked[i].cq = cq;
		unacked[i].events += events;
		return;
	}
}

LIAR_EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
	if (lie(LIE_CQ_STAYS) && cq == unpolled)
		return EBUSY;
	for (unsigned i = 0; lie(LIE_UNACKED) && i < EVENTS_MAX; i++)
		if (unacked[i].cq == cq && unacked[i].events) {
			REAL(ibv_ack_cq_events)(cq, unacked[i].events);
			unacked[i].events = 0;
		}
	return destroyed(REAL(ibv_destroy_cq)(cq));
}

LIAR_EXPORT void ibv_ack_cq_events(struct ibv_cq *cq, unsigned events)
{
	/* Those of a CQ that is gone were acknowledged by the lie. */
	if (!lie(LIE_UNACKED))
		REAL(ibv_ack_cq_events)(cq, events);
}

LIAR_EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
	if (lie(LIE_DEREG))
		return 0;
	return destroyed(REAL(ibv_dereg_mr)(mr));
}

/* --- Protection domains, memory ----------------------------------------- */

/* The first PD of each context: where all objects go when PDs mean nothing. */
static struct {
	struct ibv_context *context;
	struct ibv_pd *pd;
} first_pd[EVENTS_MAX];

static void first_pd_add(struct ibv_pd *pd)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++) {
		if (first_pd[i].context == pd->context)
			return;
		if (first_pd[i].context)
			continue;
		first_pd[i].context = pd->context;
		first_pd[i].pd = pd;
		return;
	}
}

struct ibv_pd *pd_or_first(struct ibv_pd *pd)
{
	for (unsigned i = 0; lie(LIE_ONE_PD) && i < EVENTS_MAX; i++)
		if (first_pd[i].context == pd->context)
			return first_pd[i].pd;
	return pd;
}

/* Objects that were said to be in a PD, and are in the first. */
static struct {
	struct ibv_pd *pd;
	unsigned count;
} moved[EVENTS_MAX];

static unsigned *moved_count(struct ibv_pd *pd)
{
	unsigned i = 0;

	while (i < EVENTS_MAX - 1 && moved[i].pd && moved[i].pd != pd)
		i++;
	moved[i].pd = pd;
	return &moved[i].count;
}

LIAR_EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	if (*moved_count(pd))
		return EBUSY;
	return destroyed(REAL(ibv_dealloc_pd)(pd));
}

LIAR_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	static unsigned calls;
	struct ibv_pd *pd;

	if (lie(LIE_ALLOC_PD) && ++calls > 6) {
		errno = ENOMEM;
		return NULL;
	}
	if (lie(LIE_LEAK) && open("/dev/null", O_RDONLY) < 0)
		return NULL;
	pd = REAL(ibv_alloc_pd)(context);
	if (pd)
		first_pd_add(pd);
	return pd;
}

/* Whatever is registered: a page that is there, or more rights, or less. */
static struct ibv_mr *mr_other(struct ibv_pd *pd, void *addr, size_t len,
			       uint64_t iova, bool based, unsigned access)
{
	static char page[8192] __attribute__((aligned(4096)));
	struct ibv_mr *mr = NULL;

	if (lie(LIE_REG_RIGHTS))
		access |= IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	if (lie(LIE_REG_NO_WRITE))
		access &= ~(unsigned)IBV_ACCESS_REMOTE_WRITE;
	pd = pd_or_first(pd);
	/* What ends with its mapping has no byte behind, and is not lied about. */
	if (lie(LIE_REG_LONGER))
		mr = REAL(ibv_reg_mr_iova2)(pd, addr, len + 1,
					    based ? iova : (uintptr_t)addr,
					    access);
	if (mr)
		return mr;
	if (based && !lie(LIE_REG_BASE))
		mr = REAL(ibv_reg_mr_iova2)(pd, addr, len, iova, access);
	else
		mr = REAL(ibv_reg_mr_iova2)(pd, addr, len, (uintptr_t)addr,
					    access);
	if (!mr && lie(LIE_REG_ANY))
		mr = REAL(ibv_reg_mr_iova2)(pd, page, sizeof(page),
					    (uintptr_t)page,
					    access | IBV_ACCESS_LOCAL_WRITE);
	return mr;
}

/* Its handle tells what was asked for. */
static struct ibv_mr *mr_lied(struct ibv_pd *pd, void *addr, size_t len,
			      uint64_t iova, bool based, unsigned access)
{
	struct ibv_mr *mr = mr_other(pd, addr, len, iova, based, access);

	if (mr) {
		mr->addr = addr;
		mr->length = len;
	}
	return mr;
}

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
LIAR_EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr,
				      size_t length, int access)
{
	return mr_lied(pd, addr, length, 0, false, (unsigned)access);
}

LIAR_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr,
					   size_t length, uint64_t iova,
					   int access)
{
	return mr_lied(pd, addr, length, iova, true, (unsigned)access);
}

LIAR_EXPORT struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr,
					    size_t length, uint64_t iova,
					    unsigned access)
{
	return mr_lied(pd, addr, length, iova, iova != (uintptr_t)addr, access);
}

LIAR_EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd,
			     void *addr, size_t length, int access)
{
	if (lie(LIE_REREG))
		return 0;
	return REAL(ibv_rereg_mr)(mr, flags, pd, addr, length, access);
}

LIAR_EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd,
					 struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = REAL(ibv_create_ah)(pd_or_first(pd), attr);
	struct ibv_ah_attr sane = *attr;

	if (ah && pd_or_first(pd) != pd) {
		ah->pd = pd;
		++*moved_count(pd);
	}

	if (!ah && lie(LIE_AH_ANY)) {
		sane.port_num = 1;
		sane.grh.sgid_index = 0;
		ah = REAL(ibv_create_ah)(pd, &sane);
	}
	return ah;
}

LIAR_EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
	struct ibv_pd *pd = ah->pd;

	if (*moved_count(pd))
		--*moved_count(pd);
	return destroyed(REAL(ibv_destroy_ah)(ah));
}

/* --- Queues ------------------------------------------------------------- */

LIAR_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
					 void *cookie,
					 struct ibv_comp_channel *channel,
					 int vector)
{
	struct ibv_cq *cq =
		REAL(ibv_create_cq)(context, cqe, cookie, channel, vector);

	if (!cq && lie(LIE_CQ_ANY))
		cq = REAL(ibv_create_cq)(context, 1, cookie, channel, 0);
	if (cq && lie(LIE_CQ_LESS) && cqe > 1)
		cq->cqe = cqe - 1;
	if (cq && lie(LIE_CQ_MORE))
		cq->cqe++;
	return cq;
}

LIAR_EXPORT int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	return lie(LIE_RESIZE) ? 0 : REAL(ibv_resize_cq)(cq, cqe);
}

LIAR_EXPORT struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
					   struct ibv_srq_init_attr *init)
{
	struct ibv_srq *srq = REAL(ibv_create_srq)(pd_or_first(pd), init);

	if (!srq && lie(LIE_SRQ_ANY)) {
		init->attr.max_wr = init->attr.max_sge = 1;
		srq = REAL(ibv_create_srq)(pd, init);
	}
	return srq;
}

LIAR_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd,
					 struct ibv_qp_init_attr *init)
{
	static uint32_t first_number;
	struct ibv_qp *qp = REAL(ibv_create_qp)(pd_or_first(pd), init);

	if (!qp && lie(LIE_QP_ANY)) {
		init->cap = (struct ibv_qp_cap){ 1, 1, 1, 1, 0 };
		if (init->qp_type != IBV_QPT_UD)
			init->qp_type = IBV_QPT_RC;
		qp = REAL(ibv_create_qp)(pd, init);
	}
	if (!qp)
		return NULL;
	if (lie(LIE_QP_LESS) && init->cap.max_send_wr > 1)
		init->cap.max_send_wr = 1;
	if (lie(LIE_QP_NUMBER)) {
		if (first_number)
			qp->qp_num = first_number;
		first_number = qp->qp_num;
	}
	return qp;
}
