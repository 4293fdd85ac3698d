// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filling a traffic program from options and device. */
#include "suite/cli/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "suite/bench/traffic_drift.h"
#include "suite/cli/answer.h"
#include "suite/cli/peer.h"
#include "suite/cli/sizes.h"
#include "suite/cli/times.h"
#include "suite/peer/traffic.h"
#include "suite/report/host.h"

enum { PROGRAM_PATIENCE_S = 10, PROGRAM_SEEDS = 1000000000 };

/* NULL: both ends are here. */
static struct peer *program_peer;
static struct peer_traffic *program_traffic;

static const struct {
	const char *word;
	uint32_t mix[TRAFFIC_OPS];
} program_ops[] = {
	{ "send", { [TRAFFIC_SEND] = 1 } },
	{ "send-imm", { [TRAFFIC_SEND_IMM] = 1 } },
	{ "write", { [TRAFFIC_WRITE] = 1 } },
	{ "write-imm", { [TRAFFIC_WRITE_IMM] = 1 } },
	{ "read", { [TRAFFIC_READ] = 1 } },
	{ "mix", { 4, 1, 2, 1, 1 } },
};

static const char *program_op_name(const struct traffic_program *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(program_ops); i++)
		if (memcmp(p->mix, program_ops[i].mix, sizeof(p->mix)) == 0)
			return program_ops[i].word;
	return "?";
}

static int program_times(const struct vb_options *o, const char *duration,
			 struct traffic_program *p, struct strbuf *error)
{
	uint64_t reconnect_ns = 0;
	int err = times_parse(o->duration ? o->duration : duration,
			      "--duration", &p->duration_ns, error);

	if (!err)
		err = times_parse(o->warm_up, "--warm-up", &p->warm_up_ns,
				  error);
	if (!err && o->reconnect_every)
		err = times_parse(o->reconnect_every, "--reconnect-every",
				  &reconnect_ns, error);
	if (!err && o->rereg_every)
		err = times_parse(o->rereg_every, "--rereg-every",
				  &p->reregister_ns, error);
	p->reconnect_ns = reconnect_ns;
	if (p->reregister_ns &&
	    (!reconnect_ns || p->reregister_ns < reconnect_ns))
		p->reconnect_ns = p->reregister_ns;
	return err;
}

static int program_options(const struct vb_options *o, const char *duration,
			   enum traffic_direction mode,
			   struct traffic_program *p, struct strbuf *error)
{
	double patience_ns = o->patience * PROGRAM_PATIENCE_S * NS_PER_S;

	*p = (struct traffic_program){
		.timeout = (uint32_t)o->timeout,
		.retry = (uint32_t)o->retry,
		.rnr_retry = (uint32_t)o->rnr_retry,
		.min_rnr_timer = (uint32_t)o->min_rnr_timer,
		.qps = (uint32_t)o->qps,
		.inflight = (uint32_t)o->inflight,
		.rq_depth =
			(uint32_t)(o->rq_depth ? o->rq_depth : 2 * o->inflight),
		.batch = (uint32_t)o->batch,
		.signal_every = (uint32_t)o->signal,
		.direction = mode,
		.sizes = o->size,
		.events = strcmp(o->cq_mode, "event") == 0,
		.verify = !o->no_verify,
		.threads = strcmp(o->ends, "thread") == 0,
		.seed = o->seed,
		.patience_ns = (uint64_t)patience_ns,
		.drift = traffic_drift_chosen(),
	};
	if (p->rq_depth > TRAFFIC_DEPTH_MAX)
		p->rq_depth = TRAFFIC_DEPTH_MAX;
	if (!p->seed)
		p->seed = hash_mix64(clock_wall_ns() ^ (uint64_t)getpid()) %
				  PROGRAM_SEEDS +
			  1;
	if (strcmp(o->mode, "one") == 0)
		p->direction = TRAFFIC_A_TO_B;
	else if (strcmp(o->mode, "both") == 0)
		p->direction = TRAFFIC_BOTH;
	for (size_t i = 0; i < ARRAY_SIZE(program_ops); i++)
		if (strcmp(o->op, program_ops[i].word) == 0)
			memcpy(p->mix, program_ops[i].mix, sizeof(p->mix));
	return program_times(o, duration, p, error);
}

