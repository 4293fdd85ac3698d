// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The connection manager's device, as librdmacm uses it, with both ends in one
 * process; and as somebody uses it who writes what he likes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cm/command.h"
#include "device/cm/event.h"
#include "device/front/cm/device.h"
#include "forking.h"

enum { PATIENCE_MS = 10000, LISTENER_UID = 100, CLIENT_UID, SERVER_UID };

static int cm_open(int flags)
{
	int fd = openat(AT_FDCWD, CM_DEVICE_PATH, O_RDWR | flags);

	assert_true(fd >= 0);
	return fd;
}

/* 0 or an errno. */
static int cm_write(int fd, uint32_t code, const void *body, size_t in,
		    size_t out)
{
	struct {
		struct rdma_ucm_cmd_hdr header;
		uint8_t body[512];
	} w = { .header = { .cmd = code,
			    .in = (uint16_t)in,
			    .out = (uint16_t)out } };
	ssize_t len = (ssize_t)(sizeof(w.header) + in);
	ssize_t n;

	memcpy(w.body, body, in);
	errno = 0;
	n = write(fd, &w, (size_t)len);
	if (n >= 0)
		assert_int_equal(n, len);
	return n < 0 ? errno : 0;
}

#define CM_WRITE(fd, code, body, out) \
	cm_write(fd, RDMA_USER_CM_CMD_##code, &(body), sizeof(body), out)

static uint32_t cm_create(int fd, uint64_t uid, uint16_t ps)
{
	struct rdma_ucm_create_id_resp resp = { 0 };
	struct rdma_ucm_create_id c = { .uid = uid,
					.response = (uintptr_t)&resp,
					.ps = ps,
					.qp_type = IBV_QPT_RC };

	assert_int_equal(CM_WRITE(fd, CREATE_ID, c, sizeof(resp)), 0);
	return resp.id;
}

static uint32_t cm_destroy(int fd, uint32_t id)
{
	struct rdma_ucm_destroy_id_resp resp = { 0 };
	struct rdma_ucm_destroy_id d = { .response = (uintptr_t)&resp,
					 .id = id };

	assert_int_equal(CM_WRITE(fd, DESTROY_ID, d, sizeof(resp)), 0);
	return resp.events_reported;
}

static struct sockaddr_in6 cm_address(uint32_t ip, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(ip) };
	struct sockaddr_in6 any = { 0 };

	memcpy(&any, &in, sizeof(in));
	return any;
}

static uint16_t cm_port(int fd, uint32_t id)
{
	struct rdma_ucm_query_route_resp resp = { 0 };
	struct rdma_ucm_query q = { .response = (uintptr_t)&resp, .id = id };

	assert_int_equal(CM_WRITE(fd, QUERY_ROUTE, q, sizeof(resp)), 0);
	return ntohs(resp.src_addr.sin6_port);
}

static int cm_bind(int fd, uint32_t id, uint32_t ip, uint16_t port)
{
	struct rdma_ucm_bind_ip b = { .addr = cm_address(ip, port), .id = id };

	return CM_WRITE(fd, BIND_IP, b, 0);
}

/* The next event, which must be @event; waits for it by poll(). */
static struct rdma_ucm_event_resp cm_event(int fd, uint32_t event)
{
	struct rdma_ucm_event_resp resp = { 0 };
	struct rdma_ucm_get_event g = { .response = (uintptr_t)&resp };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	assert_int_equal(CM_WRITE(fd, GET_EVENT, g, sizeof(resp)), 0);
	assert_int_equal(resp.event, event);
	return resp;
}

struct ends {
	int fd;
	uint32_t listener, client, server;
};

static void listen_at(struct ends *e, uint16_t ps, uint32_t backlog)
{
	struct rdma_ucm_listen l = { .backlog = backlog };

	e->fd = cm_open(O_CLOEXEC);
	e->listener = l.id = cm_create(e->fd, LISTENER_UID, ps);
	assert_int_equal(cm_bind(e->fd, e->listener, 0, 0), 0);
	assert_int_equal(CM_WRITE(e->fd, LISTEN, l, 0), 0);
}

