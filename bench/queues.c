// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What many queue pairs cost: the memory of idle ones, and the time of a
 * message when they take turns.
 *
 *	LD_PRELOAD=libsoftrdma.so queues [IDLE [MESSAGES]]
 *
 * Prints the resident bytes that each of IDLE (10000) connected queue pairs
 * adds, with queues for 1 and for 16 requests each way; then, for 1 to 1000
 * pairs, the nanoseconds that a SEND of 8 bytes from one to the other takes, as the
 * mean of MESSAGES (200000), and how many of them the process had a core for: on
 * a host with other work these are the ones to compare.
 */
#include <infiniband/verbs.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"

enum { PAIRS_MAX = 1000 };

static unsigned messages = 200000;

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static union ibv_gid gid;
static uint8_t bytes[64];

NO_RETURN static void queues_die(const char *what)
{
	perror(what);
	exit(1);
}

static void queues_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), "soft0"))
			context = ibv_open_device(list[i]);
	if (!context)
		queues_die("soft0 (is libsoftrdma.so preloaded?)");
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 1024, NULL, NULL, 0);
	mr = ibv_reg_mr(pd, bytes, sizeof(bytes), IBV_ACCESS_LOCAL_WRITE);
	if (!pd || !cq || !mr || ibv_query_gid(context, 1, 0, &gid))
		queues_die("resources");
}

static struct ibv_qp *queues_make(uint32_t depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = depth,
			 .max_recv_wr = depth,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		queues_die("ibv_create_qp");
	return qp;
}

static void queues_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (ibv_modify_qp(qp, attr, IBV_QP_STATE | mask))
		queues_die("ibv_modify_qp");
}

static void queues_connect(struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = gid, .hop_limit = 64 } },
	};
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 7 };

	queues_modify(qp, &init,
		      IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	queues_modify(qp, &rtr,
		      IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER);
	queues_modify(qp, &rts,
		      IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static long queues_resident(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		queues_die("/proc/self/statm");
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

static void queues_measure_idle(unsigned count, uint32_t depth)
{
	struct ibv_qp **qps = calloc(count, sizeof(*qps));
	long before;

	if (!qps)
		queues_die("calloc");
	memset(qps, 0xff, count * sizeof(*qps)); /* have its pages now */
	before = queues_resident();
	for (unsigned i = 0; i < count; i++)
		qps[i] = queues_make(depth);
	for (unsigned i = 0; i < count; i++)
		queues_connect(qps[i], qps[i ^ 1]->qp_num);
	printf("%u idle queue pairs of depth %u: %ld bytes each\n", count,
	       depth, (queues_resident() - before) / count);
	for (unsigned i = 0; i < count; i++)
		ibv_destroy_qp(qps[i]);
	free(qps);
}

static void queues_message(struct ibv_qp *from, struct ibv_qp *to)
{
	struct ibv_sge sge = { .addr = (uintptr_t)bytes,
			       .length = 8,
			       .lkey = mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr send = { .sg_list = &sge,
				    .num_sge = 1,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED };
	struct ibv_recv_wr *bad_recv;
	struct ibv_send_wr *bad_send;
	struct ibv_wc wc[2];
	int done = 0;

	if (ibv_post_recv(to, &recv, &bad_recv) ||
	    ibv_post_send(from, &send, &bad_send))
		queues_die("post");
	while (done < 2) {
		int n = ibv_poll_cq(cq, 2, wc);

		for (int i = 0; i < n; i++)
			if (wc[i].status != IBV_WC_SUCCESS)
				queues_die(ibv_wc_status_str(wc[i].status));
		done += n;
	}
}

/* What all threads have spent, in the program and in the kernel. */
static uint64_t queues_cpu_ns(void)
{
	struct rusage u;
	uint64_t us;

	if (getrusage(RUSAGE_SELF, &u))
		queues_die("getrusage");
	us = (uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S +
	       us * 1000;
}

static void queues_measure_turns(unsigned pairs)
{
	static struct ibv_qp *qps[2 * PAIRS_MAX];
	uint64_t start_ns, start_cpu_ns, end_cpu_ns;

	for (unsigned i = 0; i < 2 * pairs; i++)
		qps[i] = queues_make(16);
	for (unsigned i = 0; i < 2 * pairs; i++)
		queues_connect(qps[i], qps[i ^ 1]->qp_num);
	start_ns = clock_now_ns();
	start_cpu_ns = queues_cpu_ns();
	for (unsigned i = 0; i < messages; i++) {
		unsigned pair = i % pairs;

		queues_message(qps[2 * pair], qps[2 * pair + 1]);
	}
	end_cpu_ns = queues_cpu_ns();
	printf("%4u pairs: %.0f ns a message, %.0f ns of CPU time\n", pairs,
	       (double)(clock_now_ns() - start_ns) / messages,
	       (double)(end_cpu_ns - start_cpu_ns) / messages);
	for (unsigned i = 0; i < 2 * pairs; i++)
		ibv_destroy_qp(qps[i]);
}

int main(int argc, char **argv)
{
	unsigned idle = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10000;

	if (argc > 2)
		messages = (unsigned)strtoul(argv[2], NULL, 10);
	if (argc > 3 || idle < 2 || idle % 2 || messages == 0) {
		fprintf(stderr, "usage: queues [IDLE [MESSAGES]], the first an "
				"even number\n");
		return 2;
	}
	queues_open();
	queues_measure_idle(idle, 1);
	malloc_trim(0);
	queues_measure_idle(idle, 16);
	for (unsigned pairs = 1; pairs <= PAIRS_MAX; pairs *= 10)
		queues_measure_turns(pairs);
	return 0;
}
