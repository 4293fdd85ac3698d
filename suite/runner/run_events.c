// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The events of a run as JSON objects; their shape is a promise to others. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "suite/report/text.h"
#include "suite/runner/area.h"
#include "suite/runner/run.h"

/* A member of @object; taking over @value. */
static void event_set(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value))
		abort();
}

static void event_set_number(json_t *object, const char *key, uint64_t value)
{
	event_set(object, key, json_integer((json_int_t)value));
}

static json_t *event_new(const char *kind)
{
	json_t *event = json_object();

	event_set(event, "event", json_string(kind));
	return event;
}

static json_t *event_device(const struct target *t)
{
	json_t *device;
	char gid[INET6_ADDRSTRLEN] = "";

	if (!t->present)
		return json_null();
	device = json_object();
	inet_ntop(AF_INET6, t->gid.raw, gid, sizeof(gid));
	event_set(device, "name", text_json(t->device.name));
	event_set(device, "kind", text_json(t->device.kind));
	event_set(device, "firmware", text_json(t->device.attr.fw_ver));
	event_set_number(device, "vendor_id", t->device.attr.vendor_id);
	event_set_number(device, "vendor_part_id",
			 t->device.attr.vendor_part_id);
	event_set_number(device, "port", t->port);
	/* The probe has made sure of it. */
	event_set(device, "state", json_string("ACTIVE"));
	event_set_number(device, "mtu", t->mtu);
	event_set_number(device, "gid_index", t->gid_index);
	event_set(device, "gid", text_json(gid));
	event_set(device, "gid_type",
		  text_json(target_gid_type_name(t->gid_type)));
	event_set(device, "connect", json_string(t->by_cm ? "cm" : "oob"));
	event_set(device, "cm_address",
		  text_json(t->by_cm ? t->cm_address : NULL));
	event_set(device, "cm_alone", json_boolean(t->by_cm_alone));
	return device;
}

json_t *run_event_start(const struct run *r)
{
	json_t *event = event_new("run_start");
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	event_set(event, "version", json_string(VB_VERSION));
	event_set(event, "time", json_string(stamp));
	event_set(event, "device", event_device(r->target));
	if (r->peer) {
		event_set(event, "here", json_deep_copy(r->peer->here));
		event_set(event, "peer", json_deep_copy(r->peer->there));
		event_set(event, "peer_end",
			  json_string(r->peer->inside.side ? "b" : "a"));
	}
	if (!r->peer && r->here)
		event_set(event, "here", json_deep_copy(r->here));
	event_set_number(event, "seed", r->options->seed);
	event_set(event, "options", json_copy(r->options_given));
	event_set_number(event, "selected", r->cases.count);
	return event;
}

json_t *run_event_clock(const struct run *r, const struct vb_case *record,
			const struct run_half *half)
{
	json_t *event = event_new("clock");

	event_set(event, "id", text_json(record->id));
	event_set(event, "end", json_string(r->peer->inside.side ? "b" : "a"));
	event_set(event, "offset_ns", json_integer(half->offset_ns));
	event_set_number(event, "rtt_ns", half->rtt_ns);
	event_set(event, "drift_ppm", json_real(half->drift_ppm));
	return event;
}

json_t *run_event_case_start(const struct run *r, size_t number)
{
	const struct vb_case *record = r->cases.cases[number];
	json_t *event = event_new("case_start");

	event_set(event, "id", text_json(record->id));
	event_set(event, "title", text_json(record->title));
	event_set_number(event, "seed",
			 run_case_seed(r->options->seed, record->id));
	event_set_number(event, "limit_ms",
			 vb_case_limit_ms(record, r->options));
	event_set_number(event, "number", number + 1);
	event_set_number(event, "selected", r->cases.count);
	return event;
}

json_t *run_event_case_end(const struct run *r, const struct vb_case *record,
			   const struct result *result, const char *scene)
{
	json_t *event = event_new("case_end"), *deviation = json_null();
	bool failed = result->verdict == VB_FAIL ||
		      result->verdict == VB_DEVIATION;
	const char *diagnosis = failed ? r->area->outcome.diagnosis : "";

	if (result->verdict == VB_DEVIATION) {
		deviation = json_object();
		event_set(deviation, "reason",
			  text_json(result->deviation_reason));
		event_set(deviation, "source",
			  text_json(result->deviation_source));
		if (r->peer)
			event_set(deviation, "kind",
				  text_json(result->deviation_kind));
	}
	event_set(event, "id", text_json(record->id));
	event_set(event, "verdict",
		  json_string(vb_verdict_name(result->verdict)));
	event_set(event, "reason",
		  text_json(result->reason[0] ? result->reason : NULL));
	event_set(event, "finding",
		  text_json(failed ? vb_finding_word(result->finding) : NULL));
	event_set(event, "diagnosis",
		  text_json(diagnosis[0] ? diagnosis : NULL));
	event_set_number(event, "duration_ms", result->duration_ms);
	event_set_number(event, "seed",
			 run_case_seed(r->options->seed, record->id));
	event_set(event, "rules", text_json_words(record->rules));
	event_set_number(event, "checks", result->checks);
	event_set(event, "scene", text_json(scene));
	event_set(event, "deviation", deviation);
	return event;
}

json_t *run_event_end(const struct run *r, const char *interrupted)
{
	const uint64_t *of = r->stream.tally.of;
	json_t *event = event_new("run_end");

	for (int v = VB_PASS; v <= VB_DEVIATION; v++)
		event_set_number(event, vb_verdict_name((enum vb_verdict)v),
				 of[v]);
	event_set_number(event, "duration_ms",
			 (clock_now_ns() - r->started_ns) / NS_PER_MS);
	event_set(event, "interrupted", text_json(interrupted));
	event_set(event, "stale", json_copy(r->stale));
	return event;
}