static uint32_t client_ask(struct ends *e, uint16_t ps, uint16_t port,
			   const char *private_data)
{
	struct rdma_ucm_resolve_ip a = { .timeout_ms = 1000 };
	struct rdma_ucm_resolve_route r = { .timeout_ms = 1000 };
	struct rdma_ucm_connect c = { .conn_param = { .qp_num = 17,
						      .initiator_depth = 3,
						      .responder_resources = 2,
						      .retry_count = 7 } };

	a.dst_addr = cm_address(INADDR_LOOPBACK, port);
	a.id = r.id = c.id = cm_create(e->fd, CLIENT_UID, ps);
	c.conn_param.private_data_len = (uint8_t)strlen(private_data);
	memcpy(c.conn_param.private_data, private_data, strlen(private_data));
	assert_int_equal(CM_WRITE(e->fd, CONNECT, c, 0), EINVAL);
	assert_int_equal(CM_WRITE(e->fd, RESOLVE_IP, a, 0), 0);
	cm_event(e->fd, CM_EVENT_ADDR_RESOLVED);
	assert_int_equal(CM_WRITE(e->fd, RESOLVE_ROUTE, r, 0), 0);
	cm_event(e->fd, CM_EVENT_ROUTE_RESOLVED);
	assert_int_equal(CM_WRITE(e->fd, CONNECT, c, 0), 0);
	return c.id;
}

static void server_asked(struct ends *e)
{
	struct rdma_ucm_event_resp r =
		cm_event(e->fd, CM_EVENT_CONNECT_REQUEST);

	assert_int_equal(r.uid, LISTENER_UID);
	assert_int_equal(r.param.conn.qp_num, 17);
	assert_int_equal(r.param.conn.private_data_len, 56);
	assert_string_equal((char *)r.param.conn.private_data, "hello");
	/* What the one may start, the other must answer. */
	assert_int_equal(r.param.conn.responder_resources, 3);
	assert_int_equal(r.param.conn.initiator_depth, 2);
	e->server = r.id;
}

static void connect_ends(struct ends *e)
{
	struct rdma_ucm_accept a = {
		.uid = SERVER_UID, .conn_param = { .qp_num = 18, .valid = 1 }
	};
	struct rdma_ucm_accept rtu = { .id = 0 };
	struct rdma_ucm_event_resp r;

	listen_at(e, RDMA_PS_TCP, 4);
	e->client = client_ask(e, RDMA_PS_TCP, cm_port(e->fd, e->listener),
			       "hello");
	server_asked(e);
	a.id = e->server;
	assert_int_equal(CM_WRITE(e->fd, ACCEPT, a, 0), 0);
	r = cm_event(e->fd, CM_EVENT_CONNECT_RESPONSE);
	assert_int_equal(r.uid, CLIENT_UID);
	assert_int_equal(r.param.conn.qp_num, 18);
	rtu.id = e->client;
	assert_int_equal(CM_WRITE(e->fd, ACCEPT, rtu, 0), 0);
	r = cm_event(e->fd, CM_EVENT_ESTABLISHED);
	assert_int_equal(r.uid, SERVER_UID);
}

static void it_is_a_character_device(void **state)
{
	int fd = cm_open(0);
	struct stat st;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(close(fd), 0);
	assert_int_equal(close(fd), -1);
	assert_int_equal(errno, EBADF);
}

static void ends_connect_and_part(void **state)
{
	struct rdma_ucm_disconnect d;
	struct ends e;

	(void)state;
	connect_ends(&e);
	d.id = e.client;
	assert_int_equal(CM_WRITE(e.fd, DISCONNECT, d, 0), 0);
	cm_event(e.fd, CM_EVENT_DISCONNECTED);
	cm_event(e.fd, CM_EVENT_DISCONNECTED);
	cm_event(e.fd, CM_EVENT_TIMEWAIT_EXIT);
	cm_event(e.fd, CM_EVENT_TIMEWAIT_EXIT);
	/* ADDR_RESOLVED, ROUTE_RESOLVED, CONNECT_RESPONSE, DISCONNECTED,
	 * TIMEWAIT_EXIT. */
	assert_int_equal(cm_destroy(e.fd, e.client), 5);
	assert_int_equal(cm_destroy(e.fd, e.listener), 1);
	close(e.fd);
}

static void a_peer_that_goes_is_a_disconnect(void **state)
{
	struct rdma_ucm_event_resp r;
	struct ends e;

	(void)state;
	connect_ends(&e);
	cm_destroy(e.fd, e.client);
	r = cm_event(e.fd, CM_EVENT_DISCONNECTED);
	assert_int_equal(r.uid, SERVER_UID);
	close(e.fd);
}

