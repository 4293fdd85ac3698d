// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verbs about mutants and about the port. */
#include "loop_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "softrdma/softdv.h"

static void rows_are_listed(void **state)
{
	const struct softdv_mutant *row = NULL, *before = NULL;
	unsigned n = 0;

	while (softdv_mutants(n, &row) == 0) {
		assert_true(!before || strcmp(before->id, row->id) < 0);
		assert_true(row->name[0] && row->sentence[0]);
		before = row;
		n++;
	}
	assert_true(n >= 100);
	assert_refused(softdv_mutants(n, &row), ENOENT);
	assert_refused(softdv_mutants(0, NULL), EINVAL);
}

static void unknown_ones_are_refused(void **state)
{
	const struct loop *l = *state;
	struct ibv_context foreign = { 0 };
	uint64_t count;

	assert_refused(softdv_mutant_set(l->context, "M99", 1, 0), ENOENT);
	assert_refused(softdv_mutant_set(l->context, NULL, 1, 0), EINVAL);
	assert_refused(softdv_mutant_set(&foreign, "M07", 1, 0), EINVAL);
	assert_refused(softdv_mutant_count("M99", &count), ENOENT);
	assert_refused(softdv_mutant_count("M07", NULL), EINVAL);
}

static enum ibv_wc_opcode opcode_of_write_imm(struct loop *l)
{
	struct ibv_recv_wr recv = { .wr_id = 1 }, *bad_recv;
	struct ibv_send_wr send = {
		.wr_id = 2,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
	}, *bad_send;
	enum ibv_wc_opcode opcode = IBV_WC_SEND;

	assert_int_equal(ibv_post_recv(l->b, &recv, &bad_recv), 0);
	assert_int_equal(ibv_post_send(l->a, &send, &bad_send), 0);
	for (int i = 0; i < 2; i++) {
		struct ibv_wc wc = loop_poll(l);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		if (wc.wr_id == 1)
			opcode = wc.opcode;
	}
	return opcode;
}

/* On, seen, counted; off again, and the device is what it was. */
static void one_acts_while_it_is_on(void **state)
{
	struct loop *l = *state;
	uint64_t count = 1;

	assert_int_equal(opcode_of_write_imm(l), IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(softdv_mutant_count("M07", &count), 0);
	assert_true(count == 0);
	assert_int_equal(softdv_mutant_set(l->context, "m07", 1, 0), 0);
	assert_int_equal(opcode_of_write_imm(l), IBV_WC_RECV);
	assert_int_equal(softdv_mutant_count("wire-opcode-in-wc", &count), 0);
	assert_true(count == 1);
	assert_int_equal(softdv_mutant_set(l->context, "M07", 0, 0), 0);
	assert_int_equal(opcode_of_write_imm(l), IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(softdv_mutant_count("M07", &count), 0);
	assert_true(count == 1);
}

static char log_path[] = "/tmp/mutant_test.XXXXXX";

static int setup_chosen(void **state)
{
	int fd = mkstemp(log_path);

	close(fd);
	setenv("SOFT_MUTANTS", "R04,imm-untold", 1);
	setenv("SOFT_MUTANTS_LOG", log_path, 1);
	return fd < 0 ? -1 : loop_setup_rc(state);
}

static int teardown_chosen(void **state)
{
	unsetenv("SOFT_MUTANTS");
	unsetenv("SOFT_MUTANTS_LOG");
	unlink(log_path);
	return loop_teardown(state);
}

/* A line for the one that has acted, and none for the one that has not. */
static void the_environment_chooses_and_is_told(void **state)
{
	struct loop *l = *state;
	struct ibv_recv_wr recv = { .wr_id = 1 }, *bad_recv;
	struct ibv_send_wr send = { .opcode = IBV_WR_RDMA_WRITE_WITH_IMM },
			   *bad_send;
	char text[64] = "";
	FILE *file;

	assert_int_equal(ibv_post_recv(l->b, &recv, &bad_recv), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ibv_post_send(l->a, &send, &bad_send), 0);
		assert_int_equal(loop_poll(l).opcode, IBV_WC_RDMA_WRITE);
	}
	file = fopen(log_path, "re");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	assert_string_equal(text, "D10\n");
}

static enum ibv_event_type event_of(struct ibv_context *context)
{
	struct ibv_async_event e;

	assert_int_equal(ibv_get_async_event(context, &e), 0);
	assert_int_equal(e.element.port_num, 1);
	ibv_ack_async_event(&e);
	return e.event_type;
}

static void assert_no_event(struct ibv_context *context)
{
	struct ibv_async_event e;

	assert_int_equal(ibv_get_async_event(context, &e), -1);
	assert_int_equal(errno, EAGAIN);
}

static enum ibv_port_state port_state(struct ibv_context *context)
{
	struct ibv_port_attr attr;

	assert_int_equal(ibv_query_port(context, 1, &attr), 0);
	return attr.state;
}

static void the_port_goes_down_and_up(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr send = { .opcode = IBV_WR_RDMA_WRITE }, *bad;
	struct ibv_context foreign = { 0 };
	struct ibv_wc wc;

	assert_int_equal(fcntl(l->context->async_fd, F_SETFL, O_NONBLOCK), 0);
	while (ibv_poll_cq(l->cq, 1, &wc) > 0)
		;
	assert_int_equal(softdv_port_set(l->context, 1), 0);
	assert_no_event(l->context);
	assert_int_equal(softdv_port_set(l->context, 0), 0);
	assert_int_equal(softdv_port_set(l->context, 0), 0);
	assert_int_equal(event_of(l->context), IBV_EVENT_PORT_ERR);
	assert_no_event(l->context);
	assert_int_equal(port_state(l->context), IBV_PORT_DOWN);
	assert_int_equal(ibv_post_send(l->a, &send, &bad), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(ibv_poll_cq(l->cq, 1, &wc), 0);
	/* What was lost meanwhile goes again by itself. */
	assert_int_equal(softdv_port_set(l->context, 1), 0);
	assert_int_equal(event_of(l->context), IBV_EVENT_PORT_ACTIVE);
	assert_int_equal(port_state(l->context), IBV_PORT_ACTIVE);
	assert_int_equal(loop_poll(l).status, IBV_WC_SUCCESS);
	assert_refused(softdv_port_set(&foreign, 0), EINVAL);
}

/* R12: only the first time. */
static void the_first_port_event_can_be_missing(void **state)
{
	struct loop *l = *state;
	struct ibv_context *c = l->context;

	assert_int_equal(fcntl(c->async_fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(softdv_mutant_set(c, "R12", 1, 0), 0);
	assert_int_equal(softdv_port_set(c, 0), 0);
	assert_no_event(c);
	assert_int_equal(softdv_port_set(c, 1), 0);
	assert_int_equal(event_of(c), IBV_EVENT_PORT_ACTIVE);
	assert_int_equal(softdv_port_set(c, 0), 0);
	assert_int_equal(event_of(c), IBV_EVENT_PORT_ERR);
	assert_int_equal(softdv_port_set(c, 1), 0);
	assert_int_equal(softdv_mutant_set(c, "R12", 0, 0), 0);
}

#define LOOP_TEST(test) \
	cmocka_unit_test_setup_teardown(test, loop_setup_rc, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_listed),
		LOOP_TEST(unknown_ones_are_refused),
		LOOP_TEST(one_acts_while_it_is_on),
		cmocka_unit_test_setup_teardown(
			the_environment_chooses_and_is_told, setup_chosen,
			teardown_chosen),
		LOOP_TEST(the_port_goes_down_and_up),
		LOOP_TEST(the_first_port_event_can_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
