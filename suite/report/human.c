// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * For people: a header, a line a case, a last line.  What is running now
 * stands on a live line of stderr, when that is a terminal.
 */
#include <string.h>

#include "suite/report/host.h"
#include "suite/report/reporter.h"
#include "suite/report/stream.h"
#include "suite/report/text.h"

#define HUMAN_OFF "\033[0m"

static const char *human_colour(enum vb_verdict v)
{
	switch (v) {
	case VB_PASS:
		return "\033[32m";
	case VB_FAIL:
		return "\033[1;31m";
	case VB_BROKEN:
		return "\033[1;35m";
	case VB_SKIP:
	case VB_DEVIATION:
		return "\033[33m";
	case VB_NONE:
		break;
	}
	return "";
}

static void human_live_clear(const struct reporter *r)
{
	if (r->style.live)
		fputs("\r\033[K", stderr);
}

static void human_options(struct reporter *r, const json_t *options)
{
	const char *name;
	json_t *value;
	bool first = true;

	json_object_foreach((json_t *)options, name, value)
	{
		fprintf(r->out, "%s--%s %s", first ? "options: " : " ", name,
			json_string_value(value));
		first = false;
	}
	if (!first)
		fputc('\n', r->out);
}

static void human_hosts(struct reporter *r, const json_t *event)
{
	const json_t *here = json_object_get(event, "here");
	const json_t *peer = json_object_get(event, "peer");
	bool swapped = strcmp(event_text(event, "peer_end"), "a") == 0;

	if (!json_is_object(here) || !json_is_object(peer))
		return;
	host_print(r->out, "a", swapped ? peer : here);
	host_print(r->out, "b", swapped ? here : peer);
}

static void human_start(struct reporter *r, const json_t *event)
{
	const json_t *device = json_object_get(event, "device");

	if (r->style.quiet)
		return;
	fprintf(r->out, "verbatim %s: ", event_text(event, "version"));
	if (json_is_object(device))
		fprintf(r->out,
			"%s (%s, firmware %s), port %llu %s, MTU %llu, "
			"GID %llu %s %s, ",
			event_text(device, "name"), event_text(device, "kind"),
			event_text(device, "firmware"),
			(unsigned long long)event_number(device, "port"),
			event_text(device, "state"),
			(unsigned long long)event_number(device, "mtu"),
			(unsigned long long)event_number(device, "gid_index"),
			event_text(device, "gid_type"),
			event_text(device, "gid"));
	else
		fprintf(r->out, "no device, ");
	fprintf(r->out, "seed %llu\n",
		(unsigned long long)event_number(event, "seed"));
	if (json_is_string(json_object_get(device, "cm_address")))
		fprintf(r->out, "connected by librdmacm, from %s%s\n",
			event_text(device, "cm_address"),
			json_is_true(json_object_get(device, "cm_alone"))
				? "; of iWARP there is no other way"
				: "");
	human_hosts(r, event);
	human_options(r, json_object_get(event, "options"));
}

static void human_case_start(const struct reporter *r, const json_t *event)
{
	if (!r->style.live)
		return;
	fprintf(stderr, "\r\033[K[%llu/%llu] %s ...",
		(unsigned long long)event_number(event, "number"),
		(unsigned long long)event_number(event, "selected"),
		event_text(event, "id"));
	fflush(stderr);
}

static void human_reason(struct strbuf *out, const json_t *event,
			 enum vb_verdict verdict)
{
	const json_t *deviation = json_object_get(event, "deviation");
	const char *finding = event_text(event, "finding");

	if (!event_text(event, "reason")[0])
		return;
	strbuf_add(out, ": ");
	if (verdict == VB_DEVIATION)
		strbuf_addf(out, "%s: ", event_text(deviation, "reason"));
	if (finding[0])
		strbuf_addf(out, "%s: ", finding);
	/* A line a case, whatever the reason holds. */
	for (const char *c = event_text(event, "reason"); *c; c++)
		strbuf_add_bytes(out, *c == '\n' ? " " : c, 1);
}

static void human_case_end(struct reporter *r, const json_t *event)
{
	enum vb_verdict verdict = stream_verdict(event_text(event, "verdict"));
	bool bad = verdict == VB_FAIL || verdict == VB_BROKEN;
	struct strbuf line = STRBUF_INIT;

	human_live_clear(r);
	if (r->style.quiet && !bad)
		return;
	strbuf_addf(&line, "%s%-9s%s %6llu ms  %s",
		    r->style.colour ? human_colour(verdict) : "",
		    event_text(event, "verdict"),
		    r->style.colour ? HUMAN_OFF : "",
		    (unsigned long long)event_number(event, "duration_ms"),
		    event_text(event, "id"));
	human_reason(&line, event, verdict);
	fprintf(r->out, "%s\n", strbuf_text(&line));
	if (r->style.verbose && verdict == VB_PASS)
		fprintf(r->out, "%22s%llu checks, seed %llu\n", "",
			(unsigned long long)event_number(event, "checks"),
			(unsigned long long)event_number(event, "seed"));
	if (event_text(event, "diagnosis")[0])
		fprintf(r->out, "%22s%s\n", "", event_text(event, "diagnosis"));
	if (bad && event_text(event, "scene")[0])
		fprintf(r->out, "%22sscene: %s%s%s\n", "",
			r->style.dir ? r->style.dir : "",
			r->style.dir ? "/" : "", event_text(event, "scene"));
	strbuf_free(&line);
}

static void human_note(struct reporter *r, const json_t *event)
{
	if (!r->style.verbose)
		return;
	human_live_clear(r);
	fprintf(r->out, "%22s%s\n", "", event_text(event, "text"));
}

static void human_end(struct reporter *r, const json_t *event)
{
	const json_t *stale = json_object_get(event, "stale"), *entry;
	size_t i;

	human_live_clear(r);
	json_array_foreach((json_t *)stale, i, entry)
		fprintf(r->out,
			"stale: the listed deviation of %s no longer occurs "
			"(%s)\n",
			event_text(entry, "id"), event_text(entry, "reason"));
	if (event_text(event, "interrupted")[0])
		fprintf(r->out, "the run ended early: %s\n",
			event_text(event, "interrupted"));
	fprintf(r->out,
		"%llu passed, %llu failed, %llu skipped, %llu broken, "
		"%llu deviations in %.1f s",
		(unsigned long long)event_number(event, "pass"),
		(unsigned long long)event_number(event, "fail"),
		(unsigned long long)event_number(event, "skip"),
		(unsigned long long)event_number(event, "broken"),
		(unsigned long long)event_number(event, "deviation"),
		(double)event_number(event, "duration_ms") / 1e3);
	if (r->style.dir)
		fprintf(r->out, "; files in %s", r->style.dir);
	fputc('\n', r->out);
}

static void human_event(struct reporter *r, const char *kind,
			const json_t *event)
{
	if (strcmp(kind, "run_start") == 0)
		human_start(r, event);
	else if (strcmp(kind, "case_start") == 0)
		human_case_start(r, event);
	else if (strcmp(kind, "case_end") == 0)
		human_case_end(r, event);
	else if (strcmp(kind, "note") == 0)
		human_note(r, event);
	else if (strcmp(kind, "run_end") == 0)
		human_end(r, event);
}

const struct reporter_type reporter_human = {
	.name = "human",
	.event = human_event,
};
