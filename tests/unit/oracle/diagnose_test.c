// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each cause is found from its facts, and the more telling one wins. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verbs_names.h"
#include "suite/oracle/diagnose.h"

#define BIT(name) VERBS_STATUS_BIT(IBV_WC_##name##_ERR)
#define CONNECTED(psn, qpn, other)                                             \
	.attr_known = true, .sq_psn = (psn), .rq_psn = (psn), .qp_num = (qpn), \
	.dest_qp_num = (other), .timeout = 14, .min_rnr_timer = 12,            \
	.mtu = IBV_MTU_1024

static const struct {
	const char *id;
	struct diagnose_facts facts;
} rows[] = {
	{ "none", { .finding = VB_FIND_OTHER } },
	{ "post-no-room", { .post_failed = true } },
	{ "post-room", { .post_failed = true, .post_room = true } },
	/* What is left at the end proves nothing about the time of the error. */
	{ "rnr-empty",
	  { .receive = DIAGNOSE_RECEIVE_NONE,
	    .a = { .statuses = BIT(RNR_RETRY_EXC) },
	    .b = { .rq_known = true, .rq_left = 3 } } },
	{ "rnr-filled",
	  { .receive = DIAGNOSE_RECEIVE_READY,
	    .a = { .statuses = BIT(RNR_RETRY_EXC) },
	    .b = { .rq_known = true } } },
	{ "rnr-late",
	  { .receive = DIAGNOSE_RECEIVE_LATE,
	    .a = { .statuses = BIT(RNR_RETRY_EXC) },
	    .b = { .rq_known = true, .rq_left = 3 } } },
	{ "rnr-seven",
	  { .receive = DIAGNOSE_RECEIVE_NONE,
	    .a = { .statuses = BIT(RNR_RETRY_EXC),
		   .attr_known = true,
		   .rnr_retry = 7 } } },
	{ "rnr", { .a = { .statuses = BIT(RNR_RETRY_EXC) } } },
	{ "retry-gone",
	  { .a = { .statuses = BIT(RETRY_EXC) }, .b = { .gone = true } } },
	{ "retry-qpn",
	  { .a = { .statuses = BIT(RETRY_EXC), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 3, 1) } } },
	{ "retry-gid",
	  { .a = { .statuses = BIT(RETRY_EXC),
		   CONNECTED(5, 1, 2),
		   .av_known = true,
		   .dgid = { .raw = { 1 } } },
	    .b = { CONNECTED(5, 2, 1), .av_known = true,
		   .gid = { .raw = { 2 } } } } },
	{ "retry-gid",
	  { .a = { .statuses = BIT(RETRY_EXC),
		   CONNECTED(5, 1, 2),
		   .av_known = true,
		   .gid = { .raw = { 3 } } },
	    .b = { CONNECTED(5, 2, 1), .av_known = true } } },
	{ "retry-pkey",
	  { .a = { .statuses = BIT(RETRY_EXC),
		   CONNECTED(5, 1, 2),
		   .pkey_index = 1 },
	    .b = { CONNECTED(5, 2, 1) } } },
	{ "inv-access",
	  { .wanted = IBV_ACCESS_REMOTE_WRITE,
	    .a = { .statuses = BIT(REM_INV_REQ), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 2, 1), .access = IBV_ACCESS_REMOTE_READ } } },
	{ "rem-access-flags",
	  { .wanted = IBV_ACCESS_REMOTE_READ,
	    .a = { .statuses = BIT(REM_ACCESS), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 2, 1), .access = IBV_ACCESS_REMOTE_WRITE } } },
	{ "rem-access",
	  { .wanted = IBV_ACCESS_REMOTE_READ,
	    .a = { .statuses = BIT(REM_ACCESS), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 2, 1), .access = IBV_ACCESS_REMOTE_READ } } },
	{ "inv-no-reads",
	  { .wanted = IBV_ACCESS_REMOTE_READ,
	    .a = { .statuses = BIT(REM_INV_REQ), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 2, 1), .access = IBV_ACCESS_REMOTE_READ } } },
	{ "inv-mtu",
	  { .a = { .statuses = BIT(REM_INV_REQ), CONNECTED(5, 1, 2) },
	    .b = { .attr_known = true, .mtu = IBV_MTU_256 } } },
	{ "lost-psn",
	  { .finding = VB_FIND_LOST,
	    .a = { CONNECTED(5, 1, 2) },
	    .b = { .attr_known = true, .sq_psn = 4, .rq_psn = 5 } } },
	{ "lost-psn-ahead",
	  { .finding = VB_FIND_LOST,
	    .a = { CONNECTED(5, 1, 2) },
	    .b = { .attr_known = true, .sq_psn = 5, .rq_psn = 4 } } },
	{ "lost-no-receive",
	  { .finding = VB_FIND_LOST,
	    .a = { CONNECTED(5, 1, 2), .rnr_retry = 7, .owed = 1 },
	    .b = { CONNECTED(5, 2, 1), .rq_known = true } } },
	{ "lost-deaf",
	  { .finding = VB_FIND_LOST,
	    .a = { .attr_known = true },
	    .b = { .state_known = true, .state = IBV_QPS_INIT } } },
	{ "lost-no-timer",
	  { .finding = VB_FIND_LOST, .a = { .attr_known = true } } },
	{ "retry-psn",
	  { .a = { .statuses = BIT(RETRY_EXC), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(6, 2, 1) } } },
	{ "retry-deaf",
	  { .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .state_known = true, .state = IBV_QPS_INIT } } },
	{ "retry-err",
	  { .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .state_known = true,
		   .state = IBV_QPS_ERR,
		   .send_failed = true } } },
	{ "retry-told-err",
	  { .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .state_known = true,
		   .state = IBV_QPS_ERR,
		   .told_err = true } } },
	{ "retry-nak",
	  { .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .state_known = true, .state = IBV_QPS_ERR } } },
	{ "retry-stopped",
	  { .a = { .statuses = BIT(RETRY_EXC) }, .b = { .stopped = true } } },
	{ "retry-port",
	  { .port_down = true,
	    .arrival = DIAGNOSE_ASTRAY_AT_RECEIVE,
	    .a = { .statuses = BIT(RETRY_EXC) } } },
	{ "retry-answer",
	  { .arrival = DIAGNOSE_ARRIVED_AT_RECEIVE,
	    .again_known = true,
	    .a = { .statuses = BIT(RETRY_EXC) } } },
	{ "retry-answer",
	  { .arrival = DIAGNOSE_ARRIVED_IN_MEMORY,
	    .a = { .statuses = BIT(RETRY_EXC) } } },
	/* An answer may have been lost before, and healed. */
	{ "retry-request",
	  { .arrival = DIAGNOSE_ASTRAY_IN_MEMORY,
	    .again_known = true,
	    .again = 3,
	    .a = { .statuses = BIT(RETRY_EXC) } } },
	{ "retry-answer-again",
	  { .again_known = true,
	    .again = 1,
	    .a = { .statuses = BIT(RETRY_EXC) } } },
	{ "retry-request-unseen",
	  { .again_known = true, .a = { .statuses = BIT(RETRY_EXC) } } },
	/* The peer is known to be gone: it cannot have got anything. */
	{ "retry-gone",
	  { .again_known = true,
	    .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .gone = true } } },
	/* Moved there afterwards. */
	{ "retry",
	  { .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .state = IBV_QPS_ERR, .told_err = true } } },
	{ "retry",
	  { .a = { .statuses = BIT(RETRY_EXC), CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 2, 1), .state_known = true,
		   .state = IBV_QPS_RTS } } },
	{ "short-receive",
	  { .lengths_known = true,
	    .message_len = 9,
	    .receive_len = 8,
	    .b = { .statuses = BIT(LOC_LEN) } } },
	{ "receive-fits",
	  { .lengths_known = true,
	    .message_len = 8,
	    .receive_len = 8,
	    .b = { .statuses = BIT(LOC_LEN) } } },
	{ "receive-length",
	  { .a = { .statuses = BIT(REM_INV_REQ) },
	    .b = { .statuses = BIT(LOC_LEN) } } },
	{ "peer-receive-memory",
	  { .a = { .statuses = BIT(REM_OP) },
	    .b = { .statuses = BIT(LOC_PROT) } } },
	{ "loc-prot", { .a = { .statuses = BIT(LOC_PROT) } } },
	{ "rem-access", { .a = { .statuses = BIT(REM_ACCESS) } } },
	{ "lost", { .finding = VB_FIND_LOST } },
	{ "lost-cq-small",
	  { .finding = VB_FIND_LOST,
	    .a = { .cq_known = true, .cq_capacity = 8, .cq_demand = 9 } } },
	{ "lost-told-err",
	  { .finding = VB_FIND_LOST, .a = { .told_err = true } } },
	{ "hang-unsignaled",
	  { .finding = VB_FIND_HANG, .a = { .unsignaled = 3 } } },
	/* What a case that hangs waits for is missing as well. */
	{ "lost-no-receive",
	  { .finding = VB_FIND_HANG,
	    .waits = true,
	    .a = { CONNECTED(5, 1, 2), .rnr_retry = 7, .owed = 1 },
	    .b = { CONNECTED(5, 2, 1), .rq_known = true } } },
	/* Errors that were met on purpose explain no leak. */
	{ "leak",
	  { .finding = VB_FIND_LEAK,
	    .a = { .statuses = BIT(RETRY_EXC) },
	    .b = { .gone = true } } },
	{ "hang-rnr-timer",
	  { .finding = VB_FIND_HANG, .b = { .attr_known = true } } },
	{ "apart-qpn",
	  { .finding = VB_FIND_OTHER,
	    .a = { CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(5, 3, 1) } } },
	{ "apart-gid",
	  { .finding = VB_FIND_OTHER,
	    .a = { CONNECTED(5, 1, 2), .av_known = true,
		   .dgid = { .raw = { 1 } } },
	    .b = { CONNECTED(5, 2, 1), .av_known = true } } },
	{ "apart-psn",
	  { .finding = VB_FIND_OTHER,
	    .a = { CONNECTED(5, 1, 2) },
	    .b = { CONNECTED(6, 2, 1) } } },
	{ "apart-mtu",
	  { .finding = VB_FIND_OTHER,
	    .a = { CONNECTED(5, 1, 2) },
	    .b = { .attr_known = true,
		   .sq_psn = 5,
		   .rq_psn = 5,
		   .qp_num = 2,
		   .dest_qp_num = 1,
		   .mtu = IBV_MTU_256 } } },
	{ "content", { .finding = VB_FIND_WRONG_CONTENT } },
	{ "guard", { .finding = VB_FIND_GUARD } },
};

static void test_rows(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct diagnosis d;

		diagnose(&rows[i].facts, &d);
		assert_string_equal(d.id, rows[i].id);
		assert_true(strlen(d.cause) > 10);
		assert_true(strlen(d.step) > 10);
	}
}

static void test_print(void **state)
{
	struct diagnose_facts facts = { .finding = VB_FIND_GUARD };
	struct strbuf out = STRBUF_INIT;
	struct diagnosis d;

	diagnose(&facts, &d);
	diagnose_print(&facts, &d, 1, &out);
	assert_non_null(strstr(strbuf_text(&out), "likely cause: the device"));
	assert_non_null(strstr(strbuf_text(&out), "points at the device"));
	assert_non_null(strstr(strbuf_text(&out), "; next: "));
	strbuf_reset(&out);
	/* Nobody is blamed for what is not known. */
	facts = (struct diagnose_facts){ .finding = VB_FIND_HANG };
	diagnose(&facts, &d);
	diagnose_print(&facts, &d, 1, &out);
	assert_non_null(strstr(strbuf_text(&out), " (none)"));
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
