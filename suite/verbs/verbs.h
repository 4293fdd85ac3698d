/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The observed verbs: every ibv_* call of the suite is made here, and leaves a
 * record.  The functions are named as the verbs are, by noun.
 *
 * They return 0 or a negative errno whatever convention the verb has; the
 * record keeps what it really returned.  A verb that fails without saying why
 * (NULL and errno 0, -1 and errno 0) is -EIO.  Posts, polls and arming neither
 * allocate nor format anything.
 */
#ifndef SUITE_VERBS_VERBS_H
#define SUITE_VERBS_VERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct recorder;

/* Whose calls they are: goes into each record. */
struct verbs_at {
	/* NULL: nothing is recorded, and posts and polls cost what the verbs
	 * do: for traffic at full speed. */
	struct recorder *recorder;
	uint8_t end; /* 0: a, 1: b */
};

/* --- device.c ----------------------------------------------------------- */

/* -ENODEV: there is no device @name. */
int verbs_device_open(const struct verbs_at *at, const char *name,
		      struct ibv_context **context) MUST_USE;
int verbs_device_close(const struct verbs_at *at, struct ibv_context *context);
int verbs_device_query(const struct verbs_at *at, struct ibv_context *context,
		       struct ibv_device_attr *attr) MUST_USE;
int verbs_port_query(const struct verbs_at *at, struct ibv_context *context,
		     uint8_t port, struct ibv_port_attr *attr) MUST_USE;
/* -ENODATA: the entry is empty. */
int verbs_gid_query(const struct verbs_at *at, struct ibv_context *context,
		    uint8_t port, uint32_t index,
		    struct ibv_gid_entry *entry) MUST_USE;

/* --- table.c ------------------------------------------------------------ */

/* @pkey in the host's order. */
int verbs_pkey_query(const struct verbs_at *at, struct ibv_context *context,
		     uint8_t port, uint32_t index, uint16_t *pkey) MUST_USE;
/* Enter or @leave a multicast group. */
int verbs_mcast(const struct verbs_at *at, struct ibv_qp *qp,
		const union ibv_gid *group, bool leave) MUST_USE;

/* --- pd_mr.c ------------------------------------------------------------ */

int verbs_pd_alloc(const struct verbs_at *at, struct ibv_context *context,
		   struct ibv_pd **pd) MUST_USE;
int verbs_pd_dealloc(const struct verbs_at *at, struct ibv_pd *pd) MUST_USE;
int verbs_mr_reg(const struct verbs_at *at, struct ibv_pd *pd, void *addr,
		 size_t len, unsigned access, struct ibv_mr **mr) MUST_USE;
/* SGEs and peers name its first byte by @iova. */
int verbs_mr_reg_iova(const struct verbs_at *at, struct ibv_pd *pd, void *addr,
		      size_t len, uint64_t iova, unsigned access,
		      struct ibv_mr **mr) MUST_USE;
/* *@answer is what the verb returned (enum ibv_rereg_mr_err_code). */
int verbs_mr_rereg(const struct verbs_at *at, struct ibv_mr *mr, unsigned flags,
		   struct ibv_pd *pd, void *addr, size_t len, unsigned access,
		   int *answer) MUST_USE;
int verbs_mr_dereg(const struct verbs_at *at, struct ibv_mr *mr) MUST_USE;

/* --- mw.c --------------------------------------------------------------- */

int verbs_mw_alloc(const struct verbs_at *at, struct ibv_pd *pd,
		   enum ibv_mw_type type, struct ibv_mw **mw) MUST_USE;
int verbs_mw_dealloc(const struct verbs_at *at, struct ibv_mw *mw) MUST_USE;
/* By ibv_bind_mw(), which is for type 1. */
int verbs_mw_bind(const struct verbs_at *at, struct ibv_qp *qp,
		  struct ibv_mw *mw, struct ibv_mw_bind *bind) MUST_USE;

/* --- ah.c --------------------------------------------------------------- */

int verbs_ah_create(const struct verbs_at *at, struct ibv_pd *pd,
		    struct ibv_ah_attr *attr, struct ibv_ah **ah) MUST_USE;