static int program_target(struct command_call *call, struct traffic_program *p,
			  struct target *target)
{
	int err = answer_target(call, target);

	if (err)
		return err;
	snprintf(p->device, sizeof(p->device), "%s", target->device.name);
	p->port = target->port;
	p->gid_index = target->gid_index;
	p->mtu = target->mtu;
	return EXIT_FINE;
}

/* The end of another host, for all sessions of this process. */
static int program_peer_find(struct vb_options *o, struct traffic_program *p,
			     struct target *target)
{
	bool swapped = o->swap;
	struct run_peer *run;
	int status = peer_find(o, target, o->mtu != 0, &program_peer);

	if (status || !program_peer)
		return status;
	run = peer_run(program_peer);
	p->mtu = target->mtu;
	program_traffic = peer_traffic_make(run, o->patience);
	session_set_far(peer_traffic_far(program_traffic));
	if (o->quiet)
		return EXIT_FINE;
	host_print(stderr, "a", swapped ? run->there : run->here);
	host_print(stderr, "b", swapped ? run->here : run->there);
	return EXIT_FINE;
}

void program_end(void)
{
	session_set_far(NULL);
	free(program_traffic);
	program_traffic = NULL;
	if (program_peer)
		peer_close(program_peer);
	program_peer = NULL;
}

int program_make(struct command_call *call, const char *duration,
		 enum traffic_direction mode, struct traffic_program *p,
		 struct target *target)
{
	struct strbuf error = STRBUF_INIT;
	int err = program_options(&call->options, duration, mode, p, &error);
	int status;

	if (!err)
		err = traffic_program_check(p, &error);
	if (!err && p->threads && call->options.peer) {
		strbuf_add(&error, "--ends thread: with --peer they are on two "
				   "hosts; leave one of the two out");
		err = -EINVAL;
	}
	if (err) {
		log_error("%s", strbuf_text(&error));
		strbuf_free(&error);
		return EXIT_USAGE;
	}
	status = program_target(call, p, target);
	return status ? status : program_peer_find(&call->options, p, target);
}

void program_take_size(struct traffic_program *p, uint32_t bytes)
{
	p->sizes = (struct vb_sizes){ .kind = VB_SIZES_LIST,
				      .count = 1,
				      .bytes = { bytes } };
}

json_t *program_settings(const struct traffic_program *p,
			 const struct target *target)
{
	json_t *o = json_object();
	struct strbuf sizes = STRBUF_INIT;
	static const char *const directions[] = { "one", "one", "both",
						  "echo" };

	sizes_text(&p->sizes, &sizes);
#define NUMBER(name) \
	json_object_set_new(o, #name, json_integer((json_int_t)p->name))
	json_object_set_new(o, "device", json_string(p->device));
	json_object_set_new(o, "kind", json_string(target->device.kind));
	json_object_set_new(o, "size", json_string(strbuf_text(&sizes)));
	json_object_set_new(o, "op", json_string(program_op_name(p)));
	json_object_set_new(o, "mode", json_string(directions[p->direction]));
	json_object_set_new(o, "cq_mode",
			    json_string(p->events ? "event" : "poll"));
	json_object_set_new(o, "ends",
			    json_string(program_peer ? "hosts"
					: p->threads ? "thread"
						     : "process"));
	if (program_peer)
		json_object_set_new(o, "peer_kind",
				    json_string(peer_run(program_peer)->kind));
	json_object_set_new(o, "verify", json_boolean(p->verify));
	NUMBER(port);
	NUMBER(mtu);
	NUMBER(qps);
	NUMBER(inflight);
	NUMBER(rq_depth);
	NUMBER(batch);
	NUMBER(signal_every);
	NUMBER(timeout);
	NUMBER(retry);
	NUMBER(rnr_retry);
	NUMBER(min_rnr_timer);
	NUMBER(duration_ns);
	NUMBER(warm_up_ns);
#undef NUMBER
	strbuf_free(&sizes);
	return o;
}
