// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * depot: a store of blocks in one host's memory, used by another by RDMA.
 *
 *	depot -d DEVICE -g GID_INDEX [-p PORT] [-n BLOCKS] [-b BYTES]
 *	depot ... [-c] HOST
 *
 * The one with a HOST is the client: it writes blocks into the server's memory
 * (RDMA WRITE), counts each in the server's counter (FETCH_ADD), tells the
 * server that they are there (SEND), waits for its answer, the sum of all
 * bytes, and reads the blocks back (RDMA READ).  Any difference is an error.
 *
 * An example of a program to be tested without hardware, in
 * docs/ci-without-hardware.md.  -c prints the counters of the software device,
 * if it is there; the rest knows nothing of it.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What each end tells the other over TCP before the queue pairs can talk. */
struct address {
	union ibv_gid gid;
	uint32_t qpn, psn, rkey;
	uint64_t blocks, counter;
	uint32_t mtu;
};

/* The message of the client, and of the server's answer. */
struct note {
	uint64_t blocks, sum;
};

struct depot {
	const char *device, *port, *host;
	int gid_index;
	bool counters;
	uint32_t count, block_bytes;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	/* One registration: the blocks, a counter, two notes. */
	uint8_t *blocks;
	uint64_t *counter, *counter_was;
	struct note *out, *in;
	struct address here, there;
	int tcp;
};

static void die(const char *what)
{
	fprintf(stderr, "depot: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *must(void *object, const char *what)
{
	if (!object)
		die(what);
	return object;
}

static void must_be_zero(int result, const char *what)
{
	if (result) {
		errno = result > 0 ? result : errno;
		die(what);
	}
}

static void open_device(struct depot *d)
{
	int count, i;
	struct ibv_device **list = must(ibv_get_device_list(&count), "devices");

	for (i = 0; i < count; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), d->device))
			break;
	}
	if (i == count) {
		fprintf(stderr, "depot: no device %s\n", d->device);
		exit(3);
	}
	d->context = must(ibv_open_device(list[i]), "ibv_open_device");
	ibv_free_device_list(list);
}

static void make_objects(struct depot *d)
{
	size_t blocks_bytes = (size_t)d->count * d->block_bytes;
	size_t at = (blocks_bytes + 63) & ~(size_t)63;
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	d->blocks = must(calloc(1, at + 256), "memory");
	d->counter = (uint64_t *)(d->blocks + at);
	d->counter_was = d->counter + 1;
	d->out = (struct note *)(d->blocks + at + 64);
	d->in = (struct note *)(d->blocks + at + 128);
	d->pd = must(ibv_alloc_pd(d->context), "ibv_alloc_pd");
	d->mr = must(ibv_reg_mr(d->pd, d->blocks, at + 256, access),
		     "ibv_reg_mr");
	d->cq = must(ibv_create_cq(d->context, 32, NULL, NULL, 0),
		     "ibv_create_cq");
	init.send_cq = init.recv_cq = d->cq;
	d->qp = must(ibv_create_qp(d->pd, &init), "ibv_create_qp");
}

static void fill_address(struct depot *d)
{
	struct ibv_port_attr port;

	must_be_zero(ibv_query_port(d->context, 1, &port), "ibv_query_port");
	must_be_zero(ibv_query_gid(d->context, 1, d->gid_index, &d->here.gid),
		     "ibv_query_gid");
	d->here.qpn = d->qp->qp_num;
	d->here.psn = (uint32_t)getpid() & 0xffffff;
	d->here.rkey = d->mr->rkey;
	d->here.blocks = (uintptr_t)d->blocks;
	d->here.counter = (uintptr_t)d->counter;
	d->here.mtu = port.active_mtu;
}

static int tcp_connect(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, a->ai_socktype, 0);

	if (fd < 0 || connect(fd, a->ai_addr, a->ai_addrlen))
		die("connect");
	return fd;
}

static int tcp_accept(const struct addrinfo *a)
{
	int one = 1, fd, peer;

	fd = socket(a->ai_family, a->ai_socktype, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1))
		die("listen");
	printf("depot: waiting\n");
	fflush(stdout);
	peer = accept(fd, NULL, NULL);
	if (peer < 0)
		die("accept");
	close(fd);
	return peer;
}

