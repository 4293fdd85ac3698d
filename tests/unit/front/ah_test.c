// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address handles and datagrams. */
#include "loop_fixture.h"

#include <arpa/inet.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/front/limits.h"

enum { GRH = 40 };

static struct ibv_send_wr datagram(const struct loop *l, uint32_t qkey)
{
	return (struct ibv_send_wr){
		.wr_id = 1,
		.opcode = IBV_WR_SEND,
		.wr.ud = { .ah = l->ah,
			   .remote_qpn = l->b->qp_num,
			   .remote_qkey = qkey },
	};
}

static void addresses_are_judged_when_the_handle_is_made(void **state)
{
	struct loop *l = *state;
	const struct ibv_ah_attr good = loop_av(l);
	struct ibv_ah_attr attr;

	attr = good;
	attr.port_num = 0;
	assert_no_object(ibv_create_ah(l->pd, &attr), EINVAL);
	attr.port_num = 2;
	assert_no_object(ibv_create_ah(l->pd, &attr), EINVAL);
	attr = good;
	attr.is_global = 0;
	assert_no_object(ibv_create_ah(l->pd, &attr), EINVAL);
	attr = good;
	attr.grh.sgid_index = 1;
	assert_no_object(ibv_create_ah(l->pd, &attr), EINVAL);
	attr.grh.sgid_index = LIMIT_gid_entries;
	assert_no_object(ibv_create_ah(l->pd, &attr), EINVAL);
	attr = good;
	attr.grh.dgid.raw[0] = 0xfe;
	assert_no_object(ibv_create_ah(l->pd, &attr), EHOSTUNREACH);
	assert_no_object(ibv_create_ah(NULL, &attr), EINVAL);
}

static void handles_of_addresses_are_not_trusted(void **state)
{
	struct loop *l = *state;
	struct ibv_ah_attr attr = loop_av(l);
	struct ibv_ah *ah = ibv_create_ah(l->pd, &attr);
	struct ibv_ah fake;

	assert_non_null(ah);
	fake = *ah;
	assert_refused(ibv_destroy_ah(&fake), EINVAL);
	ah->handle ^= 1 << 20;
	assert_refused(ibv_destroy_ah(ah), EINVAL);
	ah->handle ^= 1 << 20;
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_refused(ibv_destroy_ah(NULL), EINVAL);
}

static void the_limit_of_handles_is_exact(void **state)
{
	struct loop *l = *state;
	struct ibv_ah_attr attr = loop_av(l);
	struct ibv_ah **all = calloc(LIMIT_max_ah, sizeof(struct ibv_ah *));

	assert_non_null(all);
	/* One is the fixture's. */
	for (int i = 1; i < LIMIT_max_ah; i++) {
		all[i] = ibv_create_ah(l->pd, &attr);
		assert_non_null(all[i]);
	}
	assert_no_object(ibv_create_ah(l->pd, &attr), ENOMEM);
	for (int i = 1; i < LIMIT_max_ah; i++)
		assert_int_equal(ibv_destroy_ah(all[i]), 0);
	free(all);
}

static void a_datagram_comes_behind_its_header(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = datagram(l, LOOP_QKEY);
	struct ibv_wc recv;

	loop_post_recv(l, l->b, 2, 4096, GRH + 1000);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1000), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(recv.byte_len, GRH + 1000);
	assert_int_equal(recv.wc_flags, IBV_WC_GRH);
	assert_int_equal(recv.src_qp, l->a->qp_num);
	assert_memory_equal(l->bytes, l->bytes + 4096 + GRH, 1000);
}

static void an_answer_finds_its_way_back(void **state)
{
	struct loop *l = *state;
	struct ibv_grh *grh = (struct ibv_grh *)(l->bytes + 4096);
	struct ibv_ah_attr attr = loop_av(l), back;
	struct ibv_send_wr wr = datagram(l, LOOP_QKEY);
	struct ibv_ah *ah;
	struct ibv_wc recv;

	attr.grh.traffic_class = 0x48;
	wr.wr.ud.ah = ibv_create_ah(l->pd, &attr);
	assert_non_null(wr.wr.ud.ah);
	loop_post_recv(l, l->b, 2, 4096, GRH + 10);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 10), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(ibv_destroy_ah(wr.wr.ud.ah), 0);
	assert_int_equal(ibv_init_ah_from_wc(l->context, 1, &recv, grh, &back),
			 0);
	assert_int_equal(back.is_global, 1);
	assert_int_equal(back.port_num, 1);
	assert_int_equal(back.grh.traffic_class, 0x48);
	assert_memory_equal(back.grh.dgid.raw, attr.grh.dgid.raw, 16);
	ah = ibv_create_ah_from_wc(l->pd, &recv, grh, 1);
	assert_non_null(ah);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = recv.src_qp;
	loop_post_recv(l, l->a, 3, 4096, GRH + 10);
	assert_int_equal(loop_post(l, l->b, &wr, 0, 10), 0);
	loop_expect_both(l, 1, 3, &recv);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	/* Without a header, or one of another kind, nobody knows the way. */
	assert_int_equal(ibv_init_ah_from_wc(l->context, 2, &recv, grh, &back),
			 -1);
	l->bytes[4096 + 20] = 0x60;
	assert_int_equal(ibv_init_ah_from_wc(l->context, 1, &recv, grh, &back),
			 -1);
	assert_int_equal(errno, EINVAL);
	recv.wc_flags = 0;
	assert_no_object(ibv_create_ah_from_wc(l->pd, &recv, grh, 1), EINVAL);
}

