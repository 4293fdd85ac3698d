/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of an adapter, for the files of world/ alone. */
#ifndef DEVICE_WORLD_ADAPTER_PRIVATE_H
#define DEVICE_WORLD_ADAPTER_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/idtable.h"
#include "device/link/faults.h"
#include "device/link/shm.h"
#include "device/world/adapter.h"
#include "device/world/flow.h"
#include "device/world/outbox.h"
#include "device/world/timers.h"

enum {
	ADAPTER_QPS_MAX = 16384,
	ADAPTER_QPN_BITS = 24,
	/* Packets in one turn from one link; and in one call of its receive,
	 * so few that what the ICRC has read is still near at the copy. */
	ADAPTER_RECEIVE_BURST = 64,
	ADAPTER_RECEIVE_CHUNK = 8,
	/* From a ring fewer: the sender wants its room and its answers. */
	ADAPTER_SHARED_BURST = 32,
	/* Packets that one queue pair sends before the next has its turn. */
	ADAPTER_QP_BURST = 32,
	/* Looks at the socket that found nothing, after which only one turn of
	 * the loop in so many looks. */
	ADAPTER_SOCKET_IDLE = 256,
	ADAPTER_SOCKET_EVERY = 16,
	/* And after so many, one in even more. */
	ADAPTER_SOCKET_QUIET = 8192,
	ADAPTER_SOCKET_SELDOM = 256,
	/* Of so many polls without anything to do, one looks at the clock. */
	ADAPTER_POLLS_QUIET = 16,
	ADAPTER_PACKETS_A_POLL = 4,
	/* Whoever floods us is not read to the end. */
	ADAPTER_CATCH_UP_TURNS = 1024,
	/* How long timers let packets go first that are there already. */
	ADAPTER_TIMERS_WAIT_NS = 10 * 1000 * 1000,
	/* Between two turns: the host has not run us; and for how many turns
	 * after it timers let go first what was there. */
	ADAPTER_STALL_NS = 1000 * 1000,
	ADAPTER_STALL_TURNS = 16,
};

TAILQ_HEAD(world_qp_list, world_qp);

struct adapter_thread {
	pthread_t id;
	int kick_fd; /* eventfd: look again */
	bool stop;
	/* On duty and asleep, until then or until a kick or a packet. */
	bool sleeps;
	uint64_t sleeps_until_ns;
	uint64_t worked_ns;	   /* when it last had something to do */
	unsigned lingered;	   /* turns without sleep */
	uint64_t crowded_until_ns; /* others want this core */
	unsigned mistakes;	   /* naps in a row that were */
	/* A nap was a mistake: on duty until then, for so long. */
	uint64_t regrets_until_ns;
	uint64_t regret_ns;
	/* How much the application polls: judged from time to time. */
	bool idle; /* too little to rely on it */
	uint64_t judged_ns;
	uint64_t judged_polls;
};

struct sd_adapter {
	struct sd_host host; /* first: the engines' way back to us */
	pthread_mutex_t lock;
	unsigned users;
	pid_t owner;	   /* the process that opened it; see fork(2) */
	struct link *link; /* over UDP, to whomever no other link reaches */
	struct link *shm;  /* through shared memory; NULL: not used */
	struct faults *faults;
	struct link_address address;
	uint32_t mtu_bytes;
	bool self_direct; /* packets to ourselves are handed over */
	bool port_down;	  /* by softdv_port_set() */
	struct sd_mr_table *keys;
	struct capture *capture; /* NULL: none */
	struct recent *recent;	 /* NULL: nobody has asked for them */

	struct idtable qps;
	struct idtable_slot *qp_slots;
	struct timers timers;
	struct world_qp_list runnable;
	struct world_qp_list answering;
	struct outbox remote;
	struct outbox local[2]; /* one fills while the other is delivered */
	unsigned local_filling;
	/* The packet being made: its path, whose it is, and where it is, in an
	 * outbox or in the ring of a channel. */
	struct link_packet aim;
	uint32_t aim_qpn;
	struct outbox *aim_box; /* NULL: @aim_channel */
	struct shm_channel *aim_channel;
	bool aim_lost; /* it is in @lost_bytes, and goes nowhere */
	uint8_t lost_bytes[WIRE_PACKET_MAX];
	unsigned remote_qps; /* queue pairs whose peers are on a link */
	/* Looks at the socket in a row, or left out, that found nothing. */
	unsigned socket_idle;
	unsigned turn_packets; /* received in this turn */
	struct flow flow;
	bool more_outside;    /* the last look at a link left something */
	bool link_full;	      /* in this turn a packet found no room */
	uint64_t now_ns;      /* of this turn */
	unsigned stall_turns; /* left of those after a stall */
	uint64_t damaged;     /* dropped for a fault where no ICRC tells it */
	bool cq_failed;	      /* some CQ has overflowed since we last looked */

	struct adapter_thread thread;
	int armed; /* CQs whose owners sleep */
	uint64_t armed_last_ns;
	uint64_t polled_last_ns; /* when the application last drove us */
	uint64_t polls;		 /* how often it has */
};

static inline struct sd_adapter *adapter_of(struct sd_host *h)
{
	return container_of(h, struct sd_adapter, host);
}

extern const struct sd_host_ops adapter_host_ops;

void adapter_set_runnable(struct sd_adapter *a, struct world_qp *q);
void adapter_set_answering(struct sd_adapter *a, struct world_qp *q);
/* One turn of the loop; @shared, @socket: see whether these have packets. */
bool adapter_work(struct sd_adapter *a, bool shared, bool socket,
		  uint64_t now_ns);
/* Packets to ourselves wait to be delivered. */
bool adapter_local_waiting(const struct sd_adapter *a);

int adapter_thread_start(struct sd_adapter *a) MUST_USE;
void adapter_thread_stop(struct sd_adapter *a);
/* A timer or packet came up that the sleeping thread does not know of. */
void adapter_thread_tell(struct sd_adapter *a);
void adapter_thread_kick(struct sd_adapter *a);

#endif
