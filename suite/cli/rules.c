// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules, excuses and statuses as tables. */
#include "suite/cli/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/verbs_names.h"

const struct rule rules[] = {
#include "rules/rules.inc"
};
const size_t rule_count = ARRAY_SIZE(rules);

const struct excuse excuses[] = {
#include "rules/uncovered.inc"
};
const size_t excuse_count = ARRAY_SIZE(excuses);

const struct status_text status_texts[] = {
#define CLI_STATUS(name, meaning, causes) \
	{ IBV_WC_##name, #name, meaning, causes },
#include "suite/cli/statuses.def"
#undef CLI_STATUS
};
const size_t status_text_count = ARRAY_SIZE(status_texts);

enum {
#define VERBS_WC_STATUS(name) STATUS_NUMBER_##name,
#include "base/verbs_names.def"
	STATUS_NAMES
};
_Static_assert(ARRAY_SIZE(status_texts) == STATUS_NAMES,
	       "every status that has a name is explained");

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

const struct status_text *status_find(const char *name)
{
	char capitals[32];
	enum ibv_wc_status status;
	size_t len = strlen(name);

	if (len >= sizeof(capitals))
		return NULL;
	for (size_t i = 0; i <= len; i++)
		capitals[i] = (char)toupper((unsigned char)name[i]);
	if (len && len <= 3 && strspn(name, "0123456789") == len)
		status = (enum ibv_wc_status)strtoul(name, NULL, 10);
	else if (verbs_wc_status_parse(capitals, &status))
		return NULL;
	for (size_t i = 0; i < status_text_count; i++)
		if (status_texts[i].status == status)
			return &status_texts[i];
	return NULL;
}
