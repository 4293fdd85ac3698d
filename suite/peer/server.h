/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The peer's side of a run over two hosts.
 *
 *	server --+-- session     one at a time: facts, clock, records
 *	         +-- case        an end, for one case
 *	         +-- (a stranger, until it has said who it is)
 *
 * Each connection has a process of its own, so that whatever it sends or its
 * device does harms nobody else.  A case belongs to a session, by a token;
 * when the session's connection ends, so do its cases.  There are only so many
 * connections; a stranger makes room for whoever comes after it.
 */
#ifndef SUITE_PEER_SERVER_H
#define SUITE_PEER_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "suite/control/tls.h"
#include "suite/peer/address.h"
#include "suite/peer/greeting.h"
#include "verbatim/options.h"

enum {
	SERVER_CASES_MAX = 4, /* of one session at a time */
	SERVER_CHILDREN_MAX = 32,
	SERVER_RECORDS = 8192,
};

struct recorder;

/* What the processes of a server share. */
struct server_area {
	atomic_int session; /* its process; 0: none */
	char token[GREETING_TOKEN];
	char of[128]; /* the session's host, for others who call */
	struct server_case {
		atomic_int process;
	} cases[SERVER_CASES_MAX];
	/* How the last case's process that did not end well did so: the
	 * status of wait(); 0: all did. */
	atomic_int bad_status;
	/* By place among the children: it has said who it is. */
	atomic_bool known[SERVER_CHILDREN_MAX];
};

struct server {
	const struct vb_options *options;
	struct tls_key key;
	bool keyed;
	int listener; /* -1: none, connections come by other ways */
	struct server_area *area;
	void *recorder_memory;
	size_t recorder_bytes;
	/* Written to whenever a process of the server has ended. */
	int ended;
	int signals;
	struct server_child {
		pid_t pid;
		uint64_t number; /* the older ones have the smaller ones */
		bool evicted;
		char from[80];
	} children[SERVER_CHILDREN_MAX];
	uint64_t started;
	size_t place; /* of this process, if it is one of the children */
};

/* 0, or a negative errno, said to the log. */
int server_open(struct server *s, const struct vb_options *options) MUST_USE;
void server_close(struct server *s);
/* A process for the connection @fd, which is taken over.  @trusted: no key is
 * asked for, the way it came by is proof enough. */
void server_start(struct server *s, int fd, bool trusted);
/* Until it is told to end: the exit status. */
int server_run(struct server *s);
/* What is readable has been found so: reap, note, stop.  False: to the end. */
bool server_signals(struct server *s);
/* End all that is left. */
void server_end_children(struct server *s);

/* --- connection.c's other half: in the process of a connection ------------ */

/* Greet, and be a session or a case to its end. */
void server_connection(struct server *s, int fd, bool trusted,
		       const char *from) NO_RETURN;
/* session.c */
int session_serve(struct server *s, struct channel *c, const json_t *hello,
		  struct strbuf *error) MUST_USE;

#endif
