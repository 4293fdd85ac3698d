// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Outcomes, judging of processes, known deviations. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "suite/runner/deviations.h"
#include "suite/runner/judge.h"
#include "suite/runner/outcome.h"

/* As waitpid() tells them. */
#define EXITED(status) ((status) << 8)
#define KILLED(sig)    (sig)

static struct outcome outcome;

static void add_note(struct outcome *o, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	outcome_vnote(o, format, args);
	va_end(args);
}

static void test_first_stands(void **state)
{
	char longer[OUTCOME_REASON_MAX * 2];

	outcome_reset(&outcome);
	assert_false(atomic_load(&outcome.ended));
	assert_true(outcome_settle(&outcome, VB_SKIP, VB_FIND_OTHER, "one"));
	assert_false(outcome_settle(&outcome, VB_FAIL, VB_FIND_LOST, "two"));
	assert_true(atomic_load(&outcome.ended));
	assert_int_equal(outcome.verdict, VB_SKIP);
	assert_string_equal(outcome.reason, "one");

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	outcome_reset(&outcome);
	outcome_settle(&outcome, VB_FAIL, VB_FIND_LOST, "%s", longer);
	assert_int_equal(strlen(outcome.reason), OUTCOME_REASON_MAX - 1);
}

static void test_notes(void **state)
{
	outcome_reset(&outcome);
	for (int i = 0; i < OUTCOME_NOTES_MAX + 5; i++)
		add_note(&outcome, "note %d", i);
	assert_int_equal(atomic_load(&outcome.notes), OUTCOME_NOTES_MAX + 5);
	assert_int_equal(outcome_notes_kept(&outcome), OUTCOME_NOTES_MAX);
	assert_string_equal(outcome.note[63], "note 63");
}

/* Judge @outcome with what is given; checks that held: @checks. */
#define JUDGE(checks_made, ...)                                   \
	({                                                        \
		struct judge_facts facts = { .outcome = &outcome, \
					     __VA_ARGS__ };       \
		struct result judged;                             \
		atomic_store(&outcome.checks, checks_made);       \
		judge_case(&facts, &judged);                      \
		judged;                                           \
	})

static void assert_result(const struct result *r, enum vb_verdict verdict,
			  enum vb_finding finding, const char *part)
{
	assert_int_equal(r->verdict, verdict);
	assert_int_equal(r->finding, finding);
	assert_non_null(strstr(r->reason, part));
}

static void test_silent(void **state)
{
	struct result r;

	outcome_reset(&outcome);
	r = JUDGE(1, .wait_status = EXITED(0));
	assert_result(&r, VB_BROKEN, VB_FIND_OTHER, "exit status 0");
	r = JUDGE(1, .wait_status = EXITED(3));
	assert_result(&r, VB_BROKEN, VB_FIND_OTHER, "exit status 3");
	r = JUDGE(0, .wait_status = KILLED(SIGBUS), .last_line = "the last");
	assert_result(&r, VB_FAIL, VB_FIND_CRASH, "SIGBUS");
	assert_non_null(strstr(r.reason, "; last recorded: the last"));
	r = JUDGE(0, .wait_status = KILLED(SIGKILL));
	assert_result(&r, VB_BROKEN, VB_FIND_OTHER,
		      "died by SIGKILL (Killed): a signal from outside");
	r = JUDGE(5, .wait_status = KILLED(SIGKILL), .stop = JUDGE_STOP_LIMIT,
		  .limit_ms = 70, .last_line = "the last");
	assert_result(&r, VB_FAIL, VB_FIND_HANG, "had to be killed");
	assert_non_null(strstr(r.reason, "70 ms"));
	assert_non_null(strstr(r.reason, "; last recorded: the last"));
	assert_int_equal(r.checks, 5);
	r = JUDGE(5, .wait_status = KILLED(SIGKILL),
		  .stop = JUDGE_STOP_INTERRUPT, .interrupt = "by me");
	assert_result(&r, VB_BROKEN, VB_FIND_OTHER, "by me");
	atomic_store(&outcome.stopped, true);
	r = JUDGE(5, .wait_status = EXITED(0), .stop = JUDGE_STOP_LIMIT);
	assert_result(&r, VB_FAIL, VB_FIND_HANG, "no end within");
	assert_null(strstr(r.reason, "killed"));
	r = JUDGE(5, .stop = JUDGE_STOP_LIMIT, .stuck = true);
	assert_result(&r, VB_FAIL, VB_FIND_HANG, "it cannot be killed");
}

