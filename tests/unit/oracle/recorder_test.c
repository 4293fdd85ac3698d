// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The flight recorder: order, overwriting, damage, other processes, threads. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <infiniband/verbs.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/oracle/recorder.h"
#include "suite/oracle/wrid.h"

enum { SLOTS = 8 };

struct seen {
	uint64_t values[256];
	uint64_t tickets[256];
	size_t count;
};

static int see(void *arg, const struct recorder_record *record)
{
	struct seen *seen = arg;

	assert_true(seen->count < ARRAY_SIZE(seen->values));
	seen->values[seen->count] = record->args[0];
	seen->tickets[seen->count++] = record->ticket;
	return 0;
}

static int stop_at_second(void *arg, const struct recorder_record *record)
{
	return ++*(int *)arg == 2 ? 7 : 0;
}

static void note(struct recorder *r, uint64_t value)
{
	struct recorder_record record = {
		.call = RECORDER_NOTE,
		.args = { value },
		.text = "hello",
	};

	recorder_write(r, &record);
}

static void test_order_and_overwriting(void **state)
{
	size_t bytes = recorder_bytes(SLOTS);
	void *area = aligned_alloc(64, bytes);
	struct seen seen = { .count = 0 };
	struct recorder *r;
	int visits = 0;

	assert_non_null(area);
	r = recorder_init(area, bytes);
	assert_non_null(r);
	assert_int_equal(recorder_walk(r, see, &seen), 0);
	assert_int_equal(seen.count, 0);
	for (uint64_t i = 0; i < SLOTS + 3; i++)
		note(r, 100 + i);
	recorder_walk(r, see, &seen);
	assert_int_equal(seen.count, SLOTS);
	for (size_t i = 0; i < SLOTS; i++) {
		assert_int_equal(seen.values[i], 103 + i);
		assert_int_equal(seen.tickets[i], 4 + i);
	}
	assert_int_equal(recorder_written(r), SLOTS + 3);
	assert_int_equal(recorder_walk(r, stop_at_second, &visits), 7);
	recorder_write(NULL, &(struct recorder_record){ .call = 0 });
	free(area);
}

static void test_attach(void **state)
{
	size_t bytes = recorder_bytes(SLOTS);
	char *area = aligned_alloc(64, bytes);

	assert_non_null(area);
	memset(area, 0x5a, bytes);
	assert_null(recorder_attach(area, bytes));
	assert_null(recorder_init(area, recorder_bytes(0)));
	assert_non_null(recorder_init(area, bytes));
	assert_non_null(recorder_attach(area, bytes));
	/* it claims more than there is */
	assert_null(recorder_attach(area, bytes - 1));
	assert_null(recorder_attach(area + 1, bytes - 1));
	free(area);
}

static void test_damaged_record_skipped(void **state)
{
	size_t bytes = recorder_bytes(SLOTS);
	unsigned char *area = aligned_alloc(64, bytes);
	struct seen seen = { .count = 0 };
	struct recorder *r;

	assert_non_null(area);
	r = recorder_init(area, bytes);
	for (uint64_t i = 0; i < 5; i++)
		note(r, i);
	/* an argument of the third, as if it were half written */
	area[recorder_bytes(2) + 20] ^= 1;
	recorder_walk(r, see, &seen);
	assert_int_equal(seen.count, 4);
	assert_int_equal(seen.values[2], 3);
	free(area);
}

static void test_survives_its_process(void **state)
{
	size_t bytes = recorder_bytes(SLOTS);
	struct seen seen = { .count = 0 };
	const struct recorder *r;
	int status;
	pid_t pid;
	void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(area, MAP_FAILED);
	assert_non_null(recorder_init(area, bytes));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		note(area, 41);
		note(area, 42);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	r = recorder_attach(area, bytes);
	assert_non_null(r);
	recorder_walk(r, see, &seen);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.values[1], 42);
	munmap(area, bytes);
}

static void *write_many(void *arg)
{
	for (uint64_t i = 0; i < 50; i++)
		note(arg, i);
	return NULL;
}

static void test_threads(void **state)
{
	size_t bytes = recorder_bytes(256);
	void *area = aligned_alloc(64, bytes);
	struct seen seen = { .count = 0 };
	pthread_t threads[4];

	assert_non_null(area);
	assert_non_null(recorder_init(area, bytes));
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, write_many, area), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	recorder_walk(area, see, &seen);
	assert_int_equal(seen.count, 200);
	free(area);
}

static struct recorder_record completion(void)
{
	struct wrid id = { 1, 0, 0, WRID_SQ, 9 };

	return (struct recorder_record){
		.call = RECORDER_COMPLETION,
		.when_ns = 3 * NS_PER_S,
		.object = 0x11,
		.end = 0,
		.vendor_err = 0x81,
		.args = { wrid_encode(&id), IBV_WC_RNR_RETRY_EXC_ERR,
			  IBV_WC_SEND, 64 },
		.result = 1,
	};
}

