// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* devices: what there is, a line each; -v with all limits and counters. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/verbs_names.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/cli/counters.h"
#include "suite/cli/limits.h"
#include "suite/cli/soft.h"
#include "suite/cli/words.h"
#include "suite/report/text.h"
#include "suite/runner/target.h"

/* A flag's name; that of one without in @unnamed. */
static const char *devices_flag(const struct limit *l, unsigned bit,
				char unnamed[16])
{
	const char *word = l->word(UINT64_C(1) << bit);

	if (word)
		return word;
	snprintf(unnamed, 16, "bit %u", bit);
	return unnamed;
}

static void devices_print_flags(const struct limit *l, uint64_t value)
{
	const char *between = "";
	char unnamed[16];

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(value >> bit & 1))
			continue;
		printf("%s%s", between, devices_flag(l, bit, unnamed));
		between = ", ";
	}
	printf("%s (0x%" PRIx64 ")\n", value ? "" : "none", value);
}

static void devices_print_value(const struct limit *l, uint64_t value)
{
	switch (l->kind) {
	case LIMIT_NUMBER:
		printf("%" PRIu64 "\n", value);
		break;
	case LIMIT_CODE:
		printf("0x%" PRIx64 "\n", value);
		break;
	case LIMIT_WORD:
		printf("%s (%" PRIu64 ")\n", l->word(value), value);
		break;
	case LIMIT_FLAGS:
		devices_print_flags(l, value);
		break;
	}
}

static void devices_print_limits(const char *prefix, const struct limit *limits,
				 size_t count, const void *attr)
{
	for (size_t i = 0; i < count; i++) {
		printf("    %s%-*s ", prefix, 24 - (int)strlen(prefix),
		       limits[i].name);
		devices_print_value(&limits[i], limits_value(&limits[i], attr));
	}
}

static void devices_print_counter(void *arg, unsigned port, const char *name,
				  uint64_t value)
{
	(void)arg;
	if (port)
		printf("    port %u counter %s %" PRIu64 "\n", port, name,
		       value);
	else
		printf("    counter %-24s %" PRIu64 "\n", name, value);
}

static void devices_print(const struct target_device *d, bool verbose)
{
	if (d->open_errno) {
		printf("%-12s %-8s cannot be opened: %s\n", d->name, d->kind,
		       strerror(d->open_errno));
		return;
	}
	printf("%-12s %-8s firmware %s, %u port%s", d->name, d->kind,
	       d->attr.fw_ver[0] ? d->attr.fw_ver : "-", d->attr.phys_port_cnt,
	       d->attr.phys_port_cnt == 1 ? "" : "s");
	for (unsigned i = 0; i < d->port_count; i++)
		printf(", %u: %s %s MTU %u", d->ports[i].number,
		       ibv_port_state_str(d->ports[i].attr.state),
		       words_link_layer(d->ports[i].attr.link_layer),
		       verbs_mtu_bytes(d->ports[i].attr.active_mtu));
	putchar('\n');
	if (!verbose)
		return;
	devices_print_limits("", limits_device, limits_device_count, &d->attr);
	for (unsigned p = 0; p < d->port_count; p++) {
		char prefix[16];

		snprintf(prefix, sizeof(prefix), "port %u ",
			 d->ports[p].number);
		devices_print_limits(prefix, limits_port, limits_port_count,
				     &d->ports[p].attr);
	}
	counters_each(d->name, d->port_count, devices_print_counter, NULL);
}

static json_t *devices_flags_json(const struct limit *l, uint64_t value)
{
	json_t *names = json_array();
	char unnamed[16];

	for (unsigned bit = 0; bit < 64; bit++) {
		if (value >> bit & 1)
			json_array_append_new(names, text_json(devices_flag(
							     l, bit, unnamed)));
	}
	return names;
}

static json_t *devices_limits_json(const struct limit *limits, size_t count,
				   const void *attr)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++) {
		const struct limit *l = &limits[i];
		uint64_t value = limits_value(l, attr);
		bool flags = l->kind == LIMIT_FLAGS;
		struct strbuf name = STRBUF_INIT;

		json_object_set_new(object, l->name,
				    json_integer((json_int_t)value));
		if (!l->word)
			continue;
		strbuf_addf(&name, "%s_name%s", l->name, flags ? "s" : "");
		json_object_set_new(object, strbuf_text(&name),
				    flags ? devices_flags_json(l, value)
					  : text_json(l->word(value)));
		strbuf_free(&name);
	}
	return object;
}

static void devices_counter_json(void *counters, unsigned port,
				 const char *name, uint64_t value)
{
	struct strbuf full = STRBUF_INIT;

	if (port)
		strbuf_addf(&full, "port%u/", port);
	strbuf_add(&full, name);
	json_object_set_new(counters, strbuf_text(&full),
			    json_integer((json_int_t)value));
	strbuf_free(&full);
}

static json_t *devices_json(const struct target_device *d)
{
	json_t *device = json_object(), *ports = json_array();
	json_t *counters = json_object();

	json_object_set_new(device, "name", text_json(d->name));
	json_object_set_new(device, "kind", text_json(d->kind));
	json_object_set_new(device, "error",
			    text_json(d->open_errno ? strerror(d->open_errno)
						    : NULL));
	if (!d->open_errno) {
		json_object_set_new(device, "firmware",
				    text_json(d->attr.fw_ver));
		json_object_set_new(device, "limits",
				    devices_limits_json(limits_device,
							limits_device_count,
							&d->attr));
	}
	for (unsigned i = 0; i < d->port_count; i++) {
		const struct target_port *p = &d->ports[i];
		json_t *port = devices_limits_json(limits_port,
						   limits_port_count, &p->attr);

		json_object_set_new(port, "port", json_integer(p->number));
		json_array_append_new(ports, port);
	}
	json_object_set_new(device, "ports", ports);
	if (!d->open_errno)
		counters_each(d->name, d->port_count, devices_counter_json,
			      counters);
	json_object_set_new(device, "counters", counters);
	return device;
}

static void devices_show(const struct target_list *list,
			 const struct vb_options *o)
{
	json_t *all = o->json ? json_array() : NULL;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct target_device *d = &list->devices[i];

		if (o->device && strcmp(o->device, d->name))
			continue;
		if (all)
			json_array_append_new(all, devices_json(d));
		else
			devices_print(d, o->verbose);
	}
	if (all)
		answer_json(all);
}

static bool devices_has(const struct target_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (strcmp(list->devices[i].name, name) == 0)
			return true;
	return false;
}

static int devices_absent(const struct target_list *list, const char *name)
{
	struct strbuf names = STRBUF_INIT;

	for (uint32_t i = 0; i < list->count; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "",
			    list->devices[i].name);
	log_error("device '%s' not found; there are: %s", name,
		  names.len ? strbuf_text(&names) : "none");
	strbuf_free(&names);
	return EXIT_ABSENT;
}

int command_devices(struct command_call *call)
{
	struct target_list *list = calloc(1, sizeof(*list));
	const struct vb_options *o = &call->options;
	int status = EXIT_FINE;
	char *error = NULL;

	if (!list)
		abort();
	/* With the software device in this process it is in the list; where
	 * it is not installed, the real ones are still worth showing. */
	if (soft_require(call->argv, &error)) {
		log_warn("%s", error);
		free(error);
		error = NULL;
	}
	if (target_list(list, &error)) {
		status = answer_error(error, EXIT_ABSENT);
	} else if (o->device && !devices_has(list, o->device)) {
		status = devices_absent(list, o->device);
	} else {
		devices_show(list, o);
	}
	free(list);
	return status;
}