static void test_pass(void **state)
{
	struct result r;

	outcome_reset(&outcome);
	outcome_settle(&outcome, VB_PASS, VB_FIND_OTHER, "%s", "");
	r = JUDGE(4, .wait_status = EXITED(0));
	assert_result(&r, VB_PASS, VB_FIND_OTHER, "");
	assert_string_equal(r.reason, "");
	/* A pass of nothing, one with things left, and one that then died. */
	r = JUDGE(0, .wait_status = EXITED(0));
	assert_result(&r, VB_BROKEN, VB_FIND_OTHER, "without having checked");
	r = JUDGE(4, .wait_status = EXITED(0), .left_count = 2,
		  .left = "process 1, x");
	assert_result(&r, VB_FAIL, VB_FIND_LEAK, "2 processes left");
	assert_non_null(strstr(r.reason, "process 1, x"));
	r = JUDGE(4, .wait_status = KILLED(SIGSEGV));
	assert_result(&r, VB_FAIL, VB_FIND_CRASH, "SIGSEGV");
	r = JUDGE(4, .stop = JUDGE_STOP_LIMIT, .stuck = true);
	assert_result(&r, VB_FAIL, VB_FIND_HANG, "its process does not end");
	/* It had passed before the run was interrupted. */
	r = JUDGE(4, .wait_status = KILLED(SIGKILL),
		  .stop = JUDGE_STOP_INTERRUPT, .interrupt = "by me");
	assert_result(&r, VB_PASS, VB_FIND_OTHER, "");
}

static void test_fail_stays(void **state)
{
	struct result r;

	outcome_reset(&outcome);
	outcome_settle(&outcome, VB_FAIL, VB_FIND_EARLY, "too early");
	r = JUDGE(0, .wait_status = KILLED(SIGSEGV), .left_count = 1);
	assert_result(&r, VB_FAIL, VB_FIND_EARLY, "too early");
}

static const struct deviation list[] = {
	{ "rxe", "rnr/late", "wrong-status", "status *", "why", "where" },
	{ "rxe", "cq/*", "lost", "*", "all of them", "where" },
};

static void assert_deviates(const char *kind, const char *id,
			    enum vb_finding finding, const char *reason,
			    const char *why)
{
	struct result r = { .verdict = VB_FAIL, .finding = finding };

	snprintf(r.reason, sizeof(r.reason), "%s", reason);
	deviations_apply(list, ARRAY_SIZE(list), kind, id, &r);
	assert_int_equal(r.verdict, why ? VB_DEVIATION : VB_FAIL);
	if (why)
		assert_string_equal(r.deviation_reason, why);
}

static void test_deviations(void **state)
{
	struct result passed = { .verdict = VB_PASS };

	assert_deviates("rxe", "rnr/late", VB_FIND_WRONG_STATUS, "status 4/5",
			"why");
	assert_deviates("rxe", "cq/any", VB_FIND_LOST, "", "all of them");
	/* Another device, case, finding or text. */
	assert_deviates("siw", "rnr/late", VB_FIND_WRONG_STATUS, "status 4",
			NULL);
	assert_deviates("rxe", "rnr/later", VB_FIND_WRONG_STATUS, "status 4",
			NULL);
	assert_deviates("rxe", "rnr/late", VB_FIND_LOST, "status 4", NULL);
	assert_deviates("rxe", "rnr/late", VB_FIND_WRONG_STATUS, "a status 4",
			NULL);
	assert_ptr_equal(deviations_stale(list, 2, "rxe", "rnr/late", &passed),
			 &list[0]);
	assert_null(deviations_stale(list, 2, "siw", "rnr/late", &passed));
	assert_null(deviations_stale(list, 2, "rxe", "cq/any", &passed));
	passed.verdict = VB_FAIL;
	assert_null(deviations_stale(list, 2, "rxe", "rnr/late", &passed));
	passed.verdict = VB_BROKEN;
	deviations_apply(list, 2, "rxe", "cq/any", &passed);
	assert_int_equal(passed.verdict, VB_BROKEN);
}

/* Those of both devices, of this program; of the file those of the one here. */
static void test_deviations_of_two(void **state)
{
	const struct deviation *rows;
	struct deviation *both = NULL;
	size_t all, count = 0, want = 0;
	char *error = NULL;

	rows = deviations_all(&all);
	for (size_t i = 0; i < all; i++)
		want += strcmp(rows[i].kind, "rxe") == 0 ||
			strcmp(rows[i].kind, "siw") == 0;
	assert_in_range(want, 2, all);
	assert_int_equal(deviations_gather(NULL, "rxe", "siw", &both, &count,
					   &error),
			 0);
	assert_int_equal(count, want);
	deviations_free(both, count);
}

static void test_deviation_file(void **state)
{
	char path[] = "/tmp/deviations-XXXXXX";
	int fd = mkstemp(path);
	struct deviation *all = NULL;
	size_t count = 0;
	char *error = NULL;

	assert_true(fd >= 0);
	dprintf(fd, "case\tfinding\tpattern\treason\tsource\n"
		    "a/b\tlost\t*\tbecause\tbook\n\n"
		    "c/d\tearly\tx\ty\tz\n");
	assert_int_equal(deviations_gather(path, "none-such", NULL, &all,
					   &count, &error),
			 0);
	assert_int_equal(count, 2);
	assert_string_equal(all[0].reason, "because");
	assert_string_equal(all[1].source, "z");
	assert_string_equal(all[1].kind, "none-such");
	deviations_free(all, count);
	dprintf(fd, "too\tmany\tcells\tin\tthis\tline\n");
	assert_int_not_equal(deviations_gather(path, "none-such", NULL, &all,
					       &count, &error),
			     0);
	assert_non_null(strstr(error, "line 5"));
	free(error);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_stands),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_pass),
		cmocka_unit_test(test_fail_stays),
		cmocka_unit_test(test_deviations),
		cmocka_unit_test(test_deviations_of_two),
		cmocka_unit_test(test_deviation_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