static void tcp_swap(int fd, const void *out, void *in, size_t len)
{
	if (write(fd, out, len) != (ssize_t)len)
		die("the other end, over TCP");
	if (recv(fd, in, len, MSG_WAITALL) != (ssize_t)len)
		die("the other end, over TCP");
}

static void meet(struct depot *d)
{
	struct addrinfo hints = { .ai_family = AF_INET,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = d->host ? 0 : AI_PASSIVE };
	struct addrinfo *found;

	if (getaddrinfo(d->host, d->port, &hints, &found))
		die("no such host");
	d->tcp = d->host ? tcp_connect(found) : tcp_accept(found);
	freeaddrinfo(found);
	tcp_swap(d->tcp, &d->here, &d->there, sizeof(d->here));
}

static void post_receive(struct depot *d)
{
	struct ibv_sge sge = { (uintptr_t)d->in, sizeof(*d->in), d->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	must_be_zero(ibv_post_recv(d->qp, &wr, &bad), "ibv_post_recv");
}

static void connect_qp(struct depot *d)
{
	uint32_t mtu = d->here.mtu < d->there.mtu ? d->here.mtu : d->there.mtu;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = mtu,
		.dest_qp_num = d->there.qpn,
		.rq_psn = d->there.psn,
		.sq_psn = d->here.psn,
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = d->there.gid,
				      .hop_limit = 64,
				      .sgid_index = (uint8_t)d->gid_index } },
	};

	must_be_zero(ibv_modify_qp(d->qp, &a,
				   IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					   IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		     "to INIT");
	post_receive(d);
	a.qp_state = IBV_QPS_RTR;
	must_be_zero(ibv_modify_qp(d->qp, &a,
				   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					   IBV_QP_MAX_DEST_RD_ATOMIC |
					   IBV_QP_MIN_RNR_TIMER),
		     "to RTR");
	a.qp_state = IBV_QPS_RTS;
	must_be_zero(ibv_modify_qp(d->qp, &a,
				   IBV_QP_STATE | IBV_QP_TIMEOUT |
					   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					   IBV_QP_SQ_PSN |
					   IBV_QP_MAX_QP_RD_ATOMIC),
		     "to RTS");
}

/* A peer that has died sends nothing more, not even an error: the queue pair
 * would wait for ever, the TCP connection knows. */
static void check_peer(const struct depot *d)
{
	char byte;
	ssize_t got = recv(d->tcp, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	if (got > 0 || (got < 0 && errno == EAGAIN))
		return;
	fprintf(stderr, "depot: the other end is gone\n");
	exit(1);
}

/* The next completion; one that is not a success ends the program. */
static struct ibv_wc next(struct depot *d, const char *what)
{
	struct ibv_wc wc;
	int got;

	for (unsigned polls = 1; !(got = ibv_poll_cq(d->cq, 1, &wc)); polls++) {
		if (polls % 65536 == 0)
			check_peer(d);
	}
	if (got < 0)
		die("ibv_poll_cq");
	if (wc.status != IBV_WC_SUCCESS) {
		fprintf(stderr, "depot: %s: %s\n", what,
			ibv_wc_status_str(wc.status));
		exit(1);
	}
	return wc;
}

/* One request, to its completion. */
static void request(struct depot *d, struct ibv_send_wr *wr, void *local,
		    uint32_t len, const char *what)
{
	struct ibv_sge sge = { (uintptr_t)local, len, d->mr->lkey };
	struct ibv_send_wr *bad;

	wr->sg_list = &sge;
	wr->num_sge = 1;
	must_be_zero(ibv_post_send(d->qp, wr, &bad), what);
	next(d, what);
}

static void move_block(struct depot *d, enum ibv_wr_opcode opcode, uint32_t n)
{
	uint64_t at = (uint64_t)n * d->block_bytes;
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.rdma = { d->there.blocks + at, d->there.rkey },
	};

	request(d, &wr, d->blocks + at, d->block_bytes,
		opcode == IBV_WR_RDMA_WRITE ? "write a block" : "read a block");
}

static void count_block(struct depot *d, uint32_t n)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .remote_addr = d->there.counter,
			       .compare_add = 1,
			       .rkey = d->there.rkey },
	};

	request(d, &wr, d->counter_was, 8, "count a block");
	if (*d->counter_was != n) {
		fprintf(stderr, "depot: the counter was %" PRIu64 ", not %u\n",
			*d->counter_was, n);
		exit(1);
	}
}

