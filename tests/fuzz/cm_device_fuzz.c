// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The connection manager as a whole: a program that writes to its device what
 * it likes, and peers that connect to its listeners and send what they like, in
 * any order.  Whatever that is, a write is taken whole or refused, an answer
 * keeps within its room, and at the end nothing is left open.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/front/cm/device.h"
#include "device/front/cm/manager.h"
#include "device/link/cm_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	FUZZ_FILES = 2,
	FUZZ_IDS = 16,
	FUZZ_PEERS = 4,
	FUZZ_STEPS_MAX = 256,
	FUZZ_PORTS = 3,
	FUZZ_ERRNO_MAX = 133,
};

struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

static int fuzz_files[FUZZ_FILES];
static uint32_t fuzz_ids[FUZZ_IDS];
static unsigned fuzz_id_count;
static int fuzz_peers[FUZZ_PEERS];
static uint16_t fuzz_port;    /* the first of ours */
static uint8_t *fuzz_answers; /* ends where nothing is mapped */
static size_t fuzz_page;

static void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

static uint8_t fuzz_byte(struct fuzz_input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

static void fuzz_bytes(struct fuzz_input *in, void *to, size_t len)
{
	if (len > in->left)
		len = in->left;
	memcpy(to, in->at, len);
	in->at += len;
	in->left -= len;
}

static struct sockaddr_in6 fuzz_address(struct fuzz_input *in)
{
	struct sockaddr_in six_in = { .sin_family = AF_INET };
	struct sockaddr_in6 a = { 0 };
	uint8_t which = fuzz_byte(in);

	six_in.sin_port = htons((uint16_t)(fuzz_port + which % FUZZ_PORTS));
	if (which & 64)
		six_in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (which & 32)
		six_in.sin_port = 0;
	memcpy(&a, &six_in, sizeof(six_in));
	return a;
}

#define NOWHERE		SIZE_MAX
#define AT(name, field) offsetof(struct rdma_ucm_##name, field)

/* Where a command has what only a well-formed one has right. */
static const struct fuzz_command {
	uint32_t code;
	size_t bytes, id_at, response_at, address_at, out;
} fuzz_commands[] = {
	{ RDMA_USER_CM_CMD_CREATE_ID, sizeof(struct rdma_ucm_create_id),
	  NOWHERE, AT(create_id, response), NOWHERE, 4 },
	{ RDMA_USER_CM_CMD_DESTROY_ID, sizeof(struct rdma_ucm_destroy_id),
	  AT(destroy_id, id), AT(destroy_id, response), NOWHERE, 4 },
	{ RDMA_USER_CM_CMD_BIND_IP, sizeof(struct rdma_ucm_bind_ip),
	  AT(bind_ip, id), NOWHERE, AT(bind_ip, addr), 0 },
	{ RDMA_USER_CM_CMD_BIND, sizeof(struct rdma_ucm_bind), AT(bind, id),
	  NOWHERE, AT(bind, addr), 0 },
	{ RDMA_USER_CM_CMD_RESOLVE_IP, sizeof(struct rdma_ucm_resolve_ip),
	  AT(resolve_ip, id), NOWHERE, AT(resolve_ip, dst_addr), 0 },
	{ RDMA_USER_CM_CMD_RESOLVE_ROUTE, sizeof(struct rdma_ucm_resolve_route),
	  AT(resolve_route, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_QUERY_ROUTE, sizeof(struct rdma_ucm_query),
	  AT(query, id), AT(query, response), NOWHERE,
	  sizeof(struct rdma_ucm_query_route_resp) },
	{ RDMA_USER_CM_CMD_CONNECT, sizeof(struct rdma_ucm_connect),
	  AT(connect, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_LISTEN, sizeof(struct rdma_ucm_listen),
	  AT(listen, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_ACCEPT, sizeof(struct rdma_ucm_accept),
	  AT(accept, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_REJECT, sizeof(struct rdma_ucm_reject),
	  AT(reject, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_DISCONNECT, sizeof(struct rdma_ucm_disconnect),
	  AT(disconnect, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_INIT_QP_ATTR, sizeof(struct rdma_ucm_init_qp_attr),
	  AT(init_qp_attr, id), AT(init_qp_attr, response), NOWHERE,
	  sizeof(struct ib_uverbs_qp_attr) },
	{ RDMA_USER_CM_CMD_GET_EVENT, sizeof(struct rdma_ucm_get_event),
	  NOWHERE, AT(get_event, response), NOWHERE,
	  sizeof(struct rdma_ucm_event_resp) },
	{ RDMA_USER_CM_CMD_SET_OPTION, sizeof(struct rdma_ucm_set_option),
	  AT(set_option, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_NOTIFY, sizeof(struct rdma_ucm_notify),
	  AT(notify, id), NOWHERE, NOWHERE, 0 },
	{ RDMA_USER_CM_CMD_MIGRATE_ID, sizeof(struct rdma_ucm_migrate_id),
	  AT(migrate_id, id), AT(migrate_id, response), NOWHERE, 4 },
};

static void fuzz_know(uint32_t id)
{
	if (fuzz_id_count < FUZZ_IDS)
		fuzz_ids[fuzz_id_count++] = id;
}

/* Ids that the program has now been told. */
static void fuzz_learn(uint32_t code, const void *answer)
{
	struct rdma_ucm_event_resp event;
	uint32_t id;

	memcpy(&id, answer, sizeof(id));
	if (code == RDMA_USER_CM_CMD_CREATE_ID)
		fuzz_know(id);
	if (code != RDMA_USER_CM_CMD_GET_EVENT)
		return;
	memcpy(&event, answer, offsetof(struct rdma_ucm_event_resp, reserved));
	if (event.event == CM_EVENT_CONNECT_REQUEST)
		fuzz_know(event.id);
}

/* A write, and what must be of any. */
static ssize_t fuzz_write(int fd, const void *bytes, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);
	ssize_t n;

	fuzz_require(exact);
	memcpy(exact, bytes, len);
	n = cm_device_write(fd, exact, len);
	fuzz_require(n == (ssize_t)len || (n < 0 && n >= -FUZZ_ERRNO_MAX));
	free(exact);
	return n;
}

static void fuzz_command(int fd, struct fuzz_input *in)
{
	const struct fuzz_command *c =
		&fuzz_commands[fuzz_byte(in) % ARRAY_SIZE(fuzz_commands)];
	uint8_t how = fuzz_byte(in);
	struct rdma_ucm_cmd_hdr header = { .cmd = c->code,
					   .in = (uint16_t)c->bytes,
					   .out = (uint16_t)c->out };
	uint8_t bytes[CM_COMMAND_BYTES_MAX] = { 0 };
	uint8_t *body = bytes + sizeof(header);
	uint8_t *answer = fuzz_answers + fuzz_page - c->out;
	uint64_t response = (uintptr_t)answer;
	struct sockaddr_in6 address;
	ssize_t n;

	if (how & 1)
		fuzz_bytes(in, body, c->bytes);
	else if (c->bytes > 8)
		fuzz_bytes(in, body + c->bytes - 8, 8);
	if (c->code == RDMA_USER_CM_CMD_CREATE_ID) {
		struct rdma_ucm_create_id create = {
			.uid = fuzz_byte(in),
			.ps = how & 2 ? RDMA_PS_UDP : RDMA_PS_TCP,
		};

		memcpy(body, &create, sizeof(create));
	}
	if (c->id_at != NOWHERE && fuzz_id_count)
		memcpy(body + c->id_at,
		       &fuzz_ids[fuzz_byte(in) % fuzz_id_count], 4);
	if (c->address_at != NOWHERE && !(how & 4)) {
		address = fuzz_address(in);
		memcpy(body + c->address_at, &address, sizeof(address));
	}
	if (c->code == RDMA_USER_CM_CMD_MIGRATE_ID)
		memcpy(body + AT(migrate_id, fd), &fuzz_files[how & 1], 4);
	if (how & 8)
		response = how & 16; /* nowhere */
	if (c->response_at != NOWHERE)
		memcpy(body + c->response_at, &response, sizeof(response));
	memcpy(bytes, &header, sizeof(header));
	n = fuzz_write(fd, bytes, sizeof(header) + c->bytes);
	/* All of the room is there, and nothing behind it. */
	fuzz_require(how & 8 || n != -EFAULT ||
		     c->code == RDMA_USER_CM_CMD_SET_OPTION);
	if (n > 0 && c->response_at != NOWHERE && !(how & 8))
		fuzz_learn(c->code, answer);
}

static void fuzz_raw(int fd, struct fuzz_input *in)
{
	uint8_t bytes[256];
	size_t len = fuzz_byte(in);

	if (len > in->left)
		len = in->left;
	fuzz_bytes(in, bytes, len);
	/* It could name any descriptor, of the fuzzer's as well. */
	if (len >= 4 && bytes[0] == RDMA_USER_CM_CMD_MIGRATE_ID)
		return;
	fuzz_write(fd, bytes, len);
}

/* What the manager's thread would do when it is told; it may come before us. */
static void fuzz_hear(void)
{
	uint32_t numbers[4 * FUZZ_IDS];
	unsigned count = 0;
	int before = cm_device_enter();

	manager_lock();
	for (int i = 0; i < FUZZ_FILES; i++) {
		struct cm_file *file = cm_file_get(fuzz_files[i]);
		struct cm_id *id;

		fuzz_require(file);
		LIST_FOREACH (id, &file->ids, link) {
			if (count < ARRAY_SIZE(numbers))
				numbers[count++] = id->number;
		}
		cm_file_put(file);
	}
	while (count > 0) {
		struct cm_id *id = cm_id_numbered(numbers[--count]);

		if (id)
			cm_peer_ready(id);
	}
	manager_unlock();
	cm_device_leave(before);
}

static void fuzz_peer_connect(struct fuzz_input *in)
{
	int *peer = &fuzz_peers[fuzz_byte(in) % FUZZ_PEERS];
	struct sockaddr_in6 address = fuzz_address(in);
	char name[CM_NAME_BYTES];
	struct cm_address a;
	size_t len;
	int fd;

	if (*peer >= 0 || cm_address_get(&address, sizeof(address), &a))
		return;
	len = cm_address_name(&a, in->left & 1 ? RDMA_PS_UDP : RDMA_PS_TCP,
			      name);
	if (!cm_link_connect(name, len, &fd))
		*peer = fd;
	fuzz_hear();
}

static void fuzz_peer_send(struct fuzz_input *in)
{
	int peer = fuzz_peers[fuzz_byte(in) % FUZZ_PEERS];
	uint8_t how = fuzz_byte(in);
	struct cm_message m = cm_message_make(how % 10);
	struct sockaddr_in6 address = fuzz_address(in);

	if (peer < 0)
		return;
	m.mtu = 1024;
	(void)!cm_address_get(&address, sizeof(address), &m.from);
	m.to = m.from;
	m.reason = fuzz_byte(in);
	m.initiator_depth = fuzz_byte(in);
	m.responder_resources = fuzz_byte(in);
	if (how & 64)
		fuzz_bytes(in, (uint8_t *)&m + how % 32, sizeof(m) - how % 32);
	(void)!cm_link_send(peer, &m, sizeof(m) - (how & 128 ? how % 40 : 0));
	fuzz_hear();
}

static void fuzz_peer_leave(struct fuzz_input *in)
{
	int *peer = &fuzz_peers[fuzz_byte(in) % FUZZ_PEERS];

	cm_link_close(*peer);
	*peer = -1;
	fuzz_hear();
}

static void fuzz_time(void)
{
	int before = cm_device_enter();

	manager_lock();
	cm_id_deadlines(UINT64_MAX - 1, cm_peer_due);
	manager_unlock();
	cm_device_leave(before);
}

static void fuzz_step(struct fuzz_input *in)
{
	uint8_t what = fuzz_byte(in);
	int fd = fuzz_files[what >> 7];

	switch (what & 15) {
	case 10:
		fuzz_raw(fd, in);
		break;
	case 11:
	case 12:
		fuzz_peer_connect(in);
		break;
	case 13:
		fuzz_peer_send(in);
		break;
	case 14:
		fuzz_peer_leave(in);
		break;
	case 15:
		fuzz_time();
		break;
	default:
		fuzz_command(fd, in);
		fuzz_hear();
	}
}

static int fuzz_lowest_free(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	fuzz_require(fd >= 0);
	close(fd);
	return fd;
}

/* The adapter and the thread stay from one input to the next. */
static void fuzz_begin_once(void)
{
	static bool begun;

	if (begun)
		return;
	begun = true;
	fuzz_page = (size_t)sysconf(_SC_PAGESIZE);
	fuzz_answers = mmap(NULL, 2 * fuzz_page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fuzz_require(fuzz_answers != MAP_FAILED);
	fuzz_require(!mprotect(fuzz_answers + fuzz_page, fuzz_page, PROT_NONE));
	fuzz_port = (uint16_t)(20000 + getpid() % 20000);
	fuzz_require(cm_device_open(0, 0) >= 0);
	manager_lock();
	fuzz_require(!manager_start());
	manager_unlock();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .at = data, .left = size };
	int free_before;

	fuzz_begin_once();
	free_before = fuzz_lowest_free();
	fuzz_id_count = 0;
	for (int i = 0; i < FUZZ_PEERS; i++)
		fuzz_peers[i] = -1;
	for (int i = 0; i < FUZZ_FILES; i++) {
		fuzz_files[i] = cm_device_open(O_NONBLOCK, 0);
		fuzz_require(fuzz_files[i] >= 0);
	}
	for (int i = 0; i < FUZZ_STEPS_MAX && in.left > 0; i++)
		fuzz_step(&in);
	for (int i = 0; i < FUZZ_PEERS; i++)
		cm_link_close(fuzz_peers[i]);
	for (int i = 0; i < FUZZ_FILES; i++) {
		(void)!cm_device_close(fuzz_files[i]);
		close(fuzz_files[i]);
	}
	fuzz_require(fuzz_lowest_free() == free_before);
	return 0;
}