int verbs_ah_create_from_wc(const struct verbs_at *at, struct ibv_pd *pd,
			    struct ibv_wc *wc, struct ibv_grh *grh,
			    uint8_t port, struct ibv_ah **ah) MUST_USE;
int verbs_ah_destroy(const struct verbs_at *at, struct ibv_ah *ah) MUST_USE;

/* --- srq.c -------------------------------------------------------------- */

int verbs_srq_create(const struct verbs_at *at, struct ibv_pd *pd,
		     struct ibv_srq_init_attr *init,
		     struct ibv_srq **srq) MUST_USE;
int verbs_srq_destroy(const struct verbs_at *at, struct ibv_srq *srq) MUST_USE;
int verbs_srq_modify(const struct verbs_at *at, struct ibv_srq *srq,
		     struct ibv_srq_attr *attr, unsigned mask) MUST_USE;
int verbs_srq_query(const struct verbs_at *at, struct ibv_srq *srq,
		    struct ibv_srq_attr *attr) MUST_USE;
int verbs_srq_post(const struct verbs_at *at, struct ibv_srq *srq,
		   struct ibv_recv_wr *list, struct ibv_recv_wr **bad) MUST_USE;

/* --- cq.c --------------------------------------------------------------- */

int verbs_cq_create(const struct verbs_at *at, struct ibv_context *context,
		    int cqe, void *cookie, struct ibv_comp_channel *channel,
		    int vector, struct ibv_cq **cq) MUST_USE;
int verbs_cq_destroy(const struct verbs_at *at, struct ibv_cq *cq) MUST_USE;
/* How many it gave; each completion is recorded, an empty poll is not. */
int verbs_cq_poll(const struct verbs_at *at, struct ibv_cq *cq, int count,
		  struct ibv_wc *wc) MUST_USE;
int verbs_cq_arm(const struct verbs_at *at, struct ibv_cq *cq,
		 bool solicited_only) MUST_USE;
/* cq->cqe is what the device made of it. */
int verbs_cq_resize(const struct verbs_at *at, struct ibv_cq *cq,
		    int cqe) MUST_USE;

/* --- cq_ex.c ------------------------------------------------------------ */

int verbs_cq_create_ex(const struct verbs_at *at, struct ibv_context *context,
		       struct ibv_cq_init_attr_ex *init,
		       struct ibv_cq_ex **cq) MUST_USE;
/* As verbs_cq_poll(), by ibv_start_poll() and its like; negative: failed.
 * @stamps, if not NULL, gets the time stamp of each. */
int verbs_cq_poll_ex(const struct verbs_at *at, struct ibv_cq_ex *cq, int count,
		     struct ibv_wc *wc, uint64_t *stamps) MUST_USE;

/* --- qp.c --------------------------------------------------------------- */

int verbs_qp_create(const struct verbs_at *at, struct ibv_pd *pd,
		    struct ibv_qp_init_attr *init, struct ibv_qp **qp) MUST_USE;
/* The same by the extended verb, which builder.c needs. */
int verbs_qp_create_ex(const struct verbs_at *at, struct ibv_context *context,
		       struct ibv_qp_init_attr_ex *init,
		       struct ibv_qp **qp) MUST_USE;
int verbs_qp_destroy(const struct verbs_at *at, struct ibv_qp *qp) MUST_USE;
int verbs_qp_query(const struct verbs_at *at, struct ibv_qp *qp, unsigned mask,
		   struct ibv_qp_attr *attr,
		   struct ibv_qp_init_attr *init) MUST_USE;

/* What a modify call came to. */
struct verbs_modified {
	int err;		/* of the modify */
	bool negative;		/* it was returned below 0 */
	int query_err;		/* of the query that follows it, always */
	struct ibv_qp_attr now; /* as queried; valid when query_err is 0 */
};

void verbs_qp_modify(const struct verbs_at *at, struct ibv_qp *qp,
		     struct ibv_qp_attr *attr, unsigned mask,
		     struct verbs_modified *out);

