// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules, scenarios and statuses as tables. */
#include "suite/cli/rules.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct rule rules[] = {
#include "rules/rules.inc"
};
const size_t rule_count = ARRAY_SIZE(rules);

const struct scenario scenarios[] = {
#include "rules/status_matrix.inc"
};
const size_t scenario_count = ARRAY_SIZE(scenarios);

const struct excuse excuses[] = {
#include "rules/uncovered.inc"
};
const size_t excuse_count = ARRAY_SIZE(excuses);

const struct status_text status_texts[] = {
#define CLI_STATUS(name, meaning, causes) { #name, meaning, causes },
#include "suite/cli/statuses.def"
#undef CLI_STATUS
};
const size_t status_text_count = ARRAY_SIZE(status_texts);

const struct rule *rules_find(const char *id)
{
	for (size_t i = 0; i < rule_count; i++)
		if (strcasecmp(rules[i].id, id) == 0)
			return &rules[i];
	return NULL;
}

bool rules_checked_by(const struct rule *rule, const struct vb_case *record)
{
	for (size_t i = 0; record->rules && record->rules[i]; i++)
		if (strcmp(record->rules[i], rule->id) == 0)
			return true;
	return false;
}

const char *rules_excuse(const struct rule *rule)
{
	for (size_t i = 0; i < excuse_count; i++)
		if (strcmp(excuses[i].rule, rule->id) == 0)
			return excuses[i].reason;
	return NULL;
}

/* "IBV_WC_RNR_RETRY_EXC_ERR" and "rnr_retry_exc" are the same: the name
 * without what is before and behind, in capitals. */
static void status_core(const char *name, size_t len, char *out, size_t size)
{
	if (len > 7 && strncasecmp(name, "IBV_WC_", 7) == 0) {
		name += 7;
		len -= 7;
	}
	if (len > 4 && strncasecmp(name + len - 4, "_ERR", 4) == 0)
		len -= 4;
	if (len >= size)
		len = size - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)toupper((unsigned char)name[i]);
	out[len] = '\0';
}

static bool status_same(const char *name, size_t len, const char *other)
{
	char a[64], b[64];

	status_core(name, len, a, sizeof(a));
	status_core(other, strlen(other), b, sizeof(b));
	return strcmp(a, b) == 0;
}

const struct status_text *status_find(const char *name)
{
	for (size_t i = 0; i < status_text_count; i++)
		if (status_same(name, strlen(name), status_texts[i].name))
			return &status_texts[i];
	return NULL;
}

bool status_in_cell(const struct status_text *status, const char *cell)
{
	while (*cell) {
		size_t len = strcspn(cell, ", ");

		if (len && status_same(cell, len, status->name))
			return true;
		cell += len + (cell[len] != '\0');
	}
	return false;
}
