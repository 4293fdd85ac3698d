// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of mutants, how they are chosen, counted and held open. */
#include <errno.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/mutant/mutant.h"

static int setup(void **state)
{
	return mutant_choose(NULL);
}

static bool fits(const char *pattern, const char *text)
{
	regex_t r;
	bool fit;

	assert_int_equal(regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB), 0);
	fit = regexec(&r, text, 0, NULL, 0) == 0;
	regfree(&r);
	return fit;
}

static bool is_one_finding(const char *finding)
{
	static const char *const words[] = {
#define VB_FINDING(name, word, meaning) word,
#include "suite/include/verbatim/findings.def"
#undef VB_FINDING
	};
	size_t len = strcspn(finding, ":");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], finding, len))
			return finding[len] == '\0' || finding[len + 1] != '\0';
	return false;
}

/* Alternatives are told apart by "|". */
static bool is_finding(const char *finding)
{
	char text[128], *rest = text, *one;

	if (strlen(finding) >= sizeof(text))
		return false;
	strcpy(text, finding);
	while ((one = strsep(&rest, "|")))
		if (!is_one_finding(one))
			return false;
	return true;
}

static void rows_are_sorted_unique_and_whole(void **state)
{
	for (size_t m = 0; m < MUTANTS; m++) {
		const struct mutant_row *r = &mutant_rows[m];

		if (m > 0)
			assert_true(strcmp(mutant_rows[m - 1].id, r->id) < 0);
		for (size_t other = 0; other < m; other++)
			assert_string_not_equal(r->name,
						mutant_rows[other].name);
		assert_true(fits("^[DMR][0-9]{2}$", r->id));
		assert_true(fits("^[a-z0-9]+(-[a-z0-9]+)*$", r->name));
		assert_true(fits("^[^.\n]{10,160}$", r->sentence));
		assert_true(fits("^[A-Z]+-[0-9]{2}(,[A-Z]+-[0-9]{2})*$",
				 r->evidence));
		assert_true(fits("^[A-Z]{2,3}-[0-9]{2}$", r->rule));
		assert_true(fits("^([a-z-]+/[a-z0-9-]+(,|$))*$", r->cases));
		assert_true(is_finding(r->finding));
	}
}

/* The first column of rules/rules.tsv. */
static bool is_rule(const char *id)
{
	static const char *const rules[][8] = {
#include "rules/rules.inc"
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i][0], id))
			return true;
	return false;
}

static void rows_break_rules_that_there_are(void **state)
{
	for (size_t m = 0; m < MUTANTS; m++)
		assert_true(is_rule(mutant_rows[m].rule));
	assert_false(is_rule("CMP-99"));
}

static void all_are_off_by_default(void **state)
{
	assert_false(MUTANT_ANY());
	for (size_t m = 0; m < MUTANTS; m++)
		assert_false(mutant_is_on((enum mutant)m));
	assert_false(MUTANT_ON(M07));
	assert_false(MUTANT_ACTS(M07, true));
	assert_true(mutant_acted(MUTANT_M07) == 0);
}

static void lists_choose_by_id_or_name(void **state)
{
	char error[MUTANT_ERROR_MAX];
	const char *list = "m07,wrong-wr-id-on-error,M18:12";

	assert_int_equal(mutant_check(list, error), 0);
	assert_false(MUTANT_ANY());
	assert_int_equal(mutant_choose(list), 0);
	assert_true(mutant_is_on(MUTANT_M07));
	assert_true(mutant_is_on(MUTANT_M19));
	assert_true(mutant_is_on(MUTANT_M18));
	assert_false(mutant_is_on(MUTANT_M21));
	assert_true(mutant_param(MUTANT_M18) == 12);
	assert_true(mutant_param(MUTANT_M07) == mutant_rows[MUTANT_M07].param);
	/* Those of the next list and no others. */
	assert_int_equal(mutant_choose("M21"), 0);
	assert_false(mutant_is_on(MUTANT_M07));
	assert_true(mutant_is_on(MUTANT_M21));
	assert_true(mutant_param(MUTANT_M18) == mutant_rows[MUTANT_M18].param);
	assert_int_equal(mutant_choose(NULL), 0);
	assert_false(MUTANT_ANY());
}

static void assert_wrong(const char *list, const char *what)
{
	char error[MUTANT_ERROR_MAX] = "";

	assert_int_equal(mutant_check(list, error), -EINVAL);
	if (!strstr(error, what))
		fail_msg("\"%s\": \"%s\", not \"%s\"", list, error, what);
}

