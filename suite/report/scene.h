/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The scene of a case that did not pass: everything known of it at its end,
 * for people (scene/ID.txt) and for programs (scene/ID.jsonl).
 */
#ifndef SUITE_REPORT_SCENE_H
#define SUITE_REPORT_SCENE_H

#include <jansson.h>
#include <stdint.h>

#include "base/compiler.h"

struct recorder;
struct dashboard;
struct vb_case;

struct scene {
	const struct vb_case *record;
	const json_t *end;     /* the case_end event */
	const char *diagnosis; /* empty: none */
	const char *const *notes;
	uint32_t notes_kept, notes_made;
	const char *captured; /* what it printed */
	const char *run_dir;
	const struct recorder *recorder;   /* NULL: nothing */
	const struct dashboard *dashboard; /* NULL: nothing */
};

/* "scene/topic/behaviour.txt", relative to the run's folder; free() it. */
char *scene_name(const char *id) MUST_USE;
/* 0, or a negative errno. */
int scene_write(const struct scene *s) MUST_USE;

#endif
