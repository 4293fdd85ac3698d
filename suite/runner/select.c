// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Selectors: each is tried in all its meanings against every case. */
#include "suite/runner/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "suite/runner/nearest.h"
#include "suite/runner/registry.h"

static bool select_topic_is(const char *id, const char *topic)
{
	size_t len = strlen(topic);

	return strncmp(id, topic, len) == 0 && id[len] == '/';
}

static bool select_matches(const struct vb_case *c, const char *selector)
{
	return strcmp(selector, "all") == 0 || strcmp(selector, c->id) == 0 ||
	       select_topic_is(c->id, selector) ||
	       strcmp(selector, registry_dimension_name(c->dimension)) == 0 ||
	       fnmatch(selector, c->id, 0) == 0;
}

/* Ids, topics and dimensions: everything that could have been meant. */
static size_t select_words(const char **words, char **topics)
{
	size_t count = 0, topic_count = 0;

	for (size_t i = 0; i < registry_count(); i++) {
		const char *id = registry_at(i)->id;
		size_t len = strcspn(id, "/");

		words[count++] = id;
		if (topic_count && select_topic_is(id, topics[topic_count - 1]))
			continue;
		topics[topic_count] = strndup(id, len);
		if (!topics[topic_count])
			abort();
		words[count++] = topics[topic_count++];
	}
	for (int d = VB_NORMAL; d <= VB_SOAK; d++)
		words[count++] = registry_dimension_name((enum vb_dimension)d);
	words[count++] = "all";
	return count;
}

static char *select_error(const char *selector)
{
	size_t room = 2 * registry_count() + 8;
	const char **words = calloc(room, sizeof(*words));
	char **topics = calloc(room, sizeof(*topics));
	struct strbuf near = STRBUF_INIT, text = STRBUF_INIT;
	size_t count;

	if (!words || !topics)
		abort();
	count = select_words(words, topics);
	if (!registry_count()) {
		strbuf_add(&text, "this program was built without any case");
		goto done;
	}
	strbuf_addf(&text,
		    "selector '%s': no case has this id, topic, "
		    "dimension or pattern; ",
		    selector);
	if (nearest_list(selector, words, count, 3, &near))
		strbuf_addf(&text, "nearest: %s", strbuf_text(&near));
	else
		strbuf_add(&text, "'verbatim list' shows them all");
done:
	for (size_t i = 0; topics[i]; i++)
		free(topics[i]);
	free(topics);
	free(words);
	strbuf_free(&near);
	return strbuf_detach(&text);
}

int select_cases(const char *const *selectors, size_t count,
		 struct selection *out, char **error)
{
	static const char *const everything[] = { "all" };
	struct selection s = { 0 };
	bool *chosen = calloc(registry_count() + 1, sizeof(*chosen));

	s.cases = calloc(registry_count() + 1, sizeof(*s.cases));
	if (!chosen || !s.cases)
		abort();
	if (!count) {
		selectors = everything;
		count = 1;
	}
	for (size_t k = 0; k < count; k++) {
		size_t matches = 0;

		for (size_t i = 0; i < registry_count(); i++) {
			if (!select_matches(registry_at(i), selectors[k]))
				continue;
			chosen[i] = true;
			matches++;
		}
		if (!matches) {
			*error = select_error(selectors[k]);
			free(chosen);
			free(s.cases);
			return -ENOENT;
		}
	}
	for (size_t i = 0; i < registry_count(); i++)
		if (chosen[i])
			s.cases[s.count++] = registry_at(i);
	free(chosen);
	*out = s;
	return 0;
}

void select_drop(struct selection *s, enum vb_dimension dimension)
{
	size_t left = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->cases[i]->dimension != dimension)
			s->cases[left++] = s->cases[i];
	s->count = left;
}

void select_free(struct selection *s)
{
	free(s->cases);
	*s = (struct selection){ 0 };
}
