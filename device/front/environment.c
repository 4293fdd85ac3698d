// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One parser a kind; each takes the whole text or refuses it. */
#include "device/front/environment.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "device/front/environment_names.h"
#include "device/front/limits.h"
#include "device/link/faults.h"
#include "device/mutant/mutant.h"

struct environment {
	enum log_level log;
	char *wrong; /* what exactly, when the parser knows; to be freed */
	struct sd_settings settings;
};

static bool environment_parse_log_level(const char *text, struct environment *e)
{
	return log_level_parse(text, &e->log) == 0;
}

static bool environment_parse_address(const char *text, struct environment *e)
{
	if (!*text)
		return true;
	e->settings.has_address = true;
	/* One host's: neither multicast nor broadcast nor "this network". */
	return inet_pton(AF_INET, text, e->settings.address) == 1 &&
	       e->settings.address[0] > 0 && e->settings.address[0] < 224;
}

static bool environment_parse_mtu(const char *text, struct environment *e)
{
	static const char *const words[] = { "256", "512", "1024", "2048",
					     "4096" };

	if (!*text)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i])) {
			e->settings.mtu_bytes = UINT32_C(256) << i;
			return true;
		}
	}
	return false;
}

static bool environment_parse_pcap(const char *text, struct environment *e)
{
	e->settings.pcap_path = *text ? text : NULL;
	return true;
}

static bool environment_parse_seed(const char *text, struct environment *e)
{
	char *end;

	/* strtoull() would take a sign and blanks. */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	e->settings.seed = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0';
}

static bool environment_parse_links(const char *text, struct environment *e)
{
	static const char *const words[] = {
		[SD_LINKS_AUTO] = "auto",
		[SD_LINKS_DIRECT] = "direct",
		[SD_LINKS_UDP] = "udp",
		[SD_LINKS_SHM] = "shm",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i])) {
			e->settings.links = (enum sd_links)i;
			return true;
		}
	}
	return false;
}

static bool environment_parse_faults(const char *text, struct environment *e)
{
	e->settings.faults = *text ? text : NULL;
	if (!*text)
		return true;
	e->wrong = faults_check(text);
	return !e->wrong;
}

static bool environment_parse_mutants(const char *text, struct environment *e)
{
	char error[MUTANT_ERROR_MAX];

	e->settings.mutants = *text ? text : NULL;
	if (!mutant_check(text, error))
		return true;
	e->wrong = strdup(error);
	return false;
}

static bool environment_parse_mutants_log(const char *text,
					  struct environment *e)
{
	e->settings.mutants_log = *text ? text : NULL;
	return true;
}

static const struct environment_row {
	const char *name;
	bool (*parse)(const char *text, struct environment *e);
	const char *preset;
	const char *accepted;
} environment_rows[] = {
#define SOFT_SETTING(name, kind, preset, accepted, help) \
	{ #name, environment_parse_##kind, preset, accepted },
#include "device/front/environment.def"
#undef SOFT_SETTING
};

static bool environment_read_limits(void)
{
	const char *name, *text;
	bool wrong = false;
	uint32_t most;

	for (size_t i = 0; (name = limits_variable(i, &most)); i++) {
		text = getenv(name);
		if (!limits_set(i, text))
			continue;
		log_setup("softrdma", LOG_ERROR);
		log_error("%s: value \"%s\" is not a number from 1 to %u", name,
			  text, most);
		wrong = true;
	}
	return wrong;
}

/* Nothing that is wrong here is silent, whatever SOFT_LOG says. */
int environment_read(struct sd_settings *settings)
{
	struct environment e = { .log = LOG_ERROR };
	bool wrong;

	environment_warn_unknown(environ);
	wrong = environment_read_limits();
	for (size_t i = 0; i < ARRAY_SIZE(environment_rows); i++) {
		const struct environment_row *row = &environment_rows[i];
		const char *text = getenv(row->name);

		if (!text || !*text)
			text = row->preset;
		if (row->parse(text, &e))
			continue;
		log_setup("softrdma", LOG_ERROR);
		if (e.wrong)
			log_error("%s: %s", row->name, e.wrong);
		else
			log_error("%s: value \"%s\" is not %s", row->name, text,
				  row->accepted);
		free(e.wrong);
		e.wrong = NULL;
		wrong = true;
	}
	if (wrong)
		return -EINVAL;
	log_setup("softrdma", e.log);
	*settings = e.settings;
	return 0;
}
