// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every other verdict that a case can state, and silence. */
#include <stdio.h>
#include <unistd.h>

#include <verbatim/case.h>

#define META(name, id_text, title_text, ...)                    \
	VB_CASE(name, .id = id_text, .title = title_text,       \
		.dimension = VB_META, .needs = VB_NEED_NOTHING, \
		.limit_ms = 5000, .rules = VB_LIST("RNR-03"),   \
		.run = run_##name, ##__VA_ARGS__)

static void run_pass(struct vb_test *t)
{
	for (int i = 0; i < 3; i++)
		vb_check(t, VB_FIND_OTHER, t->record, "there is a record");
}
META(pass, "verdict/pass", "passes with three checks");

static void run_skip(struct vb_test *t)
{
	vb_skip(t, "not today: %d < %d & \"more\" # than this", 1, 2);
}
META(skip, "verdict/skip", "skips with a reason");

static void run_broken(struct vb_test *t)
{
	vb_broken(t, "its set-up did not work out");
}
META(broken, "verdict/broken", "is broken with a reason");

static void run_silent(struct vb_test *t)
{
}
META(silent, "verdict/silent", "returns without a check");

static void run_exits(struct vb_test *t)
{
	vb_checked(t);
	_exit(7);
}
META(exits, "verdict/exits", "ends its process by itself");

static void run_exits_zero(struct vb_test *t)
{
	vb_checked(t);
	_exit(0);
}
META(exits_zero, "verdict/exits-zero", "ends its process as if all was well");

static void run_notes(struct vb_test *t)
{
	vb_note(t, "seed %llu", (unsigned long long)t->seed);
	for (int i = 0; i < 80; i++)
		vb_note(t, "note %d", i);
	vb_checked(t);
}
META(notes, "verdict/notes", "makes more notes than are kept");

static void run_odd_text(struct vb_test *t)
{
	vb_fail(t, VB_FIND_OTHER,
		"<tag> & \"quotes\" # hash \\ back\nline\ttab \x01 \xff \xc3\xa9");
}
META(odd_text, "verdict/odd-text", "fails with a text that needs escaping");

static void run_prints(struct vb_test *t)
{
	printf("this is on stdout\n");
	fprintf(stderr, "this is on stderr\n");
	vb_fail(t, VB_FIND_OTHER, "after having printed");
}
META(prints, "verdict/prints", "prints, and fails");

static void run_prints_much(struct vb_test *t)
{
	for (int i = 0; i < 20000; i++)
		printf("line %d of what nobody reads\n", i);
	vb_fail(t, VB_FIND_OTHER, "after having printed much");
}
META(prints_much, "verdict/prints-much", "prints more than is kept");
