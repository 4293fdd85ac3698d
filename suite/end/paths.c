// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ways to post, receive and poll that a device has. */
#include <stdio.h>
#include <string.h>

#include "suite/end/ends.h"

enum {
	PATHS_ALL = VB_PATH_SRQ | VB_PATH_EXTENDED | VB_PATH_BUILDER,
	PATHS_TEXT = 64,
};

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
	unsigned *lack = &e->paths_lack[type];
	unsigned i;

	if (e->paths_known[type])
		return *lack;
	e->paths_known[type] = true;
	if (!paths_builder(end, type))
		*lack |= VB_PATH_BUILDER;
	if (!paths_extended(end))
		*lack |= VB_PATH_EXTENDED;
	if (end->opened.device.max_srq <= 0 || type == IBV_QPT_UC)
		*lack |= VB_PATH_SRQ;
	for (i = 0; i < ARRAY_SIZE(paths_names); i++)
		if (*lack & (1u << i))
			vb_note(t, "path %s: the device does not have it",
				paths_names[i]);
	return *lack;
}

static const char *paths_text(unsigned path, char *text, size_t room)
{
	unsigned i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(paths_names); i++)
		if (path & (1u << i))
			snprintf(text + strlen(text), room - strlen(text),
				 " %s", paths_names[i]);
	if (!text[0])
		snprintf(text, room, " ibv_post_send() ibv_poll_cq()");
	return text;
}

unsigned vb_path_next(struct vb_test *t, enum ibv_qp_type type, unsigned path)
{
	unsigned lack = paths_lack(t, type);
	char text[PATHS_TEXT];

	path = path == UINT32_MAX ? 0 : (path & PATHS_ALL) + 1;
	while (path <= PATHS_ALL && (path & lack))
		path++;
	if (path > PATHS_ALL)
		return 0;
	vb_note(t, "path:%s", paths_text(path, text, sizeof(text)));
	return path | VB_PATH_SAID;
}

/* --- --path -------------------------------------------------------------- */

/* Of the words of --path, which has been looked at by the command line. */
static unsigned paths_said(const char *words)
{
	static const char *const names[] = { "srq", "extended", "builder" };
	unsigned path = 0, i;

	for (i = 0; words && i < ARRAY_SIZE(names); i++)
		if (strstr(words, names[i]))
			path |= 1u << i;
	return path;
}

/* By chance, from the case's seed. */
static unsigned paths_turn(struct vb_end *e, unsigned lack)
{
	unsigned path = (unsigned)prng_below(&e->ends->prng, PATHS_ALL + 1);

	return path & ~lack;
}

/* What keeps a queue pair from a way, not the device. */
static unsigned paths_fixed(const struct vb_end *e,
			    const struct vb_qp_args *args)
{
	const struct vb_case *record = e->ends->t->record;
	unsigned fixed = record ? record->fixed : 0;

	/* UC has no SRQ; and one that the case has made is the one. */
	if (args->srq || args->type == IBV_QPT_UC)
		fixed |= VB_PATH_SRQ;
	return fixed;
}

unsigned ends_paths_lack(struct vb_test *t, enum ibv_qp_type type)
{
	return paths_lack(t, type);
}

unsigned ends_path(struct vb_end *e, const struct vb_qp_args *args)
{
	enum ibv_qp_type type = args->type ? args->type : IBV_QPT_RC;
	struct vb_test *t = e->ends->t;
	unsigned path, lack, fixed;
	char text[PATHS_TEXT];
	bool turn;

	if (args->path || !t->options->path ||
	    !strcmp(t->options->path, "plain"))
		return args->path & PATHS_ALL;
	turn = !strcmp(t->options->path, "turn");
	fixed = paths_fixed(e, args);
	lack = (unsigned)type < ENDS_TYPES ? paths_lack(t, type) : PATHS_ALL;
	path = turn ? paths_turn(e, lack) : paths_said(t->options->path);
	path &= ~fixed;
	if (path & lack)
		vb_skip(t, "--path %s: the device does not have%s",
			t->options->path,
			paths_text(path & lack, text, sizeof(text)));
	if (!e->ends->paths_told)
		vb_note(t, "--path %s: its first queue pair goes by%s",
			t->options->path, paths_text(path, text, sizeof(text)));
	e->ends->paths_told = true;
	return path;
}
