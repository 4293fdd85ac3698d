// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The port goes down and comes up again, twice: each time its event comes, the
 * port is queried as it is then, and traffic goes as before once it is up.
 */
#include <string.h>

#include <verbatim/case.h>

enum { TIMES = 2, MESSAGES = 8 };

static bool one_port(struct vb_test *t)
{
	return !memcmp(vb_gid(vb_a(t)), vb_gid(vb_b(t)), sizeof(union ibv_gid));
}

static void turn(struct vb_test *t, struct vb_end *e, bool up)
{
	enum ibv_port_state want = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	struct ibv_port_attr attr;

	if (!vb_set_port(e, up))
		vb_skip(t, "the port of this device cannot be taken down from "
			   "here");
	vb_expect_port_event(e, up);
	/* All contexts of the port are told. */
	if (one_port(t))
		vb_expect_port_event(vb_a(t), up);
	if (vb_query_port(e, (unsigned)t->options->port, &attr))
		vb_fail(t, VB_FIND_WRONG_RETURN, "the port cannot be queried");
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, attr.state == want,
		 "the port was taken %s, its state reads %s",
		 up ? "up" : "down", ibv_port_state_str(attr.state));
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = MESSAGES);

	for (unsigned i = 0; i < TIMES; i++) {
		turn(t, vb_b(t), false);
		turn(t, vb_b(t), true);
		vb_stream(p, .messages = MESSAGES, .inflight = MESSAGES,
			  .direction = VB_BOTH_WAYS);
	}
	vb_expect_all_settled(t);
}

VB_CASE(async_port_down, .id = "async/port-down",
	.title = "the events and the state of the port follow its link",
	.spec = "ibv_get_async_event(3), ibv_query_port(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("AEV-12", "AEV-02"),
	.defects = VB_LIST("PORT-01", "PORT-03"),
	.kills = VB_LIST("D44", "R12"), .run = run);