static void send_note(struct depot *d, uint64_t blocks, uint64_t sum)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	*d->out = (struct note){ blocks, sum };
	request(d, &wr, d->out, sizeof(*d->out), "send a note");
}

static uint64_t sum_blocks(const struct depot *d)
{
	size_t bytes = (size_t)d->count * d->block_bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes; i++)
		sum = sum * 31 + d->blocks[i];
	return sum;
}

static void client(struct depot *d)
{
	size_t bytes = (size_t)d->count * d->block_bytes;
	uint64_t sum;

	for (size_t i = 0; i < bytes; i++)
		d->blocks[i] = (uint8_t)(i * 2654435761u >> 13);
	sum = sum_blocks(d);
	for (uint32_t n = 0; n < d->count; n++) {
		move_block(d, IBV_WR_RDMA_WRITE, n);
		count_block(d, n);
	}
	/* The answer may come before the send is known to have arrived: its
	 * completion is what next() finds first then. */
	send_note(d, d->count, sum);
	next(d, "the answer");
	if (d->in->sum != sum || d->in->blocks != d->count) {
		fprintf(stderr, "depot: the server has other blocks\n");
		exit(1);
	}
	memset(d->blocks, 0, bytes);
	for (uint32_t n = 0; n < d->count; n++)
		move_block(d, IBV_WR_RDMA_READ, n);
	if (sum_blocks(d) != sum) {
		fprintf(stderr, "depot: other blocks came back\n");
		exit(1);
	}
	printf("depot: %u blocks of %u bytes there and back\n", d->count,
	       d->block_bytes);
}

/* The server's processor only sees the note; blocks come and go by RDMA. */
static void server(struct depot *d)
{
	next(d, "the note");
	if (*d->counter != d->in->blocks) {
		fprintf(stderr, "depot: %" PRIu64 " blocks counted\n",
			*d->counter);
		exit(1);
	}
	send_note(d, *d->counter, sum_blocks(d));
}

/* What softrdma/softdv.h declares, found only where the library is loaded. */
static void print_counters(struct ibv_context *context)
{
	int (*name_of)(unsigned int index, const char **name);
	int (*read_by)(struct ibv_context * context, const char *name,
		       uint64_t *value);
	uint64_t value;
	const char *name;

	*(void **)&name_of = dlsym(RTLD_DEFAULT, "softdv_counter_name");
	*(void **)&read_by = dlsym(RTLD_DEFAULT, "softdv_counter_read");
	if (!name_of || !read_by)
		return;
	for (unsigned int i = 0; !name_of(i, &name); i++) {
		if (!read_by(context, name, &value) && value)
			printf("%s %" PRIu64 "\n", name, value);
	}
}

static void depot_close(struct depot *d)
{
	ibv_destroy_qp(d->qp);
	ibv_destroy_cq(d->cq);
	ibv_dereg_mr(d->mr);
	ibv_dealloc_pd(d->pd);
	ibv_close_device(d->context);
	free(d->blocks);
	close(d->tcp);
}

int main(int argc, char **argv)
{
	struct depot d = { .device = "soft0",
			   .port = "18515",
			   .count = 16,
			   .block_bytes = 65536 };
	uint8_t byte = 0;
	int o;

	while ((o = getopt(argc, argv, "d:g:p:n:b:c")) != -1) {
		switch (o) {
		case 'd':
			d.device = optarg;
			break;
		case 'g':
			d.gid_index = atoi(optarg);
			break;
		case 'p':
			d.port = optarg;
			break;
		case 'n':
			d.count = (uint32_t)atoi(optarg);
			break;
		case 'b':
			d.block_bytes = (uint32_t)atoi(optarg);
			break;
		case 'c':
			d.counters = true;
			break;
		default:
			return 2;
		}
	}
	d.host = argv[optind];
	open_device(&d);
	make_objects(&d);
	fill_address(&d);
	meet(&d);
	connect_qp(&d);
	tcp_swap(d.tcp, &byte, &byte, 1); /* both are ready */
	if (d.host)
		client(&d);
	else
		server(&d);
	/* Nobody leaves while the other may still want something. */
	tcp_swap(d.tcp, &byte, &byte, 1);
	if (d.counters)
		print_counters(d.context);
	depot_close(&d);
	return 0;
}