static void test_print(void **state)
{
	struct recorder_record record = completion();
	struct strbuf out = STRBUF_INIT;

	recorder_print_record(&record, 2 * NS_PER_S, &out);
	assert_string_equal(
		strbuf_text(&out),
		"+1.000000s a completion qp 0x11 wr_id=\"a qp0 sq #9 gen 1\" "
		"status=RNR_RETRY_EXC_ERR opcode=SEND byte_len=64 "
		"wc_flags=0x0 imm=0x0 = 1 vendor_err 0x81");
	strbuf_reset(&out);
	record = (struct recorder_record){
		.call = RECORDER_MODIFY_QP,
		.end = 1,
		.object = 0x12,
		.args = { IBV_QP_STATE | IBV_QP_PORT, IBV_QPS_INIT, 0, 0, 0,
			  IBV_MTU_1024 },
		.result = EINVAL,
		.error = EINVAL,
	};
	recorder_print_record(&record, 0, &out);
	assert_string_equal(strbuf_text(&out),
			    "+0.000000s b modify_qp qp 0x12 mask=STATE,PORT "
			    "to=INIT dest_qp=0 rq_psn=0 sq_psn=0 mtu=1024 = 22 "
			    "errno 22 (Invalid argument)");
	strbuf_free(&out);
}

static void test_json(void **state)
{
	struct recorder_record record = completion();
	struct strbuf out = STRBUF_INIT;

	memcpy(record.text, "a\"b\\\n\xff", 7);
	recorder_json_record(&record, &out);
	assert_non_null(
		strstr(strbuf_text(&out), "\"wr_id\":\"a qp0 sq #9 gen 1\""));
	assert_non_null(strstr(strbuf_text(&out), "\"byte_len\":64"));
	assert_non_null(strstr(strbuf_text(&out),
			       "\"text\":\"a\\\"b\\\\\\u000a\\u00ff\"}"));
	strbuf_free(&out);
}

static void count_line(void *arg, const char *json)
{
	assert_int_equal(json[0], '{');
	assert_null(strchr(json, '\n'));
	++*(int *)arg;
}

static void test_whole(void **state)
{
	size_t bytes = recorder_bytes(SLOTS);
	void *area = aligned_alloc(64, bytes);
	struct strbuf out = STRBUF_INIT;
	int lines = 0;

	assert_non_null(area);
	assert_non_null(recorder_init(area, bytes));
	/* every kind of record reads, and one of a later version too */
	for (unsigned call = 0; call <= RECORDER_CALLS; call++) {
		struct recorder_record record = { .call = (uint16_t)call,
						  .end = 9 };

		recorder_write(area, &record);
		strbuf_reset(&out);
		recorder_print_record(&record, 0, &out);
		assert_non_null(
			strstr(strbuf_text(&out), recorder_call_name(call)));
	}
	recorder_to_jsonl(area, count_line, &lines);
	assert_int_equal(lines, SLOTS);
	strbuf_reset(&out);
	recorder_print(area, 2, &out);
	lines = 0;
	for (const char *at = strbuf_text(&out); (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 2);
	strbuf_free(&out);
	free(area);
}

static void test_first_errors(void **state)
{
	const struct recorder_record records[] = {
		{ .call = RECORDER_CREATE_QP, .end = 0 },
		{ .call = RECORDER_COMPLETION,
		  .end = 1,
		  .result = IBV_WC_SUCCESS,
		  .object = 0x10 },
		{ .call = RECORDER_COMPLETION,
		  .end = 1,
		  .result = IBV_WC_WR_FLUSH_ERR,
		  .object = 0x11 },
		{ .call = RECORDER_COMPLETION,
		  .end = 1,
		  .result = IBV_WC_LOC_LEN_ERR,
		  .object = 0x12 },
		{ .call = RECORDER_COMPLETION,
		  .end = 1,
		  .result = IBV_WC_LOC_PROT_ERR,
		  .object = 0x13 },
		{ .call = RECORDER_POST_SEND,
		  .end = 1,
		  .error = ENOMEM,
		  .object = 0x14 },
		{ .call = RECORDER_COMPLETION,
		  .end = 0,
		  .result = IBV_WC_RETRY_EXC_ERR,
		  .object = 0x15 },
	};
	size_t bytes = recorder_bytes(SLOTS);
	void *area = aligned_alloc(64, bytes);
	struct strbuf out = STRBUF_INIT;
	const char *at;

	assert_non_null(area);
	assert_non_null(recorder_init(area, bytes));
	for (size_t i = 0; i < 3; i++)
		recorder_write(area, &records[i]);
	recorder_print_first_errors(area, &out);
	assert_string_equal(strbuf_text(&out), "none\n");
	for (size_t i = 3; i < ARRAY_SIZE(records); i++)
		recorder_write(area, &records[i]);
	strbuf_reset(&out);
	recorder_print_first_errors(area, &out);
	at = strstr(strbuf_text(&out), "b completion qp 0x12");
	assert_non_null(at);
	at = strstr(at, "b post_send qp 0x14");
	assert_non_null(at);
	at = strstr(at, "a completion qp 0x15");
	assert_non_null(at);
	/* the line ends, and nothing stands behind it */
	assert_string_equal(strchr(at, '\n'), "\n");
	assert_null(strstr(strbuf_text(&out), "qp 0x13"));
	strbuf_free(&out);
	free(area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_overwriting),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_damaged_record_skipped),
		cmocka_unit_test(test_survives_its_process),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_first_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