static void what_is_unknown_is_refused(void **state)
{
	assert_wrong("M077", "no mutant \"M077\"; the nearest is M07");
	assert_wrong("M07,M4O", "no mutant \"M4O\"; the nearest is M40");
	assert_wrong("signal-polcy", "the nearest is signal-policy");
	assert_wrong("M", "no mutant \"M\"");
	assert_wrong("M07,,M08", "no mutant \"\"");
	assert_wrong("M07,", "nothing behind the last comma");
	assert_wrong("M18:", "\"M18:\": what is behind");
	assert_wrong("M18:-1", "\"M18:-1\": what is behind");
	assert_wrong("M18:18446744073709551616", "not a number of up to 64");
	assert_wrong("M07 ", "no mutant \"M07 \"; the nearest is M07");
}

static unsigned told_times;
static enum mutant told_last;

static void tell(enum mutant m)
{
	told_times++;
	told_last = m;
}

/* Armed is one thing, and acting another. */
static void only_its_situation_counts(void **state)
{
	mutant_on_first(tell);
	assert_int_equal(mutant_set(MUTANT_M21, true, 0), 0);
	assert_true(MUTANT_ANY());
	assert_true(MUTANT_ON(M21));
	assert_false(MUTANT_ACTS(M21, false));
	assert_true(mutant_acted(MUTANT_M21) == 0);
	assert_int_equal(told_times, 0);
	assert_true(MUTANT_ACTS(M21, true));
	assert_true(MUTANT_ACTS(M21, true));
	assert_true(mutant_acted(MUTANT_M21) == 2);
	assert_int_equal(told_times, 1);
	assert_int_equal(told_last, MUTANT_M21);
	/* What has been counted stays, for those who ask afterwards. */
	assert_int_equal(mutant_choose(NULL), 0);
	assert_false(MUTANT_ACTS(M21, true));
	assert_true(mutant_acted(MUTANT_M21) == 2);
	mutant_on_first(NULL);
}

static void windows_last_for_their_steps(void **state)
{
	int one, other;

	assert_int_equal(mutant_set(MUTANT_M18, true, 2), 0);
	assert_false(mutant_window_is_open(MUTANT_M18, &one));
	mutant_window_open(MUTANT_M18, &one);
	assert_true(mutant_window_is_open(MUTANT_M18, &one));
	assert_false(mutant_window_is_open(MUTANT_M18, &other));
	mutant_window_step(MUTANT_M18);
	assert_true(mutant_window_is_open(MUTANT_M18, &one));
	mutant_window_step(MUTANT_M18);
	assert_false(mutant_window_is_open(MUTANT_M18, &one));
	/* Choosing anew forgets what was open and remembered. */
	mutant_window_open(MUTANT_M18, &one);
	mutant_memory[MUTANT_M18] = 5;
	assert_int_equal(mutant_set(MUTANT_M18, true, 2), 0);
	assert_false(mutant_window_is_open(MUTANT_M18, &one));
	assert_true(mutant_memory[MUTANT_M18] == 0);
}

/* What the guard of a line says, and one that is kept out of line. */
static __attribute__((noinline)) int guards(void)
{
	return (MUTANT_ON(M07) ? 1 : 0) + (MUTANT_ANY() ? 2 : 0);
}

static void guards_wake_and_sleep(void **state)
{
	assert_int_equal(guards(), 0);
	assert_int_equal(mutant_set(MUTANT_M07, true, 0), 0);
	assert_int_equal(guards(), 3);
	assert_int_equal(mutant_set(MUTANT_M21, true, 0), 0);
	assert_int_equal(mutant_set(MUTANT_M07, false, 0), 0);
	assert_int_equal(guards(), 2);
	assert_int_equal(mutant_choose(NULL), 0);
	assert_int_equal(guards(), 0);
}

enum { SET_MDWE = 65, MDWE_REFUSE_EXEC_GAIN = 1 }; /* prctl(2), Linux 6.3 */

/* The child's exit status: 0 refused and said, 1 not, 2 no such policy. */
static int refused(void)
{
	char error[MUTANT_ERROR_MAX] = "";
	int err;

	if (prctl(SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0))
		return 2;
	err = mutant_check("M07", error);
	if (err != -EACCES || !fits("may not change its code", error))
		return 1;
	/* Nothing chosen needs nothing. */
	return mutant_check("", error) || mutant_choose(NULL) ? 1 : 0;
}

static void a_policy_against_it_is_told(void **state)
{
	pid_t pid;
	int status;

#ifndef JUMP_IS_CODE
	skip();
#endif
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(refused());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rows_are_sorted_unique_and_whole, setup),
		cmocka_unit_test_setup(rows_break_rules_that_there_are, setup),
		cmocka_unit_test_setup(all_are_off_by_default, setup),
		cmocka_unit_test_setup(lists_choose_by_id_or_name, setup),
		cmocka_unit_test_setup(what_is_unknown_is_refused, setup),
		cmocka_unit_test_setup(only_its_situation_counts, setup),
		cmocka_unit_test_setup(windows_last_for_their_steps, setup),
		cmocka_unit_test_setup(guards_wake_and_sleep, setup),
		cmocka_unit_test_setup(a_policy_against_it_is_told, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
