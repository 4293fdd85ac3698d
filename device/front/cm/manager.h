/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connection manager of this process, which librdmacm takes for the
 * kernel's: open files of its device, the connection ids in them, and a thread
 * that hears what peers say.
 *
 * One lock covers all of it.  It is taken before the adapter's, and never held
 * while anything waits.
 */
#ifndef DEVICE_FRONT_CM_MANAGER_H
#define DEVICE_FRONT_CM_MANAGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "device/cm/address.h"
#include "device/cm/command.h"
#include "device/cm/event.h"
#include "device/cm/message.h"
#include "device/cm/qp_attr.h"
#include "device/cm/state.h"
#include "device/front/notifier.h"

struct cm_id;

struct cm_event {
	TAILQ_ENTRY(cm_event) link;
	struct cm_id *id;    /* whose count of reported events it moves */
	struct cm_id *child; /* CONNECT_REQUEST: the new id */
	struct rdma_ucm_event_resp resp; /* but for uid: that is set late */
};
TAILQ_HEAD(cm_event_list, cm_event);

struct cm_file {
	/* Raised while @events is not empty.  The program has a copy of its
	 * descriptor: who waits goes on waiting when that one is closed, as a
	 * call of the system's would. */
	struct notifier notifier;
	ino_t inode;	/* of the descriptor, to know it again */
	dev_t rdev;	/* what fstat() says of it */
	unsigned users; /* the table of descriptors, and calls under way */
	struct cm_event_list events;
	LIST_HEAD(, cm_id) ids;
};

struct cm_id {
	LIST_ENTRY(cm_id) link;	    /* the file's */
	LIST_ENTRY(cm_id) all_link; /* of all files' */
	uint32_t number;
	uint64_t uid; /* the program's; 0: it has not named it yet */
	struct cm_file *file;
	enum cm_state state;
	uint16_t port_space;
	uint8_t qp_type;
	bool nascent;	 /* a peer has connected, but not spoken */
	bool has_device; /* it has an address that belongs to the adapter */
	bool reuse;	 /* an address in use is no error until it listens */
	bool deaf;	 /* listening, but there are no descriptors to accept */
	int fd;		 /* the listener, or the channel to the peer; -1 */
	struct cm_address local;
	struct cm_address peer; /* family 0: none */
	struct cm_path path;
	uint32_t own_qpn;
	uint32_t backlog;	/* requests that may still come, unfetched */
	struct cm_id *listener; /* of which it is a child, not fetched yet */
	uint32_t events_reported;
	uint64_t deadline_ns; /* 0: none */
	/* The peer has left, and the program is told by then; 0: it has been,
	 * or the peer is there. */
	uint64_t parting_until_ns;
	/* A request that nobody has taken yet, and until when it is sent
	 * again; NULL: none. */
	struct cm_message *unheard;
	uint64_t unheard_until_ns;
};

void manager_lock(void);
void manager_unlock(void);

/* The rest is called with the lock held. */

/* Make sure of adapter, link and thread. */
int manager_start(void) MUST_USE;
const uint8_t *manager_gid(void);
uint32_t manager_mtu(void);
uint32_t manager_random(void);
struct cm_link *manager_link(void);
/* id->deadline_ns was set: the thread will look at it then. */
void manager_alarm(uint64_t at_ns);
/* What peers have sent by verbs has come out by then. */
void manager_catch_up(void);
/* That queue pair has completed something that nobody has polled yet. */
bool manager_unread(uint32_t qpn);
/* A file was opened (+1) or is gone (-1): without any, no adapter is needed. */
void manager_count_file(int change);

/* Ids (id.c).  New ones belong to @file; -ENOMEM. */
int cm_id_new(struct cm_file *file, struct cm_id **id) MUST_USE;
/* That the program may name: -ENOENT, or -EINVAL when of another file. */
int cm_id_find(struct cm_file *file, uint32_t number,
	       struct cm_id **id) MUST_USE;
/* Any one; NULL. */
struct cm_id *cm_id_numbered(uint32_t number);
/* With all its events and unfetched children.  Its peer sees it go. */
void cm_id_free(struct cm_id *id);
void cm_id_hang_up(struct cm_id *id);
void cm_id_move(struct cm_id *id, struct cm_file *file);
/* They were a parent's: nothing comes of them here, and nobody hears of it. */
void cm_id_forget_all(void);
/* The earliest deadline of all; those that are due are given to @due, which
 * frees none. */
uint64_t cm_id_deadlines(uint64_t now_ns, void (*due)(struct cm_id *id));

/* Events (file.c).  An event of @id; NULL when it cannot be told. */
struct cm_event *cm_event_new(struct cm_id *id, enum cm_message_kind kind,
			      uint32_t event, int status);
void cm_event_post(struct cm_event *e);
/* The same in one, for those that say no more. */
void cm_event_tell(struct cm_id *id, uint32_t event, int status);
/* Those of @id, from its file's queue. */
void cm_event_purge(struct cm_id *id);

/* Files (file.c). */
int cm_file_open(int flags, dev_t rdev, int *fd) MUST_USE;
struct cm_file *cm_file_get(int fd);
/* Quick and without the lock: false for all that are not ours. */
bool cm_file_maybe(int fd);
void cm_file_put(struct cm_file *file);
/* Its ids go, @fd is not ours any more, and one use less. */
void cm_file_close(struct cm_file *file, int fd);
/* Copy the oldest event to the program: -EAGAIN, -EFAULT. */
int cm_file_deliver(struct cm_file *file, const struct cm_command *c) MUST_USE;

/* What a command does (act.c, query.c); -errno. */
int cm_act(struct cm_file *file, const struct cm_command *c) MUST_USE;
int cm_query(struct cm_file *file, const struct cm_command *c) MUST_USE;
/* id->unheard once more. */
void cm_act_again(struct cm_id *id);
int cm_answer(const struct cm_command *c, const void *bytes,
	      size_t len) MUST_USE;

/* What a peer did (peer.c). */
void cm_peer_ready(struct cm_id *id);
void cm_peer_due(struct cm_id *id);
/* A message that begins with what @id knows. */
struct cm_message cm_peer_message(const struct cm_id *id,
				  enum cm_message_kind kind);

#endif
