// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * JUnit XML, as CI servers read it: the topic is the class, fail a failure,
 * broken an error, skip and deviation are skipped.  The totals stand before
 * the cases, so nothing is written until the run ends.
 */
#include <stdlib.h>
#include <string.h>

#include "suite/report/reporter.h"
#include "suite/report/stream.h"
#include "suite/report/text.h"

struct junit_state {
	struct strbuf head; /* properties */
	struct strbuf cases;
	char time[32];
};

static void junit_attribute(struct strbuf *out, const char *name,
			    const char *value)
{
	strbuf_addf(out, " %s=\"", name);
	text_add_xml(out, value);
	strbuf_add(out, "\"");
}

static void junit_start(struct junit_state *state, const json_t *event)
{
	const json_t *device = json_object_get(event, "device");
	char seed[24];

	snprintf(state->time, sizeof(state->time), "%s",
		 event_text(event, "time"));
	snprintf(seed, sizeof(seed), "%llu",
		 (unsigned long long)event_number(event, "seed"));
	strbuf_add(&state->head, "<properties>\n<property name=\"version\"");
	junit_attribute(&state->head, "value", event_text(event, "version"));
	strbuf_add(&state->head, "/>\n<property name=\"device\"");
	junit_attribute(&state->head, "value", event_text(device, "name"));
	strbuf_add(&state->head, "/>\n<property name=\"seed\"");
	junit_attribute(&state->head, "value", seed);
	strbuf_add(&state->head, "/>\n</properties>\n");
}

/* The element inside a test case that did not pass. */
static void junit_verdict(struct strbuf *out, const json_t *event,
			  enum vb_verdict verdict)
{
	const json_t *deviation = json_object_get(event, "deviation");
	struct strbuf message = STRBUF_INIT;
	const char *element = verdict == VB_FAIL     ? "failure"
			      : verdict == VB_BROKEN ? "error"
						     : "skipped";

	if (verdict == VB_DEVIATION)
		strbuf_addf(&message,
			    "deviation: %s: ", event_text(deviation, "reason"));
	strbuf_add(&message, event_text(event, "reason"));
	strbuf_addf(out, "<%s", element);
	junit_attribute(out, "message", strbuf_text(&message));
	if (verdict == VB_FAIL)
		junit_attribute(out, "type", event_text(event, "finding"));
	if (verdict == VB_BROKEN)
		junit_attribute(out, "type", "broken");
	strbuf_add(out, "/>\n");
	strbuf_free(&message);
}

static void junit_case(struct junit_state *state, const json_t *event)
{
	enum vb_verdict verdict = stream_verdict(event_text(event, "verdict"));
	const char *id = event_text(event, "id"), *slash = strchr(id, '/');
	struct strbuf *out = &state->cases;
	char topic[128];

	snprintf(topic, sizeof(topic), "%.*s", (int)strcspn(id, "/"), id);
	strbuf_add(out, "<testcase");
	junit_attribute(out, "classname", topic);
	junit_attribute(out, "name", slash ? slash + 1 : id);
	strbuf_addf(out, " time=\"%.3f\"",
		    (double)event_number(event, "duration_ms") / 1e3);
	if (verdict == VB_PASS) {
		strbuf_add(out, "/>\n");
		return;
	}
	strbuf_add(out, ">\n");
	junit_verdict(out, event, verdict);
	strbuf_add(out, "</testcase>\n");
}

static void junit_end(struct reporter *r, const json_t *event)
{
	struct junit_state *state = r->state;
	uint64_t pass = event_number(event, "pass");
	uint64_t fail = event_number(event, "fail");
	uint64_t broken = event_number(event, "broken");
	uint64_t skipped =
		event_number(event, "skip") + event_number(event, "deviation");

	fprintf(r->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"<testsuite name=\"verbatim\" tests=\"%llu\" "
		"failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\" "
		"time=\"%.3f\" timestamp=\"%s\">\n%s%s</testsuite>\n"
		"</testsuites>\n",
		(unsigned long long)(pass + fail + broken + skipped),
		(unsigned long long)fail, (unsigned long long)broken,
		(unsigned long long)skipped,
		(double)event_number(event, "duration_ms") / 1e3, state->time,
		strbuf_text(&state->head), strbuf_text(&state->cases));
}

static void junit_event(struct reporter *r, const char *kind,
			const json_t *event)
{
	if (!r->state)
		r->state = calloc(1, sizeof(struct junit_state));
	if (!r->state)
		abort();
	if (strcmp(kind, "run_start") == 0)
		junit_start(r->state, event);
	else if (strcmp(kind, "case_end") == 0)
		junit_case(r->state, event);
	else if (strcmp(kind, "run_end") == 0)
		junit_end(r, event);
}

static void junit_close(struct reporter *r)
{
	struct junit_state *state = r->state;

	if (state) {
		strbuf_free(&state->head);
		strbuf_free(&state->cases);
	}
	free(state);
}

const struct reporter_type reporter_junit = {
	.name = "junit",
	.file = "junit.xml",
	.event = junit_event,
	.close = junit_close,
};
