/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of the liar share: see liar.c. */
#ifndef TESTS_RUNS_LIAR_H
#define TESTS_RUNS_LIAR_H

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum lie {
#define LIE(id, ...) LIE_##id,
#include "liar.def"
#undef LIE
	LIES
};

enum { EVENTS_MAX = 64, OBJECTS_MAX = 4096 };

/* Is this the lie that is told? */
bool lie(enum lie which);
/* The PD that an object really goes to. */
struct ibv_pd *pd_or_first(struct ibv_pd *pd);
/* An event of the CQ was taken. */
void unacked_add(struct ibv_cq *cq, unsigned events);
/* The last one of a queue pair that was taken. */
extern struct ibv_async_event held_event;
/* The queue pair has come to RTS. */
void late_post(struct ibv_qp *qp);

/* Lies of liar_order.c: requests that are about to be posted, a completion
 * that was polled. */
bool lie_of_order(void);
void order_posted(const struct ibv_send_wr *wr);
void order_polled(const struct ibv_wc *wc);

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* What every binary finds, whatever version it asks for. */
#define LIAR_EXPORT __attribute__((visibility("default")))

#endif
