// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ways to post, receive and poll that a device has. */
#include <stdio.h>
#include <string.h>

#include "suite/end/ends.h"

static const char *const paths_names[] = { "SRQ", "ibv_start_poll()",
					   "ibv_wr_*()" };

static void paths_undo(struct vb_end *e, uint32_t id)
{
	const struct end_object in = { .id = id };
	struct end_nothing none;

	if (e->ops->destroy(e->host, &in, &none))
		vb_broken(e->ends->t, "undoing a trial creation");
}

static bool paths_extended(struct vb_end *e)
{
	const struct end_cq in = { .cqe = 4, .extended = true };
	struct end_cq_made made;

	if (e->ops->create_cq(e->host, &in, &made))
		return false;
	paths_undo(e, made.id);
	return true;
}

static bool paths_builder(struct vb_end *e, enum ibv_qp_type type)
{
	const struct end_cq plain = { .cqe = 4 };
	struct end_cq_made cq;
	struct end_qp_made made;
	struct end_qp in = { .pd = e->pd->id,
			     .type = type,
			     .cap = { 1, 1, 1, 1, 0 },
			     .builder = true };
	bool has;

	if (e->ops->create_cq(e->host, &plain, &cq))
		return false;
	in.send_cq = in.recv_cq = cq.id;
	has = !e->ops->create_qp(e->host, &in, &made);
	if (has)
		paths_undo(e, made.id);
	paths_undo(e, cq.id);
	return has;
}

/* Tried once a case; what is missing is noted once. */
static unsigned paths_lack(struct vb_test *t, enum ibv_qp_type type)
{
	struct ends *e = ends_of(t);
	struct vb_end *end = vb_a(t);
	unsigned i;

	if (e->paths_known)
		return e->paths_lack;
	e->paths_known = 1;
	if (!paths_builder(end, type))
		e->paths_lack |= VB_PATH_BUILDER;
	if (!paths_extended(end))
		e->paths_lack |= VB_PATH_EXTENDED;
	if (end->opened.device.max_srq <= 0 || type == IBV_QPT_UC)
		e->paths_lack |= VB_PATH_SRQ;
	for (i = 0; i < ARRAY_SIZE(paths_names); i++)
		if (e->paths_lack & (1u << i))
			vb_note(t, "path %s: the device does not have it",
				paths_names[i]);
	return e->paths_lack;
}

unsigned vb_path_next(struct vb_test *t, enum ibv_qp_type type, unsigned path)
{
	unsigned lack = paths_lack(t, type), i;
	char text[64] = "";

	do
		path++;
	while (path < VB_PATHS && (path & lack));
	if (path >= VB_PATHS)
		return path;
	for (i = 0; i < ARRAY_SIZE(paths_names); i++)
		if (path & (1u << i))
			snprintf(text + strlen(text),
				 sizeof(text) - strlen(text), " %s",
				 paths_names[i]);
	vb_note(t, "path:%s", path ? text : " ibv_post_send() ibv_poll_cq()");
	return path;
}