static void a_datagram_is_one_packet(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = datagram(l, LOOP_QKEY);
	struct ibv_wc recv;

	assert_int_equal(loop_post(l, l->a, &wr, 0, 4097), EINVAL);
	loop_post_recv(l, l->b, 2, 4000, 4096 + GRH);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 4096), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(recv.byte_len, 4096 + GRH);
}

static void datagrams_need_a_handle_of_their_domain(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = datagram(l, LOOP_QKEY);
	struct ibv_ah_attr attr = loop_av(l);
	struct ibv_pd *pd = ibv_alloc_pd(l->context);
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);
	struct ibv_ah fake = *l->ah;

	assert_non_null(ah);
	wr.wr.ud.ah = NULL;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	wr.wr.ud.ah = &fake;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	wr.wr.ud.ah = ah;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	wr = datagram(l, LOOP_QKEY);
	wr.opcode = IBV_WR_RDMA_WRITE;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static void a_wrong_qkey_is_dropped_and_the_top_bit_means_our_own(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = datagram(l, LOOP_QKEY + 1);
	struct ibv_wc recv;

	loop_post_recv(l, l->b, 2, 4096, GRH + 1);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	wr = datagram(l, 0x80000000);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), 0);
	loop_expect_both(l, 1, 2, &recv);
}

static int drop_net_raw(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -1;
	data[0].effective &= ~(1u << CAP_NET_RAW);
	return (int)syscall(SYS_capset, &header, data);
}

static int modify_qkey(struct ibv_qp *qp, uint32_t qkey)
{
	struct ibv_qp_attr attr = { .qkey = qkey };

	return ibv_modify_qp(qp, &attr, IBV_QP_QKEY);
}

struct unprivileged {
	struct ibv_qp *qp;
	int dropped, high, low;
};

/* Capabilities are a thread's: they end with it. */
static void *unprivileged_main(void *arg)
{
	struct unprivileged *u = arg;

	u->dropped = drop_net_raw();
	u->high = modify_qkey(u->qp, 0x80010000);
	u->low = modify_qkey(u->qp, 0x7fffffff);
	return NULL;
}

static void privileged_qkeys_need_a_capability(void **state)
{
	struct loop *l = *state;
	struct unprivileged u = { .qp = l->a };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, unprivileged_main, &u),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(u.dropped, 0);
	assert_int_equal(u.high, EPERM);
	assert_int_equal(u.low, 0);
}

static void loopback_has_no_macs(void **state)
{
	static const uint8_t zeroes[6];
	struct loop *l = *state;
	struct ibv_ah_attr attr = loop_av(l);
	uint8_t mac[6] = { 1 };
	uint16_t vid = 0;

	assert_int_equal(
		ibv_resolve_eth_l2_from_gid(l->context, &attr, mac, &vid), 0);
	assert_memory_equal(mac, zeroes, sizeof(mac));
	assert_int_equal(vid, 0xffff);
	attr.grh.dgid.raw[12] = 10;
	assert_refused(ibv_resolve_eth_l2_from_gid(l->context, &attr, mac,
						   &vid),
		       EOPNOTSUPP);
}

static void multicast_is_not_served(void **state)
{
	struct loop *l = *state;
	union ibv_gid gid = { .raw = { 0xff, 0x0e } };

	assert_refused(ibv_attach_mcast(l->a, &gid, 0), EOPNOTSUPP);
	assert_refused(ibv_detach_mcast(l->a, &gid, 0), EOPNOTSUPP);
}

#define UD_TEST(f) \
	cmocka_unit_test_setup_teardown(f, loop_setup_ud, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UD_TEST(addresses_are_judged_when_the_handle_is_made),
		UD_TEST(handles_of_addresses_are_not_trusted),
		UD_TEST(the_limit_of_handles_is_exact),
		UD_TEST(a_datagram_comes_behind_its_header),
		UD_TEST(an_answer_finds_its_way_back),
		UD_TEST(a_datagram_is_one_packet),
		UD_TEST(datagrams_need_a_handle_of_their_domain),
		UD_TEST(a_wrong_qkey_is_dropped_and_the_top_bit_means_our_own),
		UD_TEST(privileged_qkeys_need_a_capability),
		UD_TEST(loopback_has_no_macs),
		UD_TEST(multicast_is_not_served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