/* By ids of its own; those of its parent are nothing there, and stay what they
 * are here. */
static void a_forked_process_connects_by_itself(void **state)
{
	struct ends e, own;
	struct pollfd p;
	int status;
	pid_t pid;

	if (!forking_is_possible())
		skip();
	connect_ends(&e);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(PATIENCE_MS / 1000);
		connect_ends(&own);
		assert_int_equal(cm_destroy(e.fd, e.client), 3);
		assert_int_equal(close(own.fd), 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	p = (struct pollfd){ .fd = e.fd, .events = POLLIN };
	assert_int_equal(poll(&p, 1, 0), 0);
	cm_destroy(e.fd, e.client);
	assert_int_equal(cm_event(e.fd, CM_EVENT_DISCONNECTED).uid, SERVER_UID);
	close(e.fd);
}

static void a_refusal_carries_private_data(void **state)
{
	struct rdma_ucm_reject no = { .private_data_len = 2,
				      .private_data = "no" };
	struct rdma_ucm_event_resp r;
	struct ends e;

	(void)state;
	listen_at(&e, RDMA_PS_TCP, 4);
	client_ask(&e, RDMA_PS_TCP, cm_port(e.fd, e.listener), "hello");
	server_asked(&e);
	no.id = e.server;
	no.private_data_len = 149;
	assert_int_equal(CM_WRITE(e.fd, REJECT, no, 0), EINVAL);
	no.private_data_len = 2;
	assert_int_equal(CM_WRITE(e.fd, REJECT, no, 0), 0);
	r = cm_event(e.fd, CM_EVENT_REJECTED);
	assert_int_equal(r.status, 28);
	assert_string_equal((char *)r.param.conn.private_data, "no");
	close(e.fd);
}

static void where_nobody_listens_is_refused(void **state)
{
	struct rdma_ucm_event_resp r;
	struct ends e;
	uint16_t port;

	(void)state;
	listen_at(&e, RDMA_PS_TCP, 4);
	port = cm_port(e.fd, e.listener);
	/* Not in this port space. */
	client_ask(&e, RDMA_PS_UDP, port, "hello");
	r = cm_event(e.fd, CM_EVENT_UNREACHABLE);
	assert_int_equal(r.status, 1);
	cm_destroy(e.fd, e.listener);
	client_ask(&e, RDMA_PS_TCP, port, "hello");
	r = cm_event(e.fd, CM_EVENT_REJECTED);
	assert_int_equal(r.status, 8);
	close(e.fd);
}

static void a_full_backlog_refuses(void **state)
{
	struct rdma_ucm_event_resp r = { 0 };
	struct pollfd p;
	struct ends e;
	uint16_t port;
	int fd;

	(void)state;
	listen_at(&e, RDMA_PS_TCP, 1);
	port = cm_port(e.fd, e.listener);
	fd = e.fd;
	e.fd = cm_open(0);
	client_ask(&e, RDMA_PS_TCP, port, "hello");
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	assert_int_equal(poll(&p, 1, PATIENCE_MS), 1);
	client_ask(&e, RDMA_PS_TCP, port, "hello");
	r = cm_event(e.fd, CM_EVENT_REJECTED);
	assert_int_equal(r.status, 28);
	close(fd);
	/* With its listener the first request is gone too. */
	r = cm_event(e.fd, CM_EVENT_REJECTED);
	assert_int_equal(r.status, 4);
	close(e.fd);
}

static void addresses_are_taken_once(void **state)
{
	int fd = cm_open(0);
	uint32_t a = cm_create(fd, 1, RDMA_PS_TCP);
	uint32_t b = cm_create(fd, 2, RDMA_PS_TCP);
	uint32_t u = cm_create(fd, 3, RDMA_PS_UDP);
	uint32_t ib = cm_create(fd, 4, RDMA_PS_IB);
	struct rdma_ucm_bind native = { .id = ib, .addr_size = 48 };
	uint16_t port;

	(void)state;
	assert_int_equal(cm_bind(fd, a, INADDR_LOOPBACK, 0), 0);
	port = cm_port(fd, a);
	assert_int_equal(cm_bind(fd, a, INADDR_LOOPBACK, 0), EINVAL);
	assert_int_equal(cm_bind(fd, b, INADDR_LOOPBACK, port), EADDRINUSE);
	assert_int_equal(cm_bind(fd, u, INADDR_LOOPBACK, port), 0);
	assert_int_equal(cm_bind(fd, b, 0x08080808, port), EADDRNOTAVAIL);
	native.addr.ss_family = 27;
	assert_int_equal(CM_WRITE(fd, BIND, native, 0), EADDRNOTAVAIL);
	native.addr_size = 1000;
	assert_int_equal(CM_WRITE(fd, BIND, native, 0), EINVAL);
	close(fd);
}

static void nothing_to_get_is_told_at_once(void **state)
{
	struct rdma_ucm_event_resp resp;
	struct rdma_ucm_get_event g = { .response = (uintptr_t)&resp };
	int fd = cm_open(O_NONBLOCK);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)state;
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(CM_WRITE(fd, GET_EVENT, g, sizeof(resp)), EAGAIN);
	close(fd);
}

