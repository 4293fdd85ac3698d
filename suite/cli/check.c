// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* check: the preflight, finding by finding. */
#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite/check/judge.h"
#include "suite/cli/answer.h"
#include "suite/cli/command.h"
#include "suite/report/text.h"

static void check_print_gids(const struct check_facts *f)
{
	int chosen = check_gid_chosen(f);

	for (uint32_t i = 0; i < f->gid_count; i++) {
		const struct check_gid *gid = &f->gids[i];
		char address[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET6, gid->gid.raw, address, sizeof(address));
		printf("          %c %3u  %-7s %-39s %s\n",
		       (int)i == chosen ? '*' : ' ', gid->index,
		       target_gid_type_name(gid->type), address,
		       gid->interface);
	}
}

static void check_print_pkeys(const struct check_facts *f)
{
	for (uint32_t i = 0; i < f->pkey_count; i++)
		printf("            %3u  0x%04x\n", f->pkeys[i].index,
		       f->pkeys[i].value);
}

static void check_print(const struct check_facts *f,
			const struct check_finding *findings,
			const struct vb_options *o)
{
	unsigned counts[CHECK_BAD + 1] = { 0 };

	printf("device %s (%s), port %u\n", f->device.name, f->device.kind,
	       f->port);
	for (unsigned i = 0; i < CHECK_FINDINGS; i++) {
		const struct check_finding *c = &findings[i];

		counts[c->level]++;
		if (o->quiet && c->level == CHECK_OK)
			continue;
		printf("  %-5s %-15s %s\n", check_level_name(c->level), c->name,
		       c->value);
		if (c->level != CHECK_OK || o->verbose)
			printf("        why: %s\n", c->why);
		if (c->step[0] && (c->level != CHECK_OK || o->verbose))
			printf("        do:  %s\n", c->step);
		if (i == CHECK_gid && !o->quiet)
			check_print_gids(f);
		if (i == CHECK_pkey && o->verbose)
			check_print_pkeys(f);
	}
	printf("%u ok, %u warn, %u bad\n", counts[CHECK_OK], counts[CHECK_WARN],
	       counts[CHECK_BAD]);
}

static json_t *check_findings_json(const struct check_finding *findings)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < CHECK_FINDINGS; i++) {
		const struct check_finding *c = &findings[i];
		const char *step = c->step[0] ? c->step : NULL;

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", c->name,
				  "level", check_level_name(c->level), "value",
				  text_json(c->value), "why", text_json(c->why),
				  "do", text_json(step)));
	}
	return list;
}

static json_t *check_gids_json(const struct check_facts *f)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < f->gid_count; i++) {
		const struct check_gid *gid = &f->gids[i];
		char address[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET6, gid->gid.raw, address, sizeof(address));
		json_array_append_new(
			list,
			json_pack("{s:i, s:s, s:s, s:o, s:b}", "index",
				  (int)gid->index, "gid", address, "type",
				  target_gid_type_name(gid->type), "interface",
				  text_json(gid->interface), "chosen",
				  (int)i == check_gid_chosen(f)));
	}
	return list;
}

static void check_json(const struct check_facts *f,
		       const struct check_finding *findings)
{
	json_t *pkeys = json_array(), *json;

	for (uint32_t i = 0; i < f->pkey_count; i++)
		json_array_append_new(pkeys,
				      json_pack("{s:i, s:i}", "index",
						(int)f->pkeys[i].index, "pkey",
						f->pkeys[i].value));
	json = json_pack("{s:o, s:o, s:i, s:s, s:o, s:o, s:o}", "device",
			 text_json(f->device.name), "kind",
			 text_json(f->device.kind), "port", f->port, "level",
			 check_level_name(check_worst(findings)), "findings",
			 check_findings_json(findings), "gids",
			 check_gids_json(f), "pkeys", pkeys);
	answer_json(json);
}

int command_check(struct command_call *call)
{
	struct vb_options *o = &call->options;
	struct check_finding findings[CHECK_FINDINGS];
	struct check_facts *facts;
	char *error = NULL;
	int err;

	/* That the port of a real device is down is what is to be told. */
	err = answer_device(call, true);
	if (err)
		return err;
	facts = calloc(1, sizeof(*facts));
	if (!facts)
		abort();
	err = check_gather(o, facts, &error);
	if (err) {
		free(facts);
		return answer_error(error,
				    err == -EINVAL ? EXIT_USAGE : EXIT_ABSENT);
	}
	check_judge(facts, findings);
	if (o->json)
		check_json(facts, findings);
	else
		check_print(facts, findings, o);
	free(facts);
	return check_worst(findings) == CHECK_BAD ? EXIT_FAILED : EXIT_FINE;
}
