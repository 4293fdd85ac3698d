// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the engines ask of the world, answered by the adapter (engine/host.h). */
#include <errno.h>
#include <string.h>

#include "device/engine/mr.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter_private.h"
#include "device/world/memory.h"
#include "device/world/sending.h"

static uint8_t *host_packet_begin(struct sd_host *h, struct sd_qp *qp,
				  const struct sd_datagram_path *path,
				  size_t len_max)
{
	return sending_begin(adapter_of(h), world_qp_of(qp), path, len_max);
}

static void host_packet_end(struct sd_host *h, size_t len)
{
	sending_end(adapter_of(h), len);
}

/* Where the sum of the payload of the packet at hand goes; NULL: it takes a way
 * without ICRC. */
static struct icrc_sum *host_sum(struct sd_adapter *a)
{
	return a->aim_box == &a->remote ? &a->aim.sum : NULL;
}

static enum ibv_wc_status host_gather(struct sd_host *h, const void *pd,
				      const struct ibv_sge *sge, int num_sge,
				      uint64_t offset, void *to, size_t len)
{
	struct sd_adapter *a = adapter_of(h);

	return memory_move(a->keys, pd, sge, num_sge, offset, to, len, 0,
			   host_sum(a));
}

static enum ibv_wc_status host_scatter(struct sd_host *h, const void *pd,
				       const struct ibv_sge *sge, int num_sge,
				       uint64_t offset, const void *from,
				       size_t len)
{
	return memory_move(adapter_of(h)->keys, pd, sge, num_sge, offset,
			   (void *)from, len, IBV_ACCESS_LOCAL_WRITE, NULL);
}

static int host_resolve(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			uint64_t va, uint64_t len, int access, uint8_t **at)
{
	return mr_resolve_remote(adapter_of(h)->keys, qp->pd, qp, rkey, va, len,
				 access, at);
}

/* M06: nobody is told that it was refused. */
static int host_refused(struct sd_qp *qp, int err, int access)
{
	if (MUTANT_ACTS(M06, err && access != IBV_ACCESS_REMOTE_ATOMIC &&
				     !world_qp_of(qp)->remote))
		return 0;
	return err;
}

static int host_remote_check(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			     uint64_t va, uint64_t len, int access)
{
	uint8_t *at;
	int err = host_resolve(h, qp, rkey, va, len, access, &at);

	if (MUTANT_ON(D76) && !err && access == IBV_ACCESS_REMOTE_WRITE)
		qp->mutants.write_at = at;
	return err ? host_refused(qp, err, access) : 0;
}

static int host_remote_write(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			     uint64_t va, const void *from, size_t len)
{
	uint8_t *at;
	int err = host_resolve(h, qp, rkey, va, len, IBV_ACCESS_REMOTE_WRITE,
			       &at);

	if (err &&
	    MUTANT_ACTS(D76, qp->resp.in_message && qp->mutants.write_at)) {
		at = qp->mutants.write_at + qp->resp.received;
		err = 0;
	}
	if (err)
		return host_refused(qp, err, IBV_ACCESS_REMOTE_WRITE);
	if (MUTANT_ACTS(R14, world_qp_of(qp)->remote && len > 1))
		len--;
	return memory_copy(at, from, len) ? 0 : -EFAULT;
}

/* M47: where the part of a READ lies that was judged once. */
static MUTANT_COLD int host_read_again(struct sd_qp *qp, int err, uint64_t va,
				       size_t len, uint8_t **at)
{
	struct sd_qp_mutants *m = &qp->mutants;

	if (!err) {
		if (va != m->read_end ||
		    *at != m->read_at + (va - m->read_va)) {
			m->read_at = *at;
			m->read_va = va;
		}
		m->read_end = va + len;
	} else if (MUTANT_ACTS(M47, m->read_at && va >= m->read_va &&
					    va + len <= m->read_end)) {
		*at = m->read_at + (va - m->read_va);
		err = 0;
	}
	return err;
}

