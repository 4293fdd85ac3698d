// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two threads, each with a CQ and a queue pair of its own, send to each other
 * at the same time over each link, while the adapter's own thread does its
 * share; under the thread sanitizer this is where races show.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/prng.h"

#include "front_fixture.h"

/* Each loss costs a timeout, and there is one in ten messages with faults. */
enum {
	MESSAGES = 400,
	MESSAGES_FAULTS = 150,
	DEPTH = 8,
	ROOM = 9000,
	PATIENCE_S = 40
};

struct side {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *bytes;	   /* DEPTH to send, then DEPTH to receive */
	uint32_t messages; /* each way */
	uint32_t posted, sent, received;
	const char *wrong; /* NULL: all is well */
};

static void side_open(struct side *s, struct ibv_context *context,
		      uint32_t messages)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH,
			 .max_recv_wr = DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	memset(s, 0, sizeof(*s));
	s->messages = messages;
	s->pd = ibv_alloc_pd(context);
	s->cq = ibv_create_cq(context, 4 * DEPTH, NULL, NULL, 0);
	assert_non_null(s->pd);
	assert_non_null(s->cq);
	init.send_cq = init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	assert_non_null(s->qp);
	s->bytes = calloc(2 * DEPTH, ROOM);
	s->mr = ibv_reg_mr(s->pd, s->bytes, (size_t)2 * DEPTH * ROOM,
			   IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(s->mr);
}

static void side_close(struct side *s)
{
	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	assert_int_equal(ibv_dealloc_pd(s->pd), 0);
	free(s->bytes);
}

static void side_connect(struct side *s, const struct side *peer,
			 const union ibv_gid *gid)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	assert_int_equal(ibv_modify_qp(s->qp, &attr,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					       IBV_QP_PORT |
					       IBV_QP_ACCESS_FLAGS),
			 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer->qp->qp_num,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = *gid, .hop_limit = 64 } },
	};
	assert_int_equal(ibv_modify_qp(s->qp, &attr,
				       IBV_QP_STATE | IBV_QP_AV |
					       IBV_QP_PATH_MTU |
					       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					       IBV_QP_MAX_DEST_RD_ATOMIC |
					       IBV_QP_MIN_RNR_TIMER),
			 0);
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS,
				     .timeout = 14,
				     .retry_cnt = 7,
				     .rnr_retry = 7 };
	assert_int_equal(
		ibv_modify_qp(s->qp, &attr,
			      IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				      IBV_QP_MAX_QP_RD_ATOMIC),
		0);
}

static uint32_t message_length(uint32_t number)
{
	return 8 + number * 37 % (ROOM - 8);
}

/* Any byte of a message tells which one it is of. */
static void message_fill(uint8_t *at, uint32_t number)
{
	struct prng r;

	prng_seed(&r, number);
	for (uint32_t i = 0; i < message_length(number); i++)
		at[i] = (uint8_t)prng_next(&r);
}

static bool message_right(const uint8_t *at, uint32_t number, uint32_t len)
{
	static _Thread_local uint8_t should[ROOM];

	message_fill(should, number);
	return len == message_length(number) && !memcmp(at, should, len);
}

static bool side_post_recv(struct side *s, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(s->bytes + (DEPTH + slot) * ROOM),
		.length = ROOM,
		.lkey = s->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = DEPTH + slot,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return ibv_post_recv(s->qp, &wr, &bad) == 0;
}

static bool side_post_send(struct side *s)
{
	uint32_t slot = s->posted % DEPTH;
	struct ibv_sge sge = {
		.addr = (uintptr_t)(s->bytes + slot * ROOM),
		.length = message_length(s->posted),
		.lkey = s->mr->lkey,
	};
	struct ibv_send_wr wr = { .wr_id = slot,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;

	message_fill(s->bytes + slot * ROOM, s->posted++);
	return ibv_post_send(s->qp, &wr, &bad) == 0;
}

static void side_handle(struct side *s, const struct ibv_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS) {
		s->wrong = ibv_wc_status_str(wc->status);
	} else if (wc->wr_id < DEPTH) {
		s->sent++;
	} else {
		if (!message_right(s->bytes + wc->wr_id * ROOM, s->received,
				   wc->byte_len))
			s->wrong = "wrong content";
		s->received++;
		if (!side_post_recv(s, (uint32_t)wc->wr_id - DEPTH))
			s->wrong = "post_recv";
	}
}

/* How long all of it takes is the host's affair, and that of the timeouts
 * which the faults cost; not for ever without a single completion, though. */
static void *side_run(void *arg)
{
	struct side *s = arg;
	uint64_t moved_ns = clock_now_ns();

	while (!s->wrong &&
	       (s->sent < s->messages || s->received < s->messages)) {
		struct ibv_wc wc[4];
		int n;

		while (s->posted < s->messages && s->posted - s->sent < DEPTH)
			if (!side_post_send(s))
				s->wrong = "post_send";
		n = ibv_poll_cq(s->cq, (int)ARRAY_SIZE(wc), wc);
		for (int i = 0; i < n; i++)
			side_handle(s, &wc[i]);
		if (n < 0)
			s->wrong = "poll_cq";
		else if (n > 0)
			moved_ns = clock_now_ns();
		else if (clock_now_ns() > moved_ns + PATIENCE_S * NS_PER_S)
			s->wrong = "nothing completes any more";
	}
	return NULL;
}

static void exchange(const char *link, const char *faults, uint32_t messages)
{
	struct ibv_context *context;
	pthread_t thread;
	struct side a, b;
	union ibv_gid gid;

	setenv("SOFT_LINK", link, 1);
	setenv("SOFT_FAULTS", faults, 1);
	context = front_open();
	assert_non_null(context);
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	side_open(&a, context, messages);
	side_open(&b, context, messages);
	side_connect(&a, &b, &gid);
	side_connect(&b, &a, &gid);
	for (uint32_t i = 0; i < DEPTH; i++)
		assert_true(side_post_recv(&a, i) && side_post_recv(&b, i));
	assert_int_equal(pthread_create(&thread, NULL, side_run, &a), 0);
	side_run(&b);
	pthread_join(thread, NULL);
	if (a.wrong || b.wrong)
		fail_msg("%s: %s, %s; sent %u and %u, received %u and %u", link,
			 a.wrong ? a.wrong : "well", b.wrong ? b.wrong : "well",
			 a.sent, b.sent, a.received, b.received);
	side_close(&a);
	side_close(&b);
	assert_int_equal(ibv_close_device(context), 0);
}

static void by_direct_hand_over(void **state)
{
	exchange("direct", "", MESSAGES);
}

static void by_shared_memory(void **state)
{
	exchange("shm", "", MESSAGES);
}

static void by_udp(void **state)
{
	exchange("udp", "", MESSAGES);
}

/* Whatever the link, the same faults strike, and nothing of it shows. */
static void with_faults(void **state)
{
	static const char *const links[] = { "direct", "shm", "udp" };
	static const char rules[] =
		"drop:rate=0.01;corrupt:rate=0.01;duplicate:rate=0.02;"
		"reorder:rate=0.02,by=2;delay:us=300,rate=0.02;"
		"drop:dir=rx,rate=0.01;corrupt:dir=rx,rate=0.01";

	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		exchange(links[i], rules, MESSAGES_FAULTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_direct_hand_over),
		cmocka_unit_test(by_shared_memory),
		cmocka_unit_test(by_udp),
		cmocka_unit_test(with_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
