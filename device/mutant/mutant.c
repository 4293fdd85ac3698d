// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which mutants are chosen, and how often each has acted. */
#include "device/mutant/mutant.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct mutant_row mutant_rows[MUTANTS] = {
#define MUTANT(id, name, sentence, evidence, rule, cases, finding, param) \
	{ #id, name, sentence, evidence, rule, cases, finding, param },
#include "device/mutant/mutants.def"
#undef MUTANT
};

#if defined(VB_NO_MUTANTS) || defined(JUMP_IS_CODE)
#define MUTANT_DATA static
#else
#define MUTANT_DATA
#endif
MUTANT_DATA bool mutant_any;
MUTANT_DATA uint64_t mutant_words[MUTANT_WORDS];
uint64_t mutant_memory[MUTANTS];
static uint64_t mutant_params[MUTANTS];
static uint64_t mutant_counts[MUTANTS];
static void (*mutant_told)(enum mutant m);

static struct mutant_window {
	const void *object; /* identity only; NULL: closed */
	uint64_t left;	    /* steps */
} mutant_windows[MUTANTS];

bool mutant_note(enum mutant m)
{
	if (__atomic_fetch_add(&mutant_counts[m], 1, __ATOMIC_RELAXED) == 0 &&
	    mutant_told)
		mutant_told(m);
	return true;
}

uint64_t mutant_acted(enum mutant m)
{
	return __atomic_load_n(&mutant_counts[m], __ATOMIC_RELAXED);
}

uint64_t mutant_param(enum mutant m)
{
	return mutant_params[m];
}

bool mutant_is_on(enum mutant m)
{
	return mutant_words[m / 64] >> m % 64 & 1;
}

void mutant_window_open(enum mutant m, const void *object)
{
	mutant_windows[m].object = object;
	mutant_windows[m].left = mutant_params[m];
}

bool mutant_window_is_open(enum mutant m, const void *object)
{
	return mutant_windows[m].left > 0 && mutant_windows[m].object == object;
}

void mutant_window_step(enum mutant m)
{
	if (mutant_windows[m].left > 0)
		mutant_windows[m].left--;
}

static char mutant_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool mutant_same(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (mutant_upper(a[i]) != mutant_upper(b[i]))
			return false;
	return b[len] == '\0';
}

int mutant_find(const char *word, size_t len)
{
	for (int m = 0; m < MUTANTS; m++)
		if (mutant_same(word, mutant_rows[m].id, len) ||
		    mutant_same(word, mutant_rows[m].name, len))
			return m;
	return -ENOENT;
}

int mutant_set(enum mutant m, bool on, uint64_t param)
{
	uint64_t bit = UINT64_C(1) << m % 64;
	uint64_t word = mutant_words[m / 64];
	bool any = false;
	int err;

	mutant_params[m] = param;
	mutant_memory[m] = 0;
	mutant_windows[m] = (struct mutant_window){ 0 };
	if (on == mutant_is_on(m))
		return 0;
	__atomic_store_n(&mutant_words[m / 64], on ? word | bit : word & ~bit,
			 __ATOMIC_RELAXED);
	for (size_t i = 0; i < MUTANT_WORDS; i++)
		any |= mutant_words[i] != 0;
	err = jump_set(m, on);
	if (err || any == mutant_any)
		return err;
	__atomic_store_n(&mutant_any, any, __ATOMIC_RELAXED);
	return jump_set(MUTANTS, any);
}

/* Letters at the beginning that both have, and a little for the same length:
 * enough for a slip of the finger in "M07" or "signal-policy". */
static size_t mutant_likeness(const char *word, size_t len, const char *other)
{
	size_t other_len = strlen(other), same = 0, at = 0;

	while (at < len && at < other_len &&
	       mutant_upper(word[at]) == mutant_upper(other[at]))
		at++;
	for (size_t i = 1; i <= len - at && i <= other_len - at; i++)
		if (mutant_upper(word[len - i]) !=
		    mutant_upper(other[other_len - i]))
			break;
		else
			same++;
	return 4 * (at + same) + (len == other_len ? 1 : 0);
}

static const char *mutant_nearest(const char *word, size_t len)
{
	const char *nearest = mutant_rows[0].id;
	size_t best = 0;

	for (size_t m = 0; m < MUTANTS; m++) {
		const char *const words[] = { mutant_rows[m].id,
					      mutant_rows[m].name };

		for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
			size_t like = mutant_likeness(word, len, words[i]);

			if (like > best) {
				best = like;
				nearest = words[i];
			}
		}
	}
	return nearest;
}

/* All of @text up to @len is a number of up to 64 bits. */
static bool mutant_number(const char *text, size_t len, uint64_t *value)
{
	uint64_t v = 0;

	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned)(text[i] - '0');

		if (digit > 9 || v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*value = v;
	return true;
}

/* One "id" or "id:param" of a list. */
static int mutant_parse(const char *item, size_t len, uint64_t *param,
			char *error)
{
	const char *colon = memchr(item, ':', len);
	size_t word = colon ? (size_t)(colon - item) : len;
	int m = mutant_find(item, word);

	if (m < 0) {
		snprintf(error, MUTANT_ERROR_MAX,
			 "no mutant \"%.*s\"; the nearest is %s",
			 word > 40 ? 40 : (int)word, item,
			 mutant_nearest(item, word));
		return -EINVAL;
	}
	*param = mutant_rows[m].param;
	if (colon && !mutant_number(colon + 1, len - word - 1, param)) {
		snprintf(error, MUTANT_ERROR_MAX,
			 "\"%.*s\": what is behind the colon is not a number "
			 "of up to 64 bits",
			 len > 60 ? 60 : (int)len, item);
		return -EINVAL;
	}
	return m;
}

static int mutant_walk(const char *list, bool set, char *error)
{
	int err = 0;

	while (*list) {
		size_t len = strcspn(list, ",");
		uint64_t param;
		int m = mutant_parse(list, len, &param, error);

		if (m < 0)
			return m;
		if (set)
			err = mutant_set((enum mutant)m, true, param);
		if (err)
			return err;
		list += len;
		if (*list == ',' && *++list == '\0') {
			snprintf(error, MUTANT_ERROR_MAX,
				 "nothing behind the last comma");
			return -EINVAL;
		}
	}
	return 0;
}

int mutant_check(const char *list, char error[MUTANT_ERROR_MAX])
{
	int err = mutant_walk(list, false, error);

	if (err || !*list)
		return err;
	err = jump_check();
	if (err)
		snprintf(error, MUTANT_ERROR_MAX,
			 "this process may not change its code, which choosing "
			 "a mutant does: %s",
			 strerror(-err));
	return err;
}

int mutant_choose(const char *list)
{
	char error[MUTANT_ERROR_MAX];
	int err = 0;

	for (int m = 0; m < MUTANTS && !err; m++)
		err = mutant_set((enum mutant)m, false, mutant_rows[m].param);
	return err || !list ? err : mutant_walk(list, true, error);
}

void mutant_on_first(void (*told)(enum mutant m))
{
	mutant_told = told;
}
