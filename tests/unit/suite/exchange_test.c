// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connection parameters there and back, over a socket, and out of range. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "suite/control/connection.h"
#include "suite/control/exchange.h"

static const struct exchange_params sample = {
	.qpn = 0xfffffe,
	.psn = 0xffffff,
	.lid = 7,
	.gid_index = 3,
	.gid = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1 },
	.mtu = 1024,
	.pkey_index = 2,
	.qp_index = 0x3fff,
	.generation = 0xfff,
	.address = 0xfffffffffffffff0,
	.rkey = 0xffffffff,
};

static void there_and_back(void **state)
{
	json_t *o = exchange_hello_make(&sample);
	struct strbuf error = STRBUF_INIT;
	struct exchange_params got;

	assert_int_equal(exchange_hello_read(o, &got, &error), 0);
	assert_int_equal(got.qpn, sample.qpn);
	assert_int_equal(got.psn, sample.psn);
	assert_int_equal(got.lid, sample.lid);
	assert_int_equal(got.gid_index, sample.gid_index);
	assert_memory_equal(got.gid, sample.gid, 16);
	assert_int_equal(got.mtu, sample.mtu);
	assert_int_equal(got.pkey_index, sample.pkey_index);
	assert_int_equal(got.qp_index, sample.qp_index);
	assert_int_equal(got.generation, sample.generation);
	assert_true(got.address == sample.address);
	assert_int_equal(got.rkey, sample.rkey);
	json_decref(o);
	strbuf_free(&error);
}

static void refused(const char *member, json_t *value, const char *says)
{
	json_t *o = exchange_hello_make(&sample);
	struct strbuf error = STRBUF_INIT;
	struct exchange_params got;

	if (value)
		json_object_set_new(o, member, value);
	else
		json_object_del(o, member);
	assert_int_equal(exchange_hello_read(o, &got, &error), -EBADMSG);
	assert_non_null(strstr(strbuf_text(&error), member));
	assert_non_null(strstr(strbuf_text(&error), says));
	json_decref(o);
	strbuf_free(&error);
}

static void out_of_range(void **state)
{
	refused("qpn", json_integer(0), "expected 1 to");
	refused("qpn", json_integer(0x1000000), "16777216");
	refused("psn", json_integer(-1), "-1");
	refused("psn", json_string("5"), "\"5\"");
	refused("lid", json_integer(65536), "0 to 65535");
	refused("mtu", json_integer(1000), "1000");
	refused("mtu", json_integer(8192), "8192");
	refused("gid", json_string("fe80"), "32 digits");
	refused("gid", json_string("zz000000000000000000ffff0a000001"),
		"32 digits");
	refused("gid", NULL, "missing");
	refused("address", json_string("0x"), "16 digits");
	refused("address", json_string("0x12345678901234567"), "16 digits");
	refused("rkey", json_integer(1ll << 32), "4294967296");
	refused("qp_index", json_integer(0x4000), "16384");
	refused("generation", json_integer(0x1000), "4096");
	refused("pkey_index", NULL, "missing");
}

static void another_frame_than_is_due(void **state)
{
	json_t *o = exchange_barrier_make("rts");
	struct strbuf error = STRBUF_INIT;
	struct exchange_params got;

	assert_int_equal(exchange_barrier_read(o, "rts", &error), 0);
	assert_int_equal(exchange_hello_read(o, &got, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "\"barrier\" where \"hello\""));
	strbuf_reset(&error);
	assert_int_equal(exchange_barrier_read(o, "end", &error), -EBADMSG);
	assert_non_null(strstr(error.text, "at the barrier \"rts\""));
	json_decref(o);
	strbuf_free(&error);
}

static void a_figure_there_and_back(void **state)
{
	json_t *o = exchange_figure_make(UINT64_MAX >> 1);
	struct strbuf error = STRBUF_INIT;
	uint64_t got = 0;

	assert_int_equal(exchange_figure_read(o, &got, &error), 0);
	assert_true(got == UINT64_MAX >> 1);
	json_object_set_new(o, "value", json_integer(-1));
	assert_int_equal(exchange_figure_read(o, &got, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "from 0 on"));
	assert_true(got == UINT64_MAX >> 1);
	json_decref(o);
	strbuf_reset(&error);
	o = exchange_barrier_make("rts");
	assert_int_equal(exchange_figure_read(o, &got, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "\"barrier\" where \"figure\""));
	json_decref(o);
	strbuf_free(&error);
}

static void connected(struct connection c[2], struct strbuf *error)
{
	int listener, fd[2];
	unsigned port;

	assert_int_equal(connection_listen(&listener, &port, error), 0);
	assert_int_equal(connection_accept(listener, 0, &fd[0], error),
			 -EAGAIN);
	assert_int_equal(connection_call(port, &fd[0], error), 0);
	assert_int_equal(connection_accept(listener, 1000, &fd[1], error), 0);
	close(listener);
	assert_int_equal(connection_open(&c[0], fd[0], error), 0);
	assert_int_equal(connection_open(&c[1], fd[1], error), 0);
}

static void over_a_socket(void **state)
{
	static struct connection c[2];
	struct strbuf error = STRBUF_INIT;
	struct exchange_params got;
	json_t *o, *in;

	connected(c, &error);
	assert_int_equal(connection_receive(&c[1], 0, &in, &error), -EAGAIN);
	o = exchange_hello_make(&sample);
	assert_int_equal(connection_send(&c[0], o, 1000, &error), 0);
	json_decref(o);
	o = exchange_barrier_make("rts");
	assert_int_equal(connection_send(&c[0], o, 1000, &error), 0);
	json_decref(o);

	assert_int_equal(connection_receive(&c[1], 1000, &in, &error), 0);
	assert_int_equal(exchange_hello_read(in, &got, &error), 0);
	assert_int_equal(got.qpn, sample.qpn);
	json_decref(in);
	assert_int_equal(connection_receive(&c[1], 1000, &in, &error), 0);
	assert_int_equal(exchange_barrier_read(in, "rts", &error), 0);
	json_decref(in);

	connection_close(&c[0]);
	assert_int_equal(connection_receive(&c[1], 1000, &in, &error), -EPIPE);
	assert_non_null(strstr(error.text, "the peer has gone"));
	connection_close(&c[1]);
	strbuf_free(&error);
}

static void rubbish_and_half_a_frame_over_a_socket(void **state)
{
	static struct connection c[2];
	struct strbuf error = STRBUF_INIT;
	json_t *in;

	connected(c, &error);
	assert_int_equal(send(c[0].fd, "\0\0\0\7{\"ver", 9, 0), 9);
	assert_int_equal(connection_receive(&c[1], 10, &in, &error), -EAGAIN);
	connection_close(&c[0]);
	assert_int_equal(connection_receive(&c[1], 1000, &in, &error), -EPIPE);
	assert_non_null(strstr(error.text, "within a frame"));
	connection_close(&c[1]);

	strbuf_reset(&error);
	connected(c, &error);
	assert_int_equal(send(c[0].fd, "GET / HTTP/1.1\r\n", 16, 0), 16);
	assert_int_equal(connection_receive(&c[1], 1000, &in, &error),
			 -EBADMSG);
	assert_non_null(strstr(error.text, "GET /"));
	connection_close(&c[0]);
	connection_close(&c[1]);
	strbuf_free(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(out_of_range),
		cmocka_unit_test(another_frame_than_is_due),
		cmocka_unit_test(a_figure_there_and_back),
		cmocka_unit_test(over_a_socket),
		cmocka_unit_test(rubbish_and_half_a_frame_over_a_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
