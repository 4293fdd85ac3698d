// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of verbs constants: both ways, with and without their decorations. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/verbs_names.h"

static void test_known(void **state)
{
	assert_string_equal(verbs_wc_status_name(IBV_WC_RNR_RETRY_EXC_ERR),
			    "RNR_RETRY_EXC_ERR");
	assert_string_equal(verbs_wc_opcode_name(IBV_WC_RECV_RDMA_WITH_IMM),
			    "RECV_RDMA_WITH_IMM");
	assert_string_equal(verbs_wr_opcode_name(IBV_WR_SEND_WITH_INV),
			    "SEND_WITH_INV");
	assert_string_equal(verbs_qp_state_name(IBV_QPS_SQD), "SQD");
	assert_string_equal(verbs_qp_type_name(IBV_QPT_UD), "UD");
	assert_string_equal(verbs_event_name(IBV_EVENT_WQ_FATAL), "WQ_FATAL");
	assert_string_equal(verbs_port_state_name(IBV_PORT_ACTIVE), "ACTIVE");
}

static void test_unknown(void **state)
{
	enum ibv_wc_status status = IBV_WC_GENERAL_ERR;

	assert_string_equal(verbs_wc_status_name((enum ibv_wc_status)99), "?");
	assert_string_equal(verbs_wc_status_name((enum ibv_wc_status) - 1),
			    "?");
	assert_string_equal(verbs_qp_type_name((enum ibv_qp_type)0), "?");
	assert_int_equal(verbs_wc_status_parse("NO_SUCH", &status), -EINVAL);
	assert_int_equal(verbs_wc_status_parse("", &status), -EINVAL);
	assert_int_equal(status, IBV_WC_GENERAL_ERR);
}

static void test_every_status_parses_back(void **state)
{
	for (int i = IBV_WC_SUCCESS; i <= IBV_WC_TM_RNDV_INCOMPLETE; i++) {
		const char *name = verbs_wc_status_name((enum ibv_wc_status)i);
		enum ibv_wc_status back;
		char text[64];

		assert_string_not_equal(name, "?");
		assert_int_equal(verbs_wc_status_parse(name, &back), 0);
		assert_int_equal(back, i);
		strcpy(text, "IBV_WC_");
		strcat(text, name);
		assert_int_equal(verbs_wc_status_parse(text, &back), 0);
		assert_int_equal(back, i);
		/* and without the ending */
		strcpy(text, name);
		if (strlen(text) < 4 || strcmp(text + strlen(text) - 4, "_ERR"))
			continue;
		text[strlen(text) - 4] = '\0';
		assert_int_equal(verbs_wc_status_parse(text, &back), 0);
		assert_int_equal(back, i);
	}
}

static void test_mtu(void **state)
{
	enum ibv_mtu mtu;

	for (unsigned bytes = 256; bytes <= 4096; bytes *= 2) {
		assert_int_equal(verbs_mtu_from_bytes(bytes, &mtu), 0);
		assert_int_equal(verbs_mtu_bytes(mtu), bytes);
	}
	assert_int_equal(verbs_mtu_from_bytes(1500, &mtu), -EINVAL);
	assert_int_equal(verbs_mtu_bytes((enum ibv_mtu)0), 0);
}

static void test_opcodes(void **state)
{
	assert_int_equal(verbs_wc_opcode_of(IBV_WR_SEND_WITH_INV), IBV_WC_SEND);
	assert_int_equal(verbs_wc_opcode_of(IBV_WR_RDMA_WRITE_WITH_IMM),
			 IBV_WC_RDMA_WRITE);
	assert_int_equal(verbs_wc_opcode_of(IBV_WR_ATOMIC_CMP_AND_SWP),
			 IBV_WC_COMP_SWAP);
	assert_true(verbs_wr_takes_recv(IBV_WR_RDMA_WRITE_WITH_IMM));
	assert_false(verbs_wr_takes_recv(IBV_WR_RDMA_WRITE));
	assert_true(verbs_wr_has_imm(IBV_WR_SEND_WITH_IMM));
	assert_false(verbs_wr_has_imm(IBV_WR_SEND_WITH_INV));
}

static void test_status_set(void **state)
{
	char text[64];

	verbs_status_set_text(0, text, sizeof(text));
	assert_string_equal(text, "none");
	verbs_status_set_text(VERBS_STATUS_BIT(IBV_WC_SUCCESS) |
				      VERBS_STATUS_BIT(IBV_WC_WR_FLUSH_ERR),
			      text, sizeof(text));
	assert_string_equal(text, "SUCCESS,WR_FLUSH_ERR");
	/* cut, never beyond its room */
	verbs_status_set_text(UINT32_MAX, text, 10);
	assert_true(strlen(text) < 10);
}

static void test_event_about(void **state)
{
	assert_int_equal(verbs_event_about(IBV_EVENT_CQ_ERR), VERBS_ABOUT_CQ);
	assert_int_equal(verbs_event_about(IBV_EVENT_QP_LAST_WQE_REACHED),
			 VERBS_ABOUT_QP);
	assert_int_equal(verbs_event_about(IBV_EVENT_SRQ_LIMIT_REACHED),
			 VERBS_ABOUT_SRQ);
	assert_int_equal(verbs_event_about(IBV_EVENT_WQ_FATAL), VERBS_ABOUT_WQ);
	assert_int_equal(verbs_event_about(IBV_EVENT_GID_CHANGE),
			 VERBS_ABOUT_PORT);
	assert_int_equal(verbs_event_about(IBV_EVENT_DEVICE_FATAL),
			 VERBS_ABOUT_DEVICE);
	assert_int_equal(verbs_event_about((enum ibv_event_type)77),
			 VERBS_ABOUT_DEVICE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_every_status_parses_back),
		cmocka_unit_test(test_mtu),
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_event_about),
		cmocka_unit_test(test_status_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
