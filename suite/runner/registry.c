// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The registry: the linker section "vb_cases", sorted once. */
#include "suite/runner/registry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* Weak: a program without a single case has no such section. */
extern const struct vb_case *const __start_vb_cases[] __attribute__((weak));
extern const struct vb_case *const __stop_vb_cases[] __attribute__((weak));

static const struct vb_case **registry_sorted;
static size_t registry_len;

static int registry_compare(const void *a, const void *b)
{
	const struct vb_case *const *x = a, *const *y = b;

	return strcmp((*x)->id ? (*x)->id : "", (*y)->id ? (*y)->id : "");
}

static void registry_fill(void)
{
	const struct vb_case *const *from = __start_vb_cases;
	size_t count = 0;

	if (registry_sorted)
		return;
	if (from)
		count = (size_t)(__stop_vb_cases - from);
	registry_sorted = calloc(count + 1, sizeof(*registry_sorted));
	if (!registry_sorted)
		abort();
	/* Slot by slot: sanitizers may pad the section with null pointers. */
	for (size_t i = 0; i < count; i++)
		if (from[i])
			registry_sorted[registry_len++] = from[i];
	qsort(registry_sorted, registry_len, sizeof(*registry_sorted),
	      registry_compare);
}

size_t registry_count(void)
{
	registry_fill();
	return registry_len;
}

const struct vb_case *registry_at(size_t n)
{
	registry_fill();
	assert(n < registry_len);
	return registry_sorted[n];
}

const struct vb_case *registry_find(const char *id)
{
	for (size_t i = 0; i < registry_count(); i++)
		if (strcmp(registry_at(i)->id, id) == 0)
			return registry_at(i);
	return NULL;
}

static const char *registry_case_fault(const struct vb_case *c)
{
	const char *slash = c->id ? strchr(c->id, '/') : NULL;

	if (!slash || slash == c->id || !slash[1] || strchr(slash + 1, '/'))
		return "its id is not of the form topic/behaviour";
	if (strspn(c->id, "abcdefghijklmnopqrstuvwxyz0123456789-/") !=
	    strlen(c->id))
		return "its id has more than small letters, digits and dashes";
	if (!c->title || !c->title[0])
		return "it has no title";
	if (!c->limit_ms)
		return "it has no limit";
	if (!c->run)
		return "it has no function";
	return NULL;
}

char *registry_fault(void)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < registry_count(); i++) {
		const struct vb_case *c = registry_at(i);
		const char *fault = registry_case_fault(c);

		if (!fault && i && strcmp(c->id, registry_at(i - 1)->id) == 0)
			fault = "another case has the same id";
		if (fault) {
			strbuf_addf(&text, "case '%s' in %s: %s",
				    c->id ? c->id : "", c->file, fault);
			return strbuf_detach(&text);
		}
	}
	return NULL;
}

const char *registry_dimension_name(enum vb_dimension d)
{
	static const char *const names[] = {
		[VB_NORMAL] = "normal",
		[VB_FAULT] = "fault",
		[VB_SOAK] = "soak",
		[VB_META] = "meta",
	};

	assert((size_t)d < ARRAY_SIZE(names));
	return names[d];
}