static int host_remote_read(struct sd_host *h, struct sd_qp *qp, uint32_t rkey,
			    uint64_t va, void *to, size_t len)
{
	uint8_t *at;
	int err =
		host_resolve(h, qp, rkey, va, len, IBV_ACCESS_REMOTE_READ, &at);

	if (MUTANT_ON(M47))
		err = host_read_again(qp, err, va, len, &at);
	if (err)
		return host_refused(qp, err, IBV_ACCESS_REMOTE_READ);
	if (MUTANT_ACTS(R13, world_qp_of(qp)->remote && len > 1)) {
		((uint8_t *)to)[len - 1] = 0;
		return memory_copy(to, at, len - 1) ? 0 : -EFAULT;
	}
	return memory_copy_summed(to, at, len, host_sum(adapter_of(h)))
		       ? 0
		       : -EFAULT;
}

/* D81: what lies there, when its low half is what it is compared with. */
static MUTANT_COLD uint64_t host_compare_half(const uint64_t *at,
					      uint64_t compare)
{
	uint64_t now = __atomic_load_n(at, __ATOMIC_RELAXED);

	return MUTANT_ACTS(D81,
			   now != compare && (uint32_t)now == (uint32_t)compare)
		       ? now
		       : compare;
}

static int host_remote_atomic(struct sd_host *h, struct sd_qp *qp,
			      const struct wire_packet *request,
			      uint64_t *before)
{
	uint8_t *at;
	int err = host_resolve(h, qp, request->atomic.rkey, request->atomic.va,
			       sizeof(uint64_t), IBV_ACCESS_REMOTE_ATOMIC, &at);
	uint64_t compare = request->atomic.compare;
	bool done;

	if (err)
		return err;
	if (MUTANT_ON(D81))
		compare = host_compare_half((uint64_t *)at, compare);
	if (request->opcode == WIRE_RC_FETCH_ADD)
		done = memory_fetch_add((uint64_t *)at,
					request->atomic.swap_add, before);
	else
		done = memory_compare_swap((uint64_t *)at, compare,
					   request->atomic.swap_add, before);
	return done ? 0 : -EFAULT;
}

static int host_invalidate(struct sd_host *h, struct sd_qp *qp, uint32_t rkey)
{
	return mr_invalidate(adapter_of(h)->keys, qp, rkey);
}

static int host_bind(struct sd_host *h, struct sd_qp *qp,
		     const struct sd_bind *bind)
{
	return mr_bind(adapter_of(h)->keys, qp->pd, qp, bind);
}

static void host_complete(struct sd_host *h, struct sd_cq *cq,
			  const struct sd_cqe *cqe)
{
	(void)h;
	front_complete(cq, cqe);
}

static void host_event(struct sd_host *h, struct sd_qp *qp,
		       enum ibv_event_type type)
{
	(void)h;
	front_event(world_qp_of(qp), type);
}

static void host_srq_limit(struct sd_host *h, struct sd_qp *qp)
{
	(void)h;
	front_srq_limit(qp->srq);
}

static void host_timer(struct sd_host *h, struct sd_qp *qp,
		       uint64_t deadline_ns)
{
	struct sd_adapter *a = adapter_of(h);
	struct world_qp *q = world_qp_of(qp);

	q->deadline_ns = deadline_ns;
	timers_set(&a->timers, q);
	if (!deadline_ns)
		flow_settle(a, q); /* nothing is out, or all is to go again */
}

static void host_wake(struct sd_host *h, struct sd_qp *qp)
{
	adapter_set_runnable(adapter_of(h), world_qp_of(qp));
}

const struct sd_host_ops adapter_host_ops = {
	.packet_begin = host_packet_begin,
	.packet_end = host_packet_end,
	.gather = host_gather,
	.scatter = host_scatter,
	.remote_check = host_remote_check,
	.remote_write = host_remote_write,
	.remote_read = host_remote_read,
	.remote_atomic = host_remote_atomic,
	.invalidate = host_invalidate,
	.bind = host_bind,
	.complete = host_complete,
	.event = host_event,
	.srq_limit = host_srq_limit,
	.timer = host_timer,
	.wake = host_wake,
};