/*
 * Which of the attributes @mask differ between what was @asked and what reads
 * back @now (rule QPS-09): bits of the mask, 0 when all agree.  Read and
 * atomic depths may have been rounded up, and PSNs are those of the next
 * packet when any has been sent: they are compared only with @psn_exact.
 */
unsigned verbs_attr_differ(const struct ibv_qp_attr *asked, unsigned mask,
			   const struct ibv_qp_attr *now, bool psn_exact);
/* The value of the attribute @bit, as one number for people. */
uint64_t verbs_attr_value(const struct ibv_qp_attr *attr, unsigned bit);

/* --- post.c ------------------------------------------------------------- */

int verbs_post_send(const struct verbs_at *at, struct ibv_qp *qp,
		    struct ibv_send_wr *list,
		    struct ibv_send_wr **bad) MUST_USE;
int verbs_post_recv(const struct verbs_at *at, struct ibv_qp *qp,
		    struct ibv_recv_wr *list,
		    struct ibv_recv_wr **bad) MUST_USE;

/* --- builder.c ---------------------------------------------------------- */

/* By ibv_wr_start() .. ibv_wr_complete(); the list is one: *@bad is its first
 * or NULL. */
int verbs_build_send(const struct verbs_at *at, struct ibv_qp *base,
		     struct ibv_send_wr *list,
		     struct ibv_send_wr **bad) MUST_USE;

/* --- event.c ------------------------------------------------------------ */

/* The channel's descriptor does not block. */
int verbs_channel_create(const struct verbs_at *at, struct ibv_context *context,
			 struct ibv_comp_channel **channel) MUST_USE;
int verbs_channel_destroy(const struct verbs_at *at,
			  struct ibv_comp_channel *channel);
/* Take one event and acknowledge it; -EAGAIN: there is none. */
int verbs_channel_take(const struct verbs_at *at,
		       struct ibv_comp_channel *channel,
		       void **cookie) MUST_USE;
/* The two halves of it, for whom the acknowledgement matters. */
int verbs_channel_get(const struct verbs_at *at,
		      struct ibv_comp_channel *channel, struct ibv_cq **cq,
		      void **cookie) MUST_USE;
void verbs_cq_ack(const struct verbs_at *at, struct ibv_cq *cq, unsigned count);
/* The same for asynchronous events; call verbs_async_prepare() once. */
int verbs_async_prepare(struct ibv_context *context) MUST_USE;
/* Acknowledged apart from the taking. */
int verbs_async_get(const struct verbs_at *at, struct ibv_context *context,
		    struct ibv_async_event *event) MUST_USE;
void verbs_async_ack(const struct verbs_at *at, struct ibv_async_event *event);
int verbs_async_take(const struct verbs_at *at, struct ibv_context *context,
		     struct ibv_async_event *event) MUST_USE;

/* --- record.c: for the files above -------------------------------------- */

struct recorder_record;

/* What a verb returned, as 0 or negative errno. */
int verbs_result(int ret);
/* Was the last answer given to it, in this thread, below 0?  The manual pages
 * promise the errno itself of verbs that return one; devices differ (RES-01). */
bool verbs_was_negative(void);
/* The reason that a creation gave, as negative errno. */
int verbs_errno(void);
/* Complete @record with who, what came of it (@err) and errno, and write it. */
void verbs_record(const struct verbs_at *at, struct recorder_record *record,
		  int64_t returned, int err);
void verbs_cq_record(const struct verbs_at *at, const struct ibv_wc *wc);
/* A record for each request of a list: those up to the refused one. */
void verbs_send_record(const struct verbs_at *at, uint32_t qp_num,
		       const struct ibv_send_wr *list,
		       const struct ibv_send_wr *bad, int ret, int err);
/* @call: RECORDER_POST_RECV or RECORDER_POST_SRQ_RECV */
void verbs_recv_record(const struct verbs_at *at, unsigned call,
		       uint32_t object, const struct ibv_recv_wr *list,
		       const struct ibv_recv_wr *bad, int ret, int err);

#endif
