// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The commands and their structs as data, from commands.def and fields.def. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/local.h"
#include "suite/end/remote.h"

#define FIELD(s, f, k, ...)                             \
	{ .name = #f,                                   \
	  .kind = (k),                                  \
	  .offset = (uint32_t)offsetof(struct s, f),    \
	  .size = (uint32_t)sizeof(((struct s *)0)->f), \
	  __VA_ARGS__ },
#define COUNTER(s, c)                               \
	.counter = (uint32_t)offsetof(struct s, c), \
	.counter_size = (uint32_t)sizeof(((struct s *)0)->c)
#define ELEMENT(s, f)                                                      \
	.max = sizeof(((struct s *)0)->f) / sizeof(((struct s *)0)->f[0]), \
	.element = (uint32_t)sizeof(((struct s *)0)->f[0])
#define SCHEMA(type) (&schema_of_##type)

#define STRUCT(s)	    static const struct schema_field fields_of_##s[] = {
#define UINT(s, f)	    FIELD(s, f, SCHEMA_UINT, .max = 0)
#define LIMITED(s, f, most) FIELD(s, f, SCHEMA_UINT, .max = (most))
#define INT(s, f)	    FIELD(s, f, SCHEMA_INT, .max = 0)
#define BOOL(s, f)	    FIELD(s, f, SCHEMA_BOOL, .max = 0)
#define BYTES(s, f)	    FIELD(s, f, SCHEMA_BYTES, .max = 0)
#define CHARS(s, f)	    FIELD(s, f, SCHEMA_CHARS, .max = 0)
#define TEXT(s, f)	    FIELD(s, f, SCHEMA_TEXT, .max = 0)
#define INNER(s, f, type)   FIELD(s, f, SCHEMA_STRUCT, .of = SCHEMA(type))
#define ALL(s, f)	    FIELD(s, f, SCHEMA_ARRAY, ELEMENT(s, f))
#define SOME(s, f, c)	    FIELD(s, f, SCHEMA_ARRAY, COUNTER(s, c), ELEMENT(s, f))
#define SOMEOF(s, f, c, type)                                   \
	FIELD(s, f, SCHEMA_ARRAY, COUNTER(s, c), ELEMENT(s, f), \
	      .of = SCHEMA(type))
#define MANY(s, f, c, type, most)                                      \
	FIELD(s, f, SCHEMA_MANY, COUNTER(s, c),                        \
	      .element = (uint32_t)sizeof(struct type), .max = (most), \
	      .of = SCHEMA(type))
#define MAYBE(s, f, type) FIELD(s, f, SCHEMA_MAYBE, .of = SCHEMA(type))
#define END(s)                                       \
	}                                            \
	;                                            \
	static const struct schema schema_of_##s = { \
		.name = #s,                          \
		.size = (uint32_t)sizeof(struct s),  \
		.count = ARRAY_SIZE(fields_of_##s),  \
		.fields = fields_of_##s,             \
	};
/* clang-format off */
#include "suite/end/fields.def"
/* clang-format on */

#define END_COMMAND(name, argument, answer)                                    \
	static int table_##name(struct end_host *h, const void *in, void *out) \
	{                                                                      \
		return local_##name(h, in, out);                               \
	}
#include "suite/end/commands.def"
#undef END_COMMAND

const struct end_command end_commands[] = {
#define END_COMMAND(name, argument, answer) \
	{ #name, SCHEMA(argument), SCHEMA(answer), table_##name },
#include "suite/end/commands.def"
#undef END_COMMAND
};

const size_t end_command_count = ARRAY_SIZE(end_commands);
const struct schema *const end_live_schema = SCHEMA(traffic_live);

const struct end_command *end_command_run_traffic(void)
{
	enum {
#define END_COMMAND(name, argument, answer) TABLE_##name,
#include "suite/end/commands.def"
#undef END_COMMAND
	};

	return &end_commands[TABLE_run_traffic];
}

const struct end_command *end_command_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(end_commands); i++)
		if (strlen(end_commands[i].name) == len &&
		    memcmp(end_commands[i].name, name, len) == 0)
			return &end_commands[i];
	return NULL;
}

uint64_t end_commands_digest(void)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(end_commands); i++) {
		hash = schema_digest(end_commands[i].argument, hash);
		hash = schema_digest(end_commands[i].answer, hash);
	}
	return hash;
}
