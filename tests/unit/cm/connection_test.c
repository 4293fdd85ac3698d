// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses, messages, states and queue pair attributes of a connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "device/cm/address.h"
#include "device/cm/message.h"
#include "device/cm/qp_attr.h"
#include "device/cm/state.h"

static struct cm_address address_v4(uint32_t ip, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(ip) };
	struct cm_address a;

	assert_int_equal(cm_address_get(&in, sizeof(in), &a), 0);
	return a;
}

static void addresses_come_back_as_they_were(void **state)
{
	struct cm_address a = address_v4(0x7f010203, 7174);
	struct sockaddr_in6 out;
	struct sockaddr_in in;

	(void)state;
	cm_address_put(&a, &out);
	memcpy(&in, &out, sizeof(in));
	assert_int_equal(in.sin_family, AF_INET);
	assert_int_equal(in.sin_addr.s_addr, htonl(0x7f010203));
	assert_int_equal(in.sin_port, htons(7174));
	out = (struct sockaddr_in6){ .sin6_family = AF_INET6,
				     .sin6_port = htons(9),
				     .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	assert_int_equal(cm_address_get(&out, sizeof(out), &a), 0);
	assert_int_equal(a.port, 9);
	assert_int_equal(a.ip[15], 1);
}

static void other_families_are_refused(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	uint8_t ib[sizeof(in6)] = { CM_IB };
	uint8_t local[sizeof(in6)] = { 1 };
	struct cm_address a;

	(void)state;
	assert_int_equal(cm_address_get(ib, sizeof(ib), &a), -EADDRNOTAVAIL);
	assert_int_equal(cm_address_get(local, sizeof(local), &a),
			 -EAFNOSUPPORT);
	assert_int_equal(cm_address_get(&in, sizeof(in) - 1, &a), -EINVAL);
	assert_int_equal(cm_address_get(&in6, sizeof(in6) - 1, &a), -EINVAL);
	assert_int_equal(cm_address_get(&in, 1, &a), -EINVAL);
}

static void names_differ_by_address_port_and_space(void **state)
{
	struct cm_address a = address_v4(0x7f000001, 7);
	struct cm_address b = address_v4(0x7f000002, 7);
	struct cm_address any = address_v4(0, 7);
	struct cm_address any6 = { .family = CM_INET6, .port = 7 };
	char one[CM_NAME_BYTES], two[CM_NAME_BYTES];
	size_t len;

	(void)state;
	len = cm_address_name(&a, RDMA_PS_TCP, one);
	assert_int_equal(len, strlen(one));
	cm_address_name(&b, RDMA_PS_TCP, two);
	assert_string_not_equal(one, two);
	cm_address_name(&a, RDMA_PS_UDP, two);
	assert_string_not_equal(one, two);
	a.port = 8;
	cm_address_name(&a, RDMA_PS_TCP, two);
	assert_string_not_equal(one, two);
	assert_true(cm_address_is_any(&any) && cm_address_is_any(&any6));
	cm_address_name(&any, RDMA_PS_TCP, one);
	cm_address_name(&any6, RDMA_PS_TCP, two);
	assert_string_equal(one, two);
	memset(a.ip, 0xff, sizeof(a.ip));
	a.port = UINT16_MAX;
	assert_true(cm_address_name(&a, RDMA_PS_UDP, one) < CM_NAME_BYTES);
}

static struct cm_message request(void)
{
	struct cm_message m = cm_message_make(CM_REQ);

	m.mtu = 1024;
	m.from = address_v4(0x7f000001, 1);
	m.to = address_v4(0x7f000002, 2);
	return m;
}

static void assert_refused(const struct cm_message *m)
{
	struct cm_message out;

	assert_false(cm_message_get(m, sizeof(*m), &out));
}

static void messages_are_judged(void **state)
{
	struct cm_message m = request(), out;

	(void)state;
	assert_true(cm_message_get(&m, sizeof(m), &out));
	assert_memory_equal(&m, &out, sizeof(m));
	assert_false(cm_message_get(&m, sizeof(m) - 1, &out));
	assert_false(cm_message_get(&m, 0, &out));
	m.magic++;
	assert_refused(&m);
	m = request();
	m.kind = CM_MESSAGE_NONE;
	assert_refused(&m);
	m.kind = CM_SIDR_REP + 1;
	assert_refused(&m);
	m = request();
	m.qpn = 1 << 24;
	assert_refused(&m);
	m = request();
	m.psn = 1 << 24;
	assert_refused(&m);
	m = request();
	m.mtu = 128;
	assert_refused(&m);
	m = request();
	m.from.family = 1;
	assert_refused(&m);
	m = request();
	m.rnr_retry_count = 8;
	assert_refused(&m);
}

static void assert_step(enum cm_state from, enum cm_act act, enum cm_state to)
{
	enum cm_state next;

	assert_true(cm_state_step(from, act, &next));
	assert_int_equal(next, to);
}

static void a_connection_goes_through_its_states(void **state)
{
	enum cm_state next;

	(void)state;
	assert_step(CM_STATE_IDLE, CM_ACT_BIND, CM_STATE_BOUND);
	assert_step(CM_STATE_BOUND, CM_ACT_LISTEN, CM_STATE_LISTENING);
	assert_step(CM_STATE_IDLE, CM_ACT_RESOLVE_ADDRESS, CM_STATE_ADDRESSED);
	assert_step(CM_STATE_ADDRESSED, CM_ACT_RESOLVE_ROUTE, CM_STATE_ROUTED);
	assert_step(CM_STATE_ROUTED, CM_ACT_CONNECT, CM_STATE_ASKING);
	assert_step(CM_STATE_ASKING, CM_ACT_REP, CM_STATE_ANSWERED);
	assert_step(CM_STATE_ANSWERED, CM_ACT_CONFIRM, CM_STATE_ESTABLISHED);
	assert_step(CM_STATE_ASKED, CM_ACT_ACCEPT, CM_STATE_ANSWERING);
	assert_step(CM_STATE_ANSWERING, CM_ACT_RTU, CM_STATE_ESTABLISHED);
	assert_step(CM_STATE_ESTABLISHED, CM_ACT_DISCONNECT, CM_STATE_LEAVING);
	assert_step(CM_STATE_LEAVING, CM_ACT_DREP, CM_STATE_OVER);
	assert_step(CM_STATE_ESTABLISHED, CM_ACT_GONE, CM_STATE_OVER);
	assert_false(cm_state_step(CM_STATE_IDLE, CM_ACT_CONNECT, &next));
	assert_false(cm_state_step(CM_STATE_BOUND, CM_ACT_BIND, &next));
	assert_false(cm_state_step(CM_STATE_ASKING, CM_ACT_DISCONNECT, &next));
	assert_false(cm_state_step(CM_STATE_LISTENING, CM_ACT_REP, &next));
	assert_false(cm_state_step(CM_STATE_OVER, CM_ACT_DREQ, &next));
}

static void attributes_follow_from_the_path(void **state)
{
	struct cm_path p = { .known = true,
			     .peer_gid = { 1, 2, 3 },
			     .peer_qpn = 9,
			     .peer_psn = 5,
			     .own_psn = 6,
			     .mtu = 2048,
			     .responder_resources = 3,
			     .initiator_depth = 4,
			     .retry_count = 5,
			     .rnr_retry_count = 7,
			     .timeout = 14 };
	struct ib_uverbs_qp_attr a;

	(void)state;
	assert_int_equal(cm_path_attr(&p, IBV_QPS_RTR, &a), 0);
	assert_int_equal(a.dest_qp_num, 9);
	assert_int_equal(a.rq_psn, 5);
	assert_int_equal(a.path_mtu, IBV_MTU_2048);
	assert_int_equal(a.max_dest_rd_atomic, 3);
	assert_memory_equal(a.ah_attr.grh.dgid, p.peer_gid, 16);
	assert_int_equal(cm_path_attr(&p, IBV_QPS_RTS, &a), 0);
	assert_int_equal(a.sq_psn, 6);
	assert_int_equal(a.max_rd_atomic, 4);
	assert_int_equal(a.retry_cnt, 5);
	assert_int_equal(a.rnr_retry, 7);
	assert_int_equal(a.timeout, 14);
	assert_int_equal(cm_path_attr(&p, IBV_QPS_SQD, &a), -EINVAL);
	assert_int_equal(cm_path_attr(&p, UINT32_MAX, &a), -EINVAL);
	p.known = false;
	assert_int_equal(cm_path_attr(&p, IBV_QPS_RTR, &a), -EINVAL);
	assert_int_equal(cm_path_attr(&p, IBV_QPS_INIT, &a), 0);
	assert_int_equal(a.qp_access_flags, 0);
	p.datagram = true;
	assert_int_equal(cm_path_attr(&p, IBV_QPS_INIT, &a), 0);
	assert_int_equal(a.qkey, CM_UDP_QKEY);
	assert_true(a.qp_attr_mask & IBV_QP_QKEY);
}

static void an_mtu_is_never_larger_than_the_bytes(void **state)
{
	(void)state;
	assert_int_equal(cm_path_mtu(256), IBV_MTU_256);
	assert_int_equal(cm_path_mtu(512), IBV_MTU_512);
	assert_int_equal(cm_path_mtu(1500), IBV_MTU_1024);
	assert_int_equal(cm_path_mtu(4096), IBV_MTU_4096);
	assert_int_equal(cm_path_mtu(UINT32_MAX), IBV_MTU_4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_come_back_as_they_were),
		cmocka_unit_test(other_families_are_refused),
		cmocka_unit_test(names_differ_by_address_port_and_space),
		cmocka_unit_test(messages_are_judged),
		cmocka_unit_test(a_connection_goes_through_its_states),
		cmocka_unit_test(attributes_follow_from_the_path),
		cmocka_unit_test(an_mtu_is_never_larger_than_the_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
