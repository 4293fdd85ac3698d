// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Faults of the wire, on demand of a case: the fault rules of the software
 * device, by functions that are found at run time when it is there at all.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/direct.h"
#include "suite/end/ends.h"
#include "suite/end/local.h"

enum { WIRE_RULES_MAX = 512 };

static struct ibv_context *wire_context(struct vb_test *t)
{
	struct vb_end *a = vb_a(t), *b = vb_b(t);

	if (a->remote || b->remote)
		vb_skip(t, "the wire of an end elsewhere cannot be spoilt from "
			   "here");
	return a->host->context;
}

static void wire_find(struct vb_test *t, struct direct *out)
{
	direct_find(out);
	if (!out->fault_add || !out->fault_clear || !out->fault_hits)
		vb_broken(t, "the process has no fault rules; the case lacks "
			     "VB_NEED_FAULTS");
}

void vb_wire_spoil(struct vb_test *t, const char *rules, ...)
{
	struct direct direct;
	char *error = NULL, text[WIRE_RULES_MAX];
	va_list args;

	wire_find(t, &direct);
	va_start(args, rules);
	vsnprintf(text, sizeof(text), rules, args);
	va_end(args);
	if (direct.fault_add(wire_context(t), text, &error))
		vb_broken(t, "fault rules '%s': %s", text,
			  error ? error : strerror(errno));
}

void vb_wire_heal(struct vb_test *t)
{
	struct direct direct;

	wire_find(t, &direct);
	if (direct.fault_clear(wire_context(t)))
		vb_broken(t, "clearing the fault rules: %s", strerror(errno));
}

uint64_t vb_wire_acted(struct vb_test *t, unsigned rule)
{
	struct direct direct;
	uint64_t fitted, acted;

	wire_find(t, &direct);
	if (direct.fault_hits(wire_context(t), rule, &fitted, &acted, NULL, 0))
		vb_broken(t, "fault rule %u: %s", rule, strerror(errno));
	return acted;
}