static void *wait_for_event(void *arg)
{
	struct rdma_ucm_event_resp resp;
	struct rdma_ucm_get_event g = { .response = (uintptr_t)&resp };

	(void)CM_WRITE(*(int *)arg, GET_EVENT, g, sizeof(resp));
	return NULL;
}

static void who_waits_can_be_cancelled(void **state)
{
	int fd = cm_open(0);
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, wait_for_event, &fd), 0);
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	/* It left nothing locked. */
	cm_create(fd, 1, RDMA_PS_TCP);
	close(fd);
}

static void memory_that_is_not_there_is_no_crash(void **state)
{
	uint8_t *page =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rdma_ucm_create_id c = { .response = (uintptr_t)page,
					.ps = RDMA_PS_TCP };
	struct rdma_ucm_set_option o = { .optval = (uintptr_t)page,
					 .optname = RDMA_OPTION_ID_TOS,
					 .optlen = 1 };
	int fd = cm_open(0);

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(write(fd, page, 100), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(CM_WRITE(fd, CREATE_ID, c, 4), EFAULT);
	o.id = cm_create(fd, 1, RDMA_PS_TCP);
	assert_int_equal(CM_WRITE(fd, SET_OPTION, o, 0), EFAULT);
	o.optlen = 4;
	assert_int_equal(CM_WRITE(fd, SET_OPTION, o, 0), EINVAL);
	assert_int_equal(write(fd, "", 0), -1);
	assert_int_equal(errno, EINVAL);
	munmap(page, 4096);
	close(fd);
}

static void ids_belong_to_their_file(void **state)
{
	int fd = cm_open(0), other = cm_open(0);
	uint32_t id = cm_create(fd, 1, RDMA_PS_TCP);
	struct rdma_ucm_migrate_resp resp;
	struct rdma_ucm_migrate_id m = { .response = (uintptr_t)&resp,
					 .id = id,
					 .fd = (uint32_t)fd };

	(void)state;
	assert_int_equal(cm_bind(other, id, 0, 0), EINVAL);
	assert_int_equal(cm_bind(other, id + 1, 0, 0), ENOENT);
	assert_int_equal(CM_WRITE(other, MIGRATE_ID, m, sizeof(resp)), 0);
	assert_int_equal(cm_bind(other, id, 0, 0), 0);
	m.fd = 0;
	assert_int_equal(CM_WRITE(other, MIGRATE_ID, m, sizeof(resp)), EINVAL);
	close(fd);
	assert_int_equal(cm_destroy(other, id), 0);
	close(other);
}

/* A descriptor that was replaced behind our back is another file's. */
static void a_descriptor_replaced_is_not_ours(void **state)
{
	int fd = cm_open(0);
	int fds[2];
	char byte = 0;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(dup2(fds[1], fd), fd);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(fd);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_a_character_device),
		cmocka_unit_test(ends_connect_and_part),
		cmocka_unit_test(a_peer_that_goes_is_a_disconnect),
		cmocka_unit_test(a_forked_process_connects_by_itself),
		cmocka_unit_test(a_refusal_carries_private_data),
		cmocka_unit_test(where_nobody_listens_is_refused),
		cmocka_unit_test(a_full_backlog_refuses),
		cmocka_unit_test(addresses_are_taken_once),
		cmocka_unit_test(nothing_to_get_is_told_at_once),
		cmocka_unit_test(who_waits_can_be_cancelled),
		cmocka_unit_test(memory_that_is_not_there_is_no_crash),
		cmocka_unit_test(ids_belong_to_their_file),
		cmocka_unit_test(a_descriptor_replaced_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
